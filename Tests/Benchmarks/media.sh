#!/bin/sh
# What playing a file of 1920x1080 at 30 costs beside ffmpeg and GStreamer, which do the same job: they decode the
# file in real time and write raw frames to a pipe. The three take turns. Prints processor milliseconds for a frame
# and for the start, and the memory of the processes.
#
#   Tests/Benchmarks/media.sh [SECONDS [ROUNDS]]
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-10}
[ "$seconds" -ge 2 ] || {
    echo "Give at least 2 seconds: a second is subtracted." >&2
    exit 2
}
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
for length in "$seconds" 1; do
    cat > "$work/$length.yaml" << END
session: { maximum: 1920x1080@30, duration: ${length}s }
camera: { plugin: Media, settings: { file: film.mp4 } }
outputs: [{ y4m: "-" }]
END
done

# spend COMMAND...: the processor time of a command and its children in ms, its frames, its memory in MB.
spend() {
    python3 - "$@" << 'END'
import os, resource, subprocess, sys

with open(os.devnull, "wb") as sink:
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=sink)
    count = 0
    while chunk := process.stdout.read(1 << 20):
        count += len(chunk)
    process.wait()
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(1000 * (usage.ru_utime + usage.ru_stime), round(count / (1920 * 1080 * 1.5)), usage.ru_maxrss // 1024)
END
}

# measure NAME LONG SHORT: the cost of a frame and of the start, by two commands: for all seconds, and for one.
measure() {
    # shellcheck disable=SC2086,SC2046 # commands and numbers are words
    echo "$1" $(spend $2) $(spend $3) | awk '{
        printf "%-12s %6.2f ms a frame and %4.0f ms to start, %d frames, %d MB\n",
            $1, ($2 - $5) / ($3 - $6), $5 - $6 * ($2 - $5) / ($3 - $6), $3, $4 }'
}

play="filesrc location=$work/film.mp4 ! qtdemux ! h264parse ! $decoder ! video/x-raw,format=I420"
for _ in $(seq "$rounds"); do
    measure greenroom "$greenroom run $work/$seconds.yaml" "$greenroom run $work/1.yaml"
    measure ffmpeg "ffmpeg -v error -re -i $work/film.mp4 -f rawvideo -" \
        "ffmpeg -v error -re -i $work/film.mp4 -t 1 -f rawvideo -"
    measure "$decoder" "gst-launch-1.0 -q $play ! fdsink fd=1 sync=true" \
        "gst-launch-1.0 -q $play ! identity eos-after=31 ! fdsink fd=1 sync=true"
done
