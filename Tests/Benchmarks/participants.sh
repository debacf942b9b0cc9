#!/bin/sh
# What participants cost: LoopbackCall with 1 to 32 of them, each with a camera of 320x180 at 15 frames a
# second and a microphone, and a mix of the others for each. Prints processor seconds a minute, the ratio
# to 4 participants, context switches a second, and the audio thread's part of a processor.
#
#   Tests/Benchmarks/participants.sh [SECONDS [COUNT...]]
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-20}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 1 4 8 16 24 32

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "participants  CPU s a minute  to 4  switches a second  audio thread"
for count in "$@"; do
    python3 - "$count" > "$work/call.yaml" << 'PYTHON'
import sys

people = "; ".join(
    f"P{n} 0s camera=320x180@15 microphone={200 + 20 * n}" for n in range(int(sys.argv[1])))
print(f"""session: {{ maximum: 320x180@15, name: participants }}
camera: {{ plugin: ColorBars }}
microphone: {{ plugin: Tone }}
call:
  plugin: LoopbackCall
  settings: {{ script: "{people}" }}
""")
PYTHON
    .build/release/greenroom run "$work/call.yaml" --duration "${seconds}s" \
        > "$work/log" 2>&1 &
    process=$!
    PYTHONPATH=Tests/Benchmarks python3 - "$process" "$seconds" "$count" "$work" << 'PYTHON'
import os
import sys
import time

from processes import usage

process, seconds, count, work = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
time.sleep(3)
cpu, switches, audio = usage(process, seconds - 5)
base = f"{work}/four"
if count == 4:
    with open(base, "w") as file:
        file.write(str(cpu))
ratio = "-"
if os.path.exists(base):
    with open(base) as file:
        ratio = f"{cpu / float(file.read()):.1f}"
print(f"{count:12}  {cpu:14.1f}  {ratio:>4}  {switches:17.0f}  {audio:11.1%}", flush=True)
PYTHON
    wait "$process" || {
        cat "$work/log" >&2
        exit 1
    }
done
