#!/bin/sh
# The cost of a bot: cores and memory (PSS) of a session whose agent in Python hears four guests of a room, each by
# themselves, shows a web page that moves, and records everybody, at 640x360@30. Each guest sends 320x180 at 15 frames a
# second and audio. Runs in a separate network; needs root, Chromium, and a Python with the package greenroom.
#
#   PYTHON=.venv/bin/python Tests/Benchmarks/bot.sh [SECONDS]
set -eu
cd "$(dirname "$0")/../.."
if [ -z "${ROOMS_NETWORK-}" ]; then
    [ "$(id -u)" = 0 ] || { echo "skipped: needs root" >&2; exit 77; }
    exec env ROOMS_NETWORK=1 unshare --net sh -c 'ip link set lo up && exec "$0" "$@"' "$0" "$@"
fi
. Tests/WebRoom/common.sh
seconds=${1:-20}
guest=a-guest-who-is-measured
prefix=$("${PYTHON:-python3}" -c 'import sys; print(sys.prefix)')

cat > "$work/page.html" << 'HTML'
<body style="margin: 0; background: #124; color: white; font: 20vh sans-serif"><div id="time"></div>
<script>
  const show = () => { time.textContent = new Date().toISOString().slice(11, 23); requestAnimationFrame(show) }
  show()
</script></body>
HTML
echo "page  bot  recording  guests   cores  memory MB  real %"
for parts in none bot bot-record page-bot page-bot-record; do
    bot='{ plugin: Tone }' outputs= camera='{ plugin: ColorBars }'
    case $parts in page*) camera="{ plugin: Browser, settings: { page: $work/page.html } }" ;; esac
    case $parts in
        *bot*)
            bot="{ plugin: $PWD/Samples/python/bot.py, python: $prefix }"
            outputs="  - plugin: $PWD/Samples/python/bot.py
    python: $prefix"
            ;;
    esac
    case $parts in *-record) outputs="$outputs
  - record: { file: $work/call.mkv, tracks: [stage, full-mix] }" ;; esac
    cat > "$work/bot.yaml" << YAML
session: { name: measured-$$, maximum: 640x360@30 }
camera: $camera
microphone: $bot
call:
  plugin: WebRoom
  isolation: process
  memory-limit: 1000 MB
  allow: { network: true }
  settings: { viewer-token: a-viewer-who-is-measured, guest-token: $guest }
${outputs:+outputs:
$outputs}
YAML
    case $parts in *-record) echo 'stage: { plugin: Stage }' >> "$work/bot.yaml" ;; esac
    # The text of the session before must not be taken for this one's.
    rm -f "$work"/call* "$work/log"
    "$greenroom" run "$work/bot.yaml" 2> "$work/log" &
    host=$!
    programs=$host
    peers=
    wait_for "live: http" "$work/log"
    url=$(sed -n 's|.*live: \(http://[0-9.:]*\).*|\1|p' "$work/log")
    for number in 1 2 3 4; do
        LIMIT=$((seconds + 300)) /usr/bin/python3 Tests/WebRoom/peer.py send "$url" $guest "P$number" > "$work/peer" 2>&1 &
        peers="$peers $!"
        programs="$! $programs"
        wait_for "p$number-camera: opened" "$work/log"
    done
    sleep 5
    PYTHONPATH=Tests/Benchmarks python3 - "$host" "$seconds" "$parts" "$greenroom" "measured-$$" << 'END'
import json
import subprocess
import sys
import time

from processes import tree, tree_memory, tree_seconds

host, seconds, parts, greenroom, name = sys.argv[1:]
processes = tree(int(host))
before = time.monotonic(), tree_seconds(processes)
time.sleep(float(seconds))
after = time.monotonic(), tree_seconds(processes)
span, cpu = (late - early for early, late in zip(before, after))
report = json.loads(subprocess.run([greenroom, "status", name, "--json"], capture_output=True, text=True).stdout)
real = [track["account"].get("realPercent") for track in report["videoTracks"] + report["audioTracks"]]
real = min([part for part in real if part is not None], default=100)
has = {part: "yes" if part in parts.split("-") else "" for part in ("page", "bot", "record")}
print(
    f"{has['page']:>4}  {has['bot']:>3}  {has['record']:>9}  {4:>6}  {cpu / span:6.3f}  {tree_memory(processes):9.0f}  "
    f"{real:6.1f}", flush=True)
END
    # shellcheck disable=SC2086 # processes are words
    kill $peers
    # shellcheck disable=SC2086 # processes are words
    wait $peers || true
    finish "$host"
done
