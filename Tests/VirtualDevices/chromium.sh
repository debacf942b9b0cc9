#!/bin/sh
# An unmodified Chromium, headless, opens the virtual camera and microphone of a session: it sees the
# colours of the bars and hears the tone.
#
#   Tests/VirtualDevices/chromium.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $pipewire_packages chromium python3-gi
greenroom=${GREENROOM:-.build/release/greenroom}

XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR HOME="$XDG_RUNTIME_DIR"
trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
cat > "$XDG_RUNTIME_DIR/session.yaml" << 'YAML'
session: { maximum: 1280x720@30, duration: 60s }
camera: { plugin: ColorBars, settings: { ball: false, counter: false } }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
outputs: [{ plugin: VirtualCamera }, { plugin: VirtualMicrophone }]
YAML

say "Chromium looks at a virtual camera"
# shellcheck disable=SC2016 # the inner shell expands them
dbus-run-session -- sh -c '
    give_up() {
        echo "$1" >&2
        kill $programs
        exit 1
    }
    pipewire & pipewire=$! programs=$!
    until pw-cli info 0 > "$XDG_RUNTIME_DIR/info" 2>&1; do
        kill -0 $pipewire || give_up "PipeWire has ended: see above."
        sleep 0.1
    done
    wireplumber & programs="$programs $!"
    pipewire-pulse & programs="$programs $!"
    sleep 1
    "$1" run "$XDG_RUNTIME_DIR/session.yaml" & programs="$! $programs"
    # Camera and microphone.
    tries=0
    until [ "$(pw-cli ls Node | grep -c "node.name = \"Greenroom\"")" -ge 2 ]; do
        tries=$((tries + 1))
        [ $tries -le 100 ] || give_up "The session shows no camera and microphone after 10 s: see above."
        sleep 0.1
    done
    code=0
    /usr/bin/python3 Tests/VirtualDevices/chromium.py || code=$?
    kill $programs
    wait
    exit $code' sh "$greenroom"
say "Chromium has seen the bars and heard the tone."
