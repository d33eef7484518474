"""How much each bench measures, and how long that takes: alone, within `bench/run all`, and each of them with --quick.

A part's estimate is computed from these figures and from what starting, warming up and waiting cost beside them; it is
for two cores that have nothing else to do.
"""
import dataclasses

ALL_LIMIT_S = 40 * 60  # what `bench/run all` may take
START_S = 0.7  # a server from its start until it answers


@dataclasses.dataclass(frozen=True)
class Pace:
    """Of one command alone. Times in seconds."""
    micro_repetitions: int = 7
    micro_min_time: float = 0.3
    http_rounds: int = 7
    http_seconds: int = 4
    http_warms: bool = True  # a second of load before the first round
    http_connections: tuple = (64, 256, 1024)
    http_sides: tuple = ("floor", "nginx", "h2o", "caf_app")
    d1_rounds: int = 5
    d1_seconds: int = 6
    d1_counts: tuple = (1, 2, 3)
    sweep_seconds: int = 20
    sweep_connections: tuple = (8, 32, 64, 256, 1024)
    burst_spacings: tuple = ("gap", "start")
    burst_seconds: int = 5
    burst_pause: int = 8  # between bursts, or from the start of one to that of the next
    quiet_window: int = 30  # of the scaler
    cluster_rounds: int = 7
    cluster_seconds: float = 2
    publications: int = 2000
    visible_names: int = 100
    deaths: int = 5  # of each kind
    eval_rounds: int = 5
    eval_calls: int = 10000
    eval_builds: int = 5
    eval_cold_starts: int = 5
    eval_large_calls: int = 50
    eval_chain: int = 998  # nodes of the large graph between its inputs and the last one
    eval_spawns: int = 200


FULL = Pace()
QUICK = Pace(micro_repetitions=3, micro_min_time=0.05, http_rounds=3, http_seconds=2,
             http_sides=("floor", "nginx", "caf_app"), d1_rounds=2, d1_seconds=3, sweep_seconds=5, burst_spacings=("gap",),
             cluster_rounds=2, cluster_seconds=0.5, publications=200, visible_names=10, deaths=1, eval_rounds=1,
             eval_calls=2000, eval_builds=1, eval_cold_starts=1, eval_large_calls=5, eval_chain=99, eval_spawns=20)
ALL = dataclasses.replace(FULL, micro_repetitions=5, micro_min_time=0.1, http_rounds=4, http_seconds=2, d1_rounds=3,
                          d1_seconds=3, cluster_rounds=5, cluster_seconds=1, publications=1000, visible_names=50, deaths=3,
                          eval_rounds=3, eval_builds=3, eval_cold_starts=3)
ALL_QUICK = dataclasses.replace(QUICK, micro_repetitions=2, micro_min_time=0.02, http_rounds=2, http_seconds=1,
                                http_connections=(64,), d1_rounds=1, d1_seconds=1, sweep_seconds=2,
                                sweep_connections=(8, 64, 1024), burst_seconds=3, quiet_window=5, cluster_rounds=1)
# Every part once, as a test: right answers, no figures.
TINY = dataclasses.replace(ALL_QUICK, micro_repetitions=1, micro_min_time=0.001, http_rounds=1, http_connections=(16,),
                           http_warms=False, http_sides=("caf_app",), d1_counts=(1, 2), sweep_seconds=1, sweep_connections=(8, 64),
                           burst_seconds=2, burst_pause=1, quiet_window=1, cluster_seconds=0.1, publications=20, visible_names=2, eval_calls=200,
                           eval_large_calls=1, eval_spawns=3)


def choose(of_all, quick, tiny):
    """The pace of a command line."""
    if tiny:
        return TINY
    if of_all:
        return ALL_QUICK if quick else ALL
    return QUICK if quick else FULL
