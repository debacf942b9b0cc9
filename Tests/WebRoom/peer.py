#!/usr/bin/python3
"""A remote person without a browser: watches a room, or joins it. Prints a line of JSON at the end.

    peer.py watch URL TOKEN FRAMES      the colours and codes of FRAMES frames, the audio's frequency
    peer.py join URL TOKEN NAME HERTZ [share]
                                        sends red video and a tone until SIGTERM, and hears the room;
                                        says on stderr which of the TONES it hears, when that changes;
                                        share: then shares blue video, too
    peer.py talk URL TOKEN NAME SPEECH HEARD
                                        joins, says what the file SPEECH contains again and again (16-bit mono samples
                                        at 48 kHz), writes what it hears into the file HEARD, and ends when it has
                                        heard something twice, each time with a second of silence behind it
    peer.py count URL TOKEN NAME        joins with numbered frames, 15 a second, and a beep at each whole second
                                        of the frames' clock, until SIGTERM. LATE=100: its video is sent so many
                                        milliseconds after it is made, as with a slow camera. BFRAMES=2: H.264 with
                                        so many B-frames in a row, and each audio packet beside the frame that is
                                        decoded at its time, as OBS and ffmpeg send them
    peer.py slots URL TOKEN COUNT LINES all streams in a connection of COUNT slots, shown in so many
                                        LINES, until SIGTERM; says on stderr what each slot shows, when
                                        that changes. LINES may be several, for 4 s each: 90,720
                                        FRAMES=1: says so of each frame; FRAMES=times: with the time at which
                                        it is there, in seconds of the monotonic clock, and its size
    peer.py gather URL TOKEN COUNT LINES    as slots, without decoding
    peer.py take URL TOKEN              takes video and audio without decoding them, until SIGTERM; as gather, it
                                        counts the packets that came and those that were lost, since SIGUSR1
    peer.py time URL TOKEN FRAMES       when FRAMES frames and the beeps arrive, in seconds of the monotonic
                                        clock, which is the session's; a frame with its time in ColorBars.
                                        SIGTERM ends it earlier. SYNC=1: when a person would see and hear them
    peer.py crowd URL TOKEN             connects as page after page, with 8 slots each, until it is refused
    peer.py send URL TOKEN NAME         joins with red video and a tone until SIGTERM, and hears nothing
    peer.py churn URL TOKEN COUNT       joins COUNT times, one after the other, each for a second with video and audio
    peer.py vanish URL TOKEN            watches, and exits without a word after the first frame
    peer.py flood URL TOKEN NAME KIND   joins, and sends until SIGTERM what no browser does, in packets that it
                                        writes itself. KIND is one of FLOODS

VOLUMES=Host=0,Ana=50 lets join set these volumes in percent at SIGUSR1, and none at SIGUSR2.
FORGED="sha-256 AB:…" puts this fingerprint in place of the certificate's.
CODEC=H264 sends and takes H.264, SLICES=4 sends H.264 in so many slices a frame, SIZE=640x360@30 is what send and
join send, FOOTAGE a WebM file with VP8 that they send instead, FEEDBACK=0 does not say what arrives, ADDRESS is this
side's address, ICE=1 uses the room's STUN and TURN servers, LIMIT the most seconds.
"""

import collections
import json
import math
import os
import re
import signal
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import frame_code
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

LIMIT_SECONDS = int(os.environ.get("LIMIT", "200"))
LATENCY = int(os.environ.get("LATENCY", "200"))
WAITS = "wait-for-keyframe=true request-keyframe=true" if os.environ.get("WAITS") == "1" else ""
EXTENSION = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
CODEC = os.environ.get("CODEC", "VP8")
VIDEO = (
    f"application/x-rtp,media=video,encoding-name={CODEC},payload=96,clock-rate=90000,"
    "rtcp-fb-nack=(boolean)true,rtcp-fb-nack-pli=(boolean)true,rtcp-fb-transport-cc=(boolean)true,"
    f'extmap-1=(string)"{EXTENSION}"')
if os.environ.get("FEEDBACK") == "0":
    VIDEO = VIDEO.replace("rtcp-fb-transport-cc=(boolean)true,", "").replace(f',extmap-1=(string)"{EXTENSION}"', "")
BFRAMES = int(os.environ.get("BFRAMES", "0"))
if CODEC == "H264" and "SLICES" not in os.environ:
    VIDEO += f",packetization-mode=(string)1,profile-level-id=(string){'4d401f' if BFRAMES else '42e01f'}"
AUDIO = "application/x-rtp,media=audio,encoding-name=OPUS,payload=111,clock-rate=48000,encoding-params=(string)2"

# Those that the tests send, in hertz.
TONES = (660, 880, 1000)

# The bindings make a constant or a class when it is first used: two threads at once find half of it, or two.
COMPLETE = GstWebRTC.WebRTCICEGatheringState.COMPLETE
CONNECTED = GstWebRTC.WebRTCPeerConnectionState.CONNECTED
FROM_PEER = Gst.PadDirection.SRC
TAKEN = Gst.FlowReturn.OK
_CLASSES = (Gst.Buffer, Gst.BufferList, Gst.Caps, Gst.Sample, Gst.Structure)

mode, url, token = sys.argv[1:4]
Gst.init(None)
loop = GLib.MainLoop()
result = {"frames": 0, "codes": [], "bars": None, "crossings": 0, "samples": 0, "heard": []}
# What a flood sends: the medium, packets a second, and the payload of a packet.
FLOODS = {
    # A frame that never ends.
    "endless": ("video", 800, lambda n: (vp8(640, 360, 1100) if n == 0 else b"\0" + bytes(1100), False)),
    # Frames that need one before them, which never comes.
    "frames": ("video", 300, lambda n: (b"\x10\x01" + bytes(30), True)),
    "giant": ("video", 20, lambda n: (vp8(4096, 4096, 200), True)),
    # In 4096x4096, too: the headers of a sequence and of a picture, and the picture. With CODEC=H264.
    "giant-h264": ("video", 60, lambda n: (
        (bytes.fromhex("6742c01fda0040002019"), bytes.fromhex("68ce3c80"), b"\x65\xb8" + b"\xff" * 200)[n % 3],
        n % 3 == 2)),
    "sizes": ("video", 40, lambda n: (vp8(320 + 16 * (n % 50), 180, 200), True)),
    "bytes": ("video", 4500, lambda n: (b"\x10\x01" + bytes(1100), n % 100 == 99)),
    "audio": ("audio", 2000, lambda n: (b"\xf8" + bytes(20), False)),
}
# Where the connections are, the last one first.
locations = []
# What Python would free although webrtcbin uses it.
kept = []


def fail(text):
    result["error"] = text
    loop.quit()


def request(method, path, body=None, kind="application/sdp"):
    asked = urllib.request.Request(
        url.rstrip("/") + path, method=method, data=body and body.encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": kind})
    with urllib.request.urlopen(asked, timeout=LIMIT_SECONDS) as response:
        return response.headers.get("Location"), response.read().decode()


# ---- The connection: an offer with all candidates, and the answer


def describe(webrtc, promise, _):
    reply = promise.get_reply()
    offer = reply.get_value("offer")
    kept.extend([reply, offer])
    webrtc.emit("set-local-description", offer, None)


def gathered(webrtc, _, path, then):
    if webrtc.get_property("ice-gathering-state") != COMPLETE:
        return
    offer = webrtc.get_property("local-description").sdp.as_text()
    if "FORGED" in os.environ:
        offer = re.sub(r"(a=fingerprint:)sha-256 .*", rf"\g<1>{os.environ['FORGED']}", offer)
    try:
        location, text = request("POST", path, offer)
    except urllib.error.HTTPError as error:
        if mode == "crowd":
            result["refused"] = error.code
            result["retry"] = error.headers.get("Retry-After")
            return loop.quit()
        return fail(f"{error.code} {error.read().decode()}")
    locations.insert(0, location)
    _, sdp = GstSdp.SDPMessage.new_from_text(text)
    answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, sdp)
    kept.extend([sdp, answer])
    webrtc.emit("set-remote-description", answer, None)
    if then:
        webrtc.connect("notify::connection-state", connected, location.split("/")[-1], then)


def connected(webrtc, _, number, then):
    if webrtc.get_property("connection-state") == CONNECTED:
        GLib.idle_add(lambda: kept.append(then(number)) or GLib.SOURCE_REMOVE)


def use_servers(webrtc):
    """Takes the STUN and TURN servers from the headers Link, as WHIP clients do."""
    asked = urllib.request.Request(url, method="OPTIONS", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=LIMIT_SECONDS) as response:
        links = response.headers.get_all("Link") or []
    for link in links:
        server, *parts = link.split("; ")
        assert 'rel="ice-server"' in parts, link
        scheme, place = server.strip("<>").split(":", 1)
        if scheme == "stun":
            webrtc.set_property("stun-server", f"stun://{place}")
            continue
        user = [urllib.parse.quote(part.split("=", 1)[1].strip('"'), safe="")
                for name in ("username", "credential") for part in parts if part.startswith(f"{name}=")]
        webrtc.emit("add-turn-server", f"{scheme}://{user[0]}:{user[1]}@{place}")
    print("servers:", len(links), file=sys.stderr, flush=True)


def negotiate(webrtc, path, then=None):
    """Connects; then(id) is called once that is done."""
    # The room of a test is reached on this machine alone.
    agent = webrtc.get_property("ice-agent")
    kept.append(agent)
    agent.emit("add-local-ip-address", os.environ.get("ADDRESS", "127.0.0.1"))
    if os.environ.get("ICE"):
        use_servers(webrtc)
    webrtc.connect("notify::ice-gathering-state", gathered, path, then)
    promise = Gst.Promise.new_with_change_func(lambda p, _: describe(webrtc, p, None), None)
    kept.append(promise)
    webrtc.emit("create-offer", None, promise)


# ---- What is seen and heard


# What each slot shows: the stream's kind, and the size.
shows = {}
slot_kinds = {}


def show(slot, size):
    result["slots"] = result.get("slots", {})
    result["slots"][slot] = result["slots"].get(slot, 0) + 1
    if "FRAMES" in os.environ:
        times = f" {time.monotonic():.3f} {size[0]} {size[1]}" if os.environ["FRAMES"] == "times" else ""
        sys.stderr.write(f"frame {slot}{times}\n")
    if shows.get(slot) != size:
        shows[slot] = size
        sys.stderr.write(f"slot {slot} {size[0]} {size[1]}\n")


def wish(viewer):
    """Asks for every stream of the session, each in the slot of its place, and later in other lines."""
    lines, *later = sys.argv[5].split(",")
    sys.argv[5] = ",".join(later)
    streams = json.loads(request("GET", "/room")[1])["streams"]
    request(
        "PUT", f"/viewers/{viewer}/slots",
        json.dumps([
            {"slot": slot, "stream": stream["id"], "lines": int(lines)}
            for slot, stream in enumerate(streams[: int(sys.argv[4])])]), "application/json")
    if later:
        GLib.timeout_add_seconds(4, lambda: wish(viewer) or GLib.SOURCE_REMOVE)


def content(sample):
    buffer = sample.get_buffer()
    return buffer.extract_dup(0, buffer.get_size())


def on_picture(sink, slot):
    sample = sink.emit("pull-sample")
    caps = sample.get_caps().get_structure(0)
    width, height = caps.get_value("width"), caps.get_value("height")
    data, stride = content(sample), (width + 3) // 4 * 4
    result["frames"] += 1
    result.setdefault("first", time.monotonic() - begun)
    result["size"] = [width, height]
    read = frame_code.read(data, width, height, stride)
    result["codes"].append(read and read[0])
    if mode == "time":
        result.setdefault("seen", []).append([time.monotonic(), read and read[1]])
        if result["frames"] >= int(sys.argv[4]):
            loop.quit()
        return TAKEN
    result["bars"] = [data[height * 3 // 4 * stride + (2 * bar + 1) * width // 16] for bar in range(8)]
    if mode == "vanish":
        os._exit(0)
    if mode == "slots":
        return show(slot, (width, height)) or Gst.FlowReturn.OK
    if result["frames"] >= int(sys.argv[4]) and result["samples"] >= 48000:
        loop.quit()
    return TAKEN


last_sample = 0
window = []
begun = time.monotonic()


def amplitude(samples, hertz):
    angle = 2 * math.pi * hertz / 48000
    parts = [sum(value * wave(angle * index) for index, value in enumerate(samples)) for wave in (math.cos, math.sin)]
    return 2 * math.hypot(*parts) / len(samples)


def listen(samples):
    """Looks at each half second: a tone of a tenth of full scale has an amplitude of 3277."""
    window.extend(samples)
    if len(window) < 24000:
        return
    # A gap within a window smears the tones around it, but not in both windows.
    windows = window[-9600:-4800], window[-4800:]
    heard = [hertz for hertz in TONES if min(amplitude(part, hertz) for part in windows) > 500]
    window.clear()
    if result["heard"][-1:] != [heard]:
        result["heard"].append(heard)
        print("hears", *heard, "", file=sys.stderr, flush=True)


quiet = 0


def notice(samples):
    """Takes the time of each beep: 0.1 s without one before it, and then a sample above a tenth."""
    global quiet
    # With SYNC samples arrive when the first of them is to be heard, else when the last one is there.
    begin = time.monotonic() - (0 if "SYNC" in os.environ else len(samples) / 48000)
    for index, value in enumerate(samples):
        if abs(value) < 3000:
            quiet += 1
            continue
        if quiet > 4800:
            result.setdefault("beeps", []).append(begin + index / 48000)
        quiet = 0


def write_down(samples):
    """Keeps what is heard, up to the silence after the second time."""
    global quiet
    with open(sys.argv[6], "ab") as file:
        file.write(samples)
    for value in samples:
        if abs(value) > 1000:
            quiet, result["hears"] = 0, True
            continue
        quiet += 1
        if quiet == 48000 and result.pop("hears", False):
            result["times"] = result.get("times", 0) + 1
            if result["times"] == 2:
                loop.quit()


def on_audio(sink, _):
    global last_sample
    sample = sink.emit("pull-sample")
    samples = memoryview(content(sample)).cast("h")
    if mode == "talk":
        return write_down(samples) or TAKEN
    if mode == "time":
        return notice(samples) or TAKEN
    for value in samples:
        result["crossings"] += last_sample < 0 <= value
        last_sample = value
    result["samples"] += len(samples)
    if mode == "join":
        listen(samples)
    return TAKEN


sessions = set()
# The packets before SIGUSR1.
earlier = collections.Counter()


def packets():
    """The packets of all streams that this side takes, and those that never came."""
    count = collections.Counter(taken=0, lost=0)
    for session in sessions:
        for source in session.get_property("sources"):
            stats = source.get_property("stats")
            if not stats.get_value("internal") and stats.get_value("is-sender"):
                count["taken"] += stats.get_value("packets-received")
                count["lost"] += max(0, stats.get_value("packets-lost"))
    return count


def begin():
    earlier.update(packets())
    return GLib.SOURCE_CONTINUE


def take(webrtc, pad, pipeline):
    if pad.get_direction() != FROM_PEER:
        return
    name = pad.get_current_caps().get_structure(0).get_string("encoding-name")
    ends = {
        "VP8": (f"rtpvp8depay {WAITS} ! vp8dec ! video/x-raw,format=I420", on_picture),
        "H264": ("rtph264depay ! h264parse ! openh264dec ! video/x-raw,format=I420", on_picture),
        "OPUS": ("rtpopusdepay ! opusdec ! audioconvert ! audio/x-raw,format=S16LE,channels=1,rate=48000", on_audio),
    }
    if name not in ends:
        return
    elements, function = ends[name]
    # GStreamer asks for lost packets when its next report is due; browsers ask at once.
    session = webrtc.get_by_name("rtpbin").emit("get-internal-session", 0)
    # Who measures the room's cost reports as often as browsers: ten times a second.
    is_measured = mode in ("take", "gather")
    sessions.add(session)
    session.set_property("rtcp-min-interval", (100 if is_measured else 10) * Gst.MSECOND)
    session.set_property("rtcp-fraction", 100_000.0)
    if is_measured:
        session.set_property("twcc-feedback-interval", 100 * Gst.MSECOND)
    slot = pad.get_property("transceiver").get_property("mlineindex")
    if mode in ("take", "gather"):
        end = Gst.ElementFactory.make("fakesink")
    else:
        sync = "true" if "SYNC" in os.environ else "false"
        end = Gst.parse_bin_from_description(f"{elements} ! appsink name=end sync={sync} emit-signals=true", True)
        end.get_by_name("end").connect("new-sample", function, slot)
    pipeline.add(end)
    end.sync_state_with_parent()
    pad.link(end.get_static_pad("sink"))


def watch(path, kinds, then=None):
    pipeline = Gst.parse_launch(f"webrtcbin name=peer bundle-policy=max-bundle latency={LATENCY}")
    if not isinstance(pipeline, Gst.Pipeline):
        webrtc, pipeline = pipeline, Gst.Pipeline()
        pipeline.add(webrtc)
    else:
        webrtc = pipeline.get_by_name("peer")
    webrtc.connect("pad-added", take, pipeline)
    pipeline.set_state(Gst.State.PLAYING)
    for caps in kinds:
        webrtc.emit(
            "add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, Gst.Caps.from_string(caps))
    for index in range(len(kinds)):
        webrtc.emit("get-transceiver", index).set_property("do-nack", True)
    negotiate(webrtc, path, then)
    return pipeline


def send(path, sources, then=None):
    pipeline = Gst.parse_launch("webrtcbin name=peer bundle-policy=max-bundle " + " ".join(sources))
    webrtc = pipeline.get_by_name("peer")
    pipeline.set_state(Gst.State.PLAYING)
    for index in range(len(sources)):
        webrtc.emit("get-transceiver", index).set_property(
            "direction", GstWebRTC.WebRTCRTPTransceiverDirection.SENDONLY)
    negotiate(webrtc, path, then)
    return pipeline


ENCODERS = {
    "VP8": "vp8enc deadline=1 keyframe-max-dist=15 ! rtpvp8pay",
    "H264": "openh264enc gop-size=15 ! rtph264pay config-interval=-1",
}
if BFRAMES:
    ENCODERS["H264"] = (
        f"x264enc name=encoder bframes={BFRAMES} b-adapt=false b-pyramid=false key-int-max=15 threads=1 rc-lookahead=0"
        " sync-lookahead=0 ! video/x-h264,profile=main ! rtph264pay config-interval=-1")


SIZE, RATE = os.environ.get("SIZE", "320x180@15").split("@")
WIDTH, HEIGHT = SIZE.split("x")
if "SLICES" in os.environ:
    ENCODERS["H264"] = (
        f"x264enc tune=zerolatency threads={os.environ['SLICES']} key-int-max=15 speed-preset=ultrafast"
        " ! video/x-h264,profile=constrained-baseline ! rtph264pay config-interval=-1")


def video(colour):
    if "FOOTAGE" in os.environ:
        return (
            f"filesrc location={os.environ['FOOTAGE']} ! matroskademux ! identity sync=true"
            f" ! rtpvp8pay pt=96 ! {VIDEO} ! peer.")
    return (
        f"videotestsrc is-live=true pattern={os.environ.get('PATTERN', colour)}"
        f" ! video/x-raw,width={WIDTH},height={HEIGHT},framerate={RATE}/1"
        f" ! {ENCODERS[CODEC]} pt=96 ! {VIDEO} ! peer.")


def vp8(width, height, size):
    """The first packet of a key frame: RFC 7741 and 6386."""
    sides = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    return b"\x10" + b"\x10\0\0\x9d\x01\x2a" + sides + bytes(size)


def flood():
    kind, rate, payload = FLOODS[sys.argv[5]]
    caps, number, ticks = (VIDEO, 96, 90000) if kind == "video" else (AUDIO, 111, 48000)
    caps += ",ssrc=(uint)77"
    source = f'appsrc name=source is-live=true format=time do-timestamp=true caps="{caps}" ! {caps} ! peer.'
    state = {"sent": 0, "frame": 0, "begun": None}

    def push():
        if state["begun"] is None:
            state["begun"] = time.monotonic()
        # A busy machine sends what is due later, and never more than a tenth of a second at once.
        due = min(int((time.monotonic() - state["begun"]) * rate), state["sent"] + rate // 10 + 1)
        # One list: the pipeline takes far less time for it than for each packet alone.
        packets = Gst.BufferList.new()
        while state["sent"] < due:
            data, ends = payload(state["sent"])
            stamp = state["frame"] * ticks // 100 + 1000
            header = bytes([0x80, number | 0x80 * ends]) + (state["sent"] & 0xFFFF).to_bytes(2, "big")
            packet = header + (stamp & 0xFFFFFFFF).to_bytes(4, "big") + (77).to_bytes(4, "big") + data
            packets.insert(-1, Gst.Buffer.new_wrapped(packet))
            state["sent"] += 1
            state["frame"] += ends or kind == "audio"
        if packets.length():
            pipeline.get_by_name("source").emit("push-buffer-list", packets)
        return GLib.SOURCE_CONTINUE

    def begin(_):
        sys.stderr.write("floods\n")
        GLib.timeout_add(10, push)

    pipeline = send(f"/whip?name={sys.argv[4]}", [source], begin)
    return pipeline


def count():
    """Frames as ColorBars numbers them, in 320x180, and beeps: both with the time at which they are made. As with
    browsers, a key frame of VP8 is sent where the room asks for one."""
    video = (
        "appsrc name=video is-live=true format=time caps=video/x-raw,format=I420,width=320,height=180,framerate=15/1"
        f" ! {ENCODERS[CODEC].replace('dist=15', 'dist=3000')} pt=96 ! {VIDEO} ! peer.")
    audio = (
        "appsrc name=audio is-live=true format=time caps=audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved"
        f" ! opusenc ! rtpopuspay pt=111 ! {AUDIO} ! peer.")
    pipeline = send(f"/whip?name={sys.argv[4]}", [video, audio], lambda _: sys.stderr.write("counts\n"))
    pipeline.get_by_name("peer").emit("get-transceiver", 0).set_property("do-nack", True)
    # Its reports say when media were made, not when they were sent: so do browsers.
    pipeline.get_by_name("peer").get_by_name("rtpbin").set_property("rtcp-sync-send-time", False)
    pipeline.use_clock(Gst.SystemClock.obtain())
    beep = b"".join(
        int(8000 * math.sin(2 * math.pi * index / 48)).to_bytes(2, "little", signed=True) for index in range(480))

    # How long after its time a frame that is decoded then is sent, unless the machine is busy.
    behind = [math.inf if BFRAMES else 0.0]

    def on_encoded(pad, info):
        sent = Gst.SystemClock.obtain().get_time() - pipeline.get_base_time()
        # x264enc's times begin at 1000 h.
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        due = segment.to_running_time_full(Gst.Format.TIME, info.get_buffer().dts)
        behind[0] = min(behind[0], (sent - due[0] * due[1]) / Gst.SECOND)
        return Gst.PadProbeReturn.OK

    if BFRAMES:
        encoder = pipeline.get_by_name("encoder").get_static_pad("src")
        encoder.add_probe(Gst.PadProbeType.BUFFER, on_encoded)

    def push(name, rate, make, delay):
        source, number = pipeline.get_by_name(name), math.ceil(time.monotonic() * rate)
        while True:
            while name == "audio" and math.isinf(behind[0]):
                time.sleep(0.01)
            wait = delay + (behind[0] if name == "audio" else 0)
            time.sleep(max(0, number / rate + wait - time.monotonic()))
            buffer = Gst.Buffer.new_wrapped(make(number))
            buffer.pts = max(0, number * Gst.SECOND // rate - pipeline.get_base_time())
            source.emit("push-buffer", buffer)
            number += 1

    frame = lambda number: frame_code.draw(number, number * 1000 // 15, 320, 180)  # noqa: E731
    block = lambda number: beep if number % 100 < 5 else bytes(960)  # noqa: E731
    for way in (("video", 15, frame, int(os.environ.get("LATE", "0")) / 1000), ("audio", 100, block, 0.01)):
        threading.Thread(target=push, args=way, daemon=True).start()
    return pipeline


def crowd(_=None):
    """One page more, once the last one is connected."""
    result["pages"] = result.get("pages", -1) + 1
    return watch("/whep/slots", [VIDEO] * 8 + [AUDIO], crowd)


TONE = f"audiotestsrc is-live=true volume=0.1 ! opusenc ! rtpopuspay pt=111 ! {AUDIO} ! peer."


def churn():
    """A guest, who leaves a second after they are connected; then the next one."""
    number = result.setdefault("guests", 0)

    def leave():
        request("DELETE", locations.pop())
        pipeline.set_state(Gst.State.NULL)
        result["guests"] += 1
        if result["guests"] < int(sys.argv[4]):
            churn()
        else:
            loop.quit()
        return GLib.SOURCE_REMOVE

    pipeline = send(
        f"/whip?name=Guest-{os.getpid()}-{number}", [video("red"), TONE],
        lambda _: GLib.timeout_add_seconds(1, leave))
    return pipeline


def set_volumes(listener, text):
    guests = {guest["name"]: guest["participant"] for guest in json.loads(request("GET", "/room")[1])["guests"]}
    pairs = [pair.split("=") for pair in text.split(",") if pair]
    volumes = [{"participant": guests.get(name), "percent": int(percent)} for name, percent in pairs]
    request("PUT", f"/viewers/{listener}/volumes", json.dumps(volumes), "application/json")
    return GLib.SOURCE_CONTINUE


def join(listener):
    GLib.unix_signal_add(
        GLib.PRIORITY_DEFAULT, signal.SIGUSR1, lambda: set_volumes(listener, os.environ.get("VOLUMES", "")))
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR2, lambda: set_volumes(listener, ""))
    if mode == "talk":
        source = (
            f"multifilesrc location={sys.argv[5]} loop=true"
            " ! rawaudioparse sample-rate=48000 num-channels=1 pcm-format=s16le ! identity sync=true")
    else:
        source = f"audiotestsrc is-live=true freq={sys.argv[5]} volume=0.1 ! audio/x-raw,rate=48000,channels=2"
    audio = f"{source} ! opusenc ! rtpopuspay pt=111 ! {AUDIO} ! peer."
    return send(f"/whip?name={sys.argv[4]}&viewer={listener}", [video("red"), audio], share)


def share(guest):
    if sys.argv[6:] == ["share"]:
        return send(f"/whip?share-of={guest}", [video("blue")])


if mode in ("join", "talk"):
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    pipeline = watch("/whep/audio", [AUDIO], join)
elif mode == "crowd":
    pipeline = crowd()
elif mode == "churn":
    pipeline = churn()
elif mode == "send":
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    pipeline = send(f"/whip?name={sys.argv[4]}", [video("red"), TONE])
elif mode == "count":
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    pipeline = count()
elif mode == "flood":
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    pipeline = flood()
elif mode in ("slots", "gather"):
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    pipeline = watch("/whep/slots", [VIDEO] * int(sys.argv[4]) + [AUDIO], wish)
else:
    if mode in ("take", "time"):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    pipeline = watch("/whep", [VIDEO, AUDIO])
if mode in ("take", "gather"):
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, begin)
GLib.timeout_add_seconds(LIMIT_SECONDS, lambda: fail("too late"))
loop.run()
if mode in ("take", "gather"):
    result["packets"] = {name: count - earlier[name] for name, count in packets().items()}
for location in locations:
    try:
        request("DELETE", location)
    except OSError as error:
        result["left"] = str(error)
print(json.dumps(result), flush=True)
os._exit("error" in result)
