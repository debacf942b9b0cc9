#!/bin/sh
# Measures in real time how picture and sound stay together: a flash and a beep at each whole second
# of the session clock, from sources whose own clocks are off, read back from the recordings. The
# picture has 200 frames a second, so that a frame is 5 ms.
#
#   Tests/Benchmarks/one-clock.sh [MINUTES [PPM-OF-CAMERA [PPM-OF-MICROPHONE]]]     5 100 -200
set -eu
cd "$(dirname "$0")/../.."
minutes=${1-5}
camera=${2-100}
microphone=${3--200}
swift build -c release 2>&1 | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -pthread -ISources/GreenroomABI/include \
    Tests/HostilePlugins/hostile/*.c -o "$work/sources.so" -lm
cat > "$work/session.yaml" << YAML
session: { maximum: 64x36@200, duration: ${minutes}m, table: [64x36@200] }
camera: { plugin: "./sources.so#FlashCamera", settings: { ppm: $camera, stamps: own } }
microphone: { plugin: "./sources.so#BeepMic", settings: { ppm: $microphone, stamps: own, block: 960 } }
outputs:
  - record: record
YAML
.build/release/greenroom run "$work/session.yaml"
python3 - "$work/record" << 'PYTHON'
import json, sys, wave

folder = sys.argv[1]
flashes, frame_bytes = [], 64 * 36 * 3 // 2
with open(folder + "/camera.y4m", "rb") as file:
    file.readline()
    index, was_white = 0, False
    while file.readline():
        frame = file.read(frame_bytes)
        is_white = sum(frame[:64 * 36]) > 64 * 36 * 128
        if is_white and not was_white:
            flashes.append(index / 200)
        was_white, index = is_white, index + 1
beeps, quiet = [], 48000
with wave.open(folder + "/camera.wav") as file:
    samples = memoryview(file.readframes(file.getnframes())).cast("h")
for place in range(0, len(samples), 2):
    if abs(samples[place]) > 1000:
        if quiet > 4800:
            beeps.append(place / 2 / 48000)
        quiet = 0
    else:
        quiet += 1
pairs = [(min(flashes, key=lambda flash: abs(flash - beep)), beep) for beep in beeps]
apart = [1000 * (beep - flash) for flash, beep in pairs if abs(beep - flash) < 0.4]
minute = 60
means = [sum(apart[at:at + minute]) / len(apart[at:at + minute]) for at in range(0, len(apart), minute)]
print("%d flashes, %d beeps; beep after flash, ms: worst %.1f, mean %.1f" % (
    len(flashes), len(beeps), max(apart, key=abs), sum(apart) / len(apart)))
print("mean of each minute, ms:", " ".join("%.1f" % mean for mean in means))
report = json.load(open(folder + "/session.json"))
sound = report["audioTracks"][0]
print("drift found: picture %s ppm, sound %s ppm; concealed %d, refused %s" % (
    report["videoTracks"][0]["stamps"].get("driftPPM"), sound.get("driftPPM"), sound["concealed"],
    sound["refused"]))
PYTHON
