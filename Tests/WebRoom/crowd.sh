#!/bin/sh
# A room publishes to an SFU made with Pion, and 1, 50 and 100 receivers take 1280x720@30 from it. Prints what a receiver
# costs the SFU in processor time, its packets and bits, and that the room's cost does not depend on them.
#
#   Tests/WebRoom/crowd.sh [SECONDS [RECEIVERS...]]      10 and 1 50 100
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
install_packages golang-go golang-github-pion-webrtc.v3-dev
seconds=${1:-10}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 1 50 100
token=a-token-of-the-media-server

# Debian's packages are a GOPATH; imports of a /v3 work there for code that has a go.mod.
mkdir -p "$work/go/src/greenroom/sfu" .build/go
cp Tests/WebRoom/sfu/*.go "$work/go/src/greenroom/sfu"
echo "module greenroom/sfu" > "$work/go/src/greenroom/sfu/go.mod"
(
    cache="$PWD/.build/go"
    cd "$work/go/src/greenroom/sfu"
    GO111MODULE=off GOFLAGS='' GOCACHE="$cache" GOPATH="$work/go:/usr/share/gocode" go build -o "$work/sfu" .
)
"$work/sfu" 0 $token > "$work/server" 2>&1 &
server=$!
programs=$server
wait_for ready "$work/server"
port=$(sed -n 's/ready at port //p' "$work/server")
cat > "$work/room.yaml" << YAML
session: { maximum: 1280x720@30 }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
call:
  plugin: WebRoom
  isolation: process
  memory-limit: 1 GB
  allow: { network: true }
  settings: { publish: "http://127.0.0.1:$port/whip", publish-token: $token }
YAML
"$greenroom" run "$work/room.yaml" 2> "$work/room" &
room=$!
programs="$room $programs"
wait_for "video arrives" "$work/server"
wait_for "audio arrives" "$work/server"

for receivers in "$@"; do
    # The text of the crowd before must not be taken for this one's.
    rm -f "$work/crowd"
    "$work/sfu" crowd "http://127.0.0.1:$port/whep" $token "$receivers" "$seconds" > "$work/crowd" &
    crowd=$!
    wait_for measuring "$work/crowd"
    PYTHONPATH=Tests/Benchmarks python3 - "$server" "$room" "$receivers" "$seconds" << 'END'
import sys
import time

from processes import tree, tree_seconds

server, room, receivers, seconds = map(int, sys.argv[1:])
before = [tree_seconds(tree(process)) for process in (server, room)]
time.sleep(seconds - 1)
after = [tree_seconds(tree(process)) for process in (server, room)]
sfu, host = ((late - early) / (seconds - 1) for early, late in zip(before, after))
print(f"{receivers:4} receivers: the SFU takes {sfu:.2f} cores, {sfu / receivers:.4f} each; the room {host:.2f}", flush=True)
END
    wait "$crowd"
    tail -1 "$work/crowd"
done
finish "$room"
