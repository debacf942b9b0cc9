"""Between the host's callbacks and a plugin's methods."""

from __future__ import annotations

import asyncio
import collections
import functools
import inspect
import json
import threading
import time as wall
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _loop
from ._core import Refused
from ._media import (
    RATES, TRACK_KINDS, Block, Capability, Frame, Offer, Participant, Track, Want, format_number, whole,
)  # fmt: skip
from ._pace import due_times, is_virtual
from ._plugins import (
    AUDIO_FILTER, COMPOSER, FILTER, MICROPHONE, OUTPUT, SHARE, SHARE_AUDIO, VIDEO_SOURCE, Agent,
    AudioFilter, Camera, Composer, Filter, Host, Microphone, Output, Plugin, Receiver, apply_setting,
    overrides,
)  # fmt: skip
from ._settings import settings_of

if TYPE_CHECKING:
    from ._core import Frames, Instance, Plane

OK, NOT_STARTED, STOPPED, GONE, BAD_SETTING, NO_BUFFER, FAILED = 0, 1, 2, 3, 25, 31, 40
BLOCK_NS = 10_000_000
_REASONS: dict[int, Any] = {1: "initial", 2: "ceiling-lowered", 3: "ceiling-raised"}


def reason(error: BaseException) -> str:
    """The type of an exception and the first line with text of its message."""
    text = "".join(traceback.format_exception_only(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # Python shows the place of a syntax error first.
    if isinstance(error, SyntaxError):
        return lines[-1]
    # A message may begin with a line break.
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


class Adapter:
    """The methods of every kind, under the names that the extension calls."""

    audio_editing: tuple[int, int, int] = (1, 0, 0)

    def __init__(self, plugin: Plugin, instance: Instance) -> None:
        self.plugin = plugin
        self.instance = instance
        self.host = Host(instance)
        self.capabilities: list[tuple[int, int, int, int]] = []
        self._seen: set[tuple[type, str, int]] = set()
        self.last_error: BaseException | None = None
        self.is_virtual = is_virtual(instance)

    # Errors

    def fault(self, error: BaseException) -> str:
        """Logs the traceback of an exception once, and returns the exception in one line."""
        self.last_error = error
        frames = traceback.extract_tb(error.__traceback__)
        place = (frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0)
        key = (type(error), *place)
        if key not in self._seen:
            self._seen.add(key)
            lines = "".join(traceback.format_exception(error)).rstrip().splitlines()
            if len(lines) > 40:
                lines = lines[:20] + [f"  ... {len(lines) - 40} lines"] + lines[-20:]
            for line in lines:
                self.host.log(line, "error")
        return reason(error)

    def guard(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Calls a method of the plugin. Returns the status."""
        try:
            _loop.call(function, *arguments, fault=self.fault_later)
        except BaseException as error:
            self.instance.set_error(self.fault(error))
            return FAILED
        return OK

    def fault_later(self, error: BaseException) -> None:
        """Logs the exception of a callback that the host no longer waits for."""
        self.fault(error)

    def edit(self, function: Callable[..., Any], media: Frame | Block) -> Any:
        """Calls a filter's ``edit``, and warns once if it returns its result."""
        result = function(media)
        if inspect.isawaitable(result):

            async def wait() -> None:
                self._expect_none(await result, media)

            return wait()
        self._expect_none(result, media)

    def _expect_none(self, result: Any, media: Frame | Block) -> None:
        if result is None or result is media or (key := (TypeError, "returned", 0)) in self._seen:
            return
        self._seen.add(key)
        place = "block.samples" if isinstance(media, Block) else "frame.planes"
        self.host.log(
            f"edit returned a value, which is ignored: edit {place} in place, such as "
            f"numpy.asarray({place}{'' if isinstance(media, Block) else '[0]'})[:] = edited",
            "warning",
        )

    def end(self, *media: Frame | Plane) -> None:
        """Ends the access to memory of the host."""
        if sum([one.end() for one in media]):
            self.warn_of_views()

    def warn_of_views(self) -> None:
        if (key := (BufferError, "held", 0)) not in self._seen:
            self._seen.add(key)
            self.host.log(
                "a view of a frame or block is still held after its callback, and shows other pixels "
                "from now on: keep frame.copy() or block.copy() instead",
                "warning",
            )

    # Lifecycle

    def initialize(self, offer: Any) -> Any:
        return OK

    def property_change(self, offer: Any) -> Any:
        return OK

    def start_send(self) -> int:
        return self.guard(self.plugin.start)

    def stop_send(self) -> int:
        return self.guard(self.plugin.stop)

    def uninitialize(self) -> int:
        return OK

    def destroy(self) -> int:
        status = self.guard(self.plugin.close)
        self.plugin._host = None
        return status

    def set(self, name: str, value: Any) -> int:
        is_live = any(
            one.live for one, _ in settings_of(type(self.plugin)) if one.name == name
        )
        if not is_live:
            self.instance.set_error(f"{type(self.plugin).__name__} has no live setting {name}")
            return BAD_SETTING
        apply_setting(self.plugin, name, value)
        return self.guard(self.plugin.changed, name)

    def event(self, text: str) -> int:
        return self.guard(self.plugin.event, json.loads(text))


def answer_of(chosen: Any, method: str) -> tuple[int, int, int, int]:
    """The numbers of the capability that a source has chosen."""
    if not isinstance(chosen, Capability):
        raise TypeError(
            f"{method} returned {type(chosen).__name__}: return a greenroom.Capability, such as "
            "offer.suggested, or None"
        )
    if not chosen.is_possible:
        raise ValueError(
            f"{method} returned {chosen.width}x{chosen.height} at {chosen.fps} fps: return a size and a rate "
            "above 0 that the offer allows, such as offer.suggested"
        )
    return chosen.numbers()


def rows_of(plugin: Any) -> list[tuple[int, int, int, int]]:
    """The numbers of the sizes that a source declares."""
    sizes, rows = getattr(plugin, "sizes", ()), []
    for size in sizes if isinstance(sizes, Sequence) else [sizes]:
        if not isinstance(sizes, Sequence) or not isinstance(size, Capability) or not size.is_possible:
            raise TypeError(
                f"{type(plugin).__name__}.sizes has {size!r}, and must be a list of sizes and rates above 0, such as "
                "[greenroom.Capability(640, 360, 30)]"
            )
        rows.append(size.numbers())
    return rows


def check_audio(plugin: Any, rate: str | None = "rate") -> None:
    """Checks the format of a plugin's audio, so that an error names the attribute."""
    name = type(plugin).__name__
    if rate is not None:
        whole(f"{name}.{rate}", getattr(plugin, rate), *RATES)
    whole(f"{name}.channels", plugin.channels, 1, 2)


def take_offer(
    adapter: Adapter, plugin: Any, offer: Any, choose: str = "choose", size: str = "size"
) -> Any:
    """Lets a source choose, and stores the agreed size. Returns the answer, or a status."""
    revision, rule, reason, rows, suggested = offer
    agreed = suggested
    if overrides(type(plugin), choose):
        given = Offer(
            tuple(Capability.of(row) for row in rows), Capability.of(suggested), rule == 2,
            _REASONS.get(reason, "initial"),
        )  # fmt: skip
        try:
            chosen = _loop.call(getattr(plugin, choose), given)
            if chosen is not None:
                agreed = answer_of(chosen, f"{type(plugin).__name__}.{choose}")
        except BaseException as error:
            adapter.instance.set_error(adapter.fault(error))
            return FAILED
    setattr(plugin, size, Capability.of(agreed))
    plugin._revision = revision
    if agreed == suggested:
        return (1, *agreed)
    is_row = rule == 2 or any(row[:2] == agreed[:2] for row in rows)
    return (2 if is_row else 3, *agreed)


class VideoAdapter(Adapter):
    """A source of video whose frames are filled at their times."""

    #: The names of the plugin's members.
    draw, choose, size = "draw", "choose", "size"

    def __init__(self, plugin: Camera | Agent, instance: Instance) -> None:
        super().__init__(plugin, instance)
        self.source: Any = plugin
        self.capabilities = rows_of(plugin)
        self._thread: threading.Thread | None = None
        self._draw: Callable[..., Any] | None = (
            getattr(plugin, self.draw) if overrides(type(plugin), self.draw) else None
        )

    def initialize(self, offer: Any) -> Any:
        return self.property_change(offer)

    def property_change(self, offer: Any) -> Any:
        return take_offer(self, self.source, offer, self.choose, self.size)

    def start_send(self) -> int:
        status = super().start_send()
        return self.guard(self.start_thread, "greenroom-draw") if status == OK else status

    def start_thread(self, name: str) -> None:
        """Draws from now on."""
        draw = self._draw
        if draw is None:
            return
        if inspect.iscoroutinefunction(draw):
            draw = functools.partial(_loop.call, draw)
        frames = self.instance.frames(format_number(self.source.format))
        self._thread = threading.Thread(
            target=self._run, args=(frames, draw), name=name, daemon=True
        )
        self._thread.start()

    def stop_send(self) -> int:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        return super().stop_send()

    def _run(self, frames: Frames, draw: Callable[..., Any]) -> None:
        try:
            for frame in frames:
                draw(frame)
        except BaseException as error:
            frames.close()
            self.instance.give_up(FAILED, self.fault(error))


class AudioAdapter(Adapter):
    """A source of audio: blocks that are filled at their times, or a voice."""

    def __init__(self, plugin: Microphone | Agent, instance: Instance) -> None:
        super().__init__(plugin, instance)
        check_audio(plugin, "voice_rate" if isinstance(plugin, Agent) else "rate")
        self.source: Any = plugin
        self._fills = isinstance(plugin, Microphone) and overrides(type(plugin), "fill")
        self._thread: threading.Thread | None = None

    def start_send(self) -> int:
        if not self._fills:
            self.source.voice._start(self.instance)
        status = super().start_send()
        if status == OK and self._fills:
            start = self.instance.now()
            self._thread = threading.Thread(
                target=self._run, args=(start,), name="greenroom-fill", daemon=True
            )
            self._thread.start()
        elif status != OK and not self._fills:
            self.source.voice._stop()
        return status

    def stop_send(self) -> int:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if not self._fills:
            self.source.voice._stop()
        return super().stop_send()

    def _run(self, start: int) -> None:
        try:
            self._fill(start)
        except BaseException as error:
            self.instance.give_up(FAILED, self.fault(error))

    def _fill(self, start: int) -> None:
        rate, channels, instance = self.source.rate, self.source.channels, self.instance
        count = rate // 100
        for due in due_times(instance, rate, count, start):
            memory = bytearray(count * channels * 2)
            block = Block(
                memoryview(memory).cast("h", (count, channels)), rate, channels, due,
                (due - start) / 1e9,
            )  # fmt: skip
            _loop.call(self.source.fill, block)
            try:
                instance.send_audio(memory, rate, channels, due, -1)
            except Refused as refusal:
                if refusal.args[0] in (STOPPED, GONE, NOT_STARTED):
                    return


class FilterAdapter(Adapter):
    def __init__(self, plugin: Filter, instance: Instance) -> None:
        super().__init__(plugin, instance)
        self.filter = plugin
        self._count = 0
        self._start: int | None = None

    def process(self, frame: Frame) -> int:
        if self._start is None:
            self._start = frame.pts_ns
        frame.time = (frame.pts_ns - self._start) / 1e9
        frame.index = self._count
        self._count += 1
        status = self.guard(self.edit, self.filter.edit, frame)
        self.end(frame)
        return status


class AudioFilterAdapter(Adapter):
    def __init__(self, plugin: AudioFilter, instance: Instance) -> None:
        super().__init__(plugin, instance)
        self.filter = plugin
        check_audio(plugin, None)
        delay = whole(f"{type(plugin).__name__}.delay", plugin.delay, 0, 9600)
        self.audio_editing = (plugin.channels, delay, 1 if plugin.reference else 0)
        self._start: int | None = None

    def edit_audio(self, samples: Plane, reference: Plane | None, pts: int) -> int:
        if self._start is None:
            self._start = pts
        block = Block(samples, 48000, self.filter.channels, pts, (pts - self._start) / 1e9)
        block.reference = reference
        status = self.guard(self.edit, self.filter.edit, block)
        self.end(samples, *([] if reference is None else [reference]))
        return status


class Inbox:
    """A bounded queue to an asynchronous callback. The oldest item makes room, and is counted.

    On the virtual clock the session waits for the callback, so that a run has the same result each time.
    A callback that awaits a `Playback` lets the next one begin, and the session go on, on both clocks.
    """

    def __init__(self, adapter: OutputAdapter, limit: int) -> None:
        self.adapter = adapter
        self.items: collections.deque[tuple[Callable[..., Any], tuple[Any, ...]]] = (
            collections.deque()
        )
        self.limit = limit
        self.dropped = 0
        self.is_running = False
        self.lock = threading.Lock()

    def put(self, function: Callable[..., Any], *arguments: Any) -> int:
        if self.adapter.is_virtual:
            return self.adapter.guard(function, *arguments)
        with self.lock:
            self.items.append((function, arguments))
            is_full = len(self.items) > self.limit
            if is_full:
                self.items.popleft()
                self.dropped += 1
            starts = not self.is_running
            self.is_running = True
        if is_full:
            try:
                self.adapter.instance.report_value("dropped", self.dropped)
            except Refused:
                pass
        if starts:
            _loop.loop().call_soon_threadsafe(self._begin)
        return OK

    def _begin(self) -> None:
        _loop.begin(self._run())

    async def _run(self) -> None:
        """Calls one after the other. A callback that is released keeps this task, and another task goes on."""
        while True:
            with self.lock:
                if not self.items:
                    self.is_running = False
                    return
                function, arguments = self.items.popleft()
            if await self._call(function, arguments):
                return

    async def _call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
        """Returns whether the callback was released before its end."""
        is_over = is_released = False

        # Tasks that the callback has started have this context, too, and may outlive the callback.
        def release() -> None:
            nonlocal is_released
            if not is_over and not is_released:
                is_released = True
                self._begin()

        _loop.on_release(release)
        _, error = await _loop.outcome(function(*arguments))
        if error is not None:
            self.adapter.fault_later(error)
        is_over = True
        return is_released


class OutputAdapter(Adapter):
    """An output, a receiver or the hearing part of an agent."""

    def __init__(self, plugin: Output, instance: Instance) -> None:
        super().__init__(plugin, instance)
        if isinstance(plugin, Receiver):
            check_audio(plugin)
        self.output = plugin
        self.tracks: dict[int, Track] = {}
        self._starts: dict[int, int] = {}
        self._late: collections.deque[str] = collections.deque(maxlen=100)
        self._audio = Inbox(self, 100)
        self._video = Inbox(self, 16)
        self._present: dict[int, Participant] = {}
        self._levels = Levels()
        # Looked up once: a call with many people has thousands of blocks a second.
        self._is_receiver = isinstance(plugin, Receiver)
        self._follows = self._is_receiver and overrides(type(plugin), "speaking")
        names = ("heard", "mixed", "seen") if self._is_receiver else ("audio", "video")
        self._awaits = {
            name for name in names if inspect.iscoroutinefunction(getattr(plugin, name, None))
        }

    def want(self, track: Track) -> tuple[int, ...] | int:
        try:
            want = self._wanted(track)
            return OK if want is None else want.numbers()
        except BaseException as error:
            self.instance.set_error(self.fault(error))
            return FAILED

    def _wanted(self, track: Track) -> Want | None:
        receiver = self.output
        if not isinstance(receiver, Receiver):
            want = _loop.call(receiver.track, track)
            if want is not None and not isinstance(want, Want):
                raise TypeError(
                    f"{type(receiver).__name__}.track returned {type(want).__name__}: return a greenroom.Want or None"
                )
            return want
        hears = track.participant is not None and track.kind in ("microphone", "share-audio")
        if isinstance(receiver, Agent):
            hears = hears or (track.kind == "incoming" and overrides(type(receiver), "mixed"))
        if hears:
            return Want(rate=receiver.rate, channels=receiver.channels)
        if receiver.wants_video and track.participant is not None and track.is_video:
            width, height = receiver.video_size
            return Want(width=width, height=height, fps=receiver.video_fps)
        return None

    def track(
        self, id: int, kind: int, participant: int, name: str, person: str | None,
        capability: tuple[int, int, int, int],
    ) -> tuple[int, ...] | int:  # fmt: skip
        who = Participant(participant, person or "") if participant else None
        size = Capability.of(capability)
        track = Track(
            id, TRACK_KINDS.get(kind, "unknown"), name, who, size.width, size.height, size.fps
        )
        self.tracks[id] = track
        if who is not None and who.id not in self._present:
            self._present[who.id] = who
            if isinstance(self.output, Receiver):
                self.tell(self.output.joined, who)
        return self.want(track)

    def tell(self, function: Callable[..., Any], *arguments: Any) -> int:
        """Calls a method now, or an asynchronous one after the blocks before it."""
        if inspect.iscoroutinefunction(function):
            return self._audio.put(function, *arguments)
        return self.guard(function, *arguments)

    def gone(self, id: int) -> int:
        track = self.tracks.pop(id, None)
        self._starts.pop(id, None)
        if track is None:
            return OK
        status = OK
        if not isinstance(self.output, Receiver):
            status = self.tell(self.output.gone, track)
        who = track.participant
        # Somebody who has left has no track any more, not even a mix to hear.
        if who is not None and not any(one.participant == who for one in self.tracks.values()):
            self._present.pop(who.id, None)
            if isinstance(self.output, Receiver):
                self.follow(self._levels.forget(who.id))
                status = self.tell(self.output.left, who)
        return status

    def stop_send(self) -> int:
        if isinstance(self.output, Receiver):
            for who in list(self._present.values()):
                self.tell(self.output.left, who)
        self._present.clear()
        self.drain()
        return super().stop_send()

    def drain(self) -> None:
        """Waits for asynchronous callbacks that have begun, for at most a second."""
        deadline = wall.monotonic() + 1
        while (self._audio.is_running or self._video.is_running) and wall.monotonic() < deadline:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0.005), _loop.loop()).result()

    def seconds(self, track: int, pts: int) -> float:
        return (pts - self._starts.setdefault(track, pts)) / 1e9

    def video(self, id: int, content: int, periods: int, index: int, frame: Frame) -> int:
        track = self.tracks.get(id)
        status = OK
        if track is not None:
            frame.time = self.seconds(id, frame.pts_ns)
            frame.index = index
            status = self.show(track, frame, content) or self.late()
        self.end(frame)
        return status

    def fault_later(self, error: BaseException) -> None:
        self._late.append(self.fault(error))

    def late(self) -> int:
        """The status of an asynchronous callback that has failed since the last frame or block.

        The host has counted its own frame or block as delivered, so the failure counts with the next one.
        """
        if not self._late:
            return OK
        self.instance.set_error(self._late.popleft())
        return FAILED

    def show(self, track: Track, frame: Frame, content: int) -> int:
        name, subject = ("seen", track.participant) if self._is_receiver else ("video", track)
        function = getattr(self.output, name)
        if name in self._awaits:
            return self._video.put(function, subject, frame.copy())
        return self.guard(function, subject, frame)

    def audio(self, id: int, index: int, samples: Plane, rate: int, pts: int) -> int:
        track = self.tracks.get(id)
        status = OK
        if track is not None:
            block = Block(samples, rate, samples.shape[1], pts, self.seconds(id, pts))
            status = self.hear(track, block) or self.late()
        self.end(samples)
        return status

    def hear(self, track: Track, block: Block) -> int:
        name: str = "audio"
        subject: tuple[Any, ...] = (track,)
        if self._is_receiver:
            who = track.participant
            if who is None:
                if not isinstance(self.output, Agent):
                    return OK
                name, subject = "mixed", ()
            else:
                name, subject = "heard", (who,)
                if self._follows:
                    self.follow(self._levels.add(who.id, block))
        function = getattr(self.output, name)
        if name in self._awaits:
            return self._audio.put(function, *subject, block.copy())
        return self.guard(function, *subject, block)

    def follow(self, change: tuple[int | None] | None) -> None:
        if change is not None and isinstance(self.output, Receiver):
            who = self._present.get(change[0]) if change[0] is not None else None
            self.tell(self.output.speaking, who)

    def event(self, text: str) -> int:
        event = json.loads(text)
        agent = self.output
        if isinstance(agent, Agent) and event.get("event") == "message":
            author = event.get("author", "Operator")
            if author != type(agent).__name__:
                self.tell(agent.message, author, event.get("text", ""))
        return self.tell(agent.event, event)


class Levels:
    """Who speaks: the loudest participant of the last 300 ms."""

    THRESHOLD = 0.01
    WINDOW_NS = 300_000_000

    def __init__(self) -> None:
        self.levels: dict[int, collections.deque[tuple[int, float]]] = {}
        self.active: int | None = None
        self.decided = 0

    def add(self, who: int, block: Block) -> tuple[int | None] | None:
        """Adds a block. Returns the new active speaker if it is another one."""
        known = self.levels.setdefault(who, collections.deque())
        known.append((block.pts_ns, block.level))
        while known[0][0] < block.pts_ns - self.WINDOW_NS:
            known.popleft()
        if block.pts_ns - self.decided < 100_000_000:
            return None
        self.decided = block.pts_ns
        means = {
            one: sum(level for _, level in levels) / max(len(levels), 10)
            for one, levels in self.levels.items()
            if levels and levels[-1][0] >= block.pts_ns - self.WINDOW_NS
        }
        loudest = max(means, key=lambda one: means[one], default=None)
        if loudest is not None and means[loudest] < self.THRESHOLD:
            loudest = None
        # Nobody takes over from a speaker who is nearly as loud.
        if (
            loudest is not None and self.active in means
            and means[self.active] >= max(self.THRESHOLD, means[loudest] / 2)
        ):  # fmt: skip
            loudest = self.active
        return self._change(loudest)

    def forget(self, who: int) -> tuple[int | None] | None:
        self.levels.pop(who, None)
        return self._change(None) if self.active == who else None

    def _change(self, active: int | None) -> tuple[int | None] | None:
        if active == self.active:
            return None
        self.active = active
        return (active,)


class ComposerAdapter(OutputAdapter):
    """A composer: an output with the drawing of a camera."""

    def __init__(self, plugin: Composer, instance: Instance) -> None:
        super().__init__(plugin, instance)
        self.composer = plugin
        self._pictures: dict[Track, Frame] = {}
        self._lock = threading.Lock()
        self._source = _ComposerSource(self, plugin, instance)

    def initialize(self, offer: Any) -> Any:
        return self._source.property_change(offer)

    def property_change(self, offer: Any) -> Any:
        return self._source.property_change(offer)

    def start_send(self) -> int:
        status = super().start_send()
        return self.guard(self._source.start_thread, "greenroom-compose") if status == OK else status

    def stop_send(self) -> int:
        self._source.join()
        return super().stop_send()

    def show(self, track: Track, frame: Frame, content: int) -> int:
        kept = frame.copy()
        with self._lock:
            self._pictures[track] = kept
        if overrides(type(self.composer), "video"):
            return super().show(track, frame, content)
        return OK

    def gone(self, id: int) -> int:
        with self._lock:
            self._pictures = {
                track: picture for track, picture in self._pictures.items() if track.id != id
            }
        return super().gone(id)

    def pictures(self) -> dict[Track, Frame]:
        with self._lock:
            return dict(self._pictures)


class _ComposerSource(VideoAdapter):
    def __init__(self, owner: ComposerAdapter, plugin: Composer, instance: Instance) -> None:
        super().__init__(plugin, instance)  # type: ignore[arg-type]
        self.owner = owner
        compose = plugin.compose
        if inspect.iscoroutinefunction(compose):
            compose = functools.partial(_loop.call, compose)
        self._draw = lambda frame: compose(frame, owner.pictures())

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None


class Agents:
    """The agents of this process. An agent has one part of each kind, so a second output or microphone of a
    class begins another agent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: Each agent with the kinds of its live parts.
        self._live: list[tuple[Agent, list[int]]] = []

    def join(self, made: type, kind: int, make: Callable[[], Agent]) -> Agent:
        with self._lock:
            for agent, kinds in self._live:
                if type(agent) is made and kind not in kinds:
                    kinds.append(kind)
                    return agent
            agent = make()
            self._live.append((agent, [kind]))
            return agent

    def leave(self, agent: Agent, kind: int) -> bool:
        """Returns whether it was the agent's last part."""
        with self._lock:
            for index, (one, kinds) in enumerate(self._live):
                if one is agent and kind in kinds:
                    kinds.remove(kind)
                    if not kinds:
                        del self._live[index]
                    break
            return all(one is not agent for one, _ in self._live)


agents = Agents()


class AgentPart:
    """The base of an agent's parts: the agent starts before the first part and stops after the last."""

    _running: dict[int, int] = {}
    _lock = threading.RLock()

    @staticmethod
    def begins(agent: Agent) -> bool:
        with AgentPart._lock:
            AgentPart._running[id(agent)] = AgentPart._running.get(id(agent), 0) + 1
            return AgentPart._running[id(agent)] == 1

    @staticmethod
    def ends(agent: Agent) -> bool:
        with AgentPart._lock:
            left = AgentPart._running.get(id(agent), 1) - 1
            if left > 0:
                AgentPart._running[id(agent)] = left
                return False
            AgentPart._running.pop(id(agent), None)
            return True


def _part(kind: int, base: type[Adapter]) -> type[Adapter]:
    class Part(base):  # type: ignore[misc, valid-type]
        def guard(self, function: Callable[..., Any], *arguments: Any) -> int:
            name = getattr(function, "__name__", "")
            if name == "start" and not AgentPart.begins(self.plugin):
                return OK
            if name == "stop" and not AgentPart.ends(self.plugin):
                return OK
            return int(super().guard(function, *arguments))

        def event(self, text: str) -> int:
            # The hearing part has them, too.
            return int(super().event(text)) if isinstance(self, OutputAdapter) else OK

        def destroy(self) -> int:
            if not agents.leave(self.plugin, kind):
                return OK
            return int(super().destroy())

    return Part


class _AgentShare(VideoAdapter):
    draw, choose, size = "draw_share", "choose_share", "share_size"


_AGENT_PARTS = {
    kind: _part(kind, base)
    for kind, base in (
        (OUTPUT, OutputAdapter), (MICROPHONE, AudioAdapter), (VIDEO_SOURCE, VideoAdapter),
        (SHARE, _AgentShare),
    )
}  # fmt: skip


def adapt(plugin: Plugin, kind: int, instance: Instance) -> Adapter:
    """The adapter of a plugin's kind."""
    if isinstance(plugin, Agent):
        return _AGENT_PARTS[kind](plugin, instance)
    made: Any = {
        MICROPHONE: AudioAdapter, SHARE_AUDIO: AudioAdapter, FILTER: FilterAdapter,
        AUDIO_FILTER: AudioFilterAdapter, OUTPUT: OutputAdapter, COMPOSER: ComposerAdapter,
    }.get(kind, VideoAdapter)  # fmt: skip
    adapter: Adapter = made(plugin, instance)
    return adapter
