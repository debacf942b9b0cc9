"""Whole sessions: the host starts scripts in its sandbox, or programs connect.

Sessions of scripts run on the virtual clock. Programs connect to a session of the real clock, because a
virtual one would not wait for them.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import textwrap
import wave
from collections.abc import AsyncIterator
from typing import Any

import greenroom
import pytest
from greenroom import _session
from greenroom._program import host_program
from greenroom.testing import TestSession

pytestmark = pytest.mark.skipif(host_program() is None, reason="needs the program greenroom")
SAMPLES = pathlib.Path(__file__).parents[2] / "Samples" / "python"


def run(folder: pathlib.Path, session: dict[str, Any], seconds: float = 1, virtual: bool = True) -> Any:
    """Runs a session that records, and returns its report."""
    session = {"session": {"maximum": "640x360@30", "name": "t"}, **session}
    session["outputs"] = session.get("outputs", []) + [
        {"record": {"folder": str(folder / "recording"), "overwrite": True}}
    ]
    session = absolute(session, folder)
    for part in [
        session.get("camera", {}), session.get("microphone", {}), *session["outputs"],
        *session.get("camera", {}).get("pre-processors", []),
        *session.get("microphone", {}).get("pre-processors", []),
    ]:  # fmt: skip
        if ".py" in str(part.get("plugin", "")):
            part.setdefault("python", sys.prefix)
    greenroom.run(session, duration=seconds, virtual_clock=virtual).check()
    report = json.loads((folder / "recording" / "session.json").read_text())
    return report


def absolute(value: Any, folder: pathlib.Path) -> Any:
    if isinstance(value, dict):
        return {key: absolute(one, folder) for key, one in value.items()}
    if isinstance(value, list):
        return [absolute(one, folder) for one in value]
    if isinstance(value, str) and value.startswith("./"):
        return str(folder / value[2:])
    return value


def script(folder: pathlib.Path, text: str, name: str = "plugin.py") -> str:
    (folder / name).write_text("import greenroom\n" + textwrap.dedent(text))
    return f"./{name}"


def lumas(folder: pathlib.Path, track: str = "camera") -> list[int]:
    """The first luma of each frame of a recording."""
    data = (folder / "recording" / f"{track}.y4m").read_bytes()
    header, _, rest = data.partition(b"\n")
    words = {word[:1]: word[1:] for word in header.split()}
    width, height = int(words[b"W"]), int(words[b"H"])
    size = len(b"FRAME\n") + width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)
    return [rest[start + 6] for start in range(0, len(rest) - size + 1, size)]


COUNTER = """
    class Counter(greenroom.Camera):
        '''Counts.'''
        start_at: int = greenroom.setting(20, "First luma", minimum=0, maximum=200)
        def draw(self, frame):
            frame.planes[0].fill(self.start_at + frame.index)
            frame.planes[1].fill(128)
            frame.planes[2].fill(128)
"""


def test_the_host_starts_a_camera_with_its_settings(tmp_path: pathlib.Path) -> None:
    camera = {"plugin": script(tmp_path, COUNTER), "settings": {"start-at": 50}}
    report = run(tmp_path, {"camera": camera})
    assert lumas(tmp_path) == list(range(50, 80))
    assert report["outcome"] == "finished"


def test_filters_and_a_microphone_of_one_script_run_in_a_session(tmp_path: pathlib.Path) -> None:
    name = script(
        tmp_path,
        COUNTER + """
    class Darker(greenroom.Filter):
        def edit(self, frame):
            luma = memoryview(frame.planes[0])
            frame.planes[0].fill(luma[0, 0] // 2)
    class Steps(greenroom.Microphone):
        def fill(self, block):
            samples = memoryview(block.samples)
            for index in range(block.count):
                samples[index, 0] = 1000
    class Half(greenroom.AudioFilter):
        channels = 1
        def edit(self, block):
            samples = memoryview(block.samples)
            for index in range(block.count):
                samples[index, 0] = samples[index, 0] // 2
    """,
    )
    run(
        tmp_path,
        {
            "camera": {"plugin": f"{name}#Counter",
                       "pre-processors": [{"plugin": f"{name}#Darker"}]},
            "microphone": {"plugin": f"{name}#Steps",
                           "pre-processors": [{"plugin": f"{name}#Half"}]},
        },
    )  # fmt: skip
    assert lumas(tmp_path)[4:] == [luma // 2 for luma in range(24, 50)]
    with wave.open(str(tmp_path / "recording" / "camera.wav")) as sound:
        samples = memoryview(sound.readframes(sound.getnframes())).cast("h")
    assert samples[len(samples) // 2] == 500


def test_damage_that_a_camera_reports_counts_as_refused(tmp_path: pathlib.Path) -> None:
    text = """
        class Player(greenroom.Camera):
            def draw(self, frame):
                self.host.set_held(False)
                if frame.index == 3:
                    self.host.count_damaged(2)
    """
    report = run(tmp_path, {"camera": {"plugin": script(tmp_path, text)}})
    video = report["videoTracks"][0]
    assert video["refused"] == {"BAD_DATA": 2}
    assert video["sent"] == video["accepted"] + 2


def test_a_receiver_writes_a_file_for_each_participant(tmp_path: pathlib.Path) -> None:
    (tmp_path / "recording").mkdir()
    session = {
        "microphone": {"plugin": "Tone"},
        "call": {"plugin": "LoopbackCall", "settings": {"script": "Ana 0s microphone; Ben 1s microphone"}},
        "outputs": [
            {"plugin": str(SAMPLES / "receiver.py"), "settings": {"folder": "./recording"},
             "allow": {"write": ["./recording"]}},
        ],
    }  # fmt: skip
    run(tmp_path, session, seconds=3)
    seconds = {}
    for file in (tmp_path / "recording").glob("*-*.wav"):
        with wave.open(str(file)) as sound:
            if sound.getframerate() == 16000:
                seconds[file.name.split("-")[0]] = sound.getnframes() / 16000
                assert any(sound.readframes(16000))
    assert seconds["Ana"] == pytest.approx(3, abs=0.2)
    assert seconds["Ben"] == pytest.approx(2, abs=0.2)


def test_a_thread_keeps_its_state_between_callbacks(tmp_path: pathlib.Path) -> None:
    path = script(
        tmp_path,
        """
        import threading
        KEPT = threading.local()
        class Count(greenroom.Receiver):
            blocks = 0
            def heard(self, participant, block):
                self.blocks += 1
                KEPT.blocks = getattr(KEPT, "blocks", 0) + 1
                self.report_value("blocks", self.blocks)
                self.report_value("kept", KEPT.blocks)
        """,
    )
    session = {
        "microphone": {"plugin": "Tone"},
        "call": {"plugin": "LoopbackCall", "settings": {"script": "Ana 0s microphone"}},
        "outputs": [{"plugin": path}],
    }
    values = run(tmp_path, session)["outputPlugins"][0]["values"]
    assert values["kept"] == values["blocks"] > 50


def test_a_bot_answers_as_one_object(tmp_path: pathlib.Path) -> None:
    bot = {"plugin": str(SAMPLES / "bot.py")}
    session = {
        "camera": dict(bot), "microphone": dict(bot), "outputs": [dict(bot)],
        "call": {"plugin": "LoopbackCall",
                 "settings": {"script": "Ana 0s microphone mute=1s"}},
    }  # fmt: skip
    run(tmp_path, session, seconds=4)
    with wave.open(str(tmp_path / "recording" / "camera.wav")) as sound:
        samples = memoryview(sound.readframes(sound.getnframes())).cast("h")
    second = 48000 * sound.getnchannels()
    assert not any(abs(sample) > 100 for sample in samples[: second])
    assert any(abs(sample) > 100 for sample in samples[second * 3 // 2 : second * 5 // 2])
    assert {60, 180} <= set(lumas(tmp_path)[20:])


def test_the_sample_camera_draws_with_numpy(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("numpy")
    run(tmp_path, {"camera": {"plugin": str(SAMPLES / "camera.py"), "settings": {"speed": 3}}})
    assert len(set(lumas(tmp_path))) > 10


def test_the_sample_filter_blurs_with_opencv(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("cv2")

    def edges(folder: pathlib.Path, filters: list[dict[str, Any]]) -> int:
        run(folder, {"camera": {"plugin": "ColorBars", "pre-processors": filters}})
        frame = (folder / "recording" / "camera.y4m").read_bytes()[-640 * 360 * 3 // 2 :]
        rows = frame[640 * 100 : 640 * 101]
        return max(abs(one - next) for one, next in zip(rows, rows[1:]))

    (tmp_path / "plain").mkdir()
    (tmp_path / "blurred").mkdir()
    plain = edges(tmp_path / "plain", [])
    blurred = edges(tmp_path / "blurred", [{"plugin": str(SAMPLES / "filter.py")}])
    assert blurred < plain / 3, (plain, blurred)


def test_a_traceback_is_logged_once_and_the_session_continues(tmp_path: pathlib.Path) -> None:
    name = script(
        tmp_path,
        """
    class Wrong(greenroom.Filter):
        def edit(self, frame):
            raise ValueError("a wrong frame")
    """,
    )
    host = subprocess.run(
        [str(host_program()), "run", "-", "--virtual-clock", "--duration", "1s"],
        input=json.dumps(
            {
                "session": {"maximum": "640x360@30"},
                "camera": {"plugin": "ColorBars",
                           "pre-processors": [{"plugin": str(tmp_path / name), "python": sys.prefix}]},
                "outputs": [{"record": {"folder": str(tmp_path / "recording")}}],
            }
        ),
        capture_output=True, text=True,
    )  # fmt: skip
    assert host.stderr.count("Traceback (most recent call last)") == 1, host.stderr
    assert "in edit" in host.stderr and "ValueError: a wrong frame" in host.stderr


def log_of(folder: pathlib.Path, camera: str, seconds: int, *options: str) -> str:
    """The log of a session with a camera."""
    session = {
        "session": {"maximum": "640x360@30"},
        "camera": {"plugin": str(folder / camera), "python": sys.prefix},
        "outputs": [{"record": {"folder": str(folder / "recording")}}],
    }
    return subprocess.run(
        [str(host_program()), "run", "-", "--duration", f"{seconds}s", *options],
        input=json.dumps(session), capture_output=True, text=True,
    ).stderr  # fmt: skip


def test_a_restarted_script_logs_its_prints_again_and_its_traceback_once(tmp_path: pathlib.Path) -> None:
    name = script(
        tmp_path,
        """
    print("imported")
    class Wrong(greenroom.Camera):
        def draw(self, frame):
            if frame.index == 3:
                raise ValueError("first\\nsecond")
    """,
    )
    log = log_of(tmp_path, name, 5, "--virtual-clock")
    restarts = log.count("camera: restarting in")
    assert restarts >= 2
    assert restarts <= log.count("imported") <= restarts + 1
    assert log.count("Traceback (most recent call last)") == 1, log
    assert log.count("gave up (FAILED): ValueError: first\n") >= restarts


def test_the_advice_for_a_silent_class_names_its_methods(tmp_path: pathlib.Path) -> None:
    name = script(
        tmp_path,
        """
    class Misspelt(greenroom.Camera):
        def drow(self, frame):
            pass
    """,
    )
    assert "showing a slate. Write draw(self, frame), or call send(planes)" in log_of(tmp_path, name, 2)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("import nowhere", "No module named 'nowhere'"),
        ("import numpy, nowhere", "No module named 'nowhere'"),
        ("x = 1", "has no plugin: derive a class"),
        ("class A(greenroom.Camera):\n    s = greenroom.setting(1)", "annotate the setting"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("def f(:", "bad.py:2: SyntaxError: invalid syntax"),
        ("raise ValueError('first\\nsecond')", "bad.py:2: ValueError: first"),
        ("class A(greenroom.Camera):\n    format = 'i421'", "ValueError: A.format is 'i421', and must be one of i420"),
    ],
)
def test_an_error_names_why_a_script_cannot_be_loaded(tmp_path: pathlib.Path, text: str, reason: str) -> None:
    (tmp_path / "bad.py").write_text("import greenroom\n" + text + "\n")
    with pytest.raises(greenroom.SessionError) as error:
        run(tmp_path, {"camera": {"plugin": "./bad.py"}})
    assert "bad.py" in str(error.value) and reason in str(error.value)
    # A call that NumPy's import tries is not the cause.
    assert "denied" not in str(error.value)


def test_a_missing_interpreter_is_named(tmp_path: pathlib.Path) -> None:
    camera = {"plugin": script(tmp_path, COUNTER), "python": "/nowhere/python3"}
    with pytest.raises(greenroom.SessionError, match="no interpreter at /nowhere/python3"):
        run(tmp_path, {"camera": camera})


def test_a_script_in_the_sandbox_opens_no_ungranted_file_and_no_process(tmp_path: pathlib.Path) -> None:
    secret = tmp_path.parent / f"{tmp_path.name}-secret"
    secret.write_text("secret")
    name = script(
        tmp_path,
        f"""
    import os, subprocess
    class Thief(greenroom.Camera):
        def draw(self, frame):
            frame.planes[0].fill(50)
            for attempt in (lambda: open({str(secret)!r}), lambda: os.fork(),
                            lambda: subprocess.run(["/bin/true"])):
                try:
                    attempt()
                    frame.planes[0].fill(200)
                except OSError:
                    pass
    """,
    )
    run(tmp_path, {"camera": {"plugin": name}})
    assert set(lumas(tmp_path)[1:]) == {50}


def test_numpy_reads_no_plane_that_has_ended(tmp_path: pathlib.Path) -> None:
    name = script(
        tmp_path,
        """
    import numpy
    class Keeps(greenroom.Filter):
        kept = None
        def edit(self, frame):
            frame.planes[0].fill(40)
            assert frame.planes[0].__array__(numpy.float32)[0, 0] == 40
            if self.kept is not None:
                try:
                    numpy.asarray(self.kept.planes[0])
                except BufferError:
                    numpy.asarray(frame.planes[0])[:] = 90
            self.kept = frame
    """,
    )
    run(tmp_path, {"camera": {"plugin": "ColorBars", "pre-processors": [{"plugin": name}]}})
    assert lumas(tmp_path)[:3] == [40, 90, 90]


def test_an_error_about_a_frame_of_an_output_names_its_copy(tmp_path: pathlib.Path) -> None:
    text = """
    class Writes(greenroom.Output):
        def track(self, track):
            return greenroom.Want() if track.kind == "camera" else None
        def video(self, track, frame):
            for write in (lambda: frame.planes[0].fill(1), lambda: frame.planes[0].write_row(0, b""),
                          lambda: frame.write_rgb(frame.rgb())):
                try:
                    write()
                except ValueError as error:
                    self.log(f"REFUSED {error}")
            frame.copy().planes[0].fill(1)
    """
    session = {"camera": {"plugin": "ColorBars"}, "outputs": [{"plugin": script(tmp_path, text)}]}
    with TestSession(session, tmp_path) as call:
        call.advance(0.2)
    refused = [event.text for event in call.events if "REFUSED" in str(event.text)]
    assert len(refused) >= 3
    assert set(refused) == {"REFUSED this frame or block is read-only; use frame.copy() or block.copy()"}


def test_exceptions_of_asynchronous_callbacks_count_as_those_of_plain_ones_do(tmp_path: pathlib.Path) -> None:
    text = '''
    class Plain(greenroom.Receiver):
        count = 0
        def heard(self, participant, block):
            self.count += 1
            if self.count % 20 == 10:
                raise SystemExit(f"at {self.count}")
    class Asynchronous(Plain):
        async def heard(self, participant, block):
            super().heard(participant, block)
    '''
    name = script(tmp_path, text)
    report = run(
        tmp_path,
        {"call": {"plugin": "LoopbackCall", "settings": {"script": "Ana 0s microphone=660"}},
         "outputs": [{"plugin": f"{name}#Plain"}, {"plugin": f"{name}#Asynchronous"}]},
    )  # fmt: skip
    plain, asynchronous = (
        next(one for one in report["outputPlugins"] if one["plugin"] == plugin)["tracks"][0]["media"]["refused"]
        for plugin in ("Plain", "Asynchronous")
    )
    assert plain == asynchronous and plain["FAILED"] >= 4


# Programs that connect


def program(folder: pathlib.Path, text: str) -> subprocess.Popen[str]:
    (folder / "program.py").write_text("import greenroom\n" + textwrap.dedent(text))
    return subprocess.Popen(
        [sys.executable, str(folder / "program.py")], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ,
        # A shell ignores SIGINT in what it starts in the background, such as these tests.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def connected(folder: pathlib.Path) -> dict[str, Any]:
    socket = {"connect": str(folder / "bot.sock")}
    return {
        "session": {"maximum": "640x360@30", "name": "t"}, "camera": dict(socket),
        "microphone": dict(socket),
        "outputs": [{"record": {"folder": str(folder / "recording"), "overwrite": True}}],
    }  # fmt: skip


BOTH = COUNTER + """
    class Beep(greenroom.Microphone):
        def fill(self, block):
            memoryview(block.samples)[0, 0] = 5000
        def stop(self):
            print("stopped", flush=True)
        def close(self):
            print("closed", flush=True)
    if __name__ == "__main__":
        try:
            greenroom.connect("bot.sock", Counter, Beep)
            print("ended in order")
        except KeyboardInterrupt:
            print("interrupted")
"""


async def until(session: greenroom.Session, text: str) -> None:
    async with asyncio.timeout(60):
        async for event in session.events():
            if text in f"{event.role}: {event.text}":
                return
    raise AssertionError(f"the session has ended without {text}")


def test_one_program_can_be_camera_and_microphone(tmp_path: pathlib.Path) -> None:
    async def whole() -> None:
        async with greenroom.Session(connected(tmp_path)) as session:
            first = program(tmp_path, BOTH)
            await until(session, "camera: connected")
            await asyncio.sleep(0.7)
            first.kill()
            await until(session, "camera: disconnected")
            second = program(tmp_path, BOTH)
            await asyncio.sleep(1.5)
            second.send_signal(signal.SIGINT)
            assert second.communicate(timeout=20)[0].split() == ["stopped", "closed", "interrupted"]
            third = program(tmp_path, BOTH)
            await asyncio.sleep(1.5)
            result = await session.stop()
            assert result is not None
            assert "ended in order" in third.communicate(timeout=20)[0]

    asyncio.run(whole())
    shown = lumas(tmp_path)
    # Three lives, each of which counts from the start.
    assert shown.count(20) >= 3 and max(shown) >= 30
    assert not (tmp_path / "bot.sock").exists()


TWO = """
    class First(greenroom.Camera):
        def draw(self, frame):
            pass
    class Second(First):
        pass
    try:
        greenroom.connect("bot.sock", First, Second)
    except greenroom.ConnectionEnded as error:
        print(error)
"""


def test_a_program_with_two_plugins_for_one_place_names_the_fix(tmp_path: pathlib.Path) -> None:
    session = {"camera": {"connect": str(tmp_path / "bot.sock")}}

    async def whole() -> str:
        async with greenroom.Session(session) as own:
            two = program(tmp_path, TWO)
            await until(own, "the program offers First, Second")
        return (await asyncio.to_thread(two.communicate, timeout=60))[0]

    assert asyncio.run(whole()) == (
        "the host disconnected: this program has First and Second for one place of the session. Name one in the session "
        "file, such as connect: bot.sock#First\n"
    )


FORKS = """
    import os
    class Forks(greenroom.Camera):
        def draw(self, frame):
            frame.planes[0].fill(50)
            if os.fork() == 0:
                try:
                    frame.planes[0].fill(200)
                except RuntimeError as error:
                    print(error, flush=True)
                os._exit(0)
            os.wait()
            print("luma", memoryview(frame.planes[0])[0, 0], flush=True)
            self.host.finish()
    greenroom.connect("bot.sock", Forks)
"""


def test_a_forked_process_cannot_write_to_the_frame_of_its_parent(tmp_path: pathlib.Path) -> None:
    session = {"camera": {"connect": str(tmp_path / "bot.sock")}}

    async def whole() -> str:
        async with greenroom.Session(session):
            forks = program(tmp_path, FORKS)
            return (await asyncio.to_thread(forks.communicate, timeout=60))[0]

    first, second = asyncio.run(whole()).splitlines()[:2]
    assert first.startswith("this process was forked from a process that uses Greenroom")
    assert second == "luma 50"


def test_a_program_controls_its_own_and_an_attached_session(tmp_path: pathlib.Path) -> None:
    session = {
        "session": {"maximum": "640x360@30", "name": "steered"}, "camera": {"plugin": "ColorBars"},
        "microphone": {"plugin": "Tone"},
        "outputs": [{"record": {"folder": str(tmp_path / "recording")}}],
    }  # fmt: skip

    async def whole() -> None:
        async with greenroom.Session(session) as own:
            assert own.name is not None and own.name.startswith("steered.")
            # This command has two events.
            assert (await own.command("message hello")).name == "message"
            assert (await own.command("mute")).text == "microphone muted"
            with pytest.raises(greenroom.SessionError):
                await own.command("jump")
            async with greenroom.Session.attach(own.name) as other:
                assert (await other.report())["outcome"] == "running"
                assert "plugins" in await other.describe()
            result = await own.stop()
            assert result is not None and result.exit == 0, result

    asyncio.run(whole())


def test_the_command_stop_of_a_test_session_returns_the_end(tmp_path: pathlib.Path) -> None:
    with TestSession({"camera": {"plugin": "ColorBars"}}, tmp_path) as session:
        session.advance(1)
        for nothing in ("", " ", "# mute"):
            with pytest.raises(ValueError, match=r"session\.command: .* (is empty|is a comment)"):
                session.command(nothing)
        assert session.command("stop").name == "ended"
    assert session.result is not None and session.result.exit == 0


def test_the_command_stop_returns_the_end_and_later_calls_name_the_fix() -> None:
    session = {"session": {"name": "ends"}, "camera": {"plugin": "ColorBars"}}

    async def whole() -> None:
        async with greenroom.Session(session) as own:
            with pytest.raises(ValueError, match="session.command: '' is empty. Pass a command"):
                await own.command("")
            assert (await own.command("stop")).name == "ended"
            assert own.result is not None
            with pytest.raises(greenroom.SessionError, match="has ended, and answers no report. Its result"):
                await own.report()
            with pytest.raises(greenroom.SessionError, match="has ended, and answers no mute"):
                await own.command("mute")
        async with greenroom.Session(session) as own:
            assert own.name is not None
            async with greenroom.Session.attach(own.name) as other:
                assert (await other.command("stop")).name == "ended"

    asyncio.run(whole())


@pytest.mark.parametrize("place", ["start", "wait"])
def test_ctrl_c_ends_a_session_in_order(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    add, wait = greenroom.Session._add, greenroom.Session.wait

    async def interrupted_add(session: greenroom.Session, event: greenroom.Event) -> None:
        if event.name == "started":
            signal.raise_signal(signal.SIGINT)
        await add(session, event)

    async def interrupted_wait(session: greenroom.Session) -> greenroom.Result:
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
        return await wait(session)

    if place == "start":
        monkeypatch.setattr(greenroom.Session, "_add", interrupted_add)
    else:
        monkeypatch.setattr(greenroom.Session, "wait", interrupted_wait)
    session = {"camera": {"plugin": "ColorBars"}, "outputs": [{"record": {"folder": str(tmp_path / "recording")}}]}
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            greenroom.run(session)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert json.loads((tmp_path / "recording" / "session.json").read_text())["outcome"] == "interrupted"


def test_a_canceled_wait_disturbs_no_session() -> None:
    async def whole() -> None:
        session = {"camera": {"plugin": "ColorBars"}, "microphone": {"plugin": "Tone"}}
        async with greenroom.Session(session) as own:
            assert own.name is not None
            async with greenroom.Session.attach(own.name) as other:
                for waits in (asyncio.create_task(own.wait()), asyncio.create_task(other.wait())):
                    await asyncio.sleep(0)
                    waits.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await waits
                assert (await own.command("mute")).text == "microphone muted"
                await own.stop()
                assert "commanded" in [event.name async for event in other.events()]

    asyncio.run(whole())


def test_the_event_loop_gets_the_exit_status_of_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    polls: list[str] = []
    monkeypatch.setattr(subprocess.Popen, "poll", lambda process: polls.append("polled"))

    async def whole() -> None:
        async with greenroom.Session({"camera": {"plugin": "ColorBars"}}) as session:
            pass
        assert session.result is not None and session.result.outcome == "interrupted"

    asyncio.run(whole())
    # A poll could take the status before the loop does.
    assert polls == []


#: A request to a stand-in for a session, and its connection.
Request = tuple[str, asyncio.StreamWriter]


@contextlib.asynccontextmanager
async def stand_in(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[asyncio.Queue[Request]]:
    """A socket whose requests the test answers."""
    requests: asyncio.Queue[Request] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for line in reader:
            await requests.put((line.decode().strip(), writer))
        writer.close()

    path = str(folder / "session.socket")
    monkeypatch.setattr(_session, "_find", lambda name: path)
    server = await asyncio.start_unix_server(serve, path)
    try:
        yield requests
    finally:
        server.close()


def answer(request: Request, line: int, text: str) -> None:
    event = {"event": "commanded", "origin": f"control client 1, line {line}", "text": text}
    request[1].write(json.dumps(event).encode() + b"\n")


async def attach(requests: asyncio.Queue[Request]) -> greenroom.Session:
    session = greenroom.Session.attach("call")
    enters = asyncio.create_task(session.__aenter__())
    assert (await requests.get())[0] == "events"
    request = await requests.get()
    assert request[0] == "status" and not enters.done()
    request[1].write(b'{"event": "note"}\n{"event": "status", "session": "call.1"}\n')
    return await enters


def test_attaching_waits_until_the_session_sends_its_events(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def whole() -> None:
        async with stand_in(tmp_path, monkeypatch) as requests:
            session = await attach(requests)
            assert session.name == "call.1"
            assert (await anext(session.events())).name == "note"
            await session.__aexit__()
            refused = asyncio.create_task(greenroom.Session.attach("call").__aenter__())
            await requests.get()
            request = await requests.get()
            request[1].write(b'{"event": "control-error", "text": "8 programs follow the events"}\n')
            with pytest.raises(greenroom.SessionError, match="8 programs follow the events"):
                await refused

    asyncio.run(whole())


def test_a_request_gets_no_answer_to_a_canceled_one(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def whole() -> None:
        async with stand_in(tmp_path, monkeypatch) as requests:
            session = await attach(requests)
            canceled = asyncio.create_task(session.command("mute"))
            late = await requests.get()
            canceled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await canceled
            with monkeypatch.context() as limits:
                limits.setattr(_session, "ANSWER_SECONDS", 0)
                with pytest.raises(greenroom.SessionError, match="request 'mute': the session call.1 has not answered"):
                    await session.command("mute")
            answer(late, 1, "microphone muted")
            report = asyncio.create_task(session.command("unmute"))
            request = await requests.get()
            answer(request, 1, "microphone unmuted")
            assert (await report).text == "microphone unmuted"
            await session.__aexit__()

    asyncio.run(whole())


def test_a_session_that_is_not_open_names_the_fix() -> None:
    async def whole() -> None:
        for session in (greenroom.Session({}), greenroom.Session.attach("call")):
            for call in (session.wait(), session.report(), session.stop(), session.command("mute"), session.command("stop")):
                with pytest.raises(greenroom.SessionError, match="is not open. Use it inside async with"):
                    await call

    asyncio.run(whole())


def test_a_session_whose_program_is_killed_ends_in_order(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "recording"
    program = f"""
        import asyncio, greenroom
        session = {{"camera": {{"plugin": "ColorBars"}}, "outputs": [{{"record": {{"folder": {str(folder)!r}}}}}]}}
        async def whole():
            async with greenroom.Session(session) as own:
                print(own.name, flush=True)
                await own.wait()
        asyncio.run(whole())
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        host = os.pidfd_open(int(process.stdout.readline().rpartition(b".")[2]))
        process.kill()
    select.select([host], [], [])
    os.close(host)
    assert json.loads((folder / "session.json").read_text())["outcome"] == "interrupted"


def test_an_error_about_a_session_names_the_fault() -> None:
    with pytest.raises(greenroom.SessionError, match="camera: needs one of the keys"):
        greenroom.run({"camera": {}})
    broken = {"camera": {"plugin": "ColorBars"}, "outputs": [{"record": {"folder": "/proc/nowhere"}}]}
    with pytest.raises(greenroom.SessionError, match="^greenroom: /proc/nowhere/: cannot make this folder"):
        greenroom.run(broken)


# The host's clock by hand


NEWS = """
    class News(greenroom.Agent):
        '''Writes down what it learns.'''
        def __init__(self):
            self.news = []
        def add(self, text):
            self.log("NEWS " + text)
        async def joined(self, participant):
            self.add(participant.name + " joined")
        async def left(self, participant):
            self.add(participant.name + " left")
        async def speaking(self, participant):
            self.add((participant.name if participant else "nobody") + " speaks")
        async def message(self, author, text):
            self.add(author + " writes " + text)
            if author == "Operator":
                self.send_message("good day")
"""


def test_an_agent_learns_who_is_there_speaks_and_writes(tmp_path: pathlib.Path) -> None:
    bot = {"plugin": str(tmp_path / script(tmp_path, NEWS))}
    session = {
        "session": {"maximum": "320x180@15", "name": "t"}, "microphone": dict(bot),
        "call": {"plugin": "LoopbackCall",
                 "settings": {"script": "Ana 0s microphone mute=1s; Ben 1s-2s camera"}},
        "outputs": [{**bot, "allow": {"control": True}}],
    }  # fmt: skip

    def news(call: TestSession) -> list[str]:
        texts = [str(event.text) for event in call.events if event.name == "log"]
        return [text.removeprefix("NEWS ") for text in texts if text.startswith("NEWS ")]

    with TestSession(session, tmp_path) as call:
        call.advance(1.6)
        assert news(call) == ["Ana joined", "Ana speaks", "Ben joined", "nobody speaks"]
        call.command("message from Cem: good morning")
        call.command("message hello")
        call.advance(1)
        assert news(call)[4:] == [
            "Cem writes good morning", "Operator writes hello", "Ben left"
        ]
        with pytest.raises(greenroom.SessionError, match="needs 1 to 2000 bytes"):
            call.command("message")
    messages = [event.data for event in call.events if event.name == "message"]
    assert [(event.get("author"), event["text"]) for event in messages] == [
        ("Cem", "good morning"), (None, "hello"), ("News", "good day"),
    ]  # fmt: skip


CAPTIONS = """
    class Captions(greenroom.{base}):
        '''Writes captions.'''
        is_done = False
        def {method}(self, owner, block):
            if self.is_done:
                return
            self.is_done = True
            for name, text, start, end in [
                ("Ana", "Shall <we> start?", 0, 500), (None, "Yes.", 500, 750),
                ("Ana", "", 0, 500), ("Ana", "x" * 1001, 0, 500), ("Ana", "Long", 0, 60001),
                ("Ana", "Nul" + chr(0), 0, 500),
            ]:
                try:
                    self.host.add_caption(
                        text, name, start_ns=block.pts_ns + start * 10**6,
                        end_ns=block.pts_ns + end * 10**6)
                except (greenroom.Refused, ValueError) as error:
                    self.log("REFUSED " + str(error.args[-1]))
"""


@pytest.mark.parametrize(("base", "method"), [("Agent", "heard"), ("Output", "audio")])
def test_captions_of_agents_and_outputs_become_captions_of_the_session(
    tmp_path: pathlib.Path, base: str, method: str
) -> None:
    text = CAPTIONS.replace("{base}", base).replace("{method}", method)
    bot = {"plugin": str(tmp_path / script(tmp_path, text))}
    session = {
        "session": {"maximum": "320x180@15", "name": "t"},
        "call": {"plugin": "LoopbackCall", "settings": {"script": "Ana 0s microphone=440"}},
        "outputs": [bot],
    }
    if base == "Agent":
        session["microphone"] = dict(bot)
    with TestSession(session, tmp_path) as call:
        call.advance(1)
    captions = [event.data for event in call.events if event.name == "caption"]
    lasting = [(one.get("speaker"), one["text"], round(one["end"] - one["start"], 3)) for one in captions]
    assert lasting == [("Ana", "Shall <we> start?", 0.5), (None, "Yes.", 0.25)]
    logs = [str(event.text) for event in call.events if event.name == "log"]
    refused = [one.removeprefix("REFUSED ") for one in logs if one.startswith("REFUSED ")]
    assert len(refused) == 4, refused
    assert "a caption has 1 to 1000" in refused[0] and "has 1001 bytes" in refused[1]
    assert "60 s" in refused[2] and "null character" in refused[3]


def test_a_session_that_is_advanced_by_hand_is_exact(tmp_path: pathlib.Path) -> None:
    camera = {"plugin": str(tmp_path / script(tmp_path, COUNTER))}
    session = {"session": {"maximum": "320x180@15", "name": "t"}, "camera": camera}
    with TestSession(session, tmp_path) as call:
        call.advance(1)
        call.command("set camera.settings.start-at=100")
        call.advance(1)
    assert call.result is not None and call.result.exit == 0, call.result
    shown = [memoryview(frame.planes[0])[0, 0] for frame in call.frames()]
    assert shown[:30] == list(range(20, 35)) + list(range(115, 130))
    with pytest.raises(greenroom.SessionError, match="needs one of the keys"):
        TestSession({"camera": {}}, tmp_path).__enter__()


def test_plugin_info_shows_a_script(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    file = tmp_path / script(tmp_path, COUNTER)
    info = subprocess.run(
        [str(host_program()), "plugin", "info", file.name], cwd=tmp_path, capture_output=True, text=True
    )
    assert info.returncode == 0, info.stderr
    assert "Counter 1.0.0, a video source\n  Counts." in info.stdout
    assert "start-at  integer 0 to 200" in info.stdout and "runs in a separate process\n" in info.stdout


def test_the_list_and_the_schema_show_the_settings_of_a_script(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    file = "./" + script(tmp_path, COUNTER)

    def output(*command: str) -> Any:
        return json.loads(
            subprocess.run(
                [str(host_program()), *command], cwd=tmp_path, capture_output=True, text=True, check=True
            ).stdout
        )

    (plugin,) = output("plugins", "--json", file)["plugins"]
    assert [setting["name"] for setting in plugin["settings"]] == ["start-at"], plugin
    definitions = output("schema", file)["$defs"]
    (rule,) = definitions["camera"]["allOf"]
    assert rule["if"]["properties"]["plugin"]["enum"] == [f"{file}#Counter", file]
    assert "allOf" not in definitions["output"]
    settings = rule["then"]["properties"]["settings"]
    assert settings["additionalProperties"] is False
    start = settings["properties"]["start-at"]
    assert (start["type"], start["minimum"], start["maximum"]) == ("integer", 0, 200)


def test_a_script_passes_the_validator(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    file = tmp_path / script(tmp_path, COUNTER)
    checks = ["load.loads", "load.quiet", "load.leaks", "parameter.unknown", "robustness.identical"]
    only = [word for check in checks for word in ("--only", check)]
    run = subprocess.run(
        [str(host_program()), "validate", *only, str(file)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "conforms: 2 passed, 3 skipped" in run.stdout, run.stdout


def test_the_advice_for_installing_a_script_is_its_path(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    file = tmp_path / script(tmp_path, COUNTER)
    install = subprocess.run(
        [str(host_program()), "plugin", "install", str(file)],
        capture_output=True,
        text=True,
        env=os.environ | {"HOME": str(tmp_path)},
    )
    assert install.returncode == 64
    assert "is not installed. Name its path in the session file, such as plugin: ./plugin.py" in install.stderr


KINDS = [
    ("camera", "draw"), ("share", "draw"), ("microphone", "fill"), ("share-audio", "fill"),
    ("pre-processor", "edit"), ("audio-pre-processor", "edit"), ("output", "video"), ("speaker", "audio"),
    ("receiver", "seen"), ("composer", "compose"), ("bot", "speaking"),
]  # fmt: skip


def test_each_new_package_passes_the_validator(tmp_path: pathlib.Path) -> None:
    is_nightly = "GREENROOM_NIGHTLY" in os.environ

    def validate(kind: str) -> str:
        subprocess.run(
            [str(host_program()), "new", kind, f"my-{kind}", "--language", "python"], cwd=tmp_path, check=True,
            capture_output=True,
        )  # fmt: skip
        folder = tmp_path / f"my-{kind}"
        (folder / ".venv").symlink_to(sys.prefix)
        line = f"greenroom validate ./my-{kind}.py"
        assert line in (folder / "README.md").read_text()
        arguments = [*line.split()[1:], *([] if is_nightly else ["--only", "lifecycle,parameter"])]
        run = subprocess.run([str(host_program()), *arguments], cwd=folder, capture_output=True, text=True)
        # A busy machine proves less.
        assert run.returncode in (0, 75), run.stdout + run.stderr
        return run.stdout

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (kind, _), text in zip(KINDS, pool.map(validate, [kind for kind, _ in KINDS]), strict=True):
            warnings = re.findall(r"^  warning +(\S+)", text, re.MULTILINE)
            # A bot is silent until somebody speaks.
            assert warnings == (["audio.level"] if kind == "bot" and is_nightly else []), text


@pytest.mark.parametrize("kind, method", KINDS)
def test_the_test_of_a_new_package_calls_the_plugin(tmp_path: pathlib.Path, kind: str, method: str) -> None:
    subprocess.run(
        [str(host_program()), "new", kind, "my-own", "--language", "python"], cwd=tmp_path, check=True,
        capture_output=True,
    )  # fmt: skip
    for breaks in (False, True):
        if breaks:
            source = tmp_path / "my-own/my-own.py"
            begins = re.compile(rf'(def {method}\(.*\n(?:        """.*\n)?)')
            source.write_text(begins.sub(r"\1        raise ValueError('broken')\n", source.read_text()))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=tmp_path / "my-own",
            capture_output=True, text=True,
        )  # fmt: skip
        assert ("1 passed" in done.stdout) is not breaks, done.stdout
        assert ("ValueError: broken" in done.stdout) is breaks, done.stdout
