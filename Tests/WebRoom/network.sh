#!/bin/sh
# A viewer behind a bad network: 5 % of the packets lost, 1.2 Mbit/s, and no network for 10 s. What it
# sees each time is printed. Needs root and network namespaces; skipped without.
#
#   Tests/WebRoom/network.sh
#   RECORD=1 Tests/WebRoom/network.sh       beside a recording, which keeps its size
#   TWO=1 RECORD=1 Tests/WebRoom/network.sh beside a viewer with a good network, who sees no change
#   SYNC=1 Tests/WebRoom/network.sh         audio and video at the viewer, before and after 10 s without network
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
microphone=Tone
if [ -n "${SYNC-}" ]; then
    # Beeps at each whole second of the clock that ColorBars draws.
    cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -pthread -ISources/GreenroomABI/include \
        Tests/HostilePlugins/hostile/*.c -o "$work/sources.so" -lm
    microphone="\"$work/sources.so#BeepMic\", isolation: host"
fi
outputs=${RECORD:+"outputs: [record: $work/recording]"}
cat > "$work/room.yaml" << END
session: { maximum: 1280x720@30, duration: 300s }
camera: { plugin: ColorBars }
microphone: { plugin: $microphone }
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

# join MODE ARGUMENT...: becomes a peer behind the bad network; for the background.
join() {
    mode=$1
    shift
    exec ip netns exec "$space" env LIMIT=200 ADDRESS=10.213.0.2 FRAMES=1 /usr/bin/python3 \
        Tests/WebRoom/peer.py "$mode" "http://10.213.0.1:$port/" "$token" "$@"
}

if [ -n "${SYNC-}" ]; then
    # A beep belongs to the frames around it.
    join time 100000 > "$work/times" &
    programs="$! $programs"
    sleep 20
    ip link set "$here" down
    sleep 10
    ip link set "$here" up
    up=$(python3 -c "import time; print(time.monotonic())")
    sleep 30
    kill "${programs%% *}"
    wait "${programs%% *}" || fail "The viewer ended: $(cat "$work/times")"
    python3 - "$work/times" "$up" << 'PYTHON'
import json, statistics, sys

with open(sys.argv[1], encoding="utf-8") as file:
    times = json.load(file)
up = float(sys.argv[2])
frames = [(at, (at - stamp / 1000) % 16777.216) for at, stamp in times["seen"] if stamp is not None]
apart = []
for beep in times["beeps"]:
    late = [one for at, one in frames if abs(at - beep) < 0.5]
    if late:
        apart.append((beep - up, 1000 * ((beep - statistics.median(late) + 0.5) % 1 - 0.5)))
begun = frames[0][0] - up
parts = {
    "before": [one for at, one in apart if begun + 3 < at < -10.5],
    "back, the first 5 s": [one for at, one in apart if 0 < at < 5],
    "back, later": [one for at, one in apart if at >= 5],
}
for name, values in parts.items():
    if values:
        print(f"{name:28} audio after video {statistics.median(values):+.0f} ms, at worst {max(values, key=abs):+.0f} ms "
              f"of {len(values)} beeps")
for name in ("before", "back, later"):
    assert len(parts[name]) >= 5, f"{name}: only {len(parts[name])} beeps beside video"
    assert max(map(abs, parts[name])) <= 80, f"{name}: audio and video are more than 80 ms apart"
PYTHON
    exit 0
fi
join slots 1 720 2> "$seen" > /dev/null &
programs="$! $programs"
other="$work/other"
if [ -n "${TWO-}" ]; then
    LIMIT=200 ADDRESS=10.213.0.1 FRAMES=1 /usr/bin/python3 \
        Tests/WebRoom/peer.py slots "http://10.213.0.1:$port/" "$token" 1 720 2> "$other" > /dev/null &
    programs="$! $programs"
else
    : > "$other"
fi

# Frames that a viewer has seen.
count() { grep -c '^frame' "$1" || true; }
# Frames in so many seconds.
frames() {
    before=$(count "$seen")
    sleep "$1"
    echo $(($(count "$seen") - before))
}
size() { sed -n 's/^slot 0 //p' "${1:-$seen}" | tail -1; }
step() {
    others=$(count "$other")
    printf '%-28s %s frames in 10 s, %s' "$1" "$(frames 10)" "$(size)"
    others=$(($(count "$other") - others))
    if [ -z "${TWO-}" ]; then
        echo
        return
    fi
    printf '; the other viewer %s frames, %s\n' "$others" "$(size "$other")"
    [ "$others" -ge 270 ] || fail "The other viewer's frames became fewer."
    [ "$(sed -n 's/^slot 0 //p' "$other" | sort -u)" = "1280 720" ] || fail "The other viewer's size changed."
}

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
[ -n "${RECORD-}${TWO-}" ] || grep -q "no viewer has bandwidth for 1280x720" "$log" || fail "The session has no ceiling."
[ -n "${RECORD-}" ] || exit 0
finish "$room"
python3 - "$work/recording/session.json" << 'PYTHON'
import json, sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
camera = next(track for track in report["pictures"] if track["track"] == "camera")
sizes = {entry["track"] for entry in camera["negotiation"]}
print(f"recorded: {camera['account']}, in {sizes}")
assert sizes == {"1280x720@30"}, "the recording has not kept its size"
total, missing = camera["account"]["total"], camera["account"]["missing"]
assert missing <= total / 100, "the recording lacks frames"
PYTHON
