#!/usr/bin/python3
"""A live picture by hand: two webrtcbin in one process, with the encoder's settings of WebRoom, without a
recording, audio, further viewers, adaptation or a page. Prints how late frames of 1280x720 at 30 a second are
decoded, when they would be shown, and when the first is there after the offer was begun.

    Tests/Benchmarks/by_hand.py [SECONDS]      20 unless said

Tests/Benchmarks/room.py runs it, so that both are measured on the same machine.
"""

import os
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../WebRoom"))
import frame_code  # noqa: E402
import gi  # noqa: E402
from encoder import VP8  # noqa: E402

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstWebRTC  # noqa: E402

WIDTH, HEIGHT, RATE = 1280, 720, 30
seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
Gst.init(None)
loop = GLib.MainLoop()
# What Python would free although webrtcbin uses it.
kept = []
late = {"decoded": [], "shown": []}
first = {}
begun = time.monotonic()


def seen(sink, end):
    sample = sink.emit("pull-sample")
    now = time.monotonic()
    _, mapped = sample.get_buffer().map(Gst.MapFlags.READ)
    read = frame_code.read(bytes(mapped.data), WIDTH, HEIGHT, WIDTH)
    sample.get_buffer().unmap(mapped)
    first.setdefault(end, now - begun)
    if read:
        late[end].append((now * 1000 - read[1]) % frame_code.TIME_PERIOD)
    return Gst.FlowReturn.OK


def take(_, pad):
    if pad.get_direction() != Gst.PadDirection.SRC:
        return
    ends = Gst.parse_bin_from_description(
        "rtpvp8depay ! vp8dec ! video/x-raw,format=I420 ! tee name=both "
        "! queue ! appsink name=decoded sync=false emit-signals=true "
        "both. ! queue ! appsink name=shown sync=true emit-signals=true", True)
    for end in late:
        ends.get_by_name(end).connect("new-sample", seen, end)
    receiver.add(ends)
    ends.sync_state_with_parent()
    pad.link(ends.get_static_pad("sink"))


def describe(webrtc, kind, then):
    def described(promise, *_):
        reply = promise.get_reply()
        description = reply.get_value(kind)
        kept.extend([promise, reply, description])
        webrtc.emit("set-local-description", description, None)
        then(description)
    promise = Gst.Promise.new_with_change_func(described)
    kept.append(promise)
    webrtc.emit(f"create-{kind}", None, promise)


def offered(description):
    answerer.emit("set-remote-description", description, None)
    describe(answerer, "answer", lambda answer: offerer.emit("set-remote-description", answer, None))


def push():
    source = sender.get_by_name("source")
    start = time.monotonic()
    for number in range((seconds + 2) * RATE):
        time.sleep(max(0, start + number / RATE - time.monotonic()))
        frame = frame_code.draw(number, int(time.monotonic() * 1000), WIDTH, HEIGHT)
        source.emit("push-buffer", Gst.Buffer.new_wrapped(frame))
    loop.quit()


sender = Gst.parse_launch(
    "webrtcbin name=peer bundle-policy=max-bundle appsrc name=source is-live=true format=time do-timestamp=true "
    f"caps=video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1 ! {VP8} ! rtpvp8pay pt=96 "
    "! application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000 ! peer.")
receiver = Gst.Pipeline()
answerer = Gst.ElementFactory.make("webrtcbin")
answerer.set_property("bundle-policy", "max-bundle")
receiver.add(answerer)
offerer = sender.get_by_name("peer")
answerer.connect("pad-added", take)
for one, other in (offerer, answerer), (answerer, offerer):
    one.connect("on-ice-candidate", lambda _, line, text, far: far.emit("add-ice-candidate", line, text), other)
    agent = one.get_property("ice-agent")
    kept.append(agent)
    agent.emit("add-local-ip-address", "127.0.0.1")
receiver.set_state(Gst.State.PLAYING)
sender.set_state(Gst.State.PLAYING)
describe(offerer, "offer", offered)
threading.Thread(target=push, daemon=True).start()
GLib.timeout_add_seconds(seconds + 30, loop.quit)
loop.run()

print("| by hand, source to | video p50 / p95 | first frame after the request |")
print("| --- | --- | --- |")
for end, times in late.items():
    # Without the first two seconds, in which the buffers fill.
    ordered = sorted(times[2 * RATE:])
    if not ordered:
        sys.exit(f"No frame was {end}.")
    print(f"| {end} | {statistics.median(ordered):.0f} / {ordered[int(len(ordered) * 0.95)]:.0f} ms "
          f"| {1000 * first[end]:.0f} ms |")
