"""Small logs in other people's formats, made here, and the way tests read them."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tallystick.errors import Refusal
from tallystick.imported import ImportedRun, Importer, ImportOptions, Recognised
from tallystick.logs import gather


def read(importer: Importer, *paths: Path, method: str | None = None, **options: str) -> tuple[ImportedRun, ...]:
    """Read what an importer recognises below the paths."""
    files = [Recognised(file, role) for file in gather(paths) if (role := importer.recognises(file))]
    assert files, "nothing was recognised"
    return importer.read(tuple(files), ImportOptions(method, options))


def only(runs: Sequence[ImportedRun]) -> ImportedRun:
    """Return the single run."""
    assert len(runs) == 1, [run.benchmark for run in runs]
    return runs[0]


def statuses(run: ImportedRun) -> dict[str, int]:
    """Count how samples ended."""
    return dict(Counter(sample.status for sample in run.samples))


def mean(run: ImportedRun, metric: str) -> float:
    """Return the mean of a metric over the samples that have it."""
    values = [sample.values[metric] for sample in run.samples if metric in sample.values]
    return math.fsum(values) / len(values)


def stated(run: ImportedRun, part: str = "estimate") -> dict[tuple[str, str | None], float]:
    """Return what the log states by metric and axis value."""
    return {(item.metric, item.axis_value): item.value for item in run.stated if item.part == part}


def codes(refusal: Refusal) -> list[str]:
    """Return the codes of a refusal's problems."""
    return [problem.code for problem in refusal.problems]


def write(path: Path, value: object) -> Path:
    """Write JSON, with NaN where there is one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, rows: Sequence[object]) -> Path:
    """Write JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# --- lm-evaluation-harness --------------------------------------------------------------------------------------------

TIME = "2026-01-02T03-04-05.678901"


def harness_row(doc_id: int, filter: str | None = "none", **metrics: object) -> dict[str, Any]:
    """Return a row of a samples file whose hashes follow from its document."""
    doc, target = {"question": f"What is {doc_id} + 1?"}, str(doc_id + 1)
    row = {
        "doc_id": doc_id,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": f"Q{doc_id}"}},
        "resps": [[target]],
        "filtered_resps": [target],
        "doc_hash": sha(json.dumps(doc, indent=2)),
        "prompt_hash": sha(f"Q{doc_id}"),
        "target_hash": sha(target),
        **metrics,
    }
    if filter is not None:
        row |= {"filter": filter, "metrics": list(metrics)}
    return row


def harness_run(
    folder: Path,
    tasks: Mapping[str, Sequence[Mapping[str, Any]]],
    results: Mapping[str, Mapping[str, Any]],
    model: str = "lab/model-a",
    **more: object,
) -> Path:
    """Write a results file and a samples file for each task; `more` replaces keys of the results file."""
    document = {
        "results": results,
        "group_subtasks": {task: [] for task in tasks},
        "configs": {task: {"task": task, "num_fewshot": 0, "metadata": {"pretrained": model}} for task in tasks},
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {},
        "n-samples": {task: {"original": len(rows), "effective": documents(rows)} for task, rows in tasks.items()},
        "config": {"model": "hf", "model_args": f"pretrained={model}", "fewshot_seed": 1},
        "git_hash": "abc1234",
        "date": 1767323045.5,
        "total_evaluation_time_seconds": "60.25",
        "task_hashes": {task: task_hash(rows) for task, rows in tasks.items()},
        "model_name": model,
        **more,
    }
    write(folder / f"results_{TIME}.json", document)
    for task, rows in tasks.items():
        write_lines(folder / f"samples_{task}_{TIME}.jsonl", rows)
    return folder


def documents(rows: Sequence[Mapping[str, Any]]) -> int:
    """Count the documents of a samples file."""
    return len({row["doc_id"] for row in rows})


def task_hash(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash that the harness states of a task's samples."""
    return sha("".join(row["doc_hash"] + row["prompt_hash"] + row["target_hash"] for row in rows))


def sha(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


# --- Inspect AI -------------------------------------------------------------------------------------------------------


def inspect_sample(name: int | str, value: object, epoch: int = 1, **more: object) -> dict[str, Any]:
    """Return a sample with one scorer; without any score where the value is ... (an ellipsis)."""
    scores = {} if value is ... else {"scores": {"match": {"value": value}}}
    return {"id": name, "epoch": epoch, "input": f"Question {name}", "target": "yes", **scores, **more}


def inspect_log(samples: Sequence[Mapping[str, Any]], accuracy: float | None = None, **more: object) -> dict[str, Any]:
    """Return a log as one document; `more` replaces its keys."""
    metrics = {} if accuracy is None else {"accuracy": {"name": "accuracy", "value": accuracy}}
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "run_id": "run-1",
            "task": "suite/quiz",
            "task_id": "task-1",
            "task_version": 0,
            "model": "lab/model-a",
            "dataset": {"name": "quiz", "sample_ids": list(dict.fromkeys(sample["id"] for sample in samples))},
            "revision": {"type": "git", "commit": "abc1234"},
            "packages": {"inspect_ai": "0.3.100"},
        },
        "plan": {"steps": [{"solver": "generate"}]},
        "results": {
            "total_samples": len(samples),
            "scores": [{"name": "match", "scorer": "match", "metrics": metrics}],
        },
        "stats": {"completed_at": "2026-01-02T03:04:05+01:00"},
        "samples": list(samples),
        **more,
    }


def inspect_archive(path: Path, log: Mapping[str, Any], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a log as an archive of a header and one member for each sample."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression) as archive:
        header = {key: value for key, value in log.items() if key not in {"samples", "reductions"}}
        archive.writestr("header.json", json.dumps(header))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        if "reductions" in log:
            archive.writestr("reductions.json", json.dumps(log["reductions"]))
    return path


def zstandard_zip(path: Path, members: Mapping[str, bytes]) -> Path:
    """Write an archive of Zstandard members (method 93), which `zipfile` cannot write before Python 3.14."""
    import zstandard

    body, directory = b"", b""
    for name, content in members.items():
        packed = zstandard.ZstdCompressor(write_content_size=False).compress(content)
        common = struct.pack(
            "<HHHHHIIIHH", 63, 0, 93, 0, 33, zlib.crc32(content), len(packed), len(content), len(name), 0
        )
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        directory += name.encode()
        body += b"PK\x03\x04" + common + name.encode() + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)
    return path
