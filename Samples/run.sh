#!/bin/sh
# Installs what Greenroom needs, builds what Samples/main.yaml needs and records it: a camera that plays
# real footage under a watermark, a microphone with real voices, and a share of real images. Builds the
# rest after that.
set -eu
cd "$(dirname "$0")/.."
. Samples/prepare.sh

require_swift
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages ffmpeg
prepare_media

say "Building what Samples/main.yaml needs, in release"
for product in greenroom greenroom-runner $(sed -n 's/^[ -]*plugin: //p' Samples/main.yaml); do
    swift build -c release --product "$product"
done

say "Recording Samples/main.yaml for 10 seconds"
.build/release/greenroom run Samples/main.yaml --duration 10s

say "Recorded. Look at:"
ls -l recordings/main
echo
echo "A player shows them: ffplay recordings/main/camera.y4m"
echo "The share has 720 lines, so its matrix is BT.709: ffplay -colorspace bt709 recordings/main/share.y4m"
echo "The report recordings/main/session.json has the outcome of each frame"

say "Building the rest of Greenroom"
swift build -c release
