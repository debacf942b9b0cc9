#!/bin/sh
# Runs a command in a session of D-Bus that has a PipeWire of its own, with a loudspeaker that nobody hears.
#
#   Tests/VirtualDevices/with-pipewire.sh COMMAND...
set -eu
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR XDG_STATE_HOME="$XDG_RUNTIME_DIR/state"
trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
# shellcheck disable=SC2016 # the inner shell expands them
dbus-run-session -- sh -euc '
    pipewire & pipewire=$!
    programs=$pipewire
    trap "kill \$programs 2> /dev/null || true; wait" EXIT
    until pw-cli info 0 > "$XDG_RUNTIME_DIR/info" 2>&1; do
        kill -0 $pipewire 2> /dev/null || { echo "PipeWire has ended: see above." >&2; exit 1; }
        sleep 0.1
    done
    wireplumber & programs="$! $programs"
    pipewire-pulse & programs="$! $programs"
    tries=0
    until pactl list sinks short 2> /dev/null | grep -q .; do
        tries=$((tries + 1))
        [ $tries -le 200 ] || { echo "There is no loudspeaker: see above." >&2; exit 1; }
        sleep 0.1
    done
    "$@"' sh "$@"
