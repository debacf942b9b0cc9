#!/bin/sh
# What playing a file of 1920x1080 at 30 costs beside ffmpeg and GStreamer, which do the same job: they decode the
# file in real time and write raw frames to a pipe. The three take turns. Prints processor milliseconds for a frame,
# and the memory of the processes.
#
#   Tests/Benchmarks/media.sh [SECONDS [ROUNDS]]
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-10}
rounds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
greenroom=$PWD/.build/release/greenroom
# FFmpeg's decoder, if gstreamer1.0-libav is installed.
decoder=openh264dec
gst-inspect-1.0 avdec_h264 > /dev/null 2>&1 && decoder=avdec_h264

ffmpeg -v error -y -stream_loop 4 -i .build/media/street.y4m -t "$seconds" \
    -vf "scale=1920:1080,fps=30,noise=alls=6:allf=t" -c:v libx264 -preset veryfast -b:v 6M -pix_fmt yuv420p \
    -an "$work/film.mp4"
cat > "$work/session.yaml" << END
session: { maximum: 1920x1080@30, duration: ${seconds}s }
camera: { plugin: Media, settings: { file: film.mp4 } }
outputs: [{ y4m: "-" }]
END

# measure NAME COMMAND...: the processor time and the largest memory of a command and its children.
measure() {
    name=$1
    shift
    python3 - "$name" "$seconds" "$@" << 'END'
import os, resource, subprocess, sys

name, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
with open(os.devnull, "wb") as sink:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sink)
    frames = 0
    while chunk := process.stdout.read(1 << 20):
        frames += len(chunk)
    process.wait()
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
frames /= 1920 * 1080 * 1.5
cpu = 1000 * (usage.ru_utime + usage.ru_stime)
print(f"{name:<12} {cpu / max(frames, 1):6.2f} ms a frame, {frames:.0f} frames, {usage.ru_maxrss / 1024:.0f} MB")
END
}

for _ in $(seq "$rounds"); do
    measure greenroom "$greenroom" run "$work/session.yaml"
    measure ffmpeg ffmpeg -v error -re -i "$work/film.mp4" -f rawvideo -
    measure "$decoder" gst-launch-1.0 -q filesrc location="$work/film.mp4" ! qtdemux ! h264parse ! $decoder \
        ! video/x-raw,format=I420 ! fdsink fd=1 sync=true
done
