#!/bin/sh
# A room and its people behind routers, each in a network namespace of its own. Prints a table: which setting
# lets whom through which router. Needs root and network namespaces; skipped (77) without.
#
#   Tests/WebRoom/nat.sh            all rows
#   Tests/WebRoom/nat.sh forward    those whose name has that text
#
#   room 10.1.0.2, 2001:db8:1::2 -- router A 203.0.113.7 --+-- router B 203.0.113.9 -- client 192.168.9.2
#                                                          +-- coturn 203.0.113.3, 2001:db8::3
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
if [ "$(id -u)" != 0 ] || ! ip netns add "gr$$probe" 2> /dev/null; then
    skip "needs root and network namespaces"
fi
ip netns del "gr$$probe"
command -v chromium-headless-shell > /dev/null || install_packages chromium
install_packages iproute2 iptables coturn openssl python3-venv
python=$(python_with playwright)

wanted=${1-}
spaces="wan a b room client turn"
space() { echo "gr$$$1"; }
within() {
    name=$(space "$1")
    shift
    ip netns exec "$name" "$@"
}
clear() {
    end
    for name in $spaces; do ip netns del "$(space "$name")" 2> /dev/null || true; done
}
trap clear EXIT
for name in $spaces; do
    ip netns add "$(space "$name")"
    ip -n "$(space "$name")" link set lo up
done

# link SPACE DEVICE SPACE DEVICE
link() { ip link add "$2" netns "$(space "$1")" type veth peer name "$4" netns "$(space "$3")"; }
# give SPACE DEVICE ADDRESS...
give() {
    name=$(space "$1")
    device=$2
    shift 2
    for address in "$@"; do
        case $address in *:*) flag=nodad ;; *) flag= ;; esac
        ip -n "$name" addr add "$address" dev "$device" $flag
    done
    ip -n "$name" link set "$device" up
}
ip -n "$(space wan)" link add bridge type bridge
ip -n "$(space wan)" link set bridge up
for name in a b turn; do
    link wan "to-$name" "$name" wan
    ip -n "$(space wan)" link set "to-$name" master bridge up
done
link a lan room lan
link b lan client lan
give a wan 203.0.113.7/24 2001:db8::7/64
give b wan 203.0.113.9/24 2001:db8::9/64
give turn wan 203.0.113.3/24 2001:db8::3/64
give a lan 10.1.0.1/24 2001:db8:1::1/64
give b lan 192.168.9.1/24 2001:db8:9::1/64
give room lan 10.1.0.2/24 2001:db8:1::2/64
give client lan 192.168.9.2/24 2001:db8:9::2/64
for pair in "room 10.1.0.1 2001:db8:1::1" "client 192.168.9.1 2001:db8:9::1" "a 203.0.113.9 2001:db8::9" \
    "b 203.0.113.7 2001:db8::7" "turn 203.0.113.7 2001:db8::7"; do
    # shellcheck disable=SC2086 # three words
    set -- $pair
    ip -n "$(space "$1")" route add default via "$2"
    ip -n "$(space "$1")" -6 route add default via "$3"
done
ip -n "$(space turn)" -6 route add 2001:db8:9::/64 via 2001:db8::9
for side in a b; do
    within $side sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
done
# The internet does not carry private addresses. It drops them without a word: coturn ends an allocation whose
# packets have no route.
for side in a b; do
    for private in 10.0.0.0/8 192.168.0.0/16; do
        within $side iptables -t mangle -A PREROUTING -i wan -d $private -j DROP
    done
done

secret=of-the-turn-server
ip netns exec "$(space turn)" turnserver -n --log-file stdout --no-cli --no-tls --no-dtls --use-auth-secret \
    --static-auth-secret $secret --realm greenroom --listening-ip 203.0.113.3 --listening-ip 2001:db8::3 \
    --relay-ip 203.0.113.3 --relay-ip 2001:db8::3 --pidfile "$work/turn.pid" \
    > "$work/turn" 2>&1 &
programs=$!

# The router of people at home: what they ask for comes back, and nothing else.
within b iptables -t nat -A POSTROUTING -o wan -j MASQUERADE
for tables in iptables ip6tables; do
    within b $tables -A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
    within b $tables -A FORWARD -i wan -j DROP
done

# router KIND: sets router A up. Its room is at 203.0.113.7 and 2001:db8:1::2, port 8080.
router() {
    within a iptables -t nat -F
    for tables in iptables ip6tables; do within a $tables -F FORWARD; done
    case $1 in
        one-to-one)
            within a iptables -t nat -A PREROUTING -d 203.0.113.7 -j DNAT --to-destination 10.1.0.2
            within a iptables -t nat -A POSTROUTING -o wan -j SNAT --to-source 203.0.113.7
            return
            ;;
    esac
    within a iptables -t nat -A PREROUTING -i wan -p tcp --dport 8080 -j DNAT --to-destination 10.1.0.2
    within a iptables -t nat -A POSTROUTING -o wan -j MASQUERADE --random-fully
    for tables in iptables ip6tables; do
        within a $tables -A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
        within a $tables -A FORWARD -i wan -p tcp --dport 8080 -j ACCEPT
    done
    case $1 in
        forward)
            within a iptables -t nat -I PREROUTING -i wan -p udp --dport 50000:50019 -j DNAT --to-destination 10.1.0.2
            for tables in iptables ip6tables; do
                within a $tables -A FORWARD -i wan -p udp --dport 50000:50019 -j ACCEPT
            done
            ;;
        # No UDP between the room and people: servers of STUN and TURN alone.
        closed)
            for tables in iptables ip6tables; do
                within a $tables -I FORWARD -o wan -p udp ! --dport 3478 -m conntrack --ctstate NEW -j DROP
            done
            ;;
    esac
    within a iptables -A FORWARD -i wan -j DROP
    within a ip6tables -A FORWARD -i wan -j DROP
}

token=a-viewer-behind-many-routers
guest=a-guest-behind-many-routers
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=room \
    -keyout "$work/key" -out "$work/certificate" 2> /dev/null

# open ROUTER SETTINGS: a room behind that router.
open() {
    router "$1"
    cat > "$work/nat.yaml" << YAML
session: { maximum: 320x180@15, duration: 300s, callback-deadline: 20s }
camera: { plugin: ColorBars, settings: { ball: false } }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
call:
  plugin: WebRoom
  settings: { address: "::", port: 8080, viewer-token: $token, guest-token: $guest, $2 }
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
YAML
    # The text of the room before must not be taken for this one's.
    rm -f "$work/room"
    ip netns exec "$(space room)" "$greenroom" run "$work/nat.yaml" 2> "$work/room" &
    room=$!
    programs="$room $programs"
    wait_for "live: http" "$work/room"
}
close() {
    finish "$room"
    programs=${programs#"$room "}
}

# peer FAMILY ICE ARGUMENT...: a person at home.
peer() {
    if [ "$1" = 4 ]; then url=http://203.0.113.7:8080/; address=192.168.9.2
    else url="http://[2001:db8:1::2]:8080/"; address=2001:db8:9::2; fi
    ice=$2
    mode=$3
    secret_of_link=$4
    shift 4
    ip netns exec "$(space client)" env LIMIT=$limit ADDRESS=$address ICE="$ice" /usr/bin/python3 \
        Tests/WebRoom/peer.py "$mode" "$url" "$secret_of_link" "$@"
}

printf '%-34s %-5s %-8s %-8s %-8s\n' "room" "" viewer page guest
worse=
# row NAME ROUTER SETTINGS ICE EXPECTED FAMILY...
row() {
    case "$1" in *"$wanted"*) ;; *) return ;; esac
    row=$1 kind=$2 settings=$3 use=$4 expected=$5
    shift 5
    # A person who connects is waited for on a busy machine, too.
    limit=90
    [ "$expected" = "$yes" ] || limit=25
    open "$kind" "$settings"
    for family in "$@"; do
        got=
        # A viewer by WHEP; a page's connection; a guest by WHIP, who hears the session.
        result=no
        peer "$family" "$use" watch $token 3 > "$work/out" 2> "$work/err" && result=yes
        got="$got $result"
        result=no
        rm -f "$work/err"
        peer "$family" "$use" slots $token 1 180 > "$work/out" 2> "$work/err" &
        page=$!
        seconds=0
        while kill -0 $page 2> /dev/null && [ $seconds -lt $limit ]; do
            grep -qs "slot 0 320 180" "$work/err" && result=yes && break
            seconds=$((seconds + 1))
            sleep 1
        done
        kill -TERM $page 2> /dev/null || true
        wait $page 2> /dev/null || true
        got="$got $result"
        result=no
        peer "$family" "$use" join $guest "Guest$family" 660 > "$work/out" 2> "$work/err" &
        page=$!
        seconds=0
        while kill -0 $page 2> /dev/null && [ $seconds -lt $limit ]; do
            grep -q "guest$family-camera: opened" "$work/room" && result=yes && break
            seconds=$((seconds + 1))
            sleep 1
        done
        kill -TERM $page 2> /dev/null || true
        wait $page 2> /dev/null || true
        got="$got $result"
        # shellcheck disable=SC2086 # three words
        printf '%-34s IPv%s %-8s %-8s %-8s\n' "$row" "$family" $got
        [ "$got" = "$expected" ] || worse="$worse; $row, IPv$family"
        if [ "$expected" = " no no no" ]; then
            grep -m1 "media do not connect" "$work/room" || worse="$worse; $row: no reason"
        fi
    done
    close
}

# page_row NAME ROUTER SETTINGS MODE: the page in a browser, over the room's own HTTPS.
page_row() {
    case "$1" in *"$wanted"*) ;; *) return ;; esac
    open "$2" "$3, certificate: $work/certificate, key: $work/key"
    result=no
    ip netns exec "$(space client)" "$python" Tests/WebRoom/nat_page.py "https://203.0.113.7:8080/#$guest" "$4" \
        > "$work/out" 2>&1 && result=yes
    printf '%-34s %-5s %s\n' "$1" "page" "$4: $result"
    tail -1 "$work/out"
    [ $result = yes ] || worse="$worse; $1, page"
    close
}

yes=" yes yes yes"
ports="udp-ports: 50000-50019"
stun="stun: 203.0.113.3"
turn="turn: \"turn:203.0.113.3 turn:203.0.113.3?transport=tcp\", turn-secret: $secret"
turn6="turn: \"turn:[2001:db8::3]\", turn-secret: $secret"
row "1:1, nothing set" one-to-one "title: x" "" " no no no" 4
row "1:1, announce" one-to-one "announce: 203.0.113.7" "" "$yes" 4 6
row "1:1, announce: auto" one-to-one "announce: auto, $stun" "" "$yes" 4
row "ports forwarded, nothing set" forward "$ports" "" " no no no" 4
row "ports forwarded, announce" forward "announce: 203.0.113.7, $ports" "" "$yes" 4 6
row "ports forwarded, announce: auto" forward "announce: auto, $stun, $ports" "" "$yes" 4
row "no UDP to people, TURN" closed "$turn" all "$yes" 4
row "no UDP to people, TURN" closed "$turn6" all "$yes" 6
page_row "no UDP to people, nothing set" closed "title: x" blocked
page_row "1:1, announce" one-to-one "announce: 203.0.113.7" join
page_row "no UDP to people, TURN" closed "$turn" join
[ -z "$worse" ] || fail "Not as expected$worse"
say "All rows are as expected."
