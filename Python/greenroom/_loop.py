"""The event loop on which asynchronous callbacks run."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import inspect
import os
import selectors
import threading
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

class _Loop(asyncio.SelectorEventLoop):
    """An event loop that wakes itself through a pipe: the sandbox grants no sockets."""

    def _make_self_pipe(self) -> None:
        self._pipe = os.pipe()
        for end in self._pipe:
            os.set_blocking(end, False)
        self._ssock = self._csock = None
        self._add_reader(self._pipe[0], self._empty)  # type: ignore[attr-defined]

    def _empty(self) -> None:
        try:
            os.read(self._pipe[0], 4096)
        except BlockingIOError:
            pass

    def _write_to_self(self) -> None:
        try:
            os.write(self._pipe[1], b"\0")
        except OSError:
            pass

    def _close_self_pipe(self) -> None:
        self._remove_reader(self._pipe[0])  # type: ignore[attr-defined]
        for end in self._pipe:
            os.close(end)


_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _forget() -> None:
    """A forked child has the loop without its thread: it gets another one."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


def _serve(made: asyncio.AbstractEventLoop) -> None:
    """Runs a loop for as long as the process lives. A task of the plugin that calls ``sys.exit`` does not end it."""
    while True:
        try:
            made.run_forever()
            return
        except (SystemExit, KeyboardInterrupt):
            traceback.print_exc()


def loop() -> asyncio.AbstractEventLoop:
    """The one event loop of Greenroom's callbacks, on a separate thread."""
    global _loop
    with _lock:
        if _loop is None:
            made = _Loop(selectors.PollSelector())
            threading.Thread(target=_serve, args=(made,), name="greenroom-loop", daemon=True).start()
            _loop = made
        return _loop


def expect_none(call: str, instead: str) -> None:
    """Raises an error for a call that would block the event loop which runs it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(f"{call} blocks the event loop that runs it: use {instead} instead")


def expect(owner: asyncio.AbstractEventLoop | None, name: str) -> None:
    """Raises an error in another event loop than the one of an object."""
    if owner is not None and asyncio.get_running_loop() is not owner:
        raise RuntimeError(
            f"{name} belongs to the event loop that has opened it, and another loop runs this: "
            "Greenroom's callbacks have their own loop. Open one there, or call it with "
            "asyncio.run_coroutine_threadsafe from here"
        )


def start(made: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
    """Starts a coroutine on the loop, from any thread."""
    return asyncio.run_coroutine_threadsafe(made, loop())


#: The loop of this context's callback, and what `release` calls there.
_released: contextvars.ContextVar[tuple[asyncio.AbstractEventLoop, Callable[[], object]]] = (
    contextvars.ContextVar("released")
)
# Whether the host waits for this thread.
_callback = threading.local()
# The loop keeps only a weak reference to a task.
_tasks: set[asyncio.Future[None]] = set()


def release() -> None:
    """Lets the next callback begin while the one of this context waits for session time to pass."""
    known = _released.get(None)
    # A callback may run its own loop on another thread.
    if known is not None and known[0] is asyncio.get_running_loop():
        known[1]()


def on_release(released: Callable[[], object]) -> None:
    """Sets what `release` calls in this context."""
    _released.set((asyncio.get_running_loop(), released))


def begin(made: Coroutine[Any, Any, None]) -> None:
    """Starts a task of the running loop."""
    task = asyncio.ensure_future(made)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def outcome(made: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """The result and the error of a callback. As a value, because a task that raises ``SystemExit`` ends its loop."""
    try:
        return await made, None
    except GeneratorExit:
        raise
    except BaseException as error:
        return None, error


async def _until_released(
    made: Awaitable[Any], fault: Callable[[BaseException], object]
) -> tuple[Any, BaseException | None]:
    """Waits until a callback ends or calls `release`. Errors after that go to ``fault``."""
    released: asyncio.Future[tuple[Any, BaseException | None]] = (
        asyncio.get_running_loop().create_future()
    )

    def finish(ended: tuple[Any, BaseException | None] = (None, None)) -> None:
        if not released.done():
            released.set_result(ended)
        elif ended[1] is not None:
            fault(ended[1])

    async def whole() -> None:
        on_release(finish)
        finish(await outcome(made))

    begin(whole())
    return await released


def is_callback() -> bool:
    """Whether the host waits for this thread."""
    return getattr(_callback, "is_running", False)


def settle() -> None:
    """Lets the callbacks go on whose playback has just ended, for at most a second."""
    with contextlib.suppress(TimeoutError):
        start(asyncio.sleep(0)).result(1)


def call(
    function: Callable[..., Any],
    *arguments: Any,
    fault: Callable[[BaseException], object] | None = None,
) -> Any:
    """Calls a function, or runs an asynchronous one on the loop and waits for it.

    fault: gets the errors of a callback that has been released; None waits for the end.
    """
    _callback.is_running = fault is not None
    try:
        result = function(*arguments)
    finally:
        _callback.is_running = False
    if result is not None and inspect.isawaitable(result):
        waits = outcome(result) if fault is None else _until_released(result, fault)
        result, error = start(waits).result()
        if error is not None:
            raise error
    return result
