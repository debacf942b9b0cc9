#!/usr/bin/python3
"""A viewer whose candidates follow the offer, and who does not know those of the room: only the room can
reach the viewer. Prints the statuses of its requests, and whether it was connected, as JSON.

    trickle.py URL VIEWER-TOKEN GUEST-TOKEN OPERATOR-TOKEN
"""

import json
import os
import sys
import urllib.error
import urllib.request

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

url, viewer, guest, operator = sys.argv[1:5]
VIDEO = "application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000"
FRAGMENT = "application/trickle-ice-sdpfrag"
CONNECTED = GstWebRTC.WebRTCPeerConnectionState.CONNECTED
COMPLETE = GstWebRTC.WebRTCICEGatheringState.COMPLETE
Gst.init(None)
loop = GLib.MainLoop()
results = {"connected": 0}
# What Python would free although webrtcbin uses it.
kept = []


def request(method, path, body, kind, token=viewer, **headers):
    """The status, the headers and the body of the answer."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {"Authorization": f"Bearer {token}", "Content-Type": kind}
    asked = urllib.request.Request(url.rstrip("/") + path, method=method, data=body.encode(), headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=20) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def without_candidates(text):
    return "".join(line for line in text.splitlines(True) if not line.startswith("a=candidate"))


def gathered(webrtc, _):
    if webrtc.get_property("ice-gathering-state") != COMPLETE:
        return
    lines = webrtc.get_property("local-description").sdp.as_text().splitlines(True)
    results["offer"], headers, text = request("POST", "/whep", without_candidates("".join(lines)), "application/sdp")
    location, tag = headers["Location"], headers["ETag"]
    _, sdp = GstSdp.SDPMessage.new_from_text(without_candidates(text))
    answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, sdp)
    kept.extend([sdp, answer])
    webrtc.emit("set-remote-description", answer, None)

    name = next(line for line in lines if line.startswith("a=ice-ufrag:"))
    medium = next(line for line in lines if line.startswith("a=mid:"))
    candidates = [line for line in lines if line.startswith("a=candidate:")]
    fragment = name + "m=video 9 UDP/TLS/RTP/SAVPF 0\r\n" + medium + "".join(candidates)

    def patch(body, path=location, kind=FRAGMENT, token=viewer, **more):
        return request("PATCH", path, body, kind, token, **more)[0]

    results["another type"] = patch(fragment, kind="application/sdp")
    results["another session"] = patch(fragment.replace(name, "a=ice-ufrag:other\r\n"))
    results["an earlier state"] = patch(fragment, If_Match='"another"')
    results["of nobody"] = patch(fragment, "/viewers/none")
    results["of a guest"] = patch(fragment, "/guests/none", token=guest)
    results["no candidates"] = patch("hello")
    results["another medium"] = patch(fragment.replace(medium, "a=mid:none\r\n"))
    results["too many"] = patch(name + medium + candidates[0] * 65)
    results["candidates"] = patch(fragment, If_Match=tag)


def changed(webrtc, _):
    if webrtc.get_property("connection-state") == CONNECTED:
        results["connected"] = 1
        loop.quit()


def describe(promise, _):
    reply = promise.get_reply()
    offer = reply.get_value("offer")
    kept.extend([reply, offer])
    webrtc.emit("set-local-description", offer, None)


pipeline = Gst.Pipeline()
webrtc = Gst.ElementFactory.make("webrtcbin")
webrtc.set_property("bundle-policy", "max-bundle")
pipeline.add(webrtc)
agent = webrtc.get_property("ice-agent")
agent.emit("add-local-ip-address", "127.0.0.1")
pipeline.set_state(Gst.State.PLAYING)
webrtc.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, Gst.Caps.from_string(VIDEO))
webrtc.connect("notify::ice-gathering-state", gathered)
webrtc.connect("notify::connection-state", changed)
promise = Gst.Promise.new_with_change_func(describe, None)
webrtc.emit("create-offer", None, promise)
GLib.timeout_add_seconds(30, loop.quit)
loop.run()
print(json.dumps(results), flush=True)
os._exit(0)
