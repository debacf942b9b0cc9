"""Tests of plugins, without a session.

`TestHost` is a stand-in for the host: it calls one plugin's class as a session does, on a clock that only
the test advances. It has no negotiation, no conversion, no sandbox and no other plugin. `TestSession` runs
the real host with all of them, on a clock that the test advances too.

::

    from greenroom.testing import TestHost

    def test_stripes_move():
        with TestHost(Stripes, settings={"speed": 100}) as host:
            host.advance(1.0)
        assert len(host.frames) == 30

Nothing is installed, started or waited for. Time stands still until `TestHost.advance`. ::

    from greenroom.testing import TestSession

    def test_a_call(tmp_path):
        session = {"camera": {"plugin": "./stripes.py"}, "call": {"plugin": "LoopbackCall"}}
        with TestSession(session, tmp_path) as session:
            session.advance(1.0)
            session.command("pause")
            session.advance(1.0)
        assert len(session.frames("camera")) == 60
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import itertools
import json
import os
import pathlib
import subprocess
import sys
import threading
import wave
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from . import _core
from ._adapter import STOPPED, Adapter, adapt, agents
from ._media import FORMATS, TRACK_KINDS, Block, Capability, Frame, Participant, pcm_of
from ._plugins import (
    AUDIO_FILTER, COMPOSER, FILTER, SHARE, Agent, Host, Plugin, apply_setting, description, kinds_of,
)  # fmt: skip

from ._program import host_program
from ._session import Event, Result, SessionError, expect_line, faults
from ._settings import check_setting, check_settings, settings_of

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._core import Array

_START = 1_000_000_000_000


@dataclasses.dataclass(frozen=True)
class SentAudio:
    """A block that a plugin has sent."""

    pcm: bytes
    rate: int
    channels: int
    #: Seconds from the start.
    time: float


@dataclasses.dataclass(frozen=True)
class SentCaption:
    """A caption that a plugin has sent."""

    text: str
    speaker: str | None
    #: Seconds from the start.
    start: float
    end: float


class _Clock:
    """Time that only `advance` moves, and the threads that wait on it."""

    def __init__(self) -> None:
        self.now = _START
        self.changed = threading.Condition()
        self.waiting: dict[threading.Thread, int] = {}
        self.is_stopped = False

    def wait(self, time: int) -> bool:
        with self.changed:
            thread = threading.current_thread()
            self.waiting[thread] = time
            self.changed.notify_all()
            while self.now < time and not self.is_stopped:
                self.changed.wait()
            self.waiting.pop(thread, None)
            return not self.is_stopped

    def stop(self, is_stopped: bool) -> None:
        with self.changed:
            self.is_stopped = is_stopped
            self.changed.notify_all()

    def _is_still(self) -> bool:
        names = ("greenroom-draw", "greenroom-fill", "greenroom-voice", "greenroom-compose")
        return all(
            self.waiting.get(thread, 0) > self.now
            for thread in threading.enumerate()
            if thread.name in names
        )

    def advance(self, to: int) -> None:
        """Moves the time from one thread's time to the next, and lets each thread run meanwhile."""
        with self.changed:
            while True:
                # Every thread of the plugin waits, or has ended. An end wakes nobody, so look again.
                for _ in range(2000):
                    if self.changed.wait_for(self._is_still, timeout=0.005):
                        break
                later = [time for time in self.waiting.values() if time > self.now]
                if not later or min(later) > to:
                    self.now = to
                    return
                self.now = min(later)
                self.changed.notify_all()


class _Instance:
    """The host's functions, as the extension has them."""

    def __init__(self, host: TestHost, frames: list[Frame]) -> None:
        self.host = host
        #: The frames that were sent, and their agreed size and rate.
        self.sent = frames
        self.agreed = host._offer
        self.cleared = 0

    def log(self, level: int, text: str) -> None:
        self.host.log.append(text)

    def set_error(self, text: str) -> None:
        self.host.errors.append(text)

    def give_up(self, status: int, text: str) -> None:
        self.host.gave_up = (status, text)

    def now(self) -> int:
        return self.host._clock.now

    def wait_until(self, time: int) -> bool:
        return self.host._clock.wait(time)

    def _check(self) -> None:
        if self.host._clock.is_stopped:
            raise _core.Refused(STOPPED, "the test has stopped the plugin")

    def frames(self, format: int) -> Iterator[Frame]:
        width, height, numerator, denominator = self.agreed
        start = self.now()
        for index in itertools.count():
            due = start + index * denominator * 1_000_000_000 // numerator
            if not self.wait_until(due):
                return
            frame = _core.frame(format, width, height, due, (due - start) / 1e9, index)
            yield frame
            if self.host._clock.is_stopped:
                return
            sent = frame.copy()
            sent.index = len(self.sent)
            self.sent.append(sent)

    def send_video(
        self, format: int, width: int, height: int, planes: Any, rotation: int, range: int,
        matrix: int, revision: int, pts: int,
    ) -> None:  # fmt: skip
        self._check()
        sent = _core.sent_frame(
            format, width, height, planes, rotation, range, matrix, revision, self.now()
        )
        sent.time, sent.index = self.host.time, len(self.sent)
        self.sent.append(sent)

    def send_audio(
        self, samples: Buffer, rate: int, channels: int, pts: int | None, timeout: int
    ) -> None:
        self._check()
        time = self.host.time if pts is None else (pts - self.host._start) / 1e9
        self.host.audio.append(SentAudio(bytes(samples), rate, channels, time))

    def clear_audio(self) -> int:
        self.cleared += 1
        return 0

    def queued_audio(self) -> int:
        return 0

    def set_held(self, is_held: bool) -> None:
        self.host.is_held = is_held

    def count_damaged(self, count: int) -> None:
        self.host.damaged += count

    def pause(self, is_paused: bool) -> None:
        self.host.log.append("paused" if is_paused else "resumed")

    def report_value(self, name: str, value: float) -> None:
        self.host.report[name] = value

    def set_state(self, state: int, text: str) -> None:
        self.host.log.append(text)

    def wants_changed(self) -> None:
        pass

    def add_caption(self, text: str, speaker: str | None, start: int, end: int) -> None:
        self._check()
        zero = self.host._start
        self.host.captions.append(SentCaption(text, speaker, (start - zero) / 1e9, (end - zero) / 1e9))

    def command(self, text: str) -> int:
        self.host.commands.append(text)
        return len(self.host.commands)

    def session_text(self, is_report: bool) -> str:
        return "{}"


class TestHost:
    """A host for one plugin's class, or for an `Agent` with all its parts."""

    __test__ = False

    def __init__(
        self,
        plugin: type[Plugin],
        settings: Mapping[str, Any] | None = None,
        *,
        size: tuple[int, int] = (320, 180),
        fps: float = 30,
    ) -> None:
        """
        settings: by the names of session files. A value that the host would refuse raises ValueError.
        size, fps: the offer to a source of video.
        """
        #: The frames that a camera, a share or a composer has sent.
        self.frames: list[Frame] = []
        #: The frames of an agent's share.
        self.shared: list[Frame] = []
        #: The blocks that a microphone or a voice has sent, silence included.
        self.audio: list[SentAudio] = []
        #: The lines of the log, with the traceback of each exception.
        self.log: list[str] = []
        #: The last lines of the exceptions of callbacks.
        self.errors: list[str] = []
        #: The values of ``report_value``.
        self.report: dict[str, float] = {}
        #: Whether the source has reported that it has nothing new to send.
        self.is_held = False
        #: The frames or blocks that the source has reported as damaged.
        self.damaged = 0
        #: The captions that the plugin has sent.
        self.captions: list[SentCaption] = []
        #: The commands that the plugin has sent, messages included.
        self.commands: list[str] = []
        #: The status and reason with which the plugin has given up; None if it has not.
        self.gave_up: tuple[int, str] | None = None
        self._clock = _Clock()
        self._start = _START
        self._offer = Capability(size[0], size[1], fps).numbers()
        self._instance = cast(_core.Instance, _Instance(self, self.frames))
        share = cast(_core.Instance, _Instance(self, self.shared))
        self._adapters: list[tuple[int, Adapter]] = []
        self._tracks: dict[int, tuple[int, Participant]] = {}
        self._wants: dict[int, tuple[int, ...]] = {}
        self._participants = 0
        self._last_track = 15
        kinds = kinds_of(plugin)
        for kind in kinds:
            description(plugin, kind, "test")
        given = check_settings(plugin, settings or {})
        made: Plugin | None = None
        for kind in kinds:
            if issubclass(plugin, Agent):
                made = agents.join(plugin, kind, plugin)
            else:
                made = plugin()
            made._host = Host(self._instance)
            for name, value in given.items():
                apply_setting(made, name, value)
            instance = share if kind == SHARE and issubclass(plugin, Agent) else self._instance
            self._adapters.append((kind, adapt(made, kind, instance)))
        assert made is not None
        #: The plugin's object.
        self.plugin: Any = made

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return (self._clock.now - self._start) / 1e9

    def __enter__(self) -> TestHost:
        self.start()
        return self

    def __exit__(self, *arguments: object) -> None:
        self.stop()

    def _each(self, *kinds: int) -> list[Any]:
        return [adapter for kind, adapter in self._adapters if not kinds or kind in kinds]

    def start(self) -> None:
        """Initializes and starts the plugin."""
        offer = (1, 1, 1, [self._offer], self._offer)
        for kind, adapter in self._adapters:
            takes = kind in (1, 3, COMPOSER, FILTER)
            answer = adapter.initialize(offer if takes else None)
            if isinstance(answer, tuple):
                cast(_Instance, adapter.instance).agreed = answer[1:]
            elif answer != 0:
                raise self._refusal(adapter)
        for _, adapter in self._adapters:
            if adapter.start_send() != 0:
                raise self._refusal(adapter)

    def _refusal(self, adapter: Adapter) -> RuntimeError:
        """The error of a callback, with the plugin's exception as its cause."""
        refusal = RuntimeError(self.errors[-1] if self.errors else "the plugin refused the call")
        refusal.__cause__ = adapter.last_error
        return refusal

    def advance(self, seconds: float) -> None:
        """Lets time pass. Frames and blocks that are due are made meanwhile.

        A camera makes a frame at 0 s, too: 31 frames in the first second at 30 fps.
        """
        self._clock.advance(self._clock.now + round(seconds * 1e9))

    def set(self, name: str, value: Any) -> None:
        """Changes a live setting, and calls ``changed``."""
        name, value = check_setting(type(self.plugin), name, value)
        declared = next(one for one, _ in settings_of(type(self.plugin)) if one.name == name)
        if not declared.live:
            raise ValueError(
                f"{name} of {type(self.plugin).__name__} is not live: it cannot change while the plugin runs. "
                "Set it at the start."
            )
        for adapter in self._each():
            if adapter.set(name, value) != 0:
                raise self._refusal(adapter)

    def stop(self) -> None:
        """Stops and ends the plugin."""
        self._clock.stop(True)
        for _, adapter in reversed(self._adapters):
            adapter.stop_send()
        for _, adapter in self._adapters:
            adapter.uninitialize()
            adapter.destroy()

    # Filters

    def edit(self, frame: Frame) -> Frame:
        """Has a filter edit a copy of an ``i420`` frame."""
        made = self._copy(frame)
        for adapter in self._each(FILTER):
            if adapter.guard(adapter.edit, adapter.filter.edit, made) != 0:
                raise self._refusal(adapter)
        return made

    def _copy(self, frame: Frame) -> Frame:
        """A copy that shows now."""
        made = _core.frame(
            FORMATS[frame.format], frame.width, frame.height, self._clock.now, self.time
        )
        for old, new in zip(frame.planes, made.planes, strict=True):
            memoryview(new).cast("B")[:] = memoryview(old).cast("B")
        return made

    def edit_audio(self, pcm: Buffer | Array, reference: Buffer | Array | None = None) -> bytes:
        """Has an audio filter edit a block of 10 ms at 48 kHz: 960 bytes, or 1,920 with two channels."""
        result = b""
        for adapter in self._each(AUDIO_FILTER):
            channels = adapter.audio_editing[0]
            samples = _core.samples(pcm_of("host.edit_audio", pcm, channels), channels)
            block = Block(samples, 48000, channels, self._clock.now, self.time)
            if reference is not None:
                heard = pcm_of("host.edit_audio: reference", reference, channels)
                block.reference = _core.samples(heard, channels)
            if adapter.guard(adapter.edit, adapter.filter.edit, block) != 0:
                raise self._refusal(adapter)
            result = block.tobytes()
        return result

    # Outputs

    def join(self, name: str, *kinds: str) -> Participant:
        """A participant joins with tracks, by default a microphone."""
        self._participants += 1
        who = Participant(self._participants, name)
        numbers: dict[str, int] = {kind: number for number, kind in TRACK_KINDS.items()}
        # Everybody has a mix to hear while they are there.
        for kind in ("mix-minus", *(kinds or ("microphone",))):
            self._last_track += 1
            track = self._last_track
            self._tracks[track] = (numbers[kind], who)
            for adapter in self._each(6, COMPOSER):
                want = adapter.track(
                    track, numbers[kind], who.id, f"{name.lower()}-{kind}", name, self._offer
                )
                if isinstance(want, tuple):
                    self._wants[track] = want
        return who

    def say(self, who: Participant, pcm: Buffer | Array) -> None:
        """A participant says samples, which take their time.

        pcm: 16-bit samples at the rate and channels that the output wants: 16 kHz mono for a receiver or an
        agent, unless its class says otherwise.
        """
        for track, (kind, owner) in list(self._tracks.items()):
            want = self._wants.get(track)
            if owner != who or TRACK_KINDS[kind] not in ("microphone", "mix") or want is None:
                continue
            rate, channels, count = want[8:11]
            size = count * channels * 2
            said = pcm_of("host.say", pcm, channels)
            for offset in range(0, len(said), size):
                samples = _core.samples(said[offset : offset + size], channels)
                for adapter in self._each(6, COMPOSER):
                    adapter.audio(track, offset // (2 * channels), samples, rate, self._clock.now)
                self.advance(count / rate)

    def show(self, who: Participant, frame: Frame) -> None:
        """A participant shows a frame."""
        for track, (kind, owner) in list(self._tracks.items()):
            if owner == who and TRACK_KINDS[kind] in ("camera", "share") and track in self._wants:
                for adapter in self._each(6, COMPOSER):
                    adapter.video(track, 1, 1, 0, self._copy(frame))

    def leave(self, who: Participant) -> None:
        """A participant leaves."""
        for track in reversed([key for key, (_, owner) in self._tracks.items() if owner == who]):
            del self._tracks[track]
            self._wants.pop(track, None)
            for adapter in self._each(6, COMPOSER):
                adapter.gone(track)

    def write(self, author: str, text: str) -> None:
        """A person writes a message."""
        for adapter in self._each(6):
            adapter.event(json.dumps({"event": "message", "author": author, "text": text}))

    def picture(self, luma: int = 128, u: int = 128, v: int = 128) -> Frame:
        """A flat ``i420`` frame of the offered size."""
        frame = _core.frame(1, self._offer[0], self._offer[1])
        for plane, value in zip(frame.planes, (luma, u, v), strict=True):
            plane.fill(value)
        return frame


class TestSession:
    """A session of the real host, on a clock that stands still until `advance`.

    The plugins run in their sandboxes, with negotiation, conversion and mixing. The session records into a
    folder, so its media can be read after the end. Programs that connect need the real clock: use
    `greenroom.Session` for them.
    """

    __test__ = False

    def __init__(
        self,
        source: Mapping[str, Any],
        folder: str | os.PathLike[str],
        *,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """
        source: the content of a session file. Relative paths begin in the folder. Scripts run with this
        interpreter, unless they name another one with ``python``.
        folder: for the recording.
        settings: values instead of the source's, by path.
        """
        self.folder = pathlib.Path(folder).resolve()
        self._source = copy.deepcopy(dict(source))
        self._source["outputs"] = [
            *self._source.get("outputs", []),
            {"record": {"folder": "recording", "overwrite": True}},
        ]
        _use_interpreter(self._source)
        self._arguments = ["--json", "--by-hand", "--duration", "24h"]
        for path, value in (settings or {}).items():
            text = value if isinstance(value, str) else json.dumps(value)
            self._arguments += ["--set", f"{path}={text}"]
        #: The events so far.
        self.events: list[Event] = []
        #: The result of the session; None before its end.
        self.result: Result | None = None
        self._changed = threading.Condition()
        self._process: subprocess.Popen[str] | None = None
        self._lines = 0
        self._log: list[str] = []
        self._is_over = False
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> TestSession:
        program = host_program()
        if program is None:
            raise SessionError(
                "no program greenroom is on the PATH. Install Greenroom, or set GREENROOM_PROGRAM"
            )
        file = self.folder / "session.yaml"
        file.write_text(json.dumps(self._source))  # JSON is YAML
        self._process = process = subprocess.Popen(
            [program, "run", str(file), *self._arguments], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._threads = [
            threading.Thread(target=self._read, args=(process,), daemon=True),
            threading.Thread(target=self._read_log, args=(process,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        if self._wait(lambda event: event.name == "started", 0) is None:
            self._end()
            raise SessionError(faults(self.events, self._log))
        return self

    def __exit__(self, *arguments: object) -> None:
        self.stop()

    def advance(self, seconds: float) -> None:
        """Lets time pass. Outputs get a frame after its period, and audio 100 ms late."""
        self._perform(f"advance {round(seconds * 1000)}ms")

    def command(self, text: str) -> Event:
        """Sends a command, such as ``mute``. Returns the event of its effect."""
        return self._perform(text)

    def stop(self) -> Result:
        """Ends the session in order, at the present time."""
        process = self._process
        if self.result is None and process is not None and process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write("stop\n")
                process.stdin.flush()
        self._end()
        assert self.result is not None
        return self.result

    def frames(self, track: str = "camera") -> list[Frame]:
        """The frames of a track's recording, after the end."""
        data = (self.folder / "recording" / f"{track}.y4m").read_bytes()
        header, _, rest = data.partition(b"\n")
        words = {word[:1]: word[1:] for word in header.split()[1:]}
        width, height = int(words[b"W"]), int(words[b"H"])
        numerator, denominator = map(int, words[b"F"].split(b":"))
        chroma = (width + 1) // 2 * ((height + 1) // 2)
        size, begin = width * height + 2 * chroma, len(b"FRAME\n")
        found: list[Frame] = []
        for start in range(begin, len(rest) - size + 1, begin + size):
            index = len(found)
            time = index * denominator / numerator
            frame = _core.frame(FORMATS["i420"], width, height, 0, time, index)
            place = start
            for plane in frame.planes:
                view = memoryview(plane).cast("B")
                view[:] = rest[place : place + len(view)]
                place += len(view)
            found.append(frame)
        return found

    def samples(self, track: str = "camera") -> memoryview:
        """The samples of a track's recording after the end: 48 kHz, of the shape (count, channels). The
        microphone's file is ``camera``."""
        with wave.open(str(self.folder / "recording" / f"{track}.wav")) as file:
            count, channels = file.getnframes(), file.getnchannels()
            return memoryview(file.readframes(count)).cast("h", (count, channels))

    def _perform(self, line: str) -> Event:
        expect_line(line)
        process = self._process
        if process is None or process.stdin is None or self._is_over:
            raise SessionError("the session has ended")
        self._lines += 1
        origin, seen = f"control line {self._lines}", len(self.events)
        process.stdin.write(line + "\n")
        process.stdin.flush()
        event = self._wait(
            lambda event: origin in (event.data.get("origin"), event.role)
            or (line.strip() == "stop" and event.name == "ended"),
            seen,
        )
        if event is None:
            raise SessionError("the session has ended: " + "; ".join(self._log[-5:]))
        if event.name in ("control-error", "note"):
            raise SessionError(str(event.text))
        return event

    def _wait(self, matches: Callable[[Event], bool], index: int) -> Event | None:
        with self._changed:
            while True:
                for event in self.events[index:]:
                    if matches(event):
                        return event
                index = len(self.events)
                if self._is_over:
                    return None
                self._changed.wait()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            event = Event.read(line)
            with self._changed:
                self.events.append(event)
                self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _read_log(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            self._log = (self._log + [line.rstrip()])[-50:]

    def _end(self) -> None:
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        for thread in self._threads:
            thread.join()
        code = process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        last = next((event for event in self.events if event.name == "ended"), None)
        self.result = self.result or (
            Result("failed", code, {}, self._log[-5:]) if last is None else Result.of(last)
        )


def _use_interpreter(value: Any) -> None:
    """Has scripts run with this interpreter."""
    if isinstance(value, dict):
        if str(value.get("plugin", "")).partition("#")[0].endswith(".py"):
            value.setdefault("python", sys.prefix)
        for one in value.values():
            _use_interpreter(one)
    elif isinstance(value, list):
        for one in value:
            _use_interpreter(one)


__all__ = ["SentAudio", "TestHost", "TestSession"]
