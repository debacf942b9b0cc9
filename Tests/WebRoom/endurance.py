"""Watches a process: see endurance.sh. Ends with 1 if it grows after the first quarter of the time.

    endurance.py PID SECONDS
"""

import os
import statistics
import sys
import time

process, seconds = sys.argv[1], int(sys.argv[2])
# What the last quarter of the time may have more than the second one: megabytes, threads and files. Guests who come
# and go have 15 threads each.
MOST = (4, 30, 12)
NAMES = ("MB of memory", "threads", "open files")


def sample():
    """Its own memory in megabytes, its threads and its open files."""
    with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
        sizes = dict(line.split(":") for line in file.read().splitlines()[1:])
    own = sum(int(sizes[name].split()[0]) for name in ("Anonymous", "Swap")) / 1000
    return own, len(os.listdir(f"/proc/{process}/task")), len(os.listdir(f"/proc/{process}/fd"))


begun, samples = time.monotonic(), []
while (since := time.monotonic() - begun) < seconds:
    samples.append((since, sample()))
    if len(samples) % 15 == 1:
        print(f"{since:5.0f} s: " + ", ".join(f"{value:.0f} {name}" for value, name in zip(samples[-1][1], NAMES)), flush=True)
    time.sleep(2)


def middle(first, last):
    part = [values for since, values in samples if first * seconds <= since < last * seconds]
    return [statistics.median(column) for column in zip(*part)]


early, late = middle(0.25, 0.5), middle(0.75, 1)
print("second quarter: " + ", ".join(f"{value:.1f} {name}" for value, name in zip(early, NAMES)))
print("last quarter:   " + ", ".join(f"{value:.1f} {name}" for value, name in zip(late, NAMES)))
faults = [name for one, two, most, name in zip(early, late, MOST, NAMES) if two > one + most]
assert not faults, f"more and more: {', '.join(faults)}"
