#!/bin/sh
# Runs many sessions at once, in release, each with an isolated camera of 640x360 at 15 frames a second and
# frames on standard output, and looks at what they tell in the end: frames lost, and how late frames
# went out. They start one after another, so that starting does not take the machine from those that
# run. Fails if a frame is lost, or if of all sessions the middle one's 99th percentile is 10 ms late.
#
#   Tests/Benchmarks/many.sh [SESSIONS [SECONDS]]      150 for 20 s together unless said
set -eu
cd "$(dirname "$0")/../.."
swift build -c release 2>&1 | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -ISources/GreenroomABI/include Tests/Benchmarks/flood.c -o "$work/flood.so"
python3 - "$work" "${1-150}" "${2-20}" << 'PYTHON'
import json, os, signal, subprocess, sys, time

work, count, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
greenroom = os.path.abspath(".build/release/greenroom")
seconds_between_starts = 0.4


# For how long the machine's processors have been busy, in seconds.
def machine():
    words = open("/proc/stat").readline().split()[1:]
    idle = int(words[3]) + int(words[4])
    return (sum(map(int, words[:8])) - idle) / os.sysconf("SC_CLK_TCK")


hosts = []


def start(number):
    path = "%s/%d.yaml" % (work, number)
    with open(path, "w") as file:
        file.write(f"""
session: {{ maximum: 640x360@15, table: [640x360@15], isolation: process }}
camera: {{ plugin: ./flood.so, settings: {{ width: 640, height: 360, leased: 1, fps: 15 }} }}
outputs:
  - {{ y4m: "-" }}
  - {{ record: {{ folder: {work}/{number}, size: 16x16, fps: 1 }} }}
""")
    hosts.append(subprocess.Popen(
        [greenroom, "run", path], stdout=subprocess.DEVNULL,
        stderr=open("%s/%d.log" % (work, number), "w")))


try:
    for number in range(count):
        start(number)
        time.sleep(seconds_between_starts)
    before, begun = machine(), time.monotonic()
    time.sleep(seconds)
    cores = (machine() - before) / (time.monotonic() - begun)
finally:
    for host in hosts:
        host.send_signal(signal.SIGINT)
lost, lateness, accepted = 0, [], 0
for number, host in enumerate(hosts):
    # Interrupted, in order.
    if host.wait() != 130:
        sys.exit("session %d failed: %s" % (number, open("%s/%d.log" % (work, number)).read()))
    report = json.load(open("%s/%d/session.json" % (work, number)))
    picture = report["videoTracks"][0]
    accepted += picture["accepted"]
    # A frame that is sent while the session stops is refused.
    refused = sum(picture["refused"].values()) - picture["refused"].get("STOPPED", 0)
    lost += picture["superseded"] + refused
    output = next(one for one in picture["outputs"] if "lateness" in one)
    lost += output["queueFull"]
    lateness.append(output["lateness"]["p99Milliseconds"])
lateness.sort()
middle, worst = lateness[count // 2], lateness[-1]
print("%d sessions: %.2f cores, %d frames, %d lost; 99th percentile of lateness: %.1f ms in the middle "
      "session, %.1f ms in the worst" % (count, cores, accepted, lost, middle, worst))
sys.exit(0 if lost == 0 and middle < 10 else "exceeded: no frame lost, less than 10 ms late")
PYTHON
