"""Sessions: start one, follow its events, send commands, read its report."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from . import _loop
from ._program import host_program

#: A session file, or its content.
Source = str | os.PathLike[str] | Mapping[str, Any]


class SessionError(RuntimeError):
    """A session did not start, refused a command, or ended with an error."""


@dataclasses.dataclass(frozen=True)
class Event:
    """An event of a session, as ``greenroom run --json`` prints it."""

    #: The kind of event, such as ``started`` or ``participant-joined``.
    name: str
    level: str
    #: Seconds since the start of the process.
    time: float | None
    #: The plugin, output or command that the event is about.
    role: str | None
    text: str | None
    #: All members of the event.
    data: Mapping[str, Any]

    @staticmethod
    def read(line: str | bytes) -> Event:
        data = json.loads(line)
        return Event(
            str(data.get("event", "")), str(data.get("level", "info")), data.get("time"),
            data.get("role"), data.get("text"), data,
        )  # fmt: skip


def faults(events: Sequence[Event], lines: Sequence[str]) -> str:
    """The reason why a session did not start: its errors, and the last lines of its log."""
    errors = [
        event.text or "\n".join(event.data.get("summary") or [])
        for event in events if event.level == "error"
    ]  # fmt: skip
    return "\n".join([*filter(None, errors), *lines]) or "greenroom run has ended"


@dataclasses.dataclass(frozen=True)
class Result:
    """How a session ended."""

    #: ``finished``, ``interrupted``, ``not-real``, ...
    outcome: str
    #: The exit code of ``greenroom run``: 0 for success.
    exit: int
    #: The share of real media of each track, in per cent.
    real: Mapping[str, float]
    summary: Sequence[str]

    @staticmethod
    def of(event: Event) -> Result:
        """The result that the last event tells."""
        return Result(
            str(event.data.get("outcome")), int(event.data.get("exit", 1)),
            event.data.get("real") or {}, event.data.get("summary") or [],
        )  # fmt: skip

    def check(self) -> Result:
        """Raises `SessionError` unless the session has succeeded."""
        if self.exit != 0:
            raise SessionError(f"the session ended with {self.outcome}: {'; '.join(self.summary)}")
        return self


class Session:
    """A session of ``greenroom run``, or one that runs already.

    ::

        async with Session("call.yaml") as session:
            async for event in session.events():
                if event.name == "participant-joined":
                    await session.command("unmute")

    Leaving the block stops a session that it has started; one that ran already continues.
    """

    def __init__(
        self,
        source: Source,
        *,
        duration: float | None = None,
        settings: Mapping[str, Any] | None = None,
        virtual_clock: bool = False,
    ) -> None:
        """
        source: a session file, or its content as a dict. Relative paths of a dict begin in the working
        directory.
        duration: in seconds, instead of the file's.
        settings: values instead of the file's, by path: ``{"camera.settings.speed": 30}``.
        """
        self._source = source
        self._arguments: list[str] = ["--json"]
        if duration is not None:
            self._arguments += ["--duration", f"{round(duration * 1000)}ms"]
        for path, value in (settings or {}).items():
            text = value if isinstance(value, str) else json.dumps(value)
            self._arguments += ["--set", f"{path}={text}"]
        if virtual_clock:
            self._arguments.append("--virtual-clock")
        #: The name with the process, such as ``call.4711``.
        self.name: str | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._errors: asyncio.Task[None] | None = None
        self._lines: list[str] = []
        self._events: list[Event] = []
        self._changed = asyncio.Condition()
        self._is_over = False
        self._socket: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._asks = asyncio.Lock()
        self._is_own = True
        self._loop: asyncio.AbstractEventLoop | None = None
        self.result: Result | None = None

    @classmethod
    def attach(cls, name: str) -> Session:
        """A session that runs already: its name, or with its process if several have the name."""
        session = cls({})
        session._is_own = False
        session.name = name
        return session

    async def __aenter__(self) -> Session:
        self._loop = asyncio.get_running_loop()
        if self._is_own:
            await self._start()
        else:
            await self._connect()
            self._reader = asyncio.create_task(self._follow())
        return self

    async def __aexit__(self, *arguments: object) -> None:
        if self._is_own:
            if self._process is not None and self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    self._process.send_signal(signal.SIGINT)
            await self.wait()
        elif self._reader is not None:
            self._reader.cancel()
        if self._socket is not None:
            self._socket[1].close()

    # The process

    async def _start(self) -> None:
        program = host_program()
        if program is None:
            raise SessionError(
                "no program greenroom is on the PATH. Install Greenroom, or set GREENROOM_PROGRAM"
            )
        file, text = "-", None
        if isinstance(self._source, Mapping):
            text = json.dumps(self._source)  # JSON is YAML
        else:
            file = os.fspath(self._source)
        self._process = await asyncio.create_subprocess_exec(
            program, "run", file, *self._arguments,
            stdin=asyncio.subprocess.PIPE if text is not None else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            start_new_session=True, limit=1 << 20,
            # The session ends in order if this program is killed.
            env={**os.environ, "GREENROOM_PARENT": str(os.getpid())},
        )  # fmt: skip
        if text is not None and self._process.stdin is not None:
            self._process.stdin.write(text.encode())
            self._process.stdin.close()
        self._reader = asyncio.create_task(self._read())
        self._errors = asyncio.create_task(self._read_errors())
        async with self._changed:
            await self._changed.wait_for(lambda: self.name is not None or self._is_over)
        if self.name is None:
            await self._reader
            await self._errors
            await self._process.wait()
            raise SessionError(faults(self._events, self._lines[-20:]))

    async def _read_errors(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        async for line in self._process.stderr:
            self._lines = (self._lines + [line.decode(errors="replace").rstrip()])[-200:]

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        try:
            async for line in self._process.stdout:
                await self._add(Event.read(line))
        finally:
            async with self._changed:
                self._is_over = True
                self._changed.notify_all()

    async def _add(self, event: Event) -> None:
        if event.name == "started":
            self.name = str(event.data.get("session"))
        if event.name == "ended":
            self.result = Result.of(event)
        async with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    async def events(self) -> AsyncIterator[Event]:
        """The events from the start on, until the session has ended."""
        _loop.expect(self._loop, "this session")
        index = 0
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: len(self._events) > index or self._is_over)
                fresh = self._events[index:]
            for event in fresh:
                yield event
            index += len(fresh)
            if not fresh:
                return

    async def wait(self) -> Result:
        """Waits until the session has ended."""
        _loop.expect(self._loop, "this session")
        if self._reader is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
        if self._errors is not None:
            await self._errors
        if self._process is not None:
            code = await self._process.wait()
            if self.result is None:
                self.result = Result("failed", code, {}, self._lines[-5:])
        if self.result is None:
            raise SessionError(f"{self.name} is no session of this program: follow its events")
        return self.result

    # The session's socket

    async def _connect(self) -> None:
        if self._socket is not None:
            return
        self._socket = await asyncio.open_unix_connection(_find(self.name or ""), limit=1 << 20)

    async def _follow(self) -> None:
        """Reads events of a session that ran already, on a separate connection."""
        writer: asyncio.StreamWriter | None = None
        try:
            path = _find(self.name or "")
            reader, writer = await asyncio.open_unix_connection(path, limit=1 << 20)
            writer.write(b"events\n")
            async for line in reader:
                await self._add(Event.read(line))
        except (OSError, SessionError):
            pass  # the session has ended before
        finally:
            if writer is not None:
                writer.close()
            async with self._changed:
                self._is_over = True
                self._changed.notify_all()

    async def _ask(self, line: str) -> dict[str, Any] | None:
        """Sends a request, and returns the first answer to it."""
        _loop.expect(self._loop, "this session")
        async with self._asks:
            answer = b""
            with contextlib.suppress(ConnectionError):
                if not self._is_over:
                    await self._connect()
                    assert self._socket is not None
                    reader, writer = self._socket
                    writer.write(f"{line}\n".encode())
                    await writer.drain()
                    answer = await asyncio.wait_for(reader.readline(), 10)
            if not answer:
                raise SessionError(
                    f"the session {self.name} has ended, and answers no {line.partition(' ')[0]}. Its result is "
                    "session.result; its last report is session.json in the folder of its recording"
                )
            value: dict[str, Any] = json.loads(answer)
            if value.get("event") == "control-error":
                raise SessionError(str(value.get("text")))
            return value

    async def command(self, text: str) -> Event:
        """Sends a command, such as ``mute`` or ``set camera.settings.speed=2``.

        Returns the event of its effect. Raises `SessionError` for a command that the session refuses.
        """
        expect_line(text)
        if text.strip() == "stop" and not self._is_over:
            # The session has no time for an answer: the event is its end.
            await self.stop()
            async with self._changed:
                await self._changed.wait_for(lambda: self._is_over)
            ends = (event for event in self._events if event.name == "ended")
            # Another program's session may end before its events are followed.
            return next(ends, Event("ended", "info", None, None, None, {}))
        value = await self._ask(text)
        return Event.read(json.dumps(value))

    async def describe(self) -> dict[str, Any]:
        """The plugins with their states and live settings."""
        return await self._ask("describe") or {}

    async def report(self) -> dict[str, Any]:
        """The report of this second, as in ``session.json``."""
        return await self._ask("report") or {}

    async def stop(self) -> Result | None:
        """Stops the session in order. Returns its result, if this program has started it."""
        _loop.expect(self._loop, "this session")
        await self._connect()
        assert self._socket is not None
        self._socket[1].write(b"stop\n")
        await self._socket[1].drain()
        return await self.wait() if self._is_own else None


def expect_line(command: str) -> None:
    """Raises an error for a text that the host does not read as one command."""
    if not command.strip():
        fault = "is empty. Pass a command, such as 'mute'"
    elif "\n" in command:
        fault = "has a line break. Pass one command per call, without line breaks"
    elif command.lstrip().startswith("#"):
        fault = "is a comment, which a session ignores. Pass the command without '#'"
    else:
        return
    raise ValueError(f"session.command: {command!r} {fault}")


def _find(name: str) -> str:
    """The path of a running session's socket."""
    user = os.getuid()
    folders = [
        os.environ.get("RUNTIME_DIRECTORY"),
        f"{os.environ['XDG_RUNTIME_DIR']}/greenroom" if "XDG_RUNTIME_DIR" in os.environ else None,
        f"/run/user/{user}/greenroom", f"{tempfile.gettempdir()}/greenroom-{user}",
        f"/tmp/greenroom-{user}",
    ]  # fmt: skip
    found: list[str] = []
    for folder in dict.fromkeys(folder for folder in folders if folder):
        for path in sorted(pathlib.Path(folder).glob("*.socket")):
            full = path.name.removesuffix(".socket")
            is_named = full == name or full.rpartition(".")[0] == name
            if is_named and path.stat().st_uid == user:
                found.append(str(path))
    if len(found) == 1:
        return found[0]
    if not found:
        raise SessionError(f"no session {name} runs that this user may reach")
    names = ", ".join(pathlib.Path(path).stem for path in found)
    raise SessionError(f"several sessions are called {name}: name one of {names}")


def run(
    source: Source,
    *,
    duration: float | None = None,
    settings: Mapping[str, Any] | None = None,
    virtual_clock: bool = False,
) -> Result:
    """Runs a session until it ends. Ctrl-C stops it in order.

    Raises `SessionError` with the faults of a session file.
    """
    _loop.expect_none("greenroom.run", "async with greenroom.Session(...)")

    async def whole() -> Result:
        session = Session(
            source, duration=duration, settings=settings, virtual_clock=virtual_clock
        )
        async with session:
            return await session.wait()

    return asyncio.run(whole())
