"""The classes that plugins derive from."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from . import _settings
from ._media import (
    FULL, LIMITED, MATRICES, UNSTAMPED, Block, Capability, Frame, Offer, Participant, PixelFormat,
    Track, Want, choice, format_number, is_buffer, is_rgb,
)  # fmt: skip
from ._voice import Voice

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._core import Array, Instance

VIDEO_SOURCE, MICROPHONE, SHARE, SHARE_AUDIO, FILTER, OUTPUT, CALL, COMPOSER, AUDIO_FILTER = range(
    1, 10
)

_LEVELS = {"debug": 1, "info": 2, "warning": 3, "error": 4}


class Host:
    """The host, as a plugin sees it."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance

    def log(self, text: object, level: Literal["debug", "info", "warning", "error"] = "info") -> None:
        """Writes to the session's log, with the plugin's name."""
        number = choice("level", level, _LEVELS)
        for line in str(text).splitlines() or [""]:
            self.instance.log(number, line)

    @property
    def now_ns(self) -> int:
        """The time on the session's clock, in nanoseconds."""
        return self.instance.now()

    def wait_until(self, time_ns: int) -> bool:
        """Waits on the session's clock. Returns False when the plugin is to stop."""
        return self.instance.wait_until(time_ns)

    def finish(self, reason: str = "finished") -> None:
        """Ends the plugin in order. The plugins of a program that has connected end together."""
        self.instance.give_up(0, reason)

    def fail(self, reason: str) -> None:
        """Gives up: the host applies the plugin's ``on-failure``."""
        self.instance.give_up(40, reason)

    def set_held(self, is_held: bool) -> None:
        """Reports whether a source has nothing new to send, because its media has ended, is damaged or lost.

        The host then repeats the last frame, or plays silence, and counts neither as real. Until
        ``set_held(False)``, silence does not count as a failure.
        """
        self.instance.set_held(is_held)

    def count_damaged(self, count: int = 1) -> None:
        """Counts frames, or blocks of audio, that a source received but cannot decode.

        The report counts them as refused, with ``BAD_DATA``.
        """
        self.instance.count_damaged(count)

    def add_caption(
        self, text: str, speaker: str | None = None, *, start_ns: int, end_ns: int
    ) -> None:
        """Adds a caption to the session: recordings and viewers show what somebody has said.

        Send a sentence when it is final, because a caption cannot be changed. Agents, outputs and other
        plugins may call it from ``start`` to ``stop``.

        text: 1 to 1000 bytes.
        speaker: the speaker's name; None if unknown.
        start_ns, end_ns: on the session's clock, such as ``block.pts_ns``; the end is up to a minute later.
        Raises `Refused` if the host does not accept the caption.
        """
        self.instance.add_caption(text, speaker, start_ns, end_ns)

    def command(self, text: str) -> int:
        """Sends a command of the session, such as ``mute``. Needs ``allow: { control: true }``.

        Returns its number, which the events of its effect name.
        """
        return self.instance.command(text)

    def describe(self) -> dict[str, Any]:
        """The present state of the session. Needs ``allow: { control: true }``."""
        value: dict[str, Any] = json.loads(self.instance.session_text(False))
        return value

    def report(self) -> dict[str, Any]:
        """The session's report of this second. Needs ``allow: { control: true }``."""
        value: dict[str, Any] = json.loads(self.instance.session_text(True))
        return value


class Plugin:
    """The base of all plugins. Callbacks may be functions or ``async def``."""

    kind: ClassVar[int] = 0
    #: The version that ``greenroom plugin info`` shows.
    version: ClassVar[str] = "1.0.0"

    _host: Host | None = None

    @property
    def host(self) -> Host:
        """The host, from the plugin's creation on."""
        if self._host is None:
            raise RuntimeError(f"{type(self).__name__} has no host before a session has created it")
        return self._host

    def log(self, text: object, level: Literal["debug", "info", "warning", "error"] = "info") -> None:
        """Writes to the session's log, with the plugin's name."""
        self.host.log(text, level)

    def start(self) -> Any:
        """The session starts the plugin: before the first frame or block."""

    def stop(self) -> Any:
        """The session stops the plugin, which may be started again."""

    def close(self) -> Any:
        """The plugin has ended."""

    def changed(self, name: str) -> Any:
        """A live setting has another value."""

    def event(self, event: Mapping[str, Any]) -> Any:
        """An event of the session, as ``greenroom run --json`` prints it. Needs
        ``allow: { control: true }``."""


class Camera(Plugin):
    """Makes video. Write ``draw``, which the host's pace calls for each frame; or call ``send``."""

    kind = VIDEO_SOURCE
    #: The pixel format of the frames that ``draw`` fills.
    format: PixelFormat = "i420"
    #: The sizes and rates that the camera can make; empty for any.
    sizes: Sequence[Capability] = ()

    #: The agreed size and rate.
    size: Capability = Capability(0, 0, 0.0)
    _revision: int = 0

    def draw(self, frame: Frame) -> Any:
        """Fills a frame of the host's memory. Its content is undefined before."""

    def choose(self, offer: Offer) -> Capability | None:
        """Chooses a row of an offer; None for the suggested one."""
        return None

    def send(
        self,
        planes: Buffer | Array | Sequence[Buffer | Array],
        format: PixelFormat = "i420",
        *,
        width: int | None = None,
        height: int | None = None,
        rotation: int = 0,
        full_range: bool = False,
        matrix: Literal["bt601", "bt709"] = "bt601",
        pts_ns: int | None = None,
    ) -> None:
        """Sends a frame of the plugin's memory, which is not used after the call. Makes one copy.

        planes: a buffer for each plane of the format, with its shape; or of bytes without padding, then
        with ``width`` and ``height``.
        Raises `Refused` if the host does not accept the frame, such as while the camera is stopped.
        """
        number = format_number(format)
        is_one = is_buffer(planes) or not isinstance(planes, Sequence)
        given: list[Any] = [planes] if is_one else list(planes)  # type: ignore[arg-type]
        for index, plane in enumerate(given):
            if not is_buffer(plane):
                raise TypeError(
                    f"camera.send: plane {index} is of the type {type(plane).__name__}, and must be bytes or an array. Use "
                    "numpy.array(plane, numpy.uint8)"
                )
        if pts_ns is not None and pts_ns < 0:
            raise ValueError(
                f"camera.send: pts_ns is {pts_ns}, and must not be negative. Use self.host.now_ns, or None for the time of arrival"
            )
        if width is None or height is None:
            shape = memoryview(given[0]).shape if given else None
            if shape is None or len(shape) < 2:
                raise ValueError("planes of bytes need width and height")
            height, width = int(shape[0]), int(shape[1])
            if format in ("yuy2", "uyvy"):
                width *= 2
        value = FULL if full_range or is_rgb(number) else LIMITED
        self.host.instance.send_video(
            number, width, height, given, rotation, value, choice("matrix", matrix, MATRICES),
            self._revision, UNSTAMPED if pts_ns is None else pts_ns,
        )  # fmt: skip


class Share(Camera):
    """Makes the video of a shared screen: any size and rate up to the offered one."""

    kind = SHARE

    def pause(self) -> None:
        """Pauses until `resume`. Meanwhile, the session repeats the last frame."""
        self.host.instance.pause(True)

    def resume(self) -> None:
        """Something new again."""
        self.host.instance.pause(False)


class Microphone(Plugin):
    """Makes audio. Write ``fill``, which the host's pace calls for each 10 ms; or use ``play``."""

    kind = MICROPHONE
    #: Samples per second, 8000 to 192000.
    rate: int = 48000
    #: 1 or 2.
    channels: int = 1

    _voice: Voice | None = None

    def fill(self, block: Block) -> Any:
        """Fills 10 ms of samples, which are zero at first."""

    @property
    def voice(self) -> Voice:
        """Plays audio, and stops it when somebody interrupts."""
        if self._voice is None:
            self._voice = Voice(self.rate, self.channels)
        return self._voice

    def play(self, pcm: Buffer | Array) -> Any:
        """Plays 16-bit samples; returns when they have been heard. See `Voice.play`."""
        return self.voice.play(pcm)


class ShareAudio(Microphone):
    """Makes the audio of a shared screen."""

    kind = SHARE_AUDIO


class Filter(Plugin):
    """Edits the frames of a camera or a share in place."""

    kind = FILTER

    def edit(self, frame: Frame) -> Any:
        """Edits a frame: ``i420``, upright. It must return within the frame interval."""


class AudioFilter(Plugin):
    """Edits audio in place, in blocks of 10 ms at 48 kHz."""

    kind = AUDIO_FILTER
    #: 1 or 2. For 1 the host mixes both channels, and gives the result to both.
    channels: int = 1
    #: The delay of the filter, in samples at 48 kHz, up to 9600.
    delay: int = 0
    #: Whether blocks come with the session's incoming audio, for echo cancellation.
    reference: bool = False

    def edit(self, block: Block) -> Any:
        """Edits a block."""


class Output(Plugin):
    """Receives the session's media."""

    kind = OUTPUT

    def track(self, track: Track) -> Want | None:
        """The session has a track. Returns the requested format; None to ignore the track."""
        return Want()

    def video(self, track: Track, frame: Frame) -> Any:
        """A read-only frame. An ``async def`` gets a copy."""

    def audio(self, track: Track, block: Block) -> Any:
        """A read-only block of audio. An ``async def`` gets a copy."""

    def gone(self, track: Track) -> Any:
        """A participant's track has ended."""

    def report_value(self, name: str, value: float) -> None:
        """Sets a value of the output in the session's report."""
        self.host.instance.report_value(name, value)

    def state(self, state: Literal["connecting", "live", "lost"], text: str = "") -> None:
        """Reports the state of the connection that the output writes to."""
        numbers = {"connecting": 1, "live": 2, "lost": 3}
        self.host.instance.set_state(choice("state", state, numbers), text)

    def wants_changed(self) -> None:
        """Asks the host to call ``track`` again for each track."""
        self.host.instance.wants_changed()


class Receiver(Output):
    """Receives the media of each participant by name."""

    #: Samples per second of the audio.
    rate: int = 16000
    #: 1 or 2.
    channels: int = 1
    #: Whether ``video`` gets the participants' cameras and shares, and at which size.
    wants_video: bool = False
    video_size: tuple[int, int] = (640, 360)
    video_fps: int = 15

    def joined(self, participant: Participant) -> Any:
        """Somebody has joined."""

    def left(self, participant: Participant) -> Any:
        """A participant has left, and their last block has been delivered."""

    def heard(self, participant: Participant, block: Block) -> Any:
        """Audio of a participant."""

    def seen(self, participant: Participant, frame: Frame) -> Any:
        """A frame of a participant's camera or share, if ``wants_video``."""

    def speaking(self, participant: Participant | None) -> Any:
        """Another participant is the active speaker; None if nobody speaks."""


class Composer(Output):
    """Makes one video of the session's tracks: ``compose`` is called for each frame."""

    kind = COMPOSER
    format: PixelFormat = "i420"
    size: Capability = Capability(0, 0, 0.0)

    def compose(self, frame: Frame, pictures: Mapping[Track, Frame]) -> Any:
        """Fills a frame from the newest picture of each track."""

    def choose(self, offer: Offer) -> Capability | None:
        """Chooses a row of an offer; None for the suggested one."""
        return None


class Agent(Receiver):
    """Several plugins of one program: it hears, sees and speaks as one participant.

    An agent is an output, a microphone, a camera if it has ``draw``, and a share if it has ``draw_share``.
    The session file names each of them::

        microphone: { plugin: bot.py }
        outputs: [{ plugin: bot.py }]

    All are the same object: ``start`` is called before the first of them starts.
    """

    #: Samples per second and channels of the voice.
    voice_rate: int = 16000
    format: PixelFormat = "i420"
    #: The agreed size and rate of the camera, and of the share.
    size: Capability = Capability(0, 0, 0.0)
    share_size: Capability = Capability(0, 0, 0.0)

    _voice: Voice | None = None

    @property
    def voice(self) -> Voice:
        """Plays audio, and stops it when somebody interrupts."""
        if self._voice is None:
            self._voice = Voice(self.voice_rate, 1)
        return self._voice

    def draw(self, frame: Frame) -> Any:
        """Fills a frame of the agent's camera."""

    def choose(self, offer: Offer) -> Capability | None:
        """Chooses a row of an offer to the camera; None for the suggested one."""
        return None

    def draw_share(self, frame: Frame) -> Any:
        """Fills a frame of the agent's share."""

    def choose_share(self, offer: Offer) -> Capability | None:
        """Chooses a size and rate for the share, up to the offered ones; None for the suggested ones."""
        return None

    def message(self, author: str, text: str) -> Any:
        """Receives a message: from a guest of a room, the operator, or another program. Needs
        ``allow: { control: true }`` of the output."""

    def send_message(self, text: str) -> None:
        """Writes a message, which a room shows on its pages. Needs ``allow: { control: true }``."""
        line = " ".join(text.split())
        self.host.command(f"message from {type(self).__name__}: {line}")

    def mixed(self, block: Block) -> Any:
        """The sum of all participants' audio, without the agent's own; if the class has this method."""


_BASES = (
    Plugin, Camera, Share, Microphone, ShareAudio, Filter, AudioFilter, Output, Receiver, Composer,
    Agent,
)  # fmt: skip


def overrides(plugin: type, name: str) -> bool:
    """Whether a class has its own version of a method of the base classes."""
    return all(getattr(plugin, name, None) is not vars(base).get(name) for base in _BASES)


def kinds_of(plugin: type[Plugin]) -> list[int]:
    """The kinds of plugins that a class is."""
    if issubclass(plugin, Agent):
        video = [(VIDEO_SOURCE, "draw"), (SHARE, "draw_share")]
        return [OUTPUT, MICROPHONE] + [kind for kind, name in video if overrides(plugin, name)]
    return [plugin.kind]


def description(plugin: type[Plugin], kind: int, folder: str) -> tuple[Any, ...]:
    """The description of a plugin for the host."""
    name = plugin.__name__
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", name):
        raise ValueError(
            f"{name}: the name of a plugin has letters and digits only. Rename the class."
        )
    if hasattr(plugin, "format"):
        format_number(plugin.format, f"{name}.format")
    suffixes = {OUTPUT: "", MICROPHONE: ".voice", VIDEO_SOURCE: ".camera", SHARE: ".share"}
    suffix = suffixes[kind] if issubclass(plugin, Agent) else ""
    stem = re.sub(r"[^a-z0-9-]", "-", folder.lower()).strip("-") or "program"
    text = (plugin.__doc__ or "").strip()
    summary = " ".join(text.split("\n\n")[0].split()) or f"{name}, written in Python"
    parameters = [
        declared.parameter(plugin, annotation)
        for declared, annotation in _settings.settings_of(plugin)
    ]
    return (kind, f"python.{stem}.{name.lower()}{suffix}", name, plugin.version, summary, parameters)


def apply_settings(plugin: Plugin, settings: Mapping[str, Any]) -> None:
    """Sets the attributes at the start. A part of an agent without a value takes none away."""
    for declared, _ in _settings.settings_of(type(plugin)):
        value = settings.get(declared.name)
        default = declared.default
        if isinstance(default, pathlib.Path):
            default = _settings.path_text(default)
        is_default = value == default
        if value is not None and not (is_default and declared.attribute in vars(plugin)):
            apply_setting(plugin, declared.name, value)


def apply_setting(plugin: Plugin, name: str, value: Any) -> bool:
    """Sets the attribute of a setting. Returns whether there is such a setting."""
    for declared, annotation in _settings.settings_of(type(plugin)):
        if declared.name == name:
            setattr(plugin, declared.attribute, pathlib.Path(value) if annotation is pathlib.Path else value)
            return True
    return False
