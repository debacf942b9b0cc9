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
    python3 - "$process" "$seconds" "$count" "$work" << 'PYTHON'
import os
import sys
import time

process, seconds, count, work = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


def sample():
    switches = audio = 0
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/status") as file:
                lines = dict(line.split(":", 1) for line in file if ":" in line)
            with open(f"/proc/{process}/task/{task}/schedstat") as file:
                ran = int(file.read().split()[0])
        except OSError:
            continue
        switches += int(lines["voluntary_ctxt_switches"]) + int(lines["nonvoluntary_ctxt_switches"])
        if lines["Name"].strip() == "audio":
            audio += ran
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return time.monotonic(), cpu, switches, audio


time.sleep(3)
before = sample()
time.sleep(seconds - 5)
after = sample()
span = after[0] - before[0]
cpu = (after[1] - before[1]) / span * 60
base = f"{work}/four"
if count == 4:
    with open(base, "w") as file:
        file.write(str(cpu))
ratio = "-"
if os.path.exists(base):
    with open(base) as file:
        ratio = f"{cpu / float(file.read()):.1f}"
print(f"{count:12}  {cpu:14.1f}  {ratio:>4}  {(after[2] - before[2]) / span:17.0f}"
      f"  {(after[3] - before[3]) / 1e9 / span:11.1%}", flush=True)
PYTHON
    wait "$process" || {
        cat "$work/log" >&2
        exit 1
    }
done
