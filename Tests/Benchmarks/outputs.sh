#!/bin/sh
# Measures what outputs cost, in release: a camera of 1920x1080 at 30 frames a second and 0 to 8
# outputs, in the host's process and each in one of its own.
#
# - CPU time a frame of the host with its children, without the first seconds;
# - memory of the host, and of all processes together, each page counted once;
# - the delay of a frame at an output, beyond the delay of live video;
# - what one output of a smaller size costs the host, in turn: the ratio to 960x540, for which libyuv has a
#   kernel, the median of three runs each. Fails where it exceeds its limit.
#
# Equal wants are those of FrameFolder, RGBA in the camera's size, of which no image is written after
# the first; different ones are sizes of RGBA from 1920x1080 downwards.
#
#   Tests/Benchmarks/outputs.sh [SECONDS]      8 unless said, for each row
set -eu
cd "$(dirname "$0")/../.."
swift build -c release 2>&1 | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for plugin in take flood; do
    cc -O2 -shared -fPIC -ISources/GreenroomABI/include "Tests/Benchmarks/$plugin.c" -o "$work/$plugin.so"
done
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Tests/Benchmarks python3 - "$work" "${1-8}" << 'PYTHON'
import glob, os, re, signal, subprocess, sys, time

from processes import runners

work, seconds = sys.argv[1], float(sys.argv[2])
greenroom = os.path.abspath(".build/release/greenroom")
fps, playout_delay_ms = 30, 100


def cpu(process):
    """The processor time of a process's threads, in seconds."""
    try:
        return sum(int(open(path).read().split()[0])
                   for path in glob.glob("/proc/%d/task/*/schedstat" % process)) / 1e9
    except OSError:
        sys.exit("a process has ended: " + open(work + "/log").read())


def megabytes(process, name):
    text = open("/proc/%d/smaps_rollup" % process).read()
    return int(re.search(name + r":\s+(\d+) kB", text).group(1)) / 1000


def run(outputs, isolation, camera="plugin: ColorBars"):
    path = work + "/session.yaml"
    keys = ", isolation: " + isolation
    if isolation == "process":
        keys += f", allow: {{ write: [{work}] }}"
    with open(path, "w") as file:
        file.write(f"""
session: {{ maximum: 1920x1080@{fps}, table: [1920x1080@{fps}] }}
camera: {{ {camera}, isolation: host }}
outputs: [{", ".join(output + keys + " }" for output in outputs)}]
""")
    log = open(work + "/log", "w+")
    host = subprocess.Popen([greenroom, "run", path], stdout=subprocess.DEVNULL, stderr=log,
                            cwd=work)
    deadline = time.monotonic() + 30
    while "sending" not in open(work + "/log").read():
        if time.monotonic() > deadline or host.poll() is not None:
            sys.exit("it does not begin: " + open(work + "/log").read())
        time.sleep(0.05)
    time.sleep(2)
    every = [host.pid] + runners(host.pid)
    before, begun = sum(map(cpu, every)), time.monotonic()
    time.sleep(seconds)
    spent, frames = sum(map(cpu, every)) - before, (time.monotonic() - begun) * fps
    memory = (megabytes(host.pid, "Rss"), sum(megabytes(one, "Rss") for one in every),
              sum(megabytes(one, "Pss") for one in every))
    host.send_signal(signal.SIGINT)
    host.wait()
    log.seek(0)
    return spent * 1e3 / frames, memory, log.read()


def folder(number):
    return (f"{{ plugin: FrameFolder, settings: {{ folder: {work}/frames-{number}, "
            "every: 1000000 }")


def scaled(number):
    return ("{ plugin: ./take.so, settings: { width: %d, height: %d }"
            % (1920 - 128 * number, 1080 - 72 * number))


def taken(live):
    return "{ plugin: ./take.so, settings: { live: %d }" % live


for title, output in (("equal", folder), ("different", scaled)):
    print(f"\n{title} wants ({seconds:g} s each)", flush=True)
    for isolation in ("host", "process"):
        for count in (0, 1, 2, 4, 8):
            if count == 0 and (isolation == "process" or title == "different"):
                continue
            cost, memory, _ = run([output(number) for number in range(count)], isolation)
            print("%d outputs in %-8s CPU %5.1f ms a frame   memory: host %6.1f MB, "
                  "all processes %6.1f MB, each page once %6.1f MB"
                  % (count, isolation + ",", cost, *memory), flush=True)

print(f"\nframes after their time, beyond the delay of live video ({seconds:g} s each)")
for live in (0, 1):
    for isolation in ("host", "process"):
        _, _, log = run([taken(live)], isolation)
        middle, most = map(float, re.search(
            r"(-?[0-9.]+) ms p50, (-?[0-9.]+) ms p95 after", log).groups())
        delay = playout_delay_ms if live else 0
        print("%-8s in %-8s p50 %6.2f ms  p95 %6.2f ms" % (
            "live" if live else "complete", isolation + ",", middle - delay, most - delay),
            flush=True)

print(f"\none output of I420, scaled ({seconds:g} s each)", flush=True)
# Its own work is none: the camera's frames go back as they came.
leased = f"plugin: ./flood.so, settings: {{ leased: 1, fps: {fps} }}"
costs = {(960, 540): [], (1280, 720): [], (858, 480): [], (640, 360): []}
for _ in range(3):
    for (width, height), times in costs.items():
        output = "{ plugin: ./take.so, settings: { format: 1, width: %d, height: %d }" % (width, height)
        times.append(run([output], "host", leased)[0])
base, exceeded = sorted(costs[960, 540])[1], []
for size, limit in (((1280, 720), 1.15), ((858, 480), 1.25), ((640, 360), 1.1)):
    ratio = sorted(costs[size])[1] / base
    print("%dx%d costs %.2f of at most %.2f of 960x540" % (*size, ratio, limit), flush=True)
    if ratio > limit:
        exceeded.append("%dx%d" % size)
if exceeded:
    sys.exit("exceeded: " + ", ".join(exceeded))
PYTHON
