#!/bin/sh
# A guest sets the volumes of others: this changes only what this guest hears.
#
#   Tests/WebRoom/volumes.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
[ -n "${GREENROOM-}" ] || install_packages $build_packages python3-gi gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0

cat > "$work/room.yaml" << YAML
session: { isolation: host }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
call: { plugin: WebRoom, settings: { guest-token: guest-token-1234567 } }
YAML
start_room "$work/room.log"
join() {
    /usr/bin/python3 Tests/WebRoom/peer.py join "$url/" guest-token-1234567 "$1" "$2" 2> "$work/$1" > "$work/$1.json" &
    programs="$! $programs"
}
join Ana 660
ana=$!
export VOLUMES=Host=0,Ana=200
join Ben 880
ben=$!
wait_for "hears 660 1000 $" "$work/Ben"
wait_for "hears 880 1000 $" "$work/Ana"

say "Ben turns the session's own audio off, and hears Ana"
kill -USR1 $ben
wait_for "hears 660 $" "$work/Ben"

say "Ben hears all people again"
: > "$work/Ben"
kill -USR2 $ben
wait_for "hears 660 1000 $" "$work/Ben"

kill $ana $ben
wait $ana $ben
cat "$work/Ana" "$work/Ana.json" "$work/Ben.json"
# Nobody may hear the tone of the own voice, and Ben's volumes must not change what Ana hears.
! grep "hears.* 660" "$work/Ana" || fail "Ana hears herself."
! grep "hears.* 880" "$work/Ben" || fail "Ben hears himself."
[ "$(grep -c "hears 880 1000 $" "$work/Ana")" = 1 ] || fail "Ben's volumes changed what Ana hears."
finish "$room"
