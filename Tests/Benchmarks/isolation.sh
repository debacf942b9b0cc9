#!/bin/sh
# Measures what a process of its own costs a plugin, in release:
#
# - how long the calls take that hand a 1920x1080 I420 frame over, from the plugin's call to its
#   return, and how much of a core the host and the plugin's process use for it, at 30 and at 60
#   frames a second, in the host's process and in one of its own, leased (filled in place; here not
#   at all, as filling is the plugin's own time) and borrowed (one copy); beside it the wake-up of
#   another process by a bare futex, which does not wait for an answer either, and the ratio to that;
# - from the kill of a camera's process to the first repeated frame (after those that are on their
#   way), the first slate and the first frame of its next life, as a reader of the live picture sees
#   them, and how far apart pictures are at most meanwhile;
# - the memory of a plugin's process: of one that does nothing, in C and in Swift, and of cameras
#   that send.
#
#   Tests/Benchmarks/isolation.sh [SECONDS]      10 unless said, for each of the eight ways to send
set -eu
cd "$(dirname "$0")/../.."
swift build -c release 2>&1 | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=Sources/GreenroomABI/include
cc -O2 -shared -fPIC -I"$include" Tests/Benchmarks/flood.c -o "$work/flood.so"
cc -O2 Tests/Benchmarks/futex.c -o "$work/futex"
cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -pthread -I"$include" \
    Tests/HostilePlugins/hostile/*.c -o "$work/sources.so" -lm
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Tests/Benchmarks python3 - "$work" "${1-10}" << 'PYTHON'
import json, os, re, signal, subprocess, sys, time

from processes import runners

work, seconds = sys.argv[1], float(sys.argv[2])
greenroom = os.path.abspath(".build/release/greenroom")
ticks = os.sysconf("SC_CLK_TCK")


def session(text):
    path = work + "/session.yaml"
    with open(path, "w") as file:
        file.write(text)
    return path


def start(path, stdout=subprocess.DEVNULL):
    log = open(work + "/log", "w+")
    return subprocess.Popen([greenroom, "run", path], stdout=stdout, stderr=log), log


def wait_for(condition):
    deadline = time.monotonic() + 20
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("it does not begin: " + open(work + "/log").read())
        time.sleep(0.01)


def cpu(process):
    words = open("/proc/%d/stat" % process).read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / ticks


def is_sending():
    return "sending" in open(work + "/log").read()


def futex(fps):
    words = subprocess.run([work + "/futex", str(fps), str(seconds)], check=True,
                           capture_output=True, text=True).stdout.split()
    return float(words[0]), float(words[1])


def hand_over(fps, isolation, leased):
    # Before and after: the machine may be busier meanwhile.
    bare = futex(fps)
    path = session(
        f"""
session: {{ maximum: 1920x1080@{fps}, table: [1920x1080@{fps}], isolation: {isolation} }}
camera: {{ plugin: ./flood.so, settings: {{ leased: {leased}, fps: {fps} }} }}
outputs: [{{ record: {{ folder: record, size: 16x16, fps: 1, overwrite: true }} }}]
""")
    host, log = start(path)
    wait_for(is_sending)
    time.sleep(1)
    processes = [host.pid] + runners(host.pid)
    before, begun = [cpu(process) for process in processes], time.monotonic()
    time.sleep(seconds)
    shares = [100 * (cpu(process) - spent) / (time.monotonic() - begun)
              for process, spent in zip(processes, before)]
    host.send_signal(signal.SIGINT)
    host.wait()
    log.seek(0)
    told = re.search(r"handed over in ([0-9.]+) us p50, ([0-9.]+) us p99", log.read())
    bare = [(one + other) / 2 for one, other in zip(bare, futex(fps))]
    print("1080p%d  %-8s %-8s  p50 %7s us  p99 %7s us   CPU: host %5.1f %%%s; "
          "bare futex p50 %.1f us, p99 %.1f us: p50 %.2f times" % (
        fps, isolation, "leased" if leased else "borrowed", *told.groups(), shares[0],
        ", plugin's process %5.1f %%" % shares[1] if len(shares) > 1 else "", *bare,
        float(told.group(1)) / bare[0]))


print("\na 1920x1080 frame handed over (%g s each)" % seconds)
for fps in (30, 60):
    for isolation in ("host", "process"):
        for leased in (1, 0):
            hand_over(fps, isolation, leased)


# A frame of the numbering source: what it tells of itself; None for a slate and for black.
def mark(frame, width, height):
    y, chroma = frame[height // 4 * width + width // 2], width * height
    u = frame[chroma + height // 8 * ((width + 1) // 2) + width // 4]
    stripes = frame[height * 3 // 4 * width + width // 4:height * 3 // 4 * width + width // 2]
    if not 40 <= y < 200 or max(stripes) - min(stripes) <= 140:
        return None
    return y, (u - 60) // 8


def take_over():
    width, height = 320, 180
    path = session(
        f"""
session: {{ maximum: {width}x{height}@30, table: [{width}x{height}@30], isolation: process }}
camera: {{ plugin: "./sources.so#Follows" }}
outputs: [{{ y4m: "-" }}]
""")
    host, _ = start(path, subprocess.PIPE)
    host.stdout.readline()
    size = width * height * 3 // 2

    def read():
        host.stdout.readline()
        frame = host.stdout.read(size)
        return mark(frame, width, height), time.monotonic()

    last = read()[0]
    for loss in range(3):
        # Until its frames come, and somewhat longer.
        settled = 0
        while settled < 30:
            now, moment = read()
            settled = settled + 1 if now and now != last else 0
            last = now
        life = last[1]
        os.kill(runners(host.pid)[0], signal.SIGKILL)
        killed, repeated, slate = time.monotonic(), None, None
        before, gap = moment, 0
        while True:
            now, moment = read()
            before, gap = moment, max(gap, moment - before)
            if now and now[1] != life:
                break
            if now and now == last and not repeated:
                repeated = moment - killed
            if not now and not slate:
                slate = moment - killed
            last = now or last
        print("loss %d: first repeated frame after %5.1f ms, slate %s, next life after %6.1f ms; "
              "pictures at most %.1f ms apart" % (
            loss + 1, 1e3 * (repeated or 0),
            "after %6.1f ms" % (1e3 * slate) if slate else "not needed",
            1e3 * (moment - killed), 1e3 * gap))
        last = now
    host.send_signal(signal.SIGINT)
    host.stdout.read()
    host.wait()


print("\na camera at 30 frames a second is killed; restarted after 0.5, 1 and 2 s")
take_over()


def memory(label, camera, size, wanted=None):
    path = session(
        f"""
session: {{ maximum: {size}, table: [{size}], isolation: process }}
camera: {camera}
outputs: [{{ record: {{ folder: record, size: 16x16, fps: 1, overwrite: true }} }}]
""")
    host, _ = start(path)
    wait_for(is_sending)
    time.sleep(2)
    process = runners(host.pid)[0]
    text = open("/proc/%d/smaps_rollup" % process).read()
    text += open("/proc/%d/status" % process).read()
    values = [int(re.search(name + r":\s+(\d+) kB", text).group(1)) / 1000
              for name in ("Rss", "Pss", "RssAnon", "RssShmem")]
    print("%-34s resident %6.1f MB, its share %6.1f MB, private %5.1f MB, frames %6.1f MB" % (
        label, *values))
    host.send_signal(signal.SIGINT)
    host.wait()


print("\nmemory of a plugin's process")
memory("in C, sends nothing", '{ plugin: "./sources.so#Silent" }', "1920x1080@30")
memory("in Swift (ColorBars), 16x16 at 1", "{ plugin: ColorBars }", "16x16@1")
memory("in C, 1080p30 leased", "{ plugin: ./flood.so, settings: { leased: 1, fps: 30 } }",
       "1920x1080@30")
memory("in Swift (ColorBars), 1080p30", "{ plugin: ColorBars }", "1920x1080@30")
PYTHON
