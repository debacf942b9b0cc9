#!/usr/bin/python3
"""Measures a room in real time: what it costs beside a recording in 1280x720 at 30 frames a second with
0, 1, 5 and 10 viewers, how late its video and audio are, and what the same encoders cost by hand.

    Tests/Benchmarks/room.py [SECONDS]      20 for each number of viewers

The viewers take what is sent without decoding it; their own processor time is not counted, but they have
the same processors. Needs what Tests/run.sh installs. Ends with 1 if a frame of a recording is missing or
was late: the machine must have nothing else to do.
"""

import atexit
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from encoder import VP8

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
greenroom = os.environ.get("GREENROOM", ".build/release/greenroom")
token = "a-viewer-who-measures"
folder = tempfile.mkdtemp(prefix="greenroom-room-")
started = []
# What is wrong with recordings.
faults = []


@atexit.register
def end_all():
    for process in started:
        process.kill()
    shutil.rmtree(folder, ignore_errors=True)


sources = os.path.join(folder, "sources.so")
hostile = "Tests/HostilePlugins/hostile"
subprocess.run(
    ["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-pthread", "-ISources/GreenroomABI/include"]
    + [f"{hostile}/{name}" for name in sorted(os.listdir(hostile)) if name.endswith(".c")]
    + ["-o", sources, "-lm"], check=True)


class Session:
    """A session with a room, from its start until `end`."""

    def __init__(self, name):
        self.recording = os.path.join(folder, name)
        file = self.recording + ".yaml"
        with open(file, "w", encoding="utf-8") as text:
            text.write(
                "session: { maximum: 1280x720@30 }\n"
                "camera: { plugin: ColorBars }\n"
                f'microphone: {{ plugin: "{sources}#BeepMic", isolation: host }}\n'
                "call:\n"
                "  plugin: WebRoom\n"
                "  isolation: process\n"
                "  allow: { network: true }\n"
                "  memory-limit: 1 GB\n"
                f"  settings: {{ viewer-token: {token} }}\n"
                f"outputs: [{{ record: {self.recording} }}]\n")
        self.process = subprocess.Popen(
            [greenroom, "run", file, "--json"], stdout=subprocess.PIPE, text=True)
        started.append(self.process)
        for line in self.process.stdout:
            found = re.search(r"http://[0-9.:]+", line)
            if found:
                self.url = found[0]
                break
        # Nobody reads further lines: they are dropped.
        self.begun = time.monotonic()

    def watch(self, *words, **environment):
        started.append(subprocess.Popen(
            ["/usr/bin/python3", "Tests/WebRoom/peer.py", words[0], self.url, token, *words[1:]],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "LIMIT": "300", **environment}))
        return started[-1]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()
        with open(os.path.join(self.recording, "session.json"), encoding="utf-8") as file:
            return json.load(file)


def family(process):
    """A process and those that its threads have started."""
    found = [process]
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
            found += [one for child in file.read().split() for one in family(int(child))]
    return found


def used(processes):
    """Processor seconds and resident megabytes of processes."""
    ticks, pages = 0, 0
    for process in processes:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
        pages += int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def quantiles(values):
    ordered = sorted(values)
    return f"{statistics.median(ordered):.0f} / {ordered[int(len(ordered) * 0.95)]:.0f}"


def cost(viewers):
    session = Session(f"viewers-{viewers}")
    peers = [session.watch("take") for _ in range(viewers)]
    time.sleep(5)
    processes = family(session.process.pid)
    before, begun = used(processes)[0], time.monotonic()
    time.sleep(seconds)
    after, memory = used(processes)
    share = (after - before) / (time.monotonic() - begun)
    for peer in peers:
        peer.terminate()
    for peer in peers:
        peer.wait()
    camera = next(track for track in session.end()["videoTracks"] if track["track"] == "camera")
    output = camera["outputs"][0]
    for count in ("missing", "late"):
        if camera["account"][count]:
            faults.append(f"{viewers} viewers: {camera['account'][count]} frames of the recording {count}")
    print(f"| {viewers} | {100 * share:.0f} % | {memory:.0f} MB | {camera['account']['total']} "
          f"| {camera['account']['missing']} | {camera['account']['late']} | {output['queueFull']} "
          f"| {output['departure']['p99Milliseconds']:.1f} ms |", flush=True)


def lateness(title, **environment):
    session = Session("late" + "".join(environment))
    peer = session.watch("time", str(30 * seconds), **environment)
    result = json.loads(peer.communicate()[0])
    session.end()
    # Without the first two seconds, in which the receiver's buffers fill.
    frames = [(seen - stamp / 1000 % 16777.216) % 16777.216 * 1000
              for seen, stamp in ((one, two) for one, two in result["seen"][60:] if two is not None)]
    beeps = [1000 * (beep % 1) for beep in result["beeps"][2:]]
    between = statistics.median(beeps) - statistics.median(frames)
    print(f"| {title} | {quantiles(frames)} ms | {quantiles(beeps)} ms | {between:+.0f} ms "
          f"| {1000 * result['first']:.0f} ms |", flush=True)


def by_hand(title, pipeline):
    process = subprocess.Popen(["gst-launch-1.0", "-q", *pipeline.split()])
    started.append(process)
    time.sleep(3)
    before, begun = used([process.pid])[0], time.monotonic()
    time.sleep(seconds)
    share = (used([process.pid])[0] - before) / (time.monotonic() - begun)
    process.send_signal(signal.SIGINT)
    process.wait()
    print(f"| {title} | {100 * share:.0f} % |", flush=True)


print("| viewers | processor | memory | frames recorded | missing | late | lost to a full queue | p99 between frames |")
print("| --- | --- | --- | --- | --- | --- | --- | --- |")
for viewers in [0, 1, 5, 10]:
    cost(viewers)
print("\n| source to | video p50 / p95 | audio p50 / p95 | audio after video | first frame after the request |")
print("| --- | --- | --- | --- | --- |")
lateness("decoded by a viewer")
lateness("shown and heard by a viewer", SYNC="1")
print("\n| by hand, without a recording | processor |")
print("| --- | --- |")
source = "videotestsrc is-live=true pattern=smpte ! video/x-raw,format=I420,width=1280,height=720,framerate=30/1 ! "
by_hand("videotestsrc alone", source + "fakesink")
by_hand("videotestsrc, vp8enc", f"{source}{VP8} ! rtpvp8pay ! fakesink")
print(flush=True)
subprocess.run(["/usr/bin/python3", "Tests/Benchmarks/by_hand.py", str(seconds)], check=True)
if faults:
    sys.exit("\n".join(faults))
