#!/bin/sh
# A media server that shares nothing with GStreamer: sfu/main.go, made with Debian's Pion. A session
# publishes three renditions to it, a second one fetches from it and records; the server is killed meanwhile and comes
# back.
#
#   Tests/WebRoom/pion.sh
#   CODEC=h264 Tests/WebRoom/pion.sh
#   SIMULCAST= Tests/WebRoom/pion.sh       with a server that takes one rendition
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages golang-go golang-github-pion-webrtc.v3-dev python3-gi \
    gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0
codec=${CODEC:-vp8}
simulcast=${SIMULCAST-simulcast}
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

# serve PORT: the media server, in the background.
serve() {
    # shellcheck disable=SC2086 # a word or none
    "$work/sfu" "$1" "$token" $simulcast >> "$work/server.log" 2>&1 &
    server=$!
    programs="$server $programs"
}

# run NAME CAMERA SETTINGS OUTPUTS: a session with a room, in the background.
run() {
    cat > "$work/$1.yaml" << YAML
session: { maximum: 640x360@30 }
camera: { plugin: ColorBars, settings: { $2 } }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
call:
  plugin: WebRoom
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
  settings: { server-codec: $codec, $3 }
outputs: [$4]
YAML
    "$greenroom" run "$work/$1.yaml" 2> "$work/$1.log" &
    session=$!
    programs="$session $programs"
}

# wait_for_more COUNT TEXT FILE: until a program has said that so many times.
wait_for_more() {
    tries=0
    until [ "$(grep -c "$2" "$3")" -ge "$1" ]; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || fail "Not $1 times \"$2\": $(cat "$3")"
        sleep 0.1
    done
}

say "A session publishes to Pion, and another one fetches from it"
serve 0
wait_for ready "$work/server.log"
port=$(sed -n 's/ready at port //p' "$work/server.log")
run publisher "" "publish: \"http://127.0.0.1:$port/whip\", publish-token: $token" ""
publisher=$session
wait_for "the session is sent there" "$work/publisher.log"
layers=${simulcast:+f h q}
for layer in ${layers:-''}; do wait_for "video arrives: video/.* $layer\$" "$work/server.log"; done
wait_for "audio arrives" "$work/server.log"
run fetcher "ball: false, pattern: grey" \
    "fetch: \"http://127.0.0.1:$port/whep\", fetch-token: $token, fetch-name: Hall" "record: $work/recording"
fetcher=$session
wait_for "hall-camera: opened" "$work/fetcher.log"
sleep 12
for layer in ${layers:-''}; do
    CODEC=$(echo "$codec" | tr a-z A-Z) /usr/bin/python3 Tests/WebRoom/peer.py \
        time "http://127.0.0.1:$port/$layer" "$token" 200 > "$work/late"
    python3 - "$work/late" "$layer" << 'PYTHON'
import json, sys

seen = json.load(open(sys.argv[1], encoding="utf-8"))["seen"][60:]
late = sorted((at - stamp / 1000) % 16777.216 * 1000 for at, stamp in seen if stamp is not None)
print(f"source -> Pion -> a viewer of {sys.argv[2] or 'the video'}: p50 {late[len(late) // 2]:.0f} ms, "
      f"p95 {late[len(late) * 95 // 100]:.0f} ms of {len(late)} frames")
PYTHON
done
sed -n 's/^key frame.*/&/p' "$work/server.log" | sort | uniq -c

say "The server is killed, and comes back after 5 s"
kill -KILL "$server"
wait "$server" || true
killed=$(date +%s)
sleep 5
serve "$port"
wait_for_more 2 "the session is sent there" "$work/publisher.log"
echo "published again $(($(date +%s) - killed)) s after the kill"
wait_for "hall-2-camera: opened" "$work/fetcher.log"
echo "fetched again $(($(date +%s) - killed)) s after the kill"
grep -h "retrying in" "$work/publisher.log" "$work/fetcher.log"
sleep 10
finish "$publisher"
wait_for "ended by DELETE" "$work/server.log"
finish "$fetcher"
wait_for_more 2 "ended by DELETE" "$work/server.log"
grep "ends after" "$work/server.log"
# Two encoders share the machine: how many frames they lose says how busy it is, and is printed.
for track in hall hall-2; do
    SKIP=1 TONE=50 python3 Tests/WebRoom/numbered.py "$work/recording" $track-camera $track-microphone 0 1000
done
