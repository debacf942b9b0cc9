"""Playing audio that may be interrupted."""

from __future__ import annotations

import asyncio
import collections
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from . import _loop
from ._core import Refused
from ._media import pcm_of
from ._pace import due_times, is_virtual

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._core import Array, Instance

QUEUE_FULL = 30
UNSUPPORTED = 42
BLOCK_MS = 20


class Playback:
    """Audio that is being played. Wait for it with ``wait()``, or with ``await``."""

    def __init__(self, pcm: bytes) -> None:
        self._pcm = pcm
        self._sent = 0
        self._done = threading.Event()
        self._callbacks: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        #: Whether every sample was heard: False after an interruption.
        self.is_complete = False

    @property
    def is_done(self) -> bool:
        """Whether the audio has been heard or was interrupted."""
        return self._done.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the audio has been heard. Returns whether it was heard as a whole."""
        _loop.expect_none("Playback.wait", "await playback")
        self._done.wait(timeout)
        return self.is_complete

    def __await__(self) -> Generator[Any, None, bool]:
        return self._finished().__await__()

    async def _finished(self) -> bool:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        _loop.release()

        def finish() -> None:
            if not future.done():
                future.set_result(None)

        self._when_done(lambda: loop.call_soon_threadsafe(finish))
        await future
        return self.is_complete

    def _when_done(self, callback: Callable[[], object]) -> None:
        with self._lock:
            if not self._done.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def _end(self, is_complete: bool) -> None:
        with self._lock:
            if self._done.is_set():
                return
            self.is_complete = is_complete
            self._done.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


class Voice:
    """Plays 16-bit samples through a microphone, one after the other."""

    def __init__(self, rate: int, channels: int) -> None:
        self.rate = rate
        self.channels = channels
        self._changed = threading.Lock()
        self._waiting: collections.deque[Playback] = collections.deque()
        # Sent, and not heard as a whole.
        self._ending: list[Playback] = []
        #: Counts `clear`, so that the thread notices one while it sends.
        self._clears = 0
        self._instance: Instance | None = None
        self._thread: threading.Thread | None = None

    def play(self, pcm: Buffer | Array) -> Playback:
        """Plays samples after those that are queued.

        pcm: 16-bit samples: bytes, little-endian, with interleaved channels; or an array of int16 of the shape
        (count, channels), for one channel also (count,).

        In an event loop it returns at once: ``await voice.play(pcm)`` continues when the audio has been
        heard. A callback that is a plain ``def`` cannot call it, because the host waits for callbacks. Elsewhere,
        as on your own thread, it returns when the audio has been heard or `clear` was called.
        """
        playback = Playback(pcm_of("voice.play", pcm, self.channels))
        with self._changed:
            if self._instance is None:
                raise RuntimeError("the voice plays only between start and stop of its plugin")
            if _loop.is_callback():
                raise RuntimeError(
                    "voice.play would hold up this callback until the audio has been heard: make the callback "
                    "async def"
                )
            self._waiting.append(playback)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            playback.wait()
        return playback

    def clear(self) -> float:
        """Forgets everything that is queued, so that an interrupted speaker is silent at once.

        Returns the forgotten audio in seconds. Playbacks end incomplete.
        """
        with self._changed:
            self._clears += 1
            ended = self._ending + list(self._waiting)
            self._waiting.clear()
            self._ending = []
            instance = self._instance
            left = sum(len(one._pcm) - one._sent for one in ended)
        seconds = left / (2 * self.channels * self.rate)
        if instance is not None and ended:
            try:
                seconds += instance.clear_audio() / 1e9
            except Refused:
                pass
        for playback in ended:
            playback._end(False)
        return seconds

    @property
    def queued(self) -> float:
        """The audio that has not been heard yet, in seconds."""
        with self._changed:
            playbacks = self._ending + list(self._waiting)
            left = sum(len(one._pcm) - one._sent for one in playbacks)
            instance = self._instance
        seconds = left / (2 * self.channels * self.rate)
        if instance is not None and playbacks:
            try:
                seconds += instance.queued_audio() / 1e9
            except Refused:
                pass
        return seconds

    @property
    def is_speaking(self) -> bool:
        """Whether some audio has not been heard yet."""
        with self._changed:
            return bool(self._ending or self._waiting)

    def _start(self, instance: Instance) -> None:
        with self._changed:
            self._instance = instance
            self._thread = threading.Thread(
                target=self._run, args=(instance,), name="greenroom-voice", daemon=True
            )
        self._thread.start()

    def _stop(self) -> None:
        with self._changed:
            self._instance = None
            ended = list(self._waiting)
            is_awaited = bool(ended or self._ending)
            self._waiting.clear()
        for playback in ended:
            playback._end(False)
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if is_awaited:
            _loop.settle()

    def _run(self, instance: Instance) -> None:
        """Sends a block at each time that one is due: speech, or silence."""
        frames = self.rate * BLOCK_MS // 1000
        size = frames * 2 * self.channels
        # Playbacks whose last sample was sent, with the times at which it is heard.
        ending: list[tuple[int, Playback]] = []
        continues_first = is_virtual(instance)
        for due in due_times(instance, self.rate, frames, instance.now()):
            with self._changed:
                if self._instance is not instance:
                    break
                block, ended = self._take(size)
                clears = self._clears
            try:
                instance.send_audio(block, self.rate, self.channels, due, 50_000_000)
                if ended:
                    heard = instance.now() + instance.queued_audio()
                    ending += [(heard, playback) for playback in ended]
            except Refused as refusal:
                if refusal.args[0] not in (QUEUE_FULL, UNSUPPORTED):
                    break
                ending += [(due, playback) for playback in ended]
            with self._changed:
                is_cleared = self._clears != clears
            if is_cleared:
                # The block may have arrived after the host's queue was cleared.
                try:
                    instance.clear_audio()
                except Refused:
                    pass
            now = instance.now()
            for time, playback in list(ending):
                if time <= now or playback.is_done:
                    ending.remove((time, playback))
                    self._finish(playback, True)
                    if continues_first:
                        # What awaits it continues before the time does.
                        _loop.settle()
        for _, playback in ending:
            self._finish(playback, False)

    def _take(self, size: int) -> tuple[bytes, list[Playback]]:
        """The next block, padded with silence, and the playbacks that end in it. Locked."""
        block, ended = bytearray(), []
        while len(block) < size and self._waiting:
            playback = self._waiting[0]
            part = playback._pcm[playback._sent : playback._sent + size - len(block)]
            playback._sent += len(part)
            block += part
            if playback._sent == len(playback._pcm):
                self._waiting.popleft()
                self._ending.append(playback)
                ended.append(playback)
        return bytes(block).ljust(size, b"\0"), ended

    def _finish(self, playback: Playback, is_complete: bool) -> None:
        with self._changed:
            if playback in self._ending:
                self._ending.remove(playback)
        playback._end(is_complete)
