#!/bin/sh
# Measures what it costs to record real footage at 1080p30 as VP8, live, in one run:
#
# - with the bundled output Recorder;
# - with ffmpeg, which gets the same video through a pipe and has the same encoder with the same
#   settings.
#
# Prints the CPU time of all processes for a minute of video, beside that of the same session without
# an output, the frames that were lost, and the largest memory of a process.
#
#   Tests/Benchmarks/recorder.sh [SECONDS]      30 unless said, for each way
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages ffmpeg python3
prepare_media
swift build -c release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ffmpeg -v error -i "$media/street.y4m" -vf scale=1920:1080,fps=30 -t 10 "$work/street.y4m"
python3 - "$work" "${1-30}" << 'PYTHON'
import json, os, resource, subprocess, sys

work, seconds = sys.argv[1], int(sys.argv[2])
greenroom = os.path.abspath(".build/release/greenroom")
encoder = (
    "-c:v libvpx -deadline realtime -cpu-used -10 -lag-in-frames 0 -auto-alt-ref 0 "
    "-slices 1 -threads 1 -b:v 4976640 -g 120"
)


def measure(name, output, reader=None):
    with open(f"{work}/session.yaml", "w") as file:
        file.write(
            f"session: {{ maximum: 1920x1080@30, duration: {seconds}s }}\n"
            f"camera: {{ plugin: Y4MFile, settings: {{ path: {work}/street.y4m }} }}\n"
            f"outputs: [{output}]\n"
        )
    command = f"{greenroom} run {work}/session.yaml 2> {work}/log"
    if reader:
        command += f" | {reader}"
    before = os.times()
    code = subprocess.call(["bash", "-o", "pipefail", "-c", command])
    after = os.times()
    if code:
        sys.exit(open(f"{work}/log").read())
    used = after.children_user - before.children_user
    used += after.children_system - before.children_system
    log = open(f"{work}/log").read()
    frames = [line for line in log.splitlines() if "frames" in line and "camera" in line]
    print(f"{name:34} {used * 60 / seconds:6.1f} CPU s a minute   {frames[-1:] or ''}")
    return used


measure("no output", "")
measure("Recorder", "{ plugin: Recorder, settings: { file: %s/a.mkv } }" % work)
measure(
    "Recorder in a separate process",
    "{ plugin: Recorder, settings: { file: %s/b.mkv }, isolation: process, "
    "allow: { write: [%s] } }" % (work, work),
)
measure("ffmpeg", "{ y4m: '-' }", f"ffmpeg -y -v error -i - {encoder} {work}/c.mkv")
for name in ["a", "b", "c"]:
    size = os.path.getsize(f"{work}/{name}.mkv")
    count = subprocess.check_output(
        "ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "
        f"{work}/{name}.mkv", shell=True, text=True).strip()
    print(f"{name}.mkv: {size * 8 / seconds / 1e6:.1f} Mbit/s, {count} frames of {seconds * 30}")
largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"largest process: {largest // 1024} MB")
PYTHON
