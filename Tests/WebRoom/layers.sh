#!/bin/sh
# A guest in headless Chromium sends three layers of the camera (simulcast). Viewers get the layer that fits their window,
# and a layer that nobody watches pauses. Screenshots are kept in .build/web-room.
#
#   Tests/WebRoom/layers.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
[ -n "${GREENROOM-}" ] || install_packages $build_packages chromium python3-venv
shots="$PWD/.build/web-room"
mkdir -p "$shots"
python=$(python_with playwright)

cat > "$work/room.yaml" << YAML
session: { maximum: 1280x720@30, isolation: host, name: layers-$$ }
microphone: { plugin: Tone }
call:
  plugin: WebRoom
  settings: { viewer-token: viewer-token-123456, guest-token: guest-token-1234567 }
YAML
start_room "$shots/log-layers"
printf 'viewers: %s/#viewer-token-123456\nguests: %s/#guest-token-1234567\n' "$url" "$url" > "$work/links"
"$python" Tests/WebRoom/layers.py "$work/links" "$shots" "$greenroom" status "layers-$$" --json
finish "$room"
if grep -i "call.*warning\|call.*error" "$shots/log-layers"; then fail "See $shots/log-layers"; fi
say "Look at $shots."
