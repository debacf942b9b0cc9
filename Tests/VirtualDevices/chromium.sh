#!/bin/sh
# An unmodified Chromium, headless, opens the virtual camera and microphone of a session that plays a file: it
# sees the colours of the bars and hears the tone.
#
#   Tests/VirtualDevices/chromium.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $pipewire_packages chromium ffmpeg python3-gi
greenroom=${GREENROOM:-.build/release/greenroom}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/bars.yaml" << 'YAML'
session: { maximum: 1280x720@30, duration: 2s, clock: virtual }
camera: { plugin: ColorBars, settings: { ball: false, counter: false } }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
outputs: [{ record: bars }]
YAML
cat > "$work/session.yaml" << 'YAML'
session: { maximum: 1280x720@30, duration: 60s }
media: { file: talk.mkv }
outputs: [{ plugin: VirtualCamera }, { plugin: VirtualMicrophone }]
YAML
"$greenroom" run "$work/bars.yaml"
ffmpeg -v error -i "$work/bars/camera.y4m" -i "$work/bars/camera.wav" -c:v libx264 -qp 0 -c:a flac \
    "$work/talk.mkv"

say "Chromium looks at a virtual camera"
# shellcheck disable=SC2016 # the inner shell expands them
HOME="$work" Tests/VirtualDevices/with-pipewire.sh sh -euc '
    "$1" run "$HOME/session.yaml" & session=$!
    trap "kill $session; wait" EXIT
    # Camera and microphone.
    tries=0
    until [ "$(pw-cli ls Node | grep -c "node.name = \"Greenroom\"")" -ge 2 ]; do
        tries=$((tries + 1))
        [ $tries -le 100 ] || { echo "The session shows no camera and microphone after 10 s." >&2; exit 1; }
        sleep 0.1
    done
    /usr/bin/python3 Tests/VirtualDevices/chromium.py' sh "$greenroom"
say "Chromium has seen the bars and heard the tone."
