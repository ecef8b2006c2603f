"""Inspect AI logs: both containers, epochs, and everything that is no score."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from logs_made import (
    codes,
    inspect_archive,
    inspect_log,
    inspect_sample,
    mean,
    only,
    read,
    stated,
    statuses,
    write,
    zstandard_zip,
)
from tallystick.errors import Refusal
from tallystick.importers.inspect_ai import IMPORTER

NAN = float("nan")


def test_both_containers_give_the_same_run(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(1, "C"), inspect_sample("b", "I"), inspect_sample(3, "P")], accuracy=0.5)
    document = only(read(IMPORTER, write(tmp_path / "a.json", log)))
    archive = only(read(IMPORTER, inspect_archive(tmp_path / "a.eval", log)))
    assert {sample.id: sample.values["match"] for sample in document.samples} == {"1": 1, "b": 0, "3": 0.5}
    assert sorted(document.samples, key=lambda sample: sample.id) == sorted(
        archive.samples, key=lambda sample: sample.id
    )
    assert stated(document) == stated(archive) == {("match", None): 0.5}
    assert document.fingerprint == archive.fingerprint
    assert document.finished is not None
    assert document.finished.isoformat() == "2026-01-02T02:04:05+00:00"


def test_one_run_in_both_containers_is_read_once(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(1, "C")], accuracy=1.0)
    write(tmp_path / "a.json", log)
    inspect_archive(tmp_path / "b.eval", log)
    assert "b.eval holds the same run and was left out" in only(read(IMPORTER, tmp_path)).notes


def test_what_is_no_score_keeps_its_own_status(tmp_path: Path) -> None:
    samples = [
        inspect_sample("right", "C"),
        inspect_sample("refused", "N"),
        inspect_sample("not scored", NAN),
        inspect_sample("no scorer ran", ...),
        inspect_sample("crashed", "C", error={"message": "boom"}),
        inspect_sample("taken back", "C", invalidation={"reason": "leak"}),
    ]
    log = inspect_log(samples, accuracy=0.5)
    log["eval"]["dataset"]["sample_ids"].append("never started")
    run = only(read(IMPORTER, write(tmp_path / "a.json", log)))
    assert {sample.id: sample.status for sample in run.samples} == {
        "right": "scored",
        "refused": "abstained",
        "not scored": "unresolved",
        "no scorer ran": "unresolved",
        "crashed": "invalid",
        "taken back": "invalid",
        "never started": "missing",
    }
    assert [difference.name for difference in run.differences] == ["inspect-refusal-is-zero"]
    assert run.stated[0].under == "inspect-refusal-is-zero"


def test_epochs_stay_samples_of_a_cluster(tmp_path: Path) -> None:
    samples = [inspect_sample(name, "C" if epoch == 1 else "I", epoch) for name in "ab" for epoch in (1, 2)]
    run = only(read(IMPORTER, write(tmp_path / "a.json", inspect_log(samples, accuracy=0.5))))
    assert [(sample.id, sample.cluster) for sample in run.samples] == [
        ("a#1", "a"), ("a#2", "a"), ("b#1", "b"), ("b#2", "b"),
    ]  # fmt: skip
    assert mean(run, "match") == stated(run)["match", None] == 0.5


def test_epochs_are_reduced_to_the_logs_own_values_on_demand(tmp_path: Path) -> None:
    samples = [inspect_sample(name, "C" if epoch == 1 else "I", epoch) for name in "ab" for epoch in (1, 2)]
    best = {"scorer": "match", "samples": [{"sample_id": "a", "value": 1.0}, {"sample_id": "b", "value": 1.0}]}
    log = inspect_log(samples, accuracy=1.0, reductions=[best])
    log["results"]["scores"][0]["reducer"] = "max"
    path = write(tmp_path / "a.json", log)
    reduced = only(read(IMPORTER, path, epochs="reduce"))
    assert {sample.id: sample.values for sample in reduced.samples} == {"a": {"match": 1}, "b": {"match": 1}}
    assert stated(reduced) == {("match", None): 1.0}
    assert stated(only(read(IMPORTER, path))) == {}  # the best of two is no mean over both


def test_an_epoch_that_crashed_is_not_averaged_away(tmp_path: Path) -> None:
    samples = [inspect_sample("a", "C", 1), inspect_sample("a", "C", 2, error={"message": "boom"})]
    log = inspect_log(samples, reductions=[{"scorer": "match", "samples": [{"sample_id": "a", "value": 1.0}]}])
    assert statuses(only(read(IMPORTER, write(tmp_path / "a.json", log), epochs="reduce"))) == {"invalid": 1}


def test_scores_of_several_parts_are_several_metrics(tmp_path: Path) -> None:
    run = only(read(IMPORTER, write(tmp_path / "a.json", inspect_log([inspect_sample(1, {"style": 0.5, "facts": 1})]))))
    assert {metric.id for metric in run.metrics} == {"match.style", "match.facts"}


def scored(name: str, scorer: str, value: float, metric: str = "mean", **more: object) -> dict[str, object]:
    """Return what a log states of one scorer, or of one part of its score."""
    return {"name": name, "scorer": scorer, "metrics": {metric: {"value": value}}, **more}


def test_what_is_stated_of_a_part_is_of_that_metric(tmp_path: Path) -> None:
    samples = [inspect_sample(1, {"style": 0.5, "match": 1}), inspect_sample(2, {"style": 0.25, "match": 0})]
    parts = [scored("style", "match", 0.9, scored_samples=2), scored("match", "match", 0.5)]
    run = only(read(IMPORTER, write(tmp_path / "a.json", inspect_log(samples, results={"scores": parts}))))
    assert stated(run) == {("match.style", None): 0.9, ("match.match", None): 0.5}
    assert stated(run, "count") == {("match.style", None): 2}
    assert mean(run, "match.style") == 0.375


def test_each_of_several_reductions_is_a_metric(tmp_path: Path) -> None:
    samples = [inspect_sample("a", {"x": value}, epoch) for epoch, value in ((1, 1), (2, 0))]
    reductions = [
        {"scorer": "match", "reducer": reducer, "samples": [{"sample_id": "a", "value": {"x": value}}]}
        for reducer, value in (("mean", 0.5), ("at_least_1", 1))
    ]
    results = {
        "scores": [
            scored("x", "match", 0.5, reducer="mean", scored_samples=1),
            scored("x", "match", 1.0, reducer="at_least_1"),
        ]
    }
    path = write(tmp_path / "a.json", inspect_log(samples, results=results, reductions=reductions))
    run = only(read(IMPORTER, path, epochs="reduce"))
    assert [sample.values for sample in run.samples] == [{"match.x mean": 0.5, "match.x at_least_1": 1}]
    assert stated(run) == {("match.x mean", None): 0.5, ("match.x at_least_1", None): 1.0}
    assert stated(run, "count") == {("match.x mean", None): 1}
    kept = only(read(IMPORTER, path))
    assert (stated(kept), stated(kept, "count")) == ({("match.x", None): 0.5}, {})


@pytest.mark.parametrize("how", ["keep", "reduce"])
def test_a_mean_that_leaves_out_some_epochs_of_a_sample_is_a_known_difference(tmp_path: Path, how: str) -> None:
    samples = [inspect_sample(name, "C" if name == "a" else "I", epoch) for name in "ab" for epoch in (1, 2)]
    samples[3]["error"] = {"message": "boom"}
    reduced = {"scorer": "match", "samples": [{"sample_id": "a", "value": 1.0}, {"sample_id": "b", "value": 0.0}]}
    path = write(tmp_path / "a.json", inspect_log(samples, accuracy=0.5, reductions=[reduced]))
    run = only(read(IMPORTER, path, epochs=how))
    assert [difference.name for difference in run.differences] == ["inspect-epochs-uneven"]
    assert run.stated[0].under == "inspect-epochs-uneven"
    assert mean(run, "match") == (2 / 3 if how == "keep" else 1)


def test_random_ids_of_messages_do_not_change_what_was_asked(tmp_path: Path) -> None:
    def content(mark: str) -> str | None:
        asked = [{"id": mark, "role": "user", "content": "Why?"}]
        log = inspect_log([inspect_sample(1, "C", input=asked)])
        return only(read(IMPORTER, write(tmp_path / f"{mark}.json", log))).samples[0].content

    assert content("aaa") == content("bbb")


def test_an_unfinished_archive_is_a_partial_run(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(1, "C")])
    path = tmp_path / "a.eval"
    inspect_archive(tmp_path / "whole.eval", log)
    with zipfile.ZipFile(tmp_path / "whole.eval") as whole, zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1_epoch_1.json", whole.read("samples/1_epoch_1.json"))
        archive.writestr("_journal/start.json", whole.read("header.json").replace(b'"status": "success", ', b""))
    run = only(read(IMPORTER, path))
    assert not run.complete
    assert statuses(run) == {"scored": 1}


def test_zstandard_members_are_read(tmp_path: Path) -> None:
    pytest.importorskip("zstandard")
    plain = inspect_archive(tmp_path / "plain.eval", inspect_log([inspect_sample(1, "C")], accuracy=1.0))
    with zipfile.ZipFile(plain) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert mean(only(read(IMPORTER, zstandard_zip(tmp_path / "packed.eval", members))), "match") == 1


@pytest.mark.parametrize("value", ["great", {"match": "0.5"}, float("inf")])
def test_text_and_infinities_are_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(Refusal) as refusal:
        read(IMPORTER, write(tmp_path / "a.json", inspect_log([inspect_sample(1, value)])))
    assert codes(refusal.value) == ["score-not-a-number"]


def test_one_sample_has_no_standard_error_whatever_the_log_states(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(1, "C")], accuracy=1.0)
    log["results"]["scores"][0]["metrics"]["stderr"] = {"value": 0.0}
    assert {item.part for item in only(read(IMPORTER, write(tmp_path / "a.json", log))).stated} == {"estimate"}


def test_lists_are_no_scores(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(1, [1, 0]), inspect_sample(2, "C")])
    assert statuses(only(read(IMPORTER, write(tmp_path / "a.json", log)))) == {"scored": 1, "unresolved": 1}


@pytest.mark.parametrize(
    ("file", "method", "metric", "samples", "accuracy"),
    [
        ("data_arc_qwen.json", "ollama__qwen2.5-0.5b", "choice", 3, 1 / 3),
        ("data_arc_sonnet.json", "anthropic__claude-sonnet-4-0", "choice", 5, 1.0),
        ("data_pubmedqa_gpt4o_mini.json", "openai__azure__gpt-4o-mini", "choice", 2, 1.0),
        ("log_formats.json", "ollama__llama3.1", "match", 1, 0.0),
        ("log_formats.eval", "ollama__llama3.1", "match", 1, 0.0),
        ("2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval", "openai__gpt-4o-mini", "match", 10, 0.8),
    ],
)
def test_real_logs_give_the_accuracy_that_they_state(
    shared: Path, file: str, method: str, metric: str, samples: int, accuracy: float
) -> None:
    run = only(read(IMPORTER, shared / "inspect" / file))
    assert run.method.id == method
    assert statuses(run) == {"scored": samples}
    assert mean(run, metric) == stated(run)[metric, None] == accuracy
