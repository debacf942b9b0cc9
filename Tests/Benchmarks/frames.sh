#!/bin/sh
# Measures what a camera's frames of 1920x1080 cost on their way to standard output as I420, in release, beside
# GStreamer at the same job: processor time of all threads for each frame. The camera's own work is none:
# leased frames go back as they came, borrowed ones are in the camera's memory.
#
# - in the host's process and isolated, I420 and BGRA, leased and borrowed; before and after each row
#   GStreamer's pipeline (appsrc, queue, videoconvert for BGRA, queue, fdsink), whose mean counts;
# - what a filter that changes nothing adds, in the host's process and isolated, where it edits a copy;
# - what the watch of an isolated plugin costs, and how much that is of both processes.
#
# Fails where a number with a limit exceeds it.
#
#   Tests/Benchmarks/frames.sh [SECONDS]      10 unless said, for each row
set -eu
cd "$(dirname "$0")/../.."
swift build -c release 2>&1 | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -ISources/GreenroomABI/include Tests/Benchmarks/flood.c -o "$work/flood.so"
# shellcheck disable=SC2046 # flags are words
cc -O2 Tests/Benchmarks/gstreamer_frames.c -o "$work/gstreamer" \
    $(pkg-config --cflags --libs gstreamer-1.0 gstreamer-app-1.0)
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Tests/Benchmarks python3 - "$work" "${1-10}" << 'PYTHON'
import glob, os, signal, subprocess, sys, time

from processes import runners

work, seconds = sys.argv[1], int(sys.argv[2])
greenroom = os.path.abspath(".build/release/greenroom")
fps = 30
failures = []


def check(what, value, limit):
    if value > limit:
        failures.append(what)
    return "%.2f of at most %.2f%s" % (value, limit, " EXCEEDED" if value > limit else "")


# The processor time of a process's threads whose names begin with a text, in microseconds.
def spent(process, name=""):
    total = 0
    for path in glob.glob("/proc/%d/task/*" % process):
        try:
            if open(path + "/comm").read().startswith(name):
                total += int(open(path + "/schedstat").read().split()[0])
        except OSError:
            pass  # The thread has ended.
    return total / 1e3


# Microseconds a frame of the host, of plugins' processes, and of their watch.
def ours(bgra, leased, isolation, filter=""):
    with open(work + "/session.yaml", "w") as file:
        file.write(f"""
session: {{ maximum: 1920x1080@{fps}, table: [1920x1080@{fps}] }}
camera:
  plugin: ./flood.so
  isolation: {isolation}
  settings: {{ bgra: {bgra}, leased: {leased}, fps: {fps} }}
  {filter}
outputs: [{{ y4m: "-" }}]
""")
    log = open(work + "/log", "w+")
    host = subprocess.Popen([greenroom, "run", work + "/session.yaml"],
                            stdout=subprocess.DEVNULL, stderr=log)

    def look():
        return [spent(host.pid), sum(map(spent, others)),
                spent(host.pid, "watch ") + sum(spent(one, "greenroom-watch") for one in others)]

    try:
        deadline = time.monotonic() + 30
        while "sending" not in open(work + "/log").read():
            if time.monotonic() > deadline or host.poll() is not None:
                sys.exit("it does not begin: " + open(work + "/log").read())
            time.sleep(0.05)
        time.sleep(1)
        others = runners(host.pid)
        before, begun = look(), time.monotonic()
        time.sleep(seconds)
        after, frames = look(), (time.monotonic() - begun) * fps
    finally:
        host.send_signal(signal.SIGINT)
    if host.wait() != 130:
        sys.exit("it did not end in order: " + open(work + "/log").read())
    return [(late - early) / frames for early, late in zip(before, after)]


def gstreamer(bgra, leased):
    return float(subprocess.run(
        [work + "/gstreamer", "bgra" if bgra else "i420", "leased" if leased else "borrowed",
         str(fps), str(seconds)],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True).stderr.split()[-1])


print("\na frame of 1920x1080 at %d a second, us of processor time (%d s each)" % (fps, seconds))
in_host = {}
for bgra in (0, 1):
    for leased in (1, 0):
        name = "%s, %s" % ("BGRA" if bgra else "I420", "leased" if leased else "borrowed")
        peer = gstreamer(bgra, leased)
        host = ours(bgra, leased, "host")[0]
        isolated, plugin, watch = ours(bgra, leased, "process")
        peer = (peer + gstreamer(bgra, leased)) / 2
        in_host[bgra, leased] = host
        print("%-15s  in the host %6.0f, isolated %6.0f and %5.0f in its process, GStreamer %6.0f"
              % (name, host, isolated, plugin, peer))
        print("%15s  to GStreamer: %s;  the host of an isolated one: %s" % (
            "", check(name + " to GStreamer", host / peer, 1.0),
            check(name + " isolated", isolated / host, 1.2)))
        print("%15s  the watch: %.1f, which is %.1f %% of both" % (
            "", watch, 100 * watch / (isolated + plugin)), flush=True)

for name, isolation in (("in the host", "host"), ("isolated", "process")):
    cost = sum(ours(0, 1, "host", f"pre-processors: [{{ plugin: Adjust, isolation: {isolation} }}]")[:2])
    print("a filter, %s: %.2f of the frame's own cost" % (
        name, (cost - in_host[0, 1]) / in_host[0, 1]), flush=True)
if failures:
    sys.exit("exceeded: " + "; ".join(failures))
PYTHON
