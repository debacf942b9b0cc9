#!/bin/sh
# A room that has one public port beside its page: 443 of coturn, by UDP and TCP. A firewall drops everything else, so
# that media pass only through the relay. Viewers and guests connect by UDP, and by TCP where UDP is blocked; without
# TURN nobody does. Needs root and network namespaces; skipped (77) without.
#
#   outside 203.0.113.9 -- firewall -- 203.0.113.3 coturn 443, page 8080 -- 10.9.0.2 room, 10.9.0.3 relay
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
outside=gr$$outside
server=gr$$server
if [ "$(id -u)" != 0 ] || ! ip netns add "$outside" 2> /dev/null; then skip "needs root and network namespaces"; fi
ip netns add "$server"
clear() {
    end
    ip netns del "$outside" || true
    ip netns del "$server" || true
}
trap clear EXIT
trap 'exit 1' INT TERM
install_packages iproute2 iptables coturn python3-gi gir1.2-gst-plugins-bad-1.0

ip link add wan netns "$server" type veth peer name wan netns "$outside"
ip -n "$server" link add inside type veth peer name other
for pair in "$outside lo" "$server lo" "$outside wan 203.0.113.9/24" "$server wan 203.0.113.3/24" \
    "$server other" "$server inside 10.9.0.2/24" "$server inside 10.9.0.3/24"; do
    # shellcheck disable=SC2086 # words
    set -- $pair
    [ -z "${3-}" ] || ip -n "$1" addr add "$3" dev "$2"
    ip -n "$1" link set "$2" up
done
ip -n "$outside" route add 10.9.0.0/24 via 203.0.113.3
# rule ARGUMENT...: of the firewall.
rule() { ip netns exec "$server" iptables "$@"; }
# firewall UDP: yes or no.
firewall() {
    rule -F
    rule -A INPUT -i wan -p tcp -m multiport --dports 443,8080 -j ACCEPT
    rule -A OUTPUT -o wan -p tcp -m multiport --sports 443,8080 -j ACCEPT
    if [ "$1" = yes ]; then
        rule -A INPUT -i wan -p udp --dport 443 -j ACCEPT
        rule -A OUTPUT -o wan -p udp --sport 443 -j ACCEPT
    fi
    rule -A INPUT -i wan -j DROP
    rule -A OUTPUT -o wan -j DROP
}

secret=of-the-turn-server
ip netns exec "$server" turnserver -n --log-file stdout --no-cli --no-tls --no-dtls --use-auth-secret \
    --static-auth-secret $secret --realm greenroom --listening-ip 203.0.113.3 --listening-ip 10.9.0.3 \
    --listening-port 443 --relay-ip 10.9.0.3 --pidfile "$work/turn.pid" > "$work/turn" 2>&1 &
programs=$!

viewer=a-viewer-behind-one-port
guest=a-guest-behind-one-port
# open TURN: a room with these settings.
open() {
    cat > "$work/room.yaml" << YAML
session: { maximum: 320x180@15, callback-deadline: 20s }
camera: { plugin: ColorBars, settings: { ball: false } }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
call:
  plugin: WebRoom
  isolation: process
  memory-limit: 1 GB
  allow: { network: true }
  settings: { address: 0.0.0.0, port: 8080, viewer-token: $viewer, guest-token: $guest, $1 }
YAML
    # The text of the room before must not be taken for this one's.
    rm -f "$work/room" "$work/slots"
    ip netns exec "$server" "$greenroom" run "$work/room.yaml" 2> "$work/room" &
    room=$!
    programs="$room $programs"
    wait_for "live: http" "$work/room"
}
close() {
    finish "$room"
    programs=${programs#"$room "}
}
# person LIMIT ARGUMENT...: outside.
person() {
    limit=$1
    shift
    ip netns exec "$outside" env LIMIT="$limit" ADDRESS=203.0.113.9 ICE=1 /usr/bin/python3 Tests/WebRoom/peer.py "$@"
}
page=http://203.0.113.3:8080/
turn="turn: 'turn:203.0.113.3:443?transport=udp turn:203.0.113.3:443?transport=tcp', turn-secret: $secret"

for udp in yes no; do
    firewall $udp
    say "UDP 443 open: $udp"
    open "$turn"
    person 90 watch $page $viewer 15 > "$work/watch" 2> "$work/error" || fail "A viewer sees nothing: $(cat "$work/error" "$work/room")"
    person 90 send $page $guest Ana > /dev/null 2> "$work/guest" &
    ana=$!
    programs="$ana $programs"
    wait_for "ana-camera: opened" "$work/room"
    person 90 slots $page $viewer 2 180 > /dev/null 2> "$work/slots" &
    slots=$!
    programs="$slots $programs"
    wait_for "slot 1 320 180" "$work/slots"
    kill $slots $ana 2> /dev/null || true
    wait $slots $ana || true
    close
    echo "a viewer sees the room, a guest joins, and a viewer sees the guest"
done

say "Without TURN"
firewall yes
open "udp-ports: 50000-50019"
if person 20 watch $page $viewer 1 > "$work/watch" 2>&1; then fail "Media pass through a closed port."; fi
close
echo "no media pass"
