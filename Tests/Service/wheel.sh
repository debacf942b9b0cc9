#!/bin/sh
# The wheel, installed without a checkout, Swift and a compiler: in a new virtual environment, and in
# a separate Debian 12 (as root). A session records, a plugin that lacks a library names its package, and a C
# plugin is made with the wheel's header.
#
#   Tests/Service/wheel.sh     after Packaging/wheel.sh
set -eu
cd "$(dirname "$0")/../.."
. Samples/prepare.sh

wheel=$(ls "$PWD"/.build/wheel/greenroom-*.whl)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
[ "$(stat -c %s "$wheel")" -le 60000000 ] || fail "The wheel has more than 60 MB."

cat > "$folder/demo.yaml" << 'END'
session: { maximum: 320x180@15, duration: 2s, minimum-real: 50% }
camera: { plugin: ColorBars, isolation: process }
microphone: { plugin: Tone }
outputs: [record: demo]
END
sed 's/ColorBars, isolation: process/Media, settings: { url: demo\/camera.y4m }/' "$folder/demo.yaml" \
    | sed 's/record: demo/record: media/' > "$folder/media.yaml"
cat > "$folder/steps.sh" << 'END'
set -eu
python3 -m venv --without-scm-ignore-files new 2> /dev/null || python3 -m venv new
new/bin/pip install --quiet --no-index --no-deps ./*.whl
cd "$1"
../new/bin/greenroom run demo.yaml
for file in session.json camera.y4m camera.wav; do [ -s "demo/$file" ]; done
../new/bin/python -c 'import greenroom._program as p; p.open_library(); print(p.host_program())'
END

say "In a new virtual environment"
mkdir -p "$folder/outside/session"
cp "$wheel" "$folder/steps.sh" "$folder/outside/"
cp "$folder"/*.yaml "$folder/outside/session/"
(cd "$folder/outside" && env -i PATH=/usr/bin:/bin HOME="$folder" sh steps.sh session)
greenroom=$folder/outside/new/bin/greenroom
cd "$folder/outside/session"
"$greenroom" new camera blink --language c > /dev/null
# shellcheck disable=SC2046 # flags are words
eval "cc -std=c99 -fPIC -shared -pthread $("$greenroom" cflags) blink/*.c -o blink.so -lm"
"$greenroom" plugin info ./blink.so | grep -q '^blink\|^Blink\|camera'
# A script runs with the wheel's Python, although the environment is not active.
"$greenroom" new camera spot --language python > commands
grep -q "$folder/outside/new/bin/greenroom validate" commands || fail "The commands are: $(cat commands)"
(cd spot && "$greenroom" run session.yaml)
cd - > /dev/null

[ "$(id -u)" = 0 ] || skip "a separate Debian needs root"
install_packages mmdebstrap
say "In a bare Debian, without Swift and a compiler"
root=$folder/debian
mmdebstrap --quiet --variant=minbase --include=python3-venv,python3 bookworm "$root"
mkdir -p "$root/work/session"
cp "$wheel" "$folder/steps.sh" "$root/work/"
cp "$folder"/*.yaml "$root/work/session/"
# inside COMMAND: runs in the Debian, with its own processes.
inside() {
    unshare --mount --pid --fork sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys"
        exec chroot "$1" env -i PATH=/usr/bin:/bin HOME=/root sh -c "$2"' sh "$root" "$1"
}
inside 'cd /work && sh steps.sh session'
inside 'cd /work/session && ! ../new/bin/greenroom run media.yaml' > "$folder/missing" 2>&1
cat "$folder/missing"
grep -q 'apt.* install .*libavformat59\|apt.* install .*libav' "$folder/missing" \
    || fail "Media does not name the package that it needs."
say "The wheel works"
