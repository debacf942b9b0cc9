#!/bin/sh
# Looks at what Samples/run.sh has recorded: every frame is there and can be decoded, the picture is
# not black, the sound has its level, and the report tells the truth about all of it.
#
#   Tests/main-job.sh
set -eu
cd "$(dirname "$0")/.."
. Samples/prepare.sh
install_packages ffmpeg python3

say "Looking at recordings/main"
python3 - recordings/main << 'PYTHON'
import json
import subprocess
import sys

folder = sys.argv[1]
seconds = 10


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return done


def expect(holds, text):
    if not holds:
        sys.exit(f"{folder}: {text}")


def stream(file):
    probe = run("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", file)
    expect(not probe.stderr, f"{file}: {probe.stderr}")
    return json.loads(probe.stdout)["streams"][0]


def luma(file):
    """The mean luma of each frame, once it is decoded."""
    statistics = "signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-"
    text = run("ffmpeg", "-v", "error", "-i", file, "-vf", statistics, "-f", "null", "-")
    expect(not text.stderr, f"{file}: {text.stderr}")
    return [float(line.split("=")[1]) for line in text.stdout.splitlines() if "YAVG" in line]


def loudness(file):
    """The mean and the greatest volume, in dB of full scale."""
    text = run("ffmpeg", "-hide_banner", "-i", file, "-af", "volumedetect", "-f", "null", "-")
    lines = [line.split("_volume: ") for line in text.stderr.splitlines() if "_volume: " in line]
    return [float(line[1].split()[0]) for line in lines]


with open(f"{folder}/session.json") as file:
    report = json.load(file)
expect(report["outcome"] == "finished", f"the outcome is {report['outcome']}")
expect(all(not plugin.get("losses") for plugin in report["plugins"]), "a plugin was lost")

expect([p["track"] for p in report["videoTracks"]] == ["camera", "share"], "a track is missing")
for picture in report["videoTracks"]:
    track = picture["track"]
    file = f"{folder}/{track}.y4m"
    output = picture["outputs"][0]
    video = stream(file)
    frames = int(video["nb_read_frames"])
    size, rate = picture["capability"].split("@")
    expect(frames == seconds * int(rate), f"{file} has {frames} frames at {rate} a second")
    expect(f"{video['width']}x{video['height']}" == size, f"{file} is not {size}")
    shown = sum(output[key] for key in ["delivered", "repeated", "black", "slate"])
    expect(shown == frames, f"the report has {shown} frames, {file} has {frames}")
    expect(output["delivered"] >= frames * 8 // 10, f"{file}: few new frames: {output}")
    refused = sum(picture["refused"].values())
    expect(picture["sent"] == picture["accepted"] + refused, f"{track}: sent: {picture}")
    means = luma(file)
    expect(len(means) == frames, f"{file}: {len(means)} of {frames} frames can be decoded")
    expect(min(means[1:]) > 40, f"{file}: a frame after the first is black: its mean luma is {min(means[1:])}")
    print(f"{file}: {frames} frames of {size}, mean luma {min(means):.0f} to {max(means):.0f}")

file = f"{folder}/camera.wav"
sound = stream(file)
samples = int(sound["duration_ts"])
mean, peak = loudness(file)
source = report["audioTracks"][0]
expect(sound["sample_rate"] == "48000" and sound["channels"] == 2, f"{file}: {sound}")
expect(samples == seconds * 48000, f"{file} has {samples} samples")
expect(report["audioFiles"][0]["written"] == samples, f"the report tells of {report['audioFiles']}")
expect(abs(peak - source["peakDBFS"]) < 1, f"{file} peaks at {peak} dB, not {source['peakDBFS']}")
expect(-40 < mean < -10, f"{file}: the mean volume is {mean} dB")
expect(source["accepted"] + sum(source["refused"].values()) == source["sent"], f"{source}")
print(f"{file}: {seconds} s, mean volume {mean} dB, peak {peak} dB")
PYTHON
