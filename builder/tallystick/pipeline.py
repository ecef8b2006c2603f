"""The straight line from `results/` to `site/`; the only module that knows the order.

discover → read → verify → reconcile → estimate → compare → rank → present → export → render → publish
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from tallystick import frozen, metrics, protocols, typeset
from tallystick import receipt as receipts
from tallystick.board import Board, Checked, Docket, Entry, Estimated, FrozenTable, Judgement, Site, SiteSettings
from tallystick.compare import compare, compare_others
from tallystick.discover import discover
from tallystick.estimate import estimate, ledger
from tallystick.export import exporter, sitemap
from tallystick.freeze import compared
from tallystick.hosting import hosting
from tallystick.messages import verdicts
from tallystick.model import Benchmark, BenchmarkFolder, MetricKind, Protocol, Report
from tallystick.present import present
from tallystick.publish import publish
from tallystick.rank import rank_each
from tallystick.read import read
from tallystick.receipt import Receipt
from tallystick.reconcile import named, reconcile_each
from tallystick.reconcile import problems as differences
from tallystick.registry import collect
from tallystick.render import render
from tallystick.sameness import sameness_each
from tallystick.settings import load_benchmark, load_prose, load_site, load_withdrawals
from tallystick.verify import CLAIMS, cap, outcome, precedence, refused, verify, withdrawn
from tallystick.workshop import HERE, Workshop

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Build:
    """What a build made: what is said of its reports and its site, and which of the site's files changed."""

    receipt: Receipt
    changed: tuple[str, ...]


def build(
    root: Path, out: Path, now: datetime, progress: Progress, base_url: str | None = None, workshop: Workshop = HERE
) -> Build:
    """Build the site of `root` into `out`; `now` bounds the finish dates that reports may state.

    `base_url` says where the site will live, in the place of what `content/site.yaml` says. With a cache, a site that
    is made of the same bytes and still stands is left alone.
    """
    cache = workshop.cache
    name = receipts.inputs(root, out, base_url) if cache else ""
    if cache and (standing := receipts.present(cache, name, out, now)):
        return Build(standing, ())
    checked = check(root, now, progress, workshop)
    site = computed(checked, root, progress, base_url, workshop)
    workshop.rest()
    progress("rendering")
    documents = present(site)
    files = render((*documents, *sitemap(documents, site.settings.base_url)), root, exporter(documents))
    changed = publish(files, out)
    receipt = Receipt(verdicts(checked), len(files), hosting(files))
    if cache:
        receipts.file(cache, name, out, now, checked, receipt)
        cache.settle()
    return Build(receipt, changed)


def computed(
    checked: Checked, root: Path, progress: Progress, base_url: str | None = None, workshop: Workshop = HERE
) -> Site:
    """Compute every board of what was checked; `base_url` as for `build`."""
    settings, prose = site_settings(root), load_prose(root)
    if base_url is not None:
        settings = replace(settings, base_url=base_url.rstrip("/"))
    boards = []
    for docket in checked.dockets:
        progress(f"computing {docket.benchmark.id}")
        boards.append(compared(compute(docket, workshop), checked.frozen.get(docket.benchmark.id, ())))
    return Site(settings, tuple(boards), prose)


def site_settings(root: Path) -> SiteSettings:
    """Read `content/site.yaml`; raise SettingsError also where it asks for what cannot be made here."""
    settings = load_site(root)
    typeset.require(settings.figures, "content/site.yaml /figures")
    return settings


def check(root: Path, now: datetime, progress: Progress, workshop: Workshop = HERE) -> Checked:
    """Judge every report of `root` without computing anything from it."""
    shelves = frozen.load(root)
    protocol_kinds = collect(protocols, "PROTOCOL", Protocol)
    catalogue = discover(root)
    dockets = []
    for folder in catalogue.folders:
        progress(f"verifying {folder.id}")
        dockets.append(_docket(folder, root, protocol_kinds, now, workshop))
    return Checked(tuple(dockets), catalogue.problems, shelves)


def board(
    folder: BenchmarkFolder, root: Path, now: datetime, shelf: Iterable[FrozenTable], workshop: Workshop = HERE
) -> Board:
    """Judge and compute one benchmark, and set its frozen tables beside it: what a preview does where it was edited."""
    docket = _docket(folder, root, collect(protocols, "PROTOCOL", Protocol), now, workshop)
    return compared(compute(docket, workshop), shelf)


def _docket(
    folder: BenchmarkFolder, root: Path, kinds: Sequence[Protocol], now: datetime, workshop: Workshop
) -> Docket:
    benchmark = load_benchmark(root, folder.id, kinds, collect(metrics, "METRIC", MetricKind))
    protocol = next(kind for kind in kinds if kind.id == benchmark.protocol)
    reports, unread = read(folder, benchmark, kinds, workshop)
    taken_back = load_withdrawals(root, folder.id)
    judged = judge(reports, benchmark, protocol, now, workshop)
    return Docket(benchmark, tuple(withdrawn(item, taken_back) for item in judged), unread, taken_back)


def judge(
    reports: Iterable[Report], benchmark: Benchmark, protocol: Protocol, now: datetime, workshop: Workshop = HERE
) -> tuple[Judgement, ...]:
    """Verify and reconcile reports, in order of precedence; one bad report never hides another.

    A report refused for itself is no baseline for the others: what they state against it stays unverified. Nor does it
    keep a method or a run to itself: where it took them from a sound one, all are judged again with it behind.
    """
    ordered = sorted(reports, key=precedence)
    judged = _judged(ordered, benchmark, protocol, now, workshop)
    faulty = {_identity(item.report) for item in judged if refused(item.problems, but=CLAIMS)}
    robbed = [item for item in judged if _identity(item.report) not in faulty and refused(item.problems)]
    if not (faulty and robbed):
        return judged
    ordered.sort(key=lambda report: _identity(report) in faulty)
    return tuple(sorted(_judged(ordered, benchmark, protocol, now, workshop), key=lambda item: precedence(item.report)))


def _identity(report: Report) -> tuple[str, str]:
    return report.path, report.method.id


def _judged(
    ordered: Sequence[Report], benchmark: Benchmark, protocol: Protocol, now: datetime, workshop: Workshop
) -> tuple[Judgement, ...]:
    """Judge reports; of two that claim the same, the first in order stands."""
    verified = verify(ordered, benchmark, now)
    peers = tuple(report for report, found in zip(ordered, verified, strict=True) if not refused(found))
    reconciliations = workshop.each(
        "reconcile",
        partial(reconcile_each, benchmark=benchmark),
        [(report, named(report, peers)) for report in ordered],
        lambda piece: (piece[0].origin, *(peer.origin for peer in piece[1])),
    )
    (alike,) = workshop.each(
        "sameness", partial(sameness_each, benchmark=benchmark), [peers], lambda set_: [peer.origin for peer in set_]
    )
    judgements = []
    for report, found, reconciled in zip(ordered, verified, reconciliations, strict=True):
        likenesses = [note for method, note in alike if (method, note.where) == (report.method.id, report.path)]
        everything = (*found, *protocol.check(report, benchmark, peers), *differences(reconciled), *likenesses)
        judgements.append(Judgement(report, outcome(everything, benchmark), cap(everything), reconciled))
    return tuple(judgements)


def compute(docket: Docket, workshop: Workshop = HERE) -> Board:
    """Estimate what was admitted or set aside, then compare and rank what was admitted.

    A refused or withdrawn report is listed with its problems; nothing is computed from it but how its samples ended.
    """
    benchmark = docket.benchmark
    apart = [judgement for judgement in docket.judgements if judgement.outcome in ("refused", "withdrawn")]
    sound = [judgement for judgement in docket.judgements if judgement.outcome not in ("refused", "withdrawn")]
    estimated = workshop.each(
        "estimate",
        partial(estimate, benchmark=benchmark),
        [judgement.report for judgement in sound],
        lambda report: (report.origin,),
    )
    entries = [_entry(judgement, computed, benchmark) for judgement, computed in zip(sound, estimated, strict=True)]
    admitted = sorted((entry for entry in entries if entry.outcome == "admitted"), key=_order(benchmark))
    ranked, *others = workshop.each(
        "rank",
        partial(rank_each, benchmark=benchmark),
        [(metric, admitted) for metric in (benchmark.primary, *benchmark.ranked)],
        lambda piece: (piece[0], *sorted(entry.report.origin for entry in piece[1])),
    )
    return Board(
        benchmark=benchmark,
        entries=tuple(admitted),
        diagnostic=tuple(entry for entry in entries if entry.outcome == "diagnostic"),
        refused=tuple(_refused(judgement, benchmark) for judgement in apart),
        unread=docket.unread,
        comparisons=compare([entry.report for entry in admitted], benchmark, workshop),
        pairs=compare_others([entry.report for entry in admitted], benchmark, workshop),
        standings=ranked.standings if ranked else {},
        ranking=ranked,
        rankings={found.metric: found for found in others if found is not None},
        withdrawn=docket.withdrawn,
    )


def _entry(judgement: Judgement, computed: Estimated, benchmark: Benchmark) -> Entry:
    """Complete is who has a full value of the primary metric: one over the samples that it is about, all of them."""
    primary = computed.estimates.get(benchmark.primary)
    return Entry(
        judgement.report,
        judgement.outcome,
        judgement.problems,
        judgement.reconciliations,
        computed.ledger,
        computed.estimates,
        computed.breakdowns,
        complete=primary is not None and primary.value is not None and not primary.conditional,
    )


def _refused(judgement: Judgement, benchmark: Benchmark) -> Entry:
    counted = ledger(judgement.report.statuses, benchmark.bootstrap.confidence)
    return Entry(judgement.report, judgement.outcome, judgement.problems, judgement.reconciliations, counted)


def _order(benchmark: Benchmark) -> Callable[[Entry], tuple[bool, bool, float, str]]:
    """Order by the primary metric in its own direction; a full value before a conditional one, undefined last."""
    metric = benchmark.metric(benchmark.primary)

    def key(entry: Entry) -> tuple[bool, bool, float, str]:
        found = entry.estimates.get(metric.id)
        if found is None or found.value is None:
            return (True, True, 0.0, entry.method)
        return (False, found.conditional, -metric.sign * found.value, entry.method)

    return key
