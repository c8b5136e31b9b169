"""Batched balls into bins in numpy, for comparison with package ballsbins.

Two versions of one process (every non-empty bin loses a ball, then n balls go to
uniform bins): one replica after the other, a round at a time, as one writes it
first; and many replicas at once, one bincount a round over all of them. Prints
lines "name bins ns-per-ball".
"""

import time

import numpy as np


def one_replica(rng, bins, rounds):
    loads = np.zeros(bins, dtype=np.int64)
    for _ in range(rounds):
        np.maximum(loads - 1, 0, out=loads)
        loads += np.bincount(rng.integers(0, bins, bins), minlength=bins)
    return loads.max()


def many_replicas(rng, bins, rounds, replicas):
    loads = np.zeros(replicas * bins, dtype=np.int64)
    offsets = np.repeat(np.arange(replicas) * bins, bins)
    for _ in range(rounds):
        np.maximum(loads - 1, 0, out=loads)
        drawn = rng.integers(0, bins, replicas * bins) + offsets
        loads += np.bincount(drawn, minlength=replicas * bins)
    return loads.reshape(replicas, bins).max(axis=1)


def median_time(run, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2]


def main():
    rng = np.random.default_rng(1)
    for bins in (32, 128, 1024):
        rounds = 200_000 // bins
        seconds = median_time(lambda: one_replica(rng, bins, rounds))
        print("numpy-one", bins, round(seconds * 1e9 / rounds / bins, 3))
    for bins in (32, 128, 1024):
        replicas, rounds = 500, max(4, 20_000 // bins // 8)
        seconds = median_time(lambda: many_replicas(rng, bins, rounds, replicas))
        print("numpy-500", bins, round(seconds * 1e9 / rounds / bins / replicas, 3))


if __name__ == "__main__":
    main()
