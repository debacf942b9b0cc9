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

#: The time that a session has for an answer, in seconds.
ANSWER_SECONDS = 10

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
        self._socket: _Socket | None = None
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
        if not self._is_own:
            events = await self._subscribe()
            self._reader = asyncio.create_task(self._follow(events))
            return self
        try:
            await self._start()
        except BaseException:
            # A block that is not entered is not left.
            await self._interrupt()
            raise
        return self

    async def __aexit__(self, *arguments: object) -> None:
        try:
            if self._is_own:
                await self._interrupt()
            elif self._reader is not None:
                self._reader.cancel()
                await asyncio.wait([self._reader])
        finally:
            self._disconnect()

    def _expect_open(self) -> None:
        if self._loop is None:
            raise SessionError("this session is not open. Use it inside async with, such as async with session:")
        _loop.expect(self._loop, "this session")

    # The process

    async def _interrupt(self) -> None:
        """Ends the process in order, and waits for its end."""
        if self._process is None:
            return
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                # Process.send_signal could take the exit status away from the event loop.
                os.kill(self._process.pid, signal.SIGINT)
        await self._ended()

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
            await self._ended()
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
        self._expect_open()
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
        """Waits until the session has ended. The session continues if the wait is canceled or times out."""
        self._expect_open()
        await self._ended()
        if self.result is None:
            raise SessionError(f"{self.name} is no session of this program: follow its events")
        return self.result

    async def _ended(self) -> None:
        """Waits until everything has been read, and the process has ended."""
        readers = [task for task in (self._reader, self._errors) if task is not None]
        if readers:
            # Unlike await, this does not cancel the tasks if it is canceled.
            await asyncio.wait(readers)
        for task in readers:
            if not task.cancelled():
                task.result()
        if self._process is not None:
            code = await self._process.wait()
            if self.result is None:
                self.result = Result("failed", code or 1, {}, self._lines[-5:])

    # The session's socket

    async def _subscribe(self) -> _Socket:
        """Opens a connection for the events of a session that runs already."""
        events = None
        try:
            async with _answers("Session.attach", self.name):
                events = await _Socket.open(self.name or "")
                # The session answers one request after the other, and gives events no answer.
                await events.send("events")
                await events.send("status")
                while line := await events.reader.readline():
                    event = Event.read(line)
                    if event.name == "control-error":
                        raise SessionError(str(event.text))
                    if event.name == "status":
                        self.name = str(event.data.get("session", self.name))
                        return events
                    await self._add(event)
            raise SessionError(f"the session {self.name} has ended. Attach to one that runs")
        except BaseException:
            if events is not None:
                events.close()
            raise

    async def _follow(self, events: _Socket) -> None:
        try:
            with contextlib.suppress(OSError):  # the session has ended
                async for line in events.reader:
                    await self._add(Event.read(line))
        finally:
            events.close()
            async with self._changed:
                self._is_over = True
                self._changed.notify_all()

    async def _connect(self) -> _Socket:
        if self._socket is None:
            self._socket = await _Socket.open(self.name or "")
        return self._socket

    def _disconnect(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    async def _ask(self, line: str) -> dict[str, Any]:
        """Sends a request, and returns the first answer to it."""
        self._expect_open()
        async with self._asks:
            value: dict[str, Any] | None = None
            try:
                async with _answers(f"request {line!r}", self.name):
                    with contextlib.suppress(ConnectionError, FileNotFoundError):
                        if not self._is_over:
                            value = await (await self._connect()).ask(line)
            finally:
                if value is None:
                    # The next request must not get the answer to this one.
                    self._disconnect()
            if value is None:
                raise SessionError(
                    f"the session {self.name} has ended, and answers no {line.partition(' ')[0]}. Its result is "
                    "session.result; its last report is session.json in the folder of its recording"
                )
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
        return await self._ask("describe")

    async def report(self) -> dict[str, Any]:
        """The report of this second, as in ``session.json``."""
        return await self._ask("report")

    async def stop(self) -> Result | None:
        """Stops the session in order. Returns its result, if this program has started it."""
        self._expect_open()
        await (await self._connect()).send("stop")
        return await self.wait() if self._is_own else None


class _Socket:
    """A connection to a running session, which answers its requests in their order."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self._writer = writer
        self._lines = 0

    @classmethod
    async def open(cls, name: str) -> _Socket:
        return cls(*await asyncio.open_unix_connection(_find(name), limit=1 << 20))

    def close(self) -> None:
        self._writer.close()

    async def send(self, line: str) -> int:
        """Sends a request, and returns its number."""
        self._lines += 1
        number = self._lines
        self._writer.write(f"{line}\n".encode())
        await self._writer.drain()
        return number

    async def ask(self, line: str) -> dict[str, Any] | None:
        """Sends a request. Returns the first answer to it, or None at the session's end."""
        number = await self.send(line)
        while answer := await self.reader.readline():
            value: dict[str, Any] = json.loads(answer)
            # A command may have several events, of which the later ones come before the next answer.
            origin = str(value.get("origin") or value.get("role") or "")
            if ", line " not in origin or origin.endswith(f", line {number}"):
                return value
        return None


@contextlib.asynccontextmanager
async def _answers(place: str, name: str | None) -> AsyncIterator[None]:
    """Limits the time in which a session answers."""
    limit = asyncio.timeout(ANSWER_SECONDS)
    try:
        async with limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise SessionError(
            f"{place}: the session {name} has not answered for {ANSWER_SECONDS} s, and may be suspended or "
            "overloaded. The request may still take effect: ask session.describe() before you repeat it"
        ) from error


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
    """Runs a session until it ends. Ctrl-C ends it in order and raises KeyboardInterrupt.

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
