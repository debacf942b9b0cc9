"""Says how a viewer's video went on after each change of its network: a table, and 1 as the end if it was worse
than allowed.

    recovery.py MARKS SEEN

A line of MARKS is a time, the bytes that were sent until then, two limits in seconds ("-": none), and what
changes then; the last one is the end.
SEEN is what `FRAMES=times peer.py slots` said. "gap" is the longest time without a frame; "back" the time until
there are 25 frames in a second again, after there were fewer within 5 s; "few" for how long there were fewer in
all; "full" the share of frames in the largest size, and "full after" the time from which on all frames have it.
"""

import bisect
import sys

ENOUGH = 25
# Seconds in which a change shows.
SOON = 5

with open(sys.argv[1], encoding="utf-8") as file:
    marks = [line.split(maxsplit=4) for line in file]
with open(sys.argv[2], encoding="utf-8") as file:
    words = [line.split() for line in file if line.startswith("frame ")]
times = [float(word[2]) for word in words]
sizes = [int(word[3]) * int(word[4]) for word in words]
largest = max(sizes)
faults = []


def limit(text):
    return float("inf") if text == "-" else float(text)


def seconds(value):
    return "never" if value is None else f"{value:.1f} s"


print(f"{'':34} {'gap':>7} {'back':>7} {'few':>7} {'full':>6} {'full after':>10} {'sent':>11}")
for (begin, sent, gap_limit, back_limit, what), (end, all_sent, *_) in zip(marks, marks[1:]):
    begin, end, what = float(begin), float(end), what.strip()
    first, last = bisect.bisect_left(times, begin), bisect.bisect_left(times, end)
    inside = [begin, *times[first:last], end]
    gap = max(later - earlier for earlier, later in zip(inside, inside[1:]))
    # Seconds that begin at each tenth of one.
    starts = [begin + tenth / 10 for tenth in range(int(10 * (end - begin - 1)) + 1)]
    are_few = [bisect.bisect_left(times, at + 1) - bisect.bisect_left(times, at) < ENOUGH for at in starts]
    back = 0.0
    if any(are_few[: 10 * SOON]):
        dip = are_few.index(True)
        back = next((starts[one] - begin for one in range(dip, len(starts)) if not are_few[one]), None)
    full = [size == largest for size in sizes[first:last]]
    small = [at - begin for at, is_full in zip(times[first:last], full) if not is_full]
    after = None if not full or not full[-1] else small[-1] if small else 0.0
    rate = (int(all_sent) - int(sent)) * 8 / 1000 / (end - begin)
    share = 100 * sum(full) / len(full) if full else 0
    print(f"{what:34} {gap:5.1f} s {seconds(back):>7} {sum(are_few) / 10:5.1f} s {share:4.0f} % {seconds(after):>10} "
          f"{rate:4.0f} kbit/s")
    if gap > limit(gap_limit):
        faults.append(f"{what}: no frame for {gap:.1f} s")
    if (float("inf") if back is None else back) > limit(back_limit):
        faults.append(f"{what}: {ENOUGH} frames in a second after {seconds(back)}")
assert not faults, "; ".join(faults)
