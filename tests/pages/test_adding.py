"""How to add a report: what the board accepts, to the last digit."""

from __future__ import annotations

import html
import json
from dataclasses import replace

import synthetic
from tallystick.pages.adding import PAGE
from tallystick.render import render


def test_the_pinned_values_and_the_reason_of_a_variation_are_shown() -> None:
    page = {file.path: file.content.decode() for file in render(PAGE.documents(synthetic.site()))}["far/add.html"]
    page = page.replace("<wbr>", "")
    assert synthetic.digest("b") in page
    assert synthetic.digest("samples") in page
    assert "each method has its prompts" in page
    assert "tallystick seal" in page
    assert 'href="../schema/report-1.json"' in page


def test_the_sketch_of_a_report_holds_what_the_board_fixes() -> None:
    site = synthetic.site()
    bench = site.boards[0].benchmark
    metrics = (
        replace(bench.metrics[0], id="solved", fields={"value": 'was "solved"'}, over="all"),
        replace(bench.metrics[0], id="f", kind="micro_f1", fields={"true_positives": "hits", "predicted": "said"}),
        replace(bench.metrics[0], id="broken", kind="status_rate", fields={"status": "invalid"}, over="all"),
    )
    board = replace(site.boards[0], benchmark=replace(bench, metrics=metrics))
    page = {f.path: f.content.decode() for f in render(PAGE.documents(replace(site, boards=(board,))))}["far/add.html"]
    sketch = json.loads(html.unescape(page.split('<pre class="program" tabindex="0"><code>')[1].split("</code>")[0]))
    pinned = bench.fingerprint
    assert f'\n    "corpus": {json.dumps(pinned.corpus)},\n' in html.unescape(page)
    assert sketch["fingerprint"] == {
        "benchmark": pinned.benchmark,
        "corpus": pinned.corpus,
        "configuration": "…",
        "implementation": pinned.implementation,
    }
    scored, abstained = sketch["samples"]
    assert list(scored) == ["id", "status", 'was "solved"', "hits", "said"]
    assert list(abstained) == ["id", "status", 'was "solved"']


def test_a_foreign_format_is_not_told_to_seal() -> None:
    site = synthetic.site()
    board = replace(site.boards[0], benchmark=replace(site.boards[0].benchmark, protocol="falsirag"))
    page = {f.path: f.content.decode() for f in render(PAGE.documents(replace(site, boards=(board,))))}["far/add.html"]
    assert "tallystick seal" not in page
    assert "falsirag" in page
