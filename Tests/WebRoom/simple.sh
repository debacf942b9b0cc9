#!/bin/sh
# simple-whip-client and simple-whep-client of Meetecho, unmodified, with a room: the first joins with H.264
# and with VP8, the second watches H.264 without packetization-mode. Debian's simple-whip-client does not start:
# it needs libsoup 2, and the libnice of the same Debian libsoup 3. So both are built here.
#
# Needs root: it works in a network namespace of its own, because libnice offers no loopback address.
#
#   Tests/WebRoom/simple.sh
set -eu
cd "$(dirname "$0")/../.."
if [ "${1-}" != inside ]; then
    . Samples/prepare.sh
    # shellcheck disable=SC2086 # names of packages are words
    install_packages $build_packages git iproute2 libjson-glib-dev libsoup-3.0-dev
    mkdir -p .build/simple
    cd .build/simple
    for name in whip whep; do
        [ -d $name ] || git clone -q --depth 1 "https://github.com/meetecho/simple-$name-client" $name
    done
    # The headers of webrtcbin alone: the package wants OpenCV's.
    [ -d headers ] || { apt-get download -q libgstreamer-plugins-bad1.0-dev && dpkg -x libgstreamer-plugins-bad1.0-dev_*.deb headers; }
    for name in whip whep; do
        # shellcheck disable=SC2046 # options are words
        cc -D_GNU_SOURCE -Iheaders/usr/include/gstreamer-1.0 -o $name-client $name/src/$name-client.c \
            $(pkg-config --cflags --libs gstreamer-sdp-1.0 gstreamer-video-1.0 libsoup-3.0 json-glib-1.0) \
            -l:libgstwebrtc-1.0.so.0
    done
    cd ../..
    exec unshare -n Tests/WebRoom/simple.sh inside
fi
. Tests/WebRoom/common.sh
ip link set lo up
ip link add room0 type veth peer name room1
ip address add 10.9.9.1/24 dev room0
ip link set room0 up
ip link set room1 up
cat > "$work/room.yaml" << YAML
session: { maximum: 640x360@30 }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
call:
  plugin: WebRoom
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
  settings: { address: 10.9.9.1, port: 8080, viewer-token: viewer-token-123456, guest-token: guest-token-1234567 }
outputs: [record: $work/room]
YAML
"$greenroom" run "$work/room.yaml" 2> "$work/room.log" &
room=$!
programs=$room
wait_for "live: http" "$work/room.log"

# join NAME VIDEO: as a guest, until their camera is open.
join() {
    .build/simple/whip-client -u "http://10.9.9.1:8080/whip?name=$1" -t guest-token-1234567 \
        -A "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=111 ! application/x-rtp,media=audio,encoding-name=OPUS,payload=111" \
        -V "videotestsrc is-live=true ! video/x-raw,width=320,height=180 ! $2" > "$work/$1.log" 2>&1 &
    guest=$!
    programs="$guest $programs"
    wait_for "$1-camera: opened" "$work/room.log"
    wait_for "$1-microphone: opened" "$work/room.log"
    kill -INT "$guest"
    wait_for "call: $1 left" "$work/room.log"
}

say "simple-whip-client joins"
join vp8 "vp8enc deadline=1 ! rtpvp8pay pt=96 ! application/x-rtp,media=video,encoding-name=VP8,payload=96"
join h264 "openh264enc ! rtph264pay pt=96 config-interval=-1 ! application/x-rtp,media=video,encoding-name=H264,payload=96"

say "simple-whep-client watches"
.build/simple/whep-client -u http://10.9.9.1:8080/whep -t viewer-token-123456 \
    -A "application/x-rtp,media=audio,encoding-name=opus,clock-rate=48000,encoding-params=(string)2,payload=111" \
    -V "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96" > "$work/whep.log" 2>&1 &
programs="$! $programs"
wait_for "PeerConnection connected" "$work/whep.log"
# It makes a decoder for each stream whose packets arrive.
tries=0
until [ "$(grep -c "Creating decodebin" "$work/whep.log")" = 2 ]; do
    tries=$((tries + 1))
    [ $tries -le 200 ] || fail "$(cat "$work/whep.log")"
    sleep 0.1
done
finish "$room"
grep "camera: opened" "$work/room.log"
