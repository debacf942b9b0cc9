#!/bin/sh
# The cost of an idle room: wake-ups a second, processor seconds a minute, and memory of the host and the room's process, without
# a page and with one in Chromium that nobody has joined from, and the threads that wake most. Then the same of many
# rooms without a page, together. Fails if the room with a page wakes 20 times a second, or costs 1.5 s a minute.
#
#   Tests/Benchmarks/idle.sh [SECONDS [ROOMS]]      30, and no others
set -eu
cd "$(dirname "$0")/../.."
. Tests/WebRoom/common.sh
# shellcheck disable=SC2086 # names of packages are words
[ -n "${GREENROOM-}" ] || install_packages $build_packages chromium python3-venv
python=$(python_with playwright)
seconds=${1:-30}
rooms=${2:-0}
viewer=a-viewer-who-is-measured

echo "call: { plugin: WebRoom, settings: { viewer-token: $viewer } }" > "$work/room.yaml"
# measure NAME ROOM...: prints what the rooms cost, and fails if the one with a page costs too much.
measure() {
    PYTHONPATH=Tests/Benchmarks "$python" - "$seconds" "$@" << 'END'
import collections
import sys
import time

from processes import sample, thread_wakes, tree, tree_memory

seconds, name, *rooms = sys.argv[1:]


def now():
    wakes = collections.Counter()
    for process in processes:
        wakes.update(thread_wakes(process))
    return time.monotonic(), wakes, sum(sample(process)[1] for process in processes)


processes = [process for room in rooms for process in tree(int(room))]
before = now()
time.sleep(float(seconds))
after = now()
span = after[0] - before[0]
wakes = {thread: (count - before[1][thread]) / span for thread, count in after[1].items()}
cpu = (after[2] - before[2]) / span * 60
most = sorted(wakes.items(), key=lambda entry: -entry[1])[:4]
print(f"{name:12}  {sum(wakes.values()):13.1f}  {cpu:14.2f}  {tree_memory(processes):6.0f}  " + ", ".join(f"{thread} {count:.1f}" for thread, count in most),
      flush=True)
if name == "one page" and (sum(wakes.values()) >= 20 or cpu >= 1.5):
    sys.exit("exceeded: 20 wake-ups a second, 1.5 s a minute")
END
}

echo "idle room     wakes a second  CPU s a minute      MB  most"
start_room "$work/log-0"
sleep 3
measure "no page" $room
"$python" - "$url/#$viewer" > "$work/page" 2>&1 << 'END' &
import sys
import time

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    page = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]).new_page()
    page.goto(sys.argv[1])
    page.wait_for_function("() => document.getElementById('status-text').textContent === 'Live'")
    print("connected", flush=True)
    time.sleep(3600)
END
page=$!
programs="$page $programs"
wait_for connected "$work/page"
# Browsers and GStreamer look for better addresses for a while.
sleep 15
measure "one page" $room
[ "$rooms" -gt 0 ] || exit 0
all=
for number in $(seq "$rooms"); do
    start_room "$work/log-$number"
    all="$all $room"
done
sleep 3
# shellcheck disable=SC2086 # processes are words
measure "$rooms rooms" $all
