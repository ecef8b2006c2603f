"""Read the candidate files of a benchmark once, and hand their bytes to the benchmark's protocol.

The bytes that were hashed are the bytes that are parsed. One bad file never hides another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tallystick.codec import encode
from tallystick.digest import sha256
from tallystick.errors import Problem, Refusal, memory_exhausted
from tallystick.model import Benchmark, BenchmarkFolder, Blob, Bundle, Protocol, Report, Unread
from tallystick.strict import describe, json_object
from tallystick.strict.files import MEGABYTE, read_file
from tallystick.strict.paths import matches
from tallystick.workshop import HERE, Workshop

_DECLARATIONS = ("format", "schema_version", "schema", "version", "type")


def read(
    folder: BenchmarkFolder, benchmark: Benchmark, protocols: Iterable[Protocol], workshop: Workshop = HERE
) -> tuple[tuple[Report, ...], tuple[Unread, ...]]:
    """Return the reports of a benchmark, sorted by path, and what could not be read, sorted by path."""
    known = tuple(protocols)
    protocol = next(item for item in known if item.id == benchmark.protocol)
    blobs, unread = load(folder, benchmark)
    files, foreign = _recognised(blobs, protocol, known, workshop)
    bundles, left_over = _assembled(files, benchmark, protocol)
    settled = _settled(benchmark)
    work = partial(read_bundles, benchmark=benchmark, protocol=protocol)
    outcomes = workshop.each("read", work, bundles, lambda bundle: (settled, *_named(bundle)))
    outcomes = [_with_origin(outcome, bundle, settled) for outcome, bundle in zip(outcomes, bundles, strict=True)]
    reports = [outcome for outcome in outcomes if isinstance(outcome, Report)]
    unread += (*folder.unread, *foreign, *left_over)
    unread += tuple(outcome for outcome in outcomes if isinstance(outcome, Unread))
    return tuple(sorted(reports, key=lambda report: report.path)), tuple(sorted(unread, key=_place))


def load(folder: BenchmarkFolder, benchmark: Benchmark) -> tuple[tuple[Blob, ...], tuple[Unread, ...]]:
    """Read and hash every candidate but the benchmark's own files, within its limits."""
    own = {benchmark.samples.path, *(blob.path for blob in benchmark.supplements.values())}
    limit = benchmark.limits.file_mb * MEGABYTE
    left = benchmark.limits.total_mb * MEGABYTE
    blobs: list[Blob] = []
    unread: list[Unread] = []
    for candidate in folder.candidates:
        path = candidate.path
        if path in own:
            continue
        try:
            if left < min(candidate.size, limit):
                raise Refusal([_over_total(path, benchmark)])
            content = read_file(folder.folder, path, limit, path)
        except Refusal as refusal:
            unread.append(Unread(path, None, refusal.problems))
        else:
            left -= len(content)
            blobs.append(Blob(path, sha256(content), content))
    return tuple(blobs), tuple(unread)


def read_bundles(bundles: Sequence[Bundle], benchmark: Benchmark, protocol: Protocol) -> list[Report | Unread]:
    """Return what became of each bundle."""
    return [read_bundle(bundle, benchmark, protocol) for bundle in bundles]


def read_bundle(bundle: Bundle, benchmark: Benchmark, protocol: Protocol) -> Report | Unread:
    """Return one report, or why it could not be read; what happens depends on the bundle and the benchmark alone."""
    try:
        return protocol.read(bundle, benchmark)
    except Refusal as refusal:
        return Unread(bundle.path, None, refusal.problems)
    except Exception as error:
        return _our_fault(bundle.path, protocol, error)


def _recognised(
    blobs: tuple[Blob, ...], protocol: Protocol, protocols: tuple[Protocol, ...], workshop: Workshop
) -> tuple[tuple[Blob, ...], tuple[Unread, ...]]:
    """Set aside the main files that this benchmark's protocol does not recognise; other files are its own affair."""
    mains = [blob for blob in blobs if matches(blob.path, protocol.globs)]
    work = partial(_recognitions, protocol=protocol, protocols=protocols)
    found = workshop.each("recognise", work, mains, lambda blob: (protocol.id, blob.path, blob.digest))
    unread = [Unread(blob.path, None, problems) for blob, problems in zip(mains, found, strict=True) if problems]
    aside = {one.path for one in unread}
    return tuple(blob for blob in blobs if blob.path not in aside), tuple(unread)


def _recognitions(
    blobs: Sequence[Blob], protocol: Protocol, protocols: tuple[Protocol, ...]
) -> list[tuple[Problem, ...]]:
    return [_recognition(blob, protocol, protocols) for blob in blobs]


def _recognition(blob: Blob, protocol: Protocol, protocols: tuple[Protocol, ...]) -> tuple[Problem, ...]:
    try:
        document = json_object(blob.content, blob.path)
        saying_yes = [item for item in protocols if item.recognises(document)]
    except Refusal as refusal:
        return refusal.problems
    except Exception as error:
        return _our_fault(blob.path, protocol, error).problems
    if saying_yes == [protocol]:
        return ()
    others = ", ".join(item.title for item in saying_yes if item is not protocol)
    found = f"{'a report of another kind: ' + others if others else 'none that is known'} ({_declared(document)})"
    remedy = "Put the report where its kind belongs, or mend what it declares."
    return (Problem("format-unknown", blob.path, f"the declaration of a {protocol.title}", found, remedy),)


def _declared(document: Mapping[str, Any]) -> str:
    declared = [f"`{key}` is {describe(document[key])}" for key in _DECLARATIONS if key in document]
    if declared:
        return ", ".join(declared)
    keys = ", ".join(f"`{key[:40]}`" for key in sorted(document)[:5])
    return f"no declared format; its keys begin with {keys}" if keys else "an empty object"


def _assembled(
    files: tuple[Blob, ...], benchmark: Benchmark, protocol: Protocol
) -> tuple[tuple[Bundle, ...], tuple[Unread, ...]]:
    try:
        return protocol.assemble(files, benchmark)
    except Exception as error:
        mains = [blob.path for blob in files if matches(blob.path, protocol.globs)]
        return (), tuple(_our_fault(path, protocol, error) for path in mains)


def _settled(benchmark: Benchmark) -> str:
    """Return the digest of all that a benchmark settles; its files stand in it by their own digests."""
    pinned = {name: Blob(blob.path, blob.digest, b"") for name, blob in benchmark.supplements.items()}
    samples = replace(benchmark.samples, rows=())
    return sha256(encode(replace(benchmark, samples=samples, supplements=pinned)))


def _named(bundle: Bundle) -> tuple[str, ...]:
    """Say what a bundle holds."""
    parts = (f"{role} {blob.path} {blob.digest}" for role, blob in bundle.parts.items())
    return (bundle.path, f"member {bundle.member!r}", *parts)


def _with_origin(outcome: Report | Unread, bundle: Bundle, settled: str) -> Report | Unread:
    if isinstance(outcome, Unread) or outcome.origin:
        return outcome
    return replace(outcome, origin=sha256(encode((settled, *_named(bundle)))))


def _our_fault(path: str, protocol: Protocol, error: Exception) -> Unread:
    """Turn an error that a plug-in did not mean to raise into a problem, so that it costs one report and no more.

    Memory that is exhausted says nothing of a report, which another machine would admit: there it goes on.
    """
    if memory_exhausted(error, path):
        raise error
    found = f"{type(error).__name__}: {error}"[:300]
    remedy = "This is a fault of Tallystick, not of the report: please tell its developers."
    problem = Problem("internal-error", path, f"the protocol `{protocol.id}` to read or refuse it", found, remedy)
    return Unread(path, None, (problem,))


def _over_total(path: str, benchmark: Benchmark) -> Problem:
    expected = f"at most {benchmark.limits.total_mb} MB in the benchmark's folder"
    remedy = "Remove files that belong to no report, or raise `limits` in benchmark.yaml."
    return Problem("folder-too-large", path, expected, "more, with this file", remedy)


def _place(unread: Unread) -> tuple[str, tuple[Problem, ...]]:
    return unread.path, unread.problems
