"""Cameras, microphones, filters, outputs and bots for Greenroom, a Linux host for media plugins.

A plugin is a class::

    import greenroom

    class Stripes(greenroom.Camera):
        speed: int = greenroom.setting(60, "Speed", unit="px/s", minimum=0, maximum=1000)

        def draw(self, frame):
            frame.planes[0].fill(40)
            frame.planes[0].fill(200, left=int(frame.time * self.speed) % frame.width, width=40)

Name it in a session file, ``camera: { plugin: stripes.py }``, and Greenroom starts it in a sandbox. Or let a
program of yours connect to a running session: ``greenroom.connect("bot.sock", Stripes)``.
"""

from ._core import Plane, Refused
from ._loop import loop
from ._media import (
    Block,
    Capability,
    Frame,
    Offer,
    Participant,
    PixelFormat,
    Track,
    TrackKind,
    Want,
)
from ._plugins import (
    Agent,
    AudioFilter,
    Camera,
    Composer,
    Filter,
    Host,
    Microphone,
    Output,
    Plugin,
    Receiver,
    Share,
    ShareAudio,
)
from ._program import ConnectionEnded, connect
from ._session import Event, Result, Session, SessionError, run
from ._settings import setting
from ._voice import Playback, Voice

__all__ = [
    "Agent",
    "AudioFilter",
    "Block",
    "Camera",
    "Capability",
    "Composer",
    "ConnectionEnded",
    "Event",
    "Filter",
    "Frame",
    "Host",
    "Microphone",
    "Offer",
    "Output",
    "Participant",
    "PixelFormat",
    "Plane",
    "Playback",
    "Plugin",
    "Receiver",
    "Refused",
    "Result",
    "Session",
    "SessionError",
    "Share",
    "ShareAudio",
    "Track",
    "TrackKind",
    "Voice",
    "Want",
    "connect",
    "loop",
    "run",
    "setting",
]
