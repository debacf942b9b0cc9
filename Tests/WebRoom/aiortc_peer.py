"""A remote person and a media server with aiortc, which has nothing in common with GStreamer: see aiortc.sh.

    aiortc_peer.py join URL TOKEN       joins by WHIP, and pushes frames and a tone for 10 s
    aiortc_peer.py watch URL TOKEN      watches by WHEP until 100 frames and 2 s of audio have come
    aiortc_peer.py serve PORT [KIND]    a WHIP server, until 100 frames and 2 s of audio have come; it rejects the
                                        medium KIND, audio or video, if there is one, and takes the other
    aiortc_peer.py feed PORT            a WHEP server that sends frames and a tone until DELETE

FORGED=1: the answers of servers have a fingerprint that no certificate has; no media may come.
"""

import asyncio
import fractions
import math
import os
import re
import sys
import time

import aiohttp
import av
import numpy
from aiohttp import web
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError

mode, place, *rest = sys.argv[1:]


class Paced(MediaStreamTrack):
    """What a person sends: `rate` pieces a second, stamped in ticks of `clock` hertz."""

    count = 0

    async def recv(self):
        if self.count == 0:
            self.begun = time.monotonic()
        await asyncio.sleep(max(0, self.begun + self.count / self.rate - time.monotonic()))
        piece = self.make()
        piece.pts, piece.time_base = self.count * self.clock // self.rate, fractions.Fraction(1, self.clock)
        self.count += 1
        return piece


class Picture(Paced):
    """A grey that changes, in 320x240 at 15 frames a second."""

    kind, rate, clock = "video", 15, 90000

    def make(self):
        shade = 100 + self.count % 100
        return av.VideoFrame.from_ndarray(numpy.full((240, 320, 3), shade, numpy.uint8), format="bgr24")


class Tone(Paced):
    """440 Hz in blocks of 20 ms."""

    kind, rate, clock = "audio", 50, 48000

    def make(self):
        times = numpy.arange(self.count * 960, self.count * 960 + 960)
        samples = (3000 * numpy.sin(2 * math.pi * 440 * times / 48000)).astype(numpy.int16)
        block = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        block.sample_rate = 48000
        return block


class Media:
    """What has come of a connection."""

    def __init__(self, connection):
        self.frames, self.samples, self.size, self.shades = 0, 0, None, set()
        self.wanted = {"video": 100, "audio": 96000}
        self.enough = asyncio.Event()
        connection.on("track", lambda track: asyncio.ensure_future(self.take(track)))

    async def take(self, track):
        while True:
            try:
                media = await track.recv()
            except MediaStreamError:
                return
            if track.kind == "video":
                self.frames += 1
                self.size = (media.width, media.height)
                self.shades.add(int(media.to_ndarray(format="gray").mean()))
            else:
                self.samples += media.samples
            if self.frames >= self.wanted["video"] and self.samples >= self.wanted["audio"]:
                self.enough.set()

    def __str__(self):
        return f"{self.frames} frames of {self.size}, {len(self.shades)} shades, {self.samples} samples"


async def connect(connection, path):
    """Offers with all candidates, as the room wants it."""
    await connection.setLocalDescription(await connection.createOffer())
    headers = {"Authorization": f"Bearer {rest[0]}", "Content-Type": "application/sdp"}
    async with aiohttp.ClientSession() as session:
        offer = connection.localDescription.sdp
        async with session.post(place + path, data=offer, headers=headers) as answer:
            text = await answer.text()
            assert answer.status == 201, f"{answer.status} {text}"
            location = answer.headers["Location"]
    await connection.setRemoteDescription(RTCSessionDescription(text, "answer"))
    return location


async def leave(connection, location):
    async with aiohttp.ClientSession() as session:
        await session.delete(place + location, headers={"Authorization": f"Bearer {rest[0]}"})
    await connection.close()


async def join():
    connection = RTCPeerConnection()
    connection.addTrack(Picture())
    connection.addTrack(Tone())
    location = await connect(connection, "/whip?name=Ada")
    await asyncio.sleep(10)
    assert connection.connectionState == "connected", connection.connectionState
    await leave(connection, location)


async def watch():
    connection = RTCPeerConnection()
    media = Media(connection)
    connection.addTransceiver("video", direction="recvonly")
    connection.addTransceiver("audio", direction="recvonly")
    location = await connect(connection, "/whep")
    await asyncio.wait_for(media.enough.wait(), 30)
    print(f"watched: {media}", flush=True)
    await leave(connection, location)


def answered(answer):
    """The reply with an answer."""
    if os.environ.get("FORGED"):
        answer = re.sub(r"(a=fingerprint:sha-\d+ ).*", lambda line: line[1] + ":".join(["AB"] * 32) + "\r", answer)
    return web.Response(
        status=201, text=answer, content_type="application/sdp", headers={"Location": "/connection"})


async def listen(path, take):
    """Serves offers at a path. Returns the event of a DELETE."""
    done = asyncio.Event()

    async def end(_):
        done.set()
        return web.Response()

    application = web.Application()
    application.add_routes([web.post(path, take), web.delete("/connection", end)])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", int(place)).start()
    print("ready", flush=True)
    return done


async def feed():
    connections = []

    async def send(request):
        connection = RTCPeerConnection()
        connections.append(connection)
        await connection.setRemoteDescription(RTCSessionDescription(await request.text(), "offer"))
        for track in (Tone(), Picture()):
            connection.addTrack(track)
        await connection.setLocalDescription(await connection.createAnswer())
        return answered(connection.localDescription.sdp)

    done = await listen("/whep", send)
    await asyncio.wait_for(done.wait(), 60)
    print("ended by DELETE", flush=True)
    for connection in connections:
        await connection.close()


async def serve():
    connections = []

    async def take(request):
        assert request.headers["Authorization"] == "Bearer secret"
        connection = RTCPeerConnection()
        media = Media(connection)
        connections.append((connection, media))
        await connection.setRemoteDescription(RTCSessionDescription(await request.text(), "offer"))
        for transceiver in connection.getTransceivers():
            if transceiver.kind in rest:
                transceiver.direction = "inactive"
                media.wanted[transceiver.kind] = 0
        await connection.setLocalDescription(await connection.createAnswer())
        answer = connection.localDescription.sdp
        for kind in rest:
            answer = answer.replace(f"m={kind} {answer.split(f'm={kind} ')[1].split()[0]}", f"m={kind} 0")
        return answered(answer)

    done = await listen("/whip", take)
    if os.environ.get("FORGED"):
        # The room connects again and again.
        await asyncio.wait_for(done.wait(), 60)
        assert all(media.frames + media.samples == 0 for _, media in connections), "media came"
        return print("no media came", flush=True)
    while not connections:
        await asyncio.sleep(0.1)
    connection, media = connections[0]
    try:
        await asyncio.wait_for(media.enough.wait(), 30)
    except asyncio.TimeoutError:
        sys.exit(f"not enough has come, {connection.connectionState}: {media}")
    print(f"published: {media}", flush=True)
    await asyncio.wait_for(done.wait(), 30)
    print("ended by DELETE", flush=True)
    await connection.close()


asyncio.run({"join": join, "watch": watch, "serve": serve, "feed": feed}[mode]())
