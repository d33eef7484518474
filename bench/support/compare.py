"""Is one side of an interleaved run slower than the other? Ratios per round, their interval, a verdict.

A row is a quantity of which less is better. The baseline is measured twice in every round: only where the two agree
within the tolerance does the third side's ratio mean anything.
"""
import math
import statistics

TOLERANCE = 0.05  # of a ratio

# Student's t, 97.5 %, by degrees of freedom; beyond the list the next smaller entry, which is wider.
T_975 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 12: 2.179,
         15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000}


class Ratio:
    """The ratios of the rounds as one: geometric mean with its 95 % confidence interval."""

    def __init__(self, above, below):
        """`above` and `below`: one positive number per round, in the same order; at least two rounds"""
        logs = [math.log(a / b) for a, b in zip(above, below, strict=True)]
        freedom = max(f for f in T_975 if f <= len(logs) - 1)
        reach = T_975[freedom] * statistics.stdev(logs) / math.sqrt(len(logs))
        middle = statistics.fmean(logs)
        self.value, self.low, self.high = (math.exp(x) for x in (middle, middle - reach, middle + reach))

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
