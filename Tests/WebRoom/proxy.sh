#!/bin/sh
# A room behind nginx, with the configuration that the manual has and a certificate of its own: people in
# headless Chromium use it, and another session publishes to it over https. Needs root, because a program
# finds the certificates that it trusts in one place; that place is replaced for this script alone.
#
#   Tests/WebRoom/proxy.sh
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
if [ "$(id -u)" != 0 ] || ! unshare -m true 2> /dev/null; then
    skip "needs root and mount namespaces"
fi
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages chromium ffmpeg python3-venv nginx-light openssl ca-certificates
prepare_media
shots="$PWD/.build/web-room/proxy"
mkdir -p "$shots"
python=$(python_with playwright)

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$work/key" -out "$work/certificate" 2> /dev/null
cp -rL /etc/ssl/certs "$work/certs"
cp "$work/certificate" "$work/certs/room.pem"
cat "$work/certificate" >> "$work/certs/ca-certificates.crt"
openssl rehash "$work/certs" 2> /dev/null

say "A room behind nginx"
"$greenroom" live Samples/live-room.yaml --control 2> "$work/log" &
programs=$!
wait_for "operators: http" "$work/log"
port=$(sed -n 's/.*operators: http.*127.0.0.1:\([0-9]*\).*/\1/p' "$work/log")
guest=$(sed -n 's/.*guests: .*#//p' "$work/log")

# The manual's text, with this machine's ports and files.
{
    echo "user root; daemon off; pid $work/pid; error_log $work/nginx; events {}"
    echo "http { access_log $work/access; types { text/html html; }"
    for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $work/$kind;"; done
    sed -n '/^    limit_conn_zone/,/^    }/p' docs/manual/set-up-a-room.md |
        sed -e 's/listen 443/listen 127.0.0.1:8443/' -e "s/127.0.0.1:8080/127.0.0.1:$port/" \
            -e 's/room.example;/localhost;/' -e "s|/etc/ssl/room.example.pem|$work/certificate|" \
            -e "s|/etc/ssl/private/room.example.key|$work/key|"
    echo "}"
} > "$work/nginx.conf"
nginx -e "$work/nginx" -c "$work/nginx.conf" &
programs="$! $programs"
curl -fsS --retry 20 --retry-connrefused --retry-delay 1 --cacert "$work/certificate" \
    https://localhost:8443/health
echo

say "Chromium joins over https"
"$python" Tests/WebRoom/chromium.py "$work/log" "$shots" https://localhost:8443
grep -c "POST /whep/slots HTTP" "$work/access"

say "A session publishes over https"
cat > "$work/publisher.yaml" << YAML
session: { maximum: 320x180@15 }
camera: { plugin: ColorBars }
microphone: { plugin: Tone }
call:
  plugin: WebRoom
  isolation: process
  allow: { network: true }
  memory-limit: 1 GB
  settings: { publish: "https://localhost:8443/whip?name=Relay", publish-token: $guest }
YAML
# Without the certificate it is refused, with it the session arrives.
"$greenroom" run "$work/publisher.yaml" --duration 10s 2> "$work/refused" &
wait_for certificate "$work/refused"
grep certificate "$work/refused"
wait $! || true
unshare -m sh -c "mount --bind '$work/certs' /etc/ssl/certs && exec '$greenroom' run '$work/publisher.yaml'" \
    2> "$work/publisher" &
publisher=$!
programs="$! $programs"
wait_for "the session is sent there" "$work/publisher"
wait_for "relay-camera: opened" "$work/log"
kill -INT $publisher
wait_for "Relay left" "$work/log"
say "All of it worked; look at $shots."
