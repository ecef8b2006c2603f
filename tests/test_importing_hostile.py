"""Whatever stands in a log, importing it ends in a plan or in a refusal that says why, never in a crash."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tallystick.errors import TallystickError
from tallystick.importing import add, told

MUTATIONS = 40
ODD: tuple[Any, ...] = (
    None, True, -1, 1e308, float("nan"), 2**70, "", "x", "0.5", "=1+1", "<script>", "\u202e", "\ud800",
    "../../etc", [], {}, [[]], [None], {"a": None}, ["x"] * 3,
)  # fmt: skip


def nodes(value: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401 - any JSON value
    """Return every place of a document as its container and its key there."""
    found = []
    pending = [value]
    while pending:
        inner = pending.pop()
        keys = list(inner) if isinstance(inner, dict) else range(len(inner)) if isinstance(inner, list) else []
        for key in keys:
            found.append((inner, key))
            pending.append(inner[key])
    return found


def mutate(path: Path, chance: random.Random) -> None:
    """Replace, remove or double one value of a JSON or JSON Lines file, or cut the file off."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.suffix == ".jsonl" else None
    documents = [json.loads(line) for line in lines] if lines else [json.loads(path.read_text(encoding="utf-8"))]
    container, key = chance.choice(nodes(documents))
    match chance.randrange(4):
        case 0 if isinstance(container, dict):
            del container[key]
        case 1 if isinstance(container, list):
            container.append(container[key])
        case _:
            container[key] = chance.choice(ODD)
    text = "\n".join(json.dumps(document) for document in documents)
    path.write_text(text[: chance.randrange(len(text))] if chance.random() < 0.05 else text, encoding="utf-8")


FORMATS = sorted(path.name for path in (Path(__file__).parents[1] / "docs/formats/examples").iterdir())


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "plain_table"])
def test_a_changed_value_is_read_or_refused(root: Path, tmp_path: Path, name: str) -> None:
    refused = 0
    for seed in range(MUTATIONS):
        folder = tmp_path / str(seed)
        shutil.copytree(root / "docs/formats/examples" / name, folder)
        chance = random.Random(f"{name} {seed}")
        files = sorted(path for path in folder.rglob("*") if path.suffix in {".json", ".jsonl"})
        mutate(chance.choice(files), chance)
        try:
            told(add([folder], tmp_path / "board"))
        except TallystickError as error:
            refused += 1
            assert all(problem.code and problem.where and problem.found for problem in error.problems)
    assert 0 < refused < MUTATIONS


def test_a_log_of_another_shape_is_refused_naming_the_format(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "docs/formats/examples/evalplus", tmp_path / "logs")
    path = tmp_path / "logs/model-a_eval_results.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["eval"]["HumanEval/0"] = 7
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(TallystickError) as error:
        add([tmp_path / "logs"], tmp_path / "board")
    (problem,) = error.value.problems
    assert (problem.code, problem.expected) == ("log-malformed", "the shape of EvalPlus results")
