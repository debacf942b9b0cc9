#!/bin/sh
# Makes the README's animated picture, docs/images/live.gif: a room in headless Chromium, in which two guests join and
# the operator changes the camera. All video comes from the bundled plugins.
#
#   docs/animation.sh
set -eu
cd "$(dirname "$0")/.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
install_packages $build_packages chromium ffmpeg python3-venv
python=$(python_with playwright)

say "The guests' cameras"
for guest in ana ben; do
    case $guest in
    ana) settings="text=Hello!;font=Serif Italic;background=#17603f" ;;
    ben) settings="template=counter;text=Take {time};background=#402a6b" ;;
    esac
    IFS=';'
    set --
    for setting in $settings; do set -- "$@" --set "$setting"; done
    unset IFS
    "$greenroom" preview TextShare "$@" --set size=0.2 --set position=centre --maximum 640x360@10 --duration 10s \
        --virtual-clock --y4m "$work/$guest.y4m"
done

say "A room"
cat > "$work/room.yaml" <<'END'
session: { maximum: 1280x720@30, callback-deadline: 10s }
camera:
  plugin: ColorBars
  pre-processors:
    - { plugin: Text, settings: { template: lower-third, text: Ada Lovelace, subtitle: Host, position: bottom-right } }
microphone: { plugin: Tone, settings: { frequency: 330, level: -30 } }
call: { plugin: WebRoom, settings: { title: Weekly demo } }
END
"$greenroom" live "$work/room.yaml" --control 2> "$work/log" &
room=$!
programs=$room
wait_for "operators: http" "$work/log"
PYTHONPATH=Tests/WebRoom "$python" docs/animation.py "$work/log" "$work"
finish "$room"
programs=

ffmpeg -v error -y -framerate 4 -i "$work/frame-%03d.png" -vf \
    "scale=800:-2:flags=lanczos,split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none" \
    docs/images/live.gif
bytes=$(stat -c %s docs/images/live.gif)
[ "$bytes" -lt 1000000 ] || fail "docs/images/live.gif has $bytes bytes, and may have 1,000,000."
say "docs/images/live.gif: $bytes bytes"
