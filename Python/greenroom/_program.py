"""The plugins of this process, and its connection to a host."""

from __future__ import annotations

import atexit
import importlib.util
import inspect
import os
import pathlib
import shutil
import sys
import threading
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from . import _core, _loop
from ._adapter import FAILED, GONE, Adapter, adapt, agents, reason
from ._plugins import OUTPUT, Agent, Host, Plugin, apply_settings, description, kinds_of

_BASES_MODULE = Plugin.__module__


class ConnectionEnded(ConnectionError):
    """The host has refused or lost a program. ``is_temporary`` says whether to try again."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        #: Whether no host listens yet, it has another program, or it was lost.
        self.is_temporary = status in (3, 41)


def host_program() -> str | None:
    """The program ``greenroom``: the one in this package, else the one on the PATH."""
    own = pathlib.Path(__file__).parent / "_host" / "bin" / "greenroom"
    if own.exists():
        return str(own)
    return os.environ.get("GREENROOM_PROGRAM") or shutil.which("greenroom")


def _libraries() -> list[str]:
    """The possible places of the client library, the best first."""
    name = "libgreenroom-client.so"
    found = [os.environ["GREENROOM_CLIENT"]] if "GREENROOM_CLIENT" in os.environ else []
    program = host_program()
    if program is not None:
        bin = pathlib.Path(program).resolve().parent
        found += [str(bin / name), str(bin.parent / "lib" / name)]
        found += [str(bin.parent / "lib" / "greenroom" / name)]
    return [path for path in found if os.path.exists(path)] + [name]


_is_open = False


def open_library() -> None:
    """Opens the client library, once."""
    global _is_open
    if _is_open:
        return
    paths = _libraries()
    try:
        _core.open_library(paths[0])
    except OSError as error:
        raise ImportError(
            f"greenroom needs libgreenroom-client.so, and {error}. Install Greenroom, or set "
            "GREENROOM_PROGRAM to the program greenroom"
        ) from error
    _is_open = True
    atexit.register(_leave)


#: Set when the plugins of `connect` have ended.
_ended: threading.Event | None = None


def _leave() -> None:
    """Before the interpreter ends, the host ends the plugins: their threads need the interpreter."""
    if _ended is not None and not _ended.is_set():
        _core.finish()
        _ended.wait(5)
    _core.end_deletions()


class Table:
    """The plugins that this process offers."""

    def __init__(self, plugins: Sequence[type[Plugin] | Plugin], origin: str) -> None:
        self.entries: list[tuple[type[Plugin] | Plugin, int]] = []
        #: Whether the host has created one.
        self.is_used = False
        descriptions = []
        for plugin in plugins:
            made = plugin if isinstance(plugin, type) else type(plugin)
            if not issubclass(made, Plugin) or made.__module__ == _BASES_MODULE:
                raise TypeError(f"{plugin!r} is no plugin: derive from greenroom.Camera or another base")
            for kind in kinds_of(made):
                self.entries.append((plugin, kind))
                descriptions.append(description(made, kind, origin))
        if not descriptions:
            raise ValueError("no plugins: name at least one")
        _core.describe(descriptions, self.create)

    def create(self, index: int, instance: _core.Instance, settings: dict[str, Any]) -> Adapter | int:
        self.is_used = True
        offered, kind = self.entries[index]
        host = Host(instance)
        agent: Agent | None = None
        try:
            if isinstance(offered, type) and issubclass(offered, Agent):
                plugin: Plugin = (agent := agents.join(offered, kind, offered))
            elif isinstance(offered, Agent):
                plugin = agent = agents.join(type(offered), kind, lambda: offered)
            else:
                plugin = offered() if isinstance(offered, type) else offered
            # An agent calls the host as its hearing part, which the others only stand in for.
            if plugin._host is None or kind == OUTPUT:
                plugin._host = host
            apply_settings(plugin, settings)
            return adapt(plugin, kind, instance)
        except BaseException as error:
            for line in traceback.format_exception(error):
                host.log(line.rstrip(), "error")
            instance.set_error(reason(error))
            if agent is not None:
                agents.leave(agent, kind)
            return FAILED

    def advice(self, path: str) -> str:
        """The probable reason why a host has disconnected without a use of the plugins."""
        for _, kind in self.entries:
            names = [
                (one if isinstance(one, type) else type(one)).__name__
                for one, other in self.entries if other == kind
            ]  # fmt: skip
            if len(names) > 1:
                return (
                    f": this program has {' and '.join(names)} for one place of the session. Name one in the session "
                    f"file, such as connect: {path}#{names[0]}"
                )
        return ": it used no plugin of this program. The session's log has the reason"


def connect(path: str | os.PathLike[str], *plugins: type[Plugin] | Plugin) -> None:
    """Offers plugins to the host at a socket, and returns when they have ended.

    The session file names the socket: ``camera: { connect: ./bot.sock }``. Plugins are classes, or objects
    of them. Waits while the session does not want a plugin yet. Ctrl-C ends the plugins in order.

    Raises `ConnectionEnded` if no host listens, it refuses the program, or it disappears.
    """
    global _ended
    _loop.expect_none("greenroom.connect", "await asyncio.to_thread(greenroom.connect, ...)")
    open_library()
    origin = pathlib.Path(sys.argv[0]).stem if sys.argv else "program"
    table = Table(plugins, origin)
    result: list[tuple[int, str]] = []
    failures: list[BaseException] = []
    # Before Python 3.13, a thread counts as ended after Ctrl-C has interrupted a join with it.
    ended = _ended = threading.Event()

    def run() -> None:
        try:
            result.append(_core.run(os.fspath(path)))
        except BaseException as error:
            failures.append(error)
        finally:
            ended.set()

    threading.Thread(target=run, name="greenroom", daemon=True).start()
    try:
        # With a timeout, so that Ctrl-C arrives.
        while not ended.wait(0.2):
            pass
    except BaseException:
        _core.finish()
        ended.wait(5)
        raise
    if failures:
        raise failures[0]
    status, text = result[0]
    if status == GONE and not table.is_used:
        text += table.advice(os.fspath(path))
    if status != 0:
        raise ConnectionEnded(status, text)


def plugins_of(module: ModuleType) -> list[type[Plugin]]:
    """The plugins that a script defines: its classes, except those with a leading underscore."""
    return [
        value
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and issubclass(value, Plugin)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]


_loading = threading.Lock()
_loaded: dict[str, str | None] = {}


def load(path: str) -> str | None:
    """Imports a script and offers its plugins. Returns the reason of a failure.

    Every instance asks for it. The script is imported once, so that the parts of an agent have one class.
    """
    with _loading:
        if path not in _loaded:
            _loaded[path] = _import(path)
        return _loaded[path]


def _import(path: str) -> str | None:
    file = pathlib.Path(path)
    try:
        # As Python does: modules are beside the file that a link names.
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
        sys.argv = [path]
        spec = importlib.util.spec_from_file_location(file.stem, path)
        if spec is None or spec.loader is None:
            return "is no Python file: name it with .py"
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
        found = plugins_of(module)
        if not found:
            return "has no plugin: derive a class from greenroom.Camera or another base"
        Table(found, file.stem)
    except BaseException as error:
        # The reason for people is one line; the log has all.
        print("".join(traceback.format_exception(error)).rstrip(), file=sys.stderr, flush=True)
        places = [
            (frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)
        ]
        if isinstance(error, SyntaxError) and error.filename:
            path = error.filename
            places.append((path, error.lineno))
        line = next((line for name, line in reversed(places) if name == path), None)
        return reason(error) if line is None else f"{path}:{line}: {reason(error)}"
    return None
