#!/bin/sh
# A viewer behind a bad network: 5 % of the packets lost, 1.2 Mbit/s, and no network for 10 s. What it
# sees each time is printed: recovery.py. Needs root and network namespaces; skipped (77) without.
#
#   Tests/WebRoom/network.sh
#   RECORD=1 Tests/WebRoom/network.sh       beside a recording, which keeps its size
#   TWO=1 RECORD=1 Tests/WebRoom/network.sh beside a viewer with a good network, who sees no change
#   SYNC=1 Tests/WebRoom/network.sh         audio and video at the viewer, before and after 10 s without network
#   FEEDBACK=0 Tests/WebRoom/network.sh     of a viewer who does not say what arrives: nothing adapts
#   GUEST=1 Tests/WebRoom/network.sh        a guest without network for 10 s, who stays, and for 25 s, who does not
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
space="greenroom-$$"
log="$work/log"
seen="$work/seen"
# shellcheck disable=SC2086 # names of packages are words
[ "$(id -u)" != 0 ] || install_packages $build_packages iproute2 iptables python3-gi \
    gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0
if [ "$(id -u)" != 0 ] || ! ip netns add "$space" 2> /dev/null; then
    skip "needs root and network namespaces"
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
guest_token=a-guest-behind-a-bad-network
microphone=Tone
if [ -n "${SYNC-}" ]; then
    # Beeps at each whole second of the clock that ColorBars draws.
    cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -pthread -ISources/GreenroomABI/include \
        Tests/HostilePlugins/hostile/*.c -o "$work/sources.so" -lm
    microphone="\"$work/sources.so#BeepMic\", isolation: host"
fi
outputs=${RECORD-${GUEST-}}
outputs=${outputs:+"outputs: [record: $work/recording]"}
cat > "$work/room.yaml" << END
session: { maximum: 1280x720@30, duration: 300s }
camera: { plugin: ColorBars }
microphone: { plugin: $microphone }
call:
  plugin: WebRoom
  settings: { address: 10.213.0.1, viewer-token: $token, guest-token: $guest_token }
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
    exec ip netns exec "$space" env LIMIT=280 ADDRESS=10.213.0.2 FRAMES=times /usr/bin/python3 \
        Tests/WebRoom/peer.py "$mode" "http://10.213.0.1:$port/" "$token" "$@"
}
now() { python3 -c "import time; print(time.monotonic())"; }
# At the far end: the room's address stays, for others on this machine.
network() { ip -n "$space" link set "$there" "$1"; }
# away SECONDS: there is no network for so long.
away() {
    network down
    sleep "$1"
    network up
}

if [ -n "${SYNC-}" ]; then
    # A beep belongs to the frames around it.
    join time 100000 > "$work/times" &
    programs="$! $programs"
    sleep 20
    away 10
    up=$(now)
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
if [ -n "${GUEST-}" ]; then
    token=$guest_token
    join count Ana 2> "$work/ana" > /dev/null &
    ana=$!
    programs="$ana $programs"
    wait_for "ana-camera: opened" "$log"
    sleep 12
    away 10
    sleep 15
    ! grep -q "Ana left" "$log" || fail "Ana left: $(cat "$log")"
    say "Ana is there after 10 s without network"
    network down
    wait_for "Ana left" "$log"
    network up
    grep "Ana" "$log"
    kill "$ana"
    wait "$ana" || true
    join count Ben 2> "$work/ben" > /dev/null &
    ben=$!
    programs="$ben $programs"
    wait_for "ben-camera: opened" "$log"
    sleep 12
    kill "$ben"
    wait "$ben" || fail "Ben did not leave: $(cat "$work/ben")"
    finish "$room"
    # Of what Ana sent until she left 10 s of 35 are lacking, and less than 30 % are from before. Others prove
    # that audio and video are together.
    for name in ana ben; do
        SKIP=2 APART=500 python3 Tests/WebRoom/numbered.py "$work/recording" $name-camera $name-microphone \
            "$([ $name = ana ] && echo 40 || echo 90)" beeps
    done
    python3 - "$work/recording/session.json" << 'PYTHON'
import json, sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
names = [participant["name"] for participant in report["participants"]]
print("participants:", *names)
assert names == ["Ana", "Ben"], "a guest has joined twice"
PYTHON
    exit 0
fi
# As browsers do, it shows no frame that lacks one before it.
export WAITS=1
join slots 1 720 2> "$seen" > /dev/null &
viewer=$!
programs="$viewer $programs"
other="$work/other"
if [ -n "${TWO-}" ]; then
    LIMIT=280 ADDRESS=10.213.0.1 FRAMES=times /usr/bin/python3 \
        Tests/WebRoom/peer.py slots "http://10.213.0.1:$port/" "$token" 1 720 2> "$other" > /dev/null &
    programs="$! $programs"
else
    : > "$other"
fi

size() { sed -n 's/^slot 0 //p' "${1:-$seen}" | tail -1; }
# mark GAP BACK WHAT: something changes now. Fails if a frame is missing for more than GAP seconds, or if it
# takes more than BACK seconds until there are 25 frames in a second again; "-" for no limit.
mark() {
    echo "$(now) $(cat "/sys/class/net/$here/statistics/tx_bytes") $*" >> "$work/marks"
    say "$3"
}
lose() {
    iptables "$1" INPUT -i "$here" -p udp -m statistic --mode random --probability 0.05 -j DROP
    iptables "$1" OUTPUT -o "$here" -p udp -m statistic --mode random --probability 0.05 -j DROP
}
if [ "${FEEDBACK-1}" = 0 ]; then adapts='' capped='- -'; else adapts=1 capped='8 20'; fi

wait_for "slot 0 1280 720" "$seen"
sleep 3
mark 4 5 "no fault"
sleep 10
mark 8 20 "5 % of the packets lost"
lose -I
sleep 20
mark 8 20 "no loss again"
lose -D
sleep 10
# shellcheck disable=SC2086 # two numbers
mark $capped "1.2 Mbit/s"
tc qdisc add dev "$here" root tbf rate 1200kbit burst 5kb latency 400ms
sleep 30
mark 8 20 "no limit again"
tc qdisc del dev "$here" root
if [ -n "$adapts" ]; then
    seconds=0
    until [ "$(size)" = "1280 720" ] && [ $seconds -ge 20 ]; do
        seconds=$((seconds + 1))
        [ $seconds -le 90 ] || fail "The full size did not come back: $(tail -3 "$log")"
        sleep 1
    done
else
    sleep 20
fi
mark - - "no network for 10 s"
network down
sleep 10
mark 10 20 "back after 10 s without network"
network up
sleep 20
# A ceiling is lifted when the full size has been seen for 3 s.
if [ -n "$adapts" ]; then
    seconds=0
    until [ "$(size)" = "1280 720" ]; do
        seconds=$((seconds + 1))
        [ $seconds -le 60 ] || fail "The full size did not come back: $(tail -3 "$log")"
        sleep 1
    done
    sleep 5
fi
mark - - end
kill "$viewer"
wait "$viewer" || fail "The viewer ended: $(tail -3 "$seen")"
python3 Tests/WebRoom/recovery.py "$work/marks" "$seen"
if [ -n "${TWO-}" ]; then
    say "The other viewer"
    awk '{ $3 = $4 = 5; print }' "$work/marks" > "$work/good"
    python3 Tests/WebRoom/recovery.py "$work/good" "$other"
    [ "$(sed -n 's/^slot 0 //p' "$other" | sort -u)" = "1280 720" ] || fail "The other viewer's size changed."
fi
say "What the session said:"
grep -A1 -E "ceiling|property|network|accepted" "$log" || true
if [ -z "$adapts" ] || [ -n "${TWO-}" ]; then
    ! grep -q "no viewer has bandwidth" "$log" || fail "The session has a ceiling, although one viewer gets everything."
elif [ -z "${RECORD-}" ]; then
    # The camera has answered each offer, and its last one has the full size.
    python3 - "$log" << 'PYTHON'
import re, sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
changes = re.findall(r"^camera: (\S+) since .*, (ceiling-\w+)\)\n.*; the source accepted", text, re.M)
print(*(f"{size} ({why})" for size, why in changes))
assert changes[:2] == [("640x360@30", "ceiling-lowered"), ("1280x720@30", "ceiling-raised")], "no change of the camera"
assert changes[-1] == changes[1], "the ceiling was not lifted"
assert "640x360@30 by call (WebRoom): no viewer has bandwidth for 1280x720" in text, "no reason"
PYTHON
fi
[ -n "${RECORD-}" ] || exit 0
finish "$room"
python3 - "$work/recording/session.json" << 'PYTHON'
import json, sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
camera = next(track for track in report["videoTracks"] if track["track"] == "camera")
sizes = {entry["track"] for entry in camera["negotiation"]}
print(f"recorded: {camera['account']}, in {sizes}")
assert sizes == {"1280x720@30"}, "the recording has not kept its size"
total, missing = camera["account"]["total"], camera["account"]["missing"]
assert missing <= total / 100, "the recording lacks frames"
PYTHON
