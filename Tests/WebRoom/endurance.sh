#!/bin/sh
# A room for a long time: viewers and guests who stay, and one guest after the other who joins for a second. Memory,
# threads and open files of the room's process are flat after the first quarter. The clients decode nothing.
#
#   Tests/WebRoom/endurance.sh                          30 viewers and 8 guests for 10 minutes
#   VIEWERS=6 GUESTS=3 Tests/WebRoom/endurance.sh 180   fewer for 3 minutes
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages python3-gi gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0
seconds=${1:-600}
viewers=${VIEWERS:-30}
guests=${GUESTS:-8}

cat > "$work/room.yaml" << YAML
session: { maximum: 640x360@15, isolation: host }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
call:
  plugin: WebRoom
  settings: { viewer-token: viewer-token-123456, guest-token: guest-token-1234567 }
YAML
start_room "$work/room.log"

# peer MODE TOKEN ARGUMENT...: in the background.
peer() {
    mode=$1
    token=$2
    shift 2
    LIMIT=$((seconds + 600)) /usr/bin/python3 Tests/WebRoom/peer.py "$mode" "$url/" "$token" "$@" \
        > "$work/peer" 2>&1 &
    programs="$! $programs"
}
say "$viewers viewers and $guests guests for $seconds s"
for _ in $(seq "$viewers"); do peer take viewer-token-123456; done
# One place is for those who come and go.
for number in $(seq 2 "$guests"); do peer send guest-token-1234567 "Guest-$number"; done
peer churn guest-token-1234567 1000000
python3 Tests/WebRoom/endurance.py "$room" "$seconds"
grep -c "call: Guest-[0-9]*-[0-9]* left" "$work/room.log" > "$work/left" || true
echo "$(cat "$work/left") guests have come and gone"
[ "$(cat "$work/left")" -ge $((seconds / 10)) ] || fail "Too few guests came and went."
finish "$room"
