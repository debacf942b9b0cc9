#!/bin/sh
# Measures the cost of composing cameras into 1280x720 at 30 frames a second, in interleaved rounds:
#
# - with Stage, in the host and in a separate process, each with the whole session around it: cameras
#   that play Y4M files, and Y4M to /dev/null;
# - with GStreamer's compositor, with live test sources around it, into a fakesink; and those alone.
#
# 9 tiles of 320x180 and 4 tiles of 640x360, both in a grid. Prints the processor's seconds for a minute of
# video without the start of the programs, the least and the most of all rounds, and the ratio of the least
# ones to GStreamer's. Each run is done twice, 5 s long and SECONDS longer; the difference counts.
#
#   Tests/Benchmarks/stage.sh [SECONDS] [ROUNDS]      20 and 3 unless said
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages ffmpeg python3 gstreamer1.0-tools gstreamer1.0-plugins-base
[ -n "${SKIP_BUILD-}" ] || swift build -c release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work" "${1-20}" "${2-3}" << 'PYTHON'
import os, subprocess, sys

work, seconds, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
greenroom = os.path.abspath(".build/release/greenroom")


start = 5


def cost(command):
    return (run(command(start + seconds)) - run(command(start))) * 60 / seconds


def run(command):
    before = os.times()
    with open(f"{work}/log", "w") as log:
        code = subprocess.call(["sh", "-c", command], stdout=log, stderr=log)
    after = os.times()
    if code:
        sys.exit(open(f"{work}/log").read())
    spent = after.children_user - before.children_user
    spent += after.children_system - before.children_system
    return spent


def stage(count, size, isolation, seconds):
    cameras = ", ".join(
        f"c{n}: {{ plugin: Y4MFile, settings: {{ path: {work}/{size}.y4m }} }}" for n in range(count))
    with open(f"{work}/stage.yaml", "w") as file:
        file.write(f"""session: {{ maximum: 1280x720@30, duration: {seconds}s }}
cameras: {{ {cameras} }}
stage: {{ plugin: Stage, isolation: {isolation} }}
outputs: [{{ y4m: {{ track: stage }} }}]
""")
    return f"{greenroom} run {work}/stage.yaml > /dev/null"


def gstreamer(count, size, composes, seconds):
    width, height = size.split("x")
    columns = 3 if count == 9 else 2
    tile = (1280 // columns, 720 // columns)
    source = (f"videotestsrc is-live=true pattern=ball num-buffers={seconds * 30} ! "
              f"video/x-raw,format=I420,width={width},height={height},framerate=30/1")
    if not composes:
        return "gst-launch-1.0 -q " + " ".join(f"{source} ! fakesink" for _ in range(count))
    pads = " ".join(
        f"sink_{n}::xpos={n % columns * tile[0]} sink_{n}::ypos={n // columns * tile[1]} "
        f"sink_{n}::width={tile[0]} sink_{n}::height={tile[1]}" for n in range(count))
    sources = " ".join(f"{source} ! c.sink_{n}" for n in range(count))
    return (f"gst-launch-1.0 -q compositor name=c {pads} ! "
            f"video/x-raw,format=I420,width=1280,height=720,framerate=30/1 ! fakesink {sources}")


for count, size in [(9, "320x180"), (4, "640x360")]:
    used = {}
    subprocess.check_call(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={size}:r=30:d=3", "-pix_fmt",
         "yuv420p", f"{work}/{size}.y4m"])
    for _ in range(rounds):
        for name, command in [
            ("Stage", lambda s: stage(count, size, "host", s)),
            ("Stage in a separate process", lambda s: stage(count, size, "process", s)),
            ("GStreamer's compositor", lambda s: gstreamer(count, size, True, s)),
            ("GStreamer's sources alone", lambda s: gstreamer(count, size, False, s)),
        ]:
            used.setdefault(name, []).append(cost(command))
    print(f"{count} tiles of {size}")
    least = min(used["GStreamer's compositor"])
    for name, values in used.items():
        print(f"  {name:32} {min(values):6.1f} to {max(values):6.1f} CPU s a minute"
              f"  {min(values) / least:5.2f}")
PYTHON
