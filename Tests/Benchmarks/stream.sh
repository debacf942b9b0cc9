#!/bin/sh
# Measures what it costs to stream real footage at 720p30 as H.264 with AAC to an RTMP server, live, in one
# run of interleaved rounds:
#
# - with the bundled output Stream, also in a separate process;
# - with ffmpeg and with GStreamer, which read the same footage and have the same encoder, preset and bit rate.
#
# Prints the CPU time of all processes but the server for a minute of video, also of a session without an
# output, and the packets of the server's recordings.
#
#   Tests/Benchmarks/stream.sh [SECONDS] [ROUNDS]      20 and 2 unless said
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages ffmpeg python3 nginx-light libnginx-mod-rtmp gstreamer1.0-tools \
    gstreamer1.0-libav gstreamer1.0-plugins-ugly gstreamer1.0-plugins-bad gstreamer1.0-plugins-good
prepare_media
swift build -c release
work=$(mktemp -d)
server=
trap 'kill $server 2> /dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
chmod a+rwx "$work"
seconds=${1-20}
ffmpeg -v error -stream_loop -1 -i "$media/street.y4m" -vf scale=1280:720,fps=30 -t "$seconds" \
    "$work/street.y4m"
cat > "$work/nginx.conf" << END
load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
daemon off; pid $work/pid; master_process off;
events {}
rtmp { server { listen 127.0.0.1:21936; application live { live on; record all; record_path $work; } } }
END
nginx -e "$work/error.log" -c "$work/nginx.conf" &
server=$!
python3 - "$work" "$seconds" "${2-2}" << 'PYTHON'
import os, subprocess, sys

work, seconds, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
greenroom = os.path.abspath(".build/release/greenroom")
server = "rtmp://127.0.0.1:21936/live"
kilobits = 2764
used = {}


def measure(name, command):
    before = os.times()
    with open(f"{work}/log", "w") as log:
        code = subprocess.call(["sh", "-c", command], stdout=log, stderr=log)
    after = os.times()
    if code:
        sys.exit(f"{name}: {open(f'{work}/log').read()}")
    spent = after.children_user - before.children_user
    spent += after.children_system - before.children_system
    used.setdefault(name, []).append(spent * 60 / seconds)


def session(output):
    with open(f"{work}/session.yaml", "w") as file:
        file.write(
            f"session: {{ maximum: 1280x720@30, duration: {seconds}s }}\n"
            f"camera: {{ plugin: Y4MFile, settings: {{ path: {work}/street.y4m }} }}\n"
            "microphone: { plugin: Tone }\n"
            f"outputs: [{output}]\n"
        )
    return f"{greenroom} run {work}/session.yaml"


def stream(key, more=""):
    return session(
        f"{{ plugin: Stream, settings: {{ url: '{server}/{key}', video-bit-rate: {kilobits} }}{more} }}")


for _ in range(rounds):
    measure("no output", session(""))
    measure("Stream", stream("a"))
    measure(
        "Stream in a separate process",
        stream("b", ", isolation: process, allow: { network: true }"))
    measure(
        "ffmpeg",
        f"ffmpeg -v error -re -i {work}/street.y4m -re -f lavfi -i sine=frequency=440:sample_rate=48000 "
        f"-t {seconds} -c:v libx264 -preset superfast -tune zerolatency -threads 1 -g 60 -pix_fmt yuv420p "
        f"-b:v {kilobits}k -maxrate {kilobits}k -bufsize {kilobits}k -c:a aac -b:a 128k -ac 2 "
        f"-f flv {server}/c")
    measure(
        "GStreamer",
        f"gst-launch-1.0 -q filesrc location={work}/street.y4m ! y4mdec ! clocksync ! "
        f"x264enc speed-preset=superfast tune=zerolatency threads=1 bitrate={kilobits} key-int-max=60 ! "
        f"h264parse ! flvmux name=m streamable=true ! rtmpsink location={server}/d "
        f"audiotestsrc is-live=true num-buffers={seconds * 100} samplesperbuffer=480 ! "
        "audio/x-raw,rate=48000,channels=2 ! avenc_aac bitrate=128000 ! aacparse ! m.")
for name, values in used.items():
    print(f"{name:32} {min(values):6.1f} to {max(values):6.1f} CPU s a minute")
for name in "abcd":
    counts = subprocess.check_output(
        "ffprobe -v error -count_packets -show_entries stream=codec_name,nb_read_packets -of csv=p=0 "
        f"{work}/{name}.flv", shell=True, text=True).split()
    size = os.path.getsize(f"{work}/{name}.flv")
    print(f"{name}: {size * 8 / seconds / 1e6:.1f} Mbit/s, {' '.join(counts)}")
PYTHON
