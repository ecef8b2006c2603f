import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import resample


def python_positions(seed: int, sizes: list[int], resamples: int) -> list[list[int]]:
    """The procedure of the contract, written out."""
    stream = random.Random(seed)
    rows = []
    for _ in range(resamples):
        row, offset = [], 0
        for size in sizes:
            stratum = range(offset, offset + size)
            row += [stream.choice(stratum) for _ in stratum]
            offset += size
        rows.append(row)
    return rows


sizes_of_strata = st.lists(st.integers(1, 70), min_size=1, max_size=6)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(-(2**70), 2**70), sizes=sizes_of_strata, resamples=st.integers(1, 30))
def test_positions_are_those_of_random_choice(seed: int, sizes: list[int], resamples: int) -> None:
    assert resample.positions(seed, sizes, resamples).tolist() == python_positions(seed, sizes, resamples)


@pytest.mark.parametrize("sizes", [[1], [2], [1, 1], [64, 64], [63, 64, 65], [12] * 5, [300], [1, 128, 2]])
def test_positions_at_powers_of_two(sizes: list[int]) -> None:
    assert resample.positions(1729, sizes, 40).tolist() == python_positions(1729, sizes, 40)


@pytest.mark.parametrize("sizes", [[20, 20], [7, 30, 3]])
def test_blocks_continue_one_stream(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resample.positions(3, sizes, 50)
    monkeypatch.setattr(resample, "BLOCK", 7 * sum(sizes))
    blocks = list(resample.blocks(3, sizes, 50))
    assert [len(block) for block in blocks] == [7] * 7 + [1]
    np.testing.assert_array_equal(np.concatenate(blocks), whole)


@pytest.mark.parametrize("sizes", [[20, 20], [7, 30, 3]])
def test_words_that_run_short_are_extended(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resample.positions(3, sizes, 50)
    extend = resample._Stream._extend
    asked: list[int] = []

    def meanly(self: resample._Stream, length: int) -> None:
        asked.append(length)
        extend(self, length if len(asked) > 1 else sum(sizes))

    monkeypatch.setattr(resample._Stream, "_extend", meanly)
    np.testing.assert_array_equal(resample.positions(3, sizes, 50), whole)
    assert len(asked) > 1


@settings(max_examples=30, deadline=None)
@given(sizes=sizes_of_strata)
def test_a_resample_keeps_the_size_of_every_stratum(sizes: list[int]) -> None:
    counts = resample.counts(resample.positions(1729, sizes, 20))
    edges = np.cumsum([0, *sizes])
    for size, first, end in zip(sizes, edges, edges[1:], strict=False):
        assert (counts[:, first:end].sum(axis=1) == size).all()


def test_counts_count_the_positions() -> None:
    drawn = resample.positions(1, [3, 5], 10)
    assert resample.counts(drawn).tolist() == [[row.count(unit) for unit in range(8)] for row in drawn.tolist()]


@pytest.mark.parametrize("sizes", [[], [3, 0]])
def test_an_empty_stratum_is_refused(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="at least one unit"):
        resample.positions(1, sizes, 1)
