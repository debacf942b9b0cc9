#!/bin/sh
# A viewer behind a bad network: 5 % of the packets lost, 1.2 Mbit/s, and no network for 10 s. What it
# sees each time is printed. Needs root and network namespaces; skipped without.
#
#   Tests/WebRoom/network.sh
#   RECORD=1 Tests/WebRoom/network.sh       beside a recording, which keeps its size
#   FEEDBACK=0 Tests/WebRoom/network.sh     of a viewer who does not say what arrives: nothing adapts
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
if [ "$(id -u)" != 0 ] || ! command -v tc > /dev/null || ! command -v iptables > /dev/null; then
    echo "skipped: needs root, tc and iptables"
    exit 0
fi
space="greenroom-$$"
log="$work/log"
seen="$work/seen"
if ! ip netns add "$space" 2> /dev/null; then
    echo "skipped: no network namespaces"
    exit 0
fi
trap 'end; ip netns del "$space"' EXIT
# Names of links are short.
here="gr$$h" there="gr$$t"
ip link add "$here" type veth peer name "$there" netns "$space"
ip addr add 10.213.0.1/30 dev "$here"
ip link set "$here" up
ip -n "$space" addr add 10.213.0.2/30 dev "$there"
ip -n "$space" link set "$there" up
ip -n "$space" link set lo up

token=a-viewer-behind-a-bad-network
outputs=${RECORD:+"outputs: [record: $work/recording]"}
cat > "$work/room.yaml" << END
session: { maximum: 1280x720@30, duration: 300s }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
call:
  plugin: WebRoom
  settings: { address: 10.213.0.1, viewer-token: $token }
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
$outputs
END
"$greenroom" run "$work/room.yaml" --explain 2> "$log" &
room=$!
programs=$room
wait_for "live: http" "$log"
port=$(sed -n 's/.*live: http.*:\([0-9]*\).*/\1/p' "$log")
ip netns exec "$space" env LIMIT=200 ADDRESS=10.213.0.2 FRAMES=1 /usr/bin/python3 \
    Tests/WebRoom/peer.py slots "http://10.213.0.1:$port/" "$token" 1 720 2> "$seen" > /dev/null &
programs="$! $programs"

# Frames in so many seconds.
frames() {
    before=$(grep -c '^frame' "$seen" || true)
    sleep "$1"
    echo $(($(grep -c '^frame' "$seen" || true) - before))
}
size() { sed -n 's/^slot 0 //p' "$seen" | tail -1; }
step() { printf '%-28s %s frames in 10 s, %s\n' "$1" "$(frames 10)" "$(size)"; }

sleep 5
step "no fault"
iptables -I INPUT -i "$here" -p udp -m statistic --mode random --probability 0.05 -j DROP
iptables -I OUTPUT -o "$here" -p udp -m statistic --mode random --probability 0.05 -j DROP
step "5 % lost"
iptables -D INPUT -i "$here" -p udp -m statistic --mode random --probability 0.05 -j DROP
iptables -D OUTPUT -o "$here" -p udp -m statistic --mode random --probability 0.05 -j DROP
tc qdisc add dev "$here" root tbf rate 1200kbit burst 5kb latency 400ms
step "1.2 Mbit/s, at first"
step "1.2 Mbit/s, later"
tc qdisc del dev "$here" root
[ "${FEEDBACK-1}" != 0 ] || exit 0
[ "$(size)" = "640 360" ] || fail "1.2 Mbit/s have room for half the size, and not for: $(size)"
seconds=0
until [ "$(size)" = "1280 720" ]; do
    seconds=$((seconds + 1))
    [ $seconds -le 60 ] || fail "The full size did not come back: $(tail -3 "$log")"
    sleep 1
done
printf '%-28s full size after %s s\n' "without the limit" "$seconds"
ip link set "$here" down
sleep 10
ip link set "$here" up
back=$(frames 5)
printf '%-28s %s frames in the first 5 s\n' "back after 10 s" "$back"
[ "$back" -ge 30 ] || fail "The video did not come back: $(tail -3 "$log")"
say "What the session said:"
grep -E "ceiling|property|network" "$log"
[ -n "${RECORD-}" ] || grep -q "no viewer has bandwidth for 1280x720" "$log" || fail "The session has no ceiling."
[ -n "${RECORD-}" ] || exit 0
finish "$room"
python3 - "$work/recording/session.json" << 'PYTHON'
import json, sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
camera = next(track for track in report["pictures"] if track["track"] == "camera")
sizes = {entry["track"] for entry in camera["negotiation"]}
print(f"recorded: {camera['account']}, in {sizes}")
assert sizes == {"1280x720@30"}, "the recording has not kept its size"
PYTHON
