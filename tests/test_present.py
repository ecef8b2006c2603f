"""Documents of a site: each path once."""

from __future__ import annotations

from dataclasses import replace

import pytest

import synthetic
from tallystick.board import Prose
from tallystick.errors import SettingsError
from tallystick.present import present


def test_documents_come_sorted_and_each_path_once() -> None:
    paths = [document.path for document in present(synthetic.site())]
    assert paths == sorted(paths)
    assert len(paths) == len({path.casefold() for path in paths})
    assert {"index.html", "404.html", "about.html", "far/index.html", "far/methods/far.html"} <= set(paths)


@pytest.mark.parametrize("slug", ["about", "About", "404"])
def test_two_pages_that_claim_one_path_stop_the_build(slug: str) -> None:
    site = synthetic.site()
    with pytest.raises(SettingsError) as error:
        present(replace(site, prose=(*site.prose, Prose(slug, "Again", "", ""))))
    assert error.value.problems[0].code == "page-path-taken"
    assert error.value.problems[0].where == f"{slug}.html"


def test_a_site_without_boards_has_its_other_pages() -> None:
    paths = {document.path for document in present(replace(synthetic.site(), boards=()))}
    schemas = {path for path in paths if path.startswith("schema/")}
    assert paths - schemas == {"index.html", "404.html", "about.html", "feed.xml"}
    assert "schema/report-1.json" in schemas
