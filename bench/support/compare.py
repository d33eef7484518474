"""Is one side of an interleaved run slower than the other? Ratios per round, their interval, a verdict.

A row is a quantity of which less is better. The baseline is measured twice in every round: only where the two agree
within the tolerance does the third side's ratio mean anything.
"""
import math
import statistics

TOLERANCE = 0.05  # of a ratio
ROUNDS_MIN = 6  # with fewer there is no interval that holds in 95 of 100 cases


def rank(count):
    """How far from either end of `count` sorted values the interval of their median ends, counted from 1.

    With chance 2.5 % or less the true median lies below that value: binomial distribution, whatever the values'.
    """
    below, chance = 0, 1 / 2**count
    while chance <= 0.025:
        below += 1
        chance += math.comb(count, below) / 2**count
    return below


class Ratio:
    """The ratios of the rounds as one: their median, with its 95 % confidence interval by rank.

    Ranks, because what else runs on a machine makes a few rounds far worse, and none better.
    """

    def __init__(self, above, below):
        """`above` and `below`: one positive number per round, in the same order; at least ROUNDS_MIN rounds"""
        ratios = sorted(a / b for a, b in zip(above, below, strict=True))
        end = rank(len(ratios))
        if end < 1:
            raise ValueError(f"{len(ratios)} rounds: at least {ROUNDS_MIN} are needed")
        self.value, self.low, self.high = statistics.median(ratios), ratios[end - 1], ratios[-end]

    def __str__(self):
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


def agree(same):
    """Whether two measurements of one thing are shown to be the same: the whole interval is within the tolerance."""
    return same.low >= 1 / (1 + TOLERANCE) and same.high <= 1 + TOLERANCE


def verdict(same, changed):
    """@returns "worse", "not worse" or "inconclusive"

    `same`: baseline over baseline, `changed`: candidate over baseline. Worse is what exceeds the tolerance with an
    interval that does not contain 1.
    """
    if not agree(same):
        return "inconclusive"
    return "worse" if changed.value > 1 + TOLERANCE and changed.low > 1 else "not worse"
