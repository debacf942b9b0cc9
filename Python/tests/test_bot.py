"""Bots on the virtual clock: the assistant with recorded voices, and everything on the page *A bot from start
to finish*."""

from __future__ import annotations

import array
import asyncio
import contextlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import wave
from typing import Any

import greenroom
import pytest
from greenroom._program import _libraries, host_program
from greenroom.testing import TestHost, TestSession

CHECKOUT = pathlib.Path(__file__).parents[2]
SAMPLES = CHECKOUT / "Samples" / "python"
PAGE = CHECKOUT / "docs" / "book" / "a-bot.md"
# Tests/Python/run.sh names another folder on a machine without the documentation of alsa-utils.
VOICES = pathlib.Path(os.environ.get("GREENROOM_VOICES", "/usr/share/sounds/alsa"))

# The assistant's transcript after Ben interrupts the answer to Ana.
SAID = [
    ("Ana", "front center"), ("Assistant", "Ana said front center"),
    ("Assistant", "interrupted by Ben"), ("Ben", "front left"), ("Assistant", "Ben said front left"),
]  # fmt: skip

pytestmark = pytest.mark.skipif(host_program() is None, reason="needs the program greenroom")


def peaks(samples: memoryview, seconds: float = 0.01) -> list[int]:
    """The peak of each stretch of a recording's first channel."""
    count = round(48000 * seconds)
    return [
        max(abs(samples[index, 0]) for index in range(start, start + count))
        for start in range(0, len(samples) - count + 1, count)
    ]


def test_the_assistant_answers_and_is_interrupted(tmp_path: pathlib.Path) -> None:
    for module in ("webrtcvad", "pocketsphinx", "espeakng_loader"):
        pytest.importorskip(module)
    bot = {"plugin": str(SAMPLES / "assistant.py")}
    (tmp_path / "notes").mkdir()
    interruption = 3.5
    session = {
        "session": {"maximum": "320x180@15", "name": "t"},
        "microphone": dict(bot),
        "call": {
            "plugin": "LoopbackCall",
            "settings": {
                "voices": str(VOICES),
                "script": f"Ana 0s say=Front_Center@1s; Ben 0s say=Front_Left@{interruption}s",
            },
        },
        "outputs": [
            {**bot, "settings": {"transcript": str(tmp_path / "notes/transcript.jsonl")},
             "allow": {"write": [str(tmp_path / "notes")]}},
        ],
    }  # fmt: skip
    with TestSession(session, tmp_path) as call:
        call.advance(8)
    lines = [json.loads(line) for line in (tmp_path / "notes/transcript.jsonl").read_text().splitlines()]
    assert [(line["who"], line["text"].partition(",")[0]) for line in lines] == SAID
    voice, ben = peaks(call.samples()), peaks(call.samples("ben-microphone"))
    begins = next(index for index, peak in enumerate(ben) if peak > 100)
    assert max(voice[begins - 20 : begins]) > 1000, "the assistant speaks when Ben begins"
    # From the first sample of the interrupter to silence: under 200 ms.
    assert max(voice[begins + 20 : begins + 60]) < 50
    assert max(voice) > 3000


def spoken(name: str) -> bytes:
    """A voice at 16 kHz."""
    with wave.open(str(VOICES / f"{name}.wav")) as file:
        samples = memoryview(file.readframes(file.getnframes())).cast("h")
    return array.array("h", [sum(samples[i : i + 3]) // 3 for i in range(0, len(samples) - 2, 3)]).tobytes()


def test_the_assistant_is_silent_50_ms_after_an_interruption(tmp_path: pathlib.Path) -> None:
    for module in ("webrtcvad", "pocketsphinx", "espeakng_loader"):
        pytest.importorskip(module)
    spec = importlib.util.spec_from_file_location("assistant", SAMPLES / "assistant.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pause = bytes(32000)
    with TestHost(module.Assistant, {"transcript": tmp_path / "transcript.jsonl"}) as host:
        ana, ben = host.join("Ana"), host.join("Ben")
        host.say(ana, spoken("Front_Center") + pause)
        assert host.plugin.voice.is_speaking
        begins = host.time
        host.say(ben, spoken("Front_Left") + pause)
        host.advance(4)
    lines = [json.loads(line) for line in (tmp_path / "transcript.jsonl").read_text().splitlines()]
    assert [(line["who"], line["text"].partition(",")[0]) for line in lines] == SAID
    loud = [block.time for block in host.audio if max(map(abs, memoryview(block.pcm).cast("h"))) > 200]
    assert any(begins - 0.1 < time < begins for time in loud)
    assert not any(begins + 0.2 < time < begins + 1 for time in loud)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.S | re.M)


def write_page(folder: pathlib.Path) -> None:
    for name, text in zip(("bot.py", "test_bot.py"), blocks("python"), strict=True):
        (folder / name).write_text(text)
    names = ("session.yaml", "room.yaml", "swift.yaml", "program.yaml")
    for name, text in zip(names, blocks("yaml"), strict=True):
        (folder / name).write_text(text)
    os.symlink(sys.prefix, folder / ".venv")


def test_the_tests_of_the_page_pass(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("yaml")
    write_page(tmp_path)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_bot.py"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "2 passed" in run.stdout, run.stdout + run.stderr


def test_the_session_of_the_page_chimes_for_each_speaker(tmp_path: pathlib.Path) -> None:
    write_page(tmp_path)
    run = subprocess.run(
        [str(host_program()), "run", "session.yaml", "--virtual-clock", "--json"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert [event["text"] for event in events if event["event"] == "message"] == [
        "Ana, your time is over.", "Ben, your time is over.",
    ]  # fmt: skip
    check = subprocess.run(
        [str(host_program()), "check", "session.yaml"], cwd=tmp_path, capture_output=True, text=True
    )
    assert check.returncode == 0, check.stdout + check.stderr


def test_two_values_of_an_agents_setting_are_an_error(tmp_path: pathlib.Path) -> None:
    write_page(tmp_path)

    def check(camera: float, *outputs: float) -> str:
        part = {"plugin": "./bot.py"}
        session = {
            "session": {"maximum": "320x180@15"},
            "camera": {**part, "settings": {"limit": camera}},
            "microphone": part,
            "outputs": [{**part, "settings": {"limit": limit}} for limit in outputs],
        }
        (tmp_path / "parts.yaml").write_text(json.dumps(session))
        return subprocess.run(
            [str(host_program()), "check", "parts.yaml"], cwd=tmp_path, capture_output=True, text=True
        ).stderr

    assert "outputs[0].settings.limit: camera has another value, and both are parts of Timekeeper" in check(2, 3)
    # A second output is another agent.
    assert "another value" not in check(2, 2, 3)


def test_a_preview_runs_all_parts_of_an_agent(tmp_path: pathlib.Path) -> None:
    write_page(tmp_path)

    def preview(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(host_program()), "preview", "bot.py", "--duration", "3s", "--virtual-clock", *options],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip

    run = preview("--set", "limit=2", "--maximum", "320x180@15", "--snapshot", "bot.png")
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert lines[0] == "Timekeeper 1.0.0, an agent (camera, microphone, output), in a separate process"
    assert any(line.endswith("Ana, your time is over.") for line in lines), run.stdout
    heads = [line for line in lines if line in ("camera:", "microphone:", "output:")]
    assert heads == ["camera:", "microphone:", "output:"], run.stdout
    assert any(line.startswith("  frames") and "sent 45" in line for line in lines), run.stdout
    assert any(line.startswith("  ana-microphone") and "taken 300" in line for line in lines), run.stdout
    assert (tmp_path / "bot.png").read_bytes()[:4] == b"\x89PNG"
    wrong = preview("--set", "limit=0")
    assert wrong.returncode == 64 and wrong.stderr.count("--set limit=0") == 1, wrong.stderr


def test_a_preview_follows_the_modules_of_a_script(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "looks" / "deep").mkdir(parents=True)
    for package in ("looks", "looks/deep"):
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "looks" / "deep" / "shade.py").write_text("SHADE = 50\n")
    (tmp_path / "tools.py").write_text("from looks.deep.shade import SHADE\n")
    (tmp_path / "notes.txt").write_text("not a module")
    (tmp_path / "camera.py").write_text(
        "import greenroom, tools\n"
        "class Plain(greenroom.Camera):\n"
        "    def start(self):\n"
        "        self.log(f'shade {tools.SHADE}')\n"
        "    def draw(self, frame):\n"
        "        frame.planes[0].fill(tools.SHADE)\n"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.py").symlink_to(tmp_path / "camera.py")
    command = [str(host_program()), "preview", "elsewhere/link.py", "--watch", "--maximum", "320x180@15"]
    with subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None

        def until(text: str) -> list[str]:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                lines.append(line.rstrip())
                if lines[-1].endswith(text):
                    return lines
            raise AssertionError(lines)

        until("camera: shade 50")
        (tmp_path / "notes.txt").write_text("still not a module")
        (tmp_path / "looks" / "deep" / "shade.py").write_text("SHADE = 90\n")
        changed = [line for line in until("camera: shade 90") if line.endswith("beside it has changed: restarting")]
        assert len(changed) == 1, changed
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    assert process.returncode == 130, process.returncode


def test_the_cxx_program_of_the_page_repeats_speech(tmp_path: pathlib.Path) -> None:
    compiler, library = shutil.which("g++"), _libraries()[0]
    if compiler is None or not os.path.isabs(library):
        pytest.skip("needs g++ and the client library")
    write_page(tmp_path)
    (tmp_path / "parrot.cpp").write_text(blocks("cpp")[0])
    subprocess.run(
        [compiler, "-std=c++17", "-pthread", "-I", str(CHECKOUT / "Sources/GreenroomABI/include"),
         "parrot.cpp", library, f"-Wl,-rpath,{os.path.dirname(library)}", "-o", "parrot"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    session: dict[str, Any] = {
        "session": {"maximum": "320x180@15", "name": "parrot"},
        "microphone": {"connect": str(tmp_path / "bot.sock")},
        "call": {"plugin": "LoopbackCall", "settings": {"script": "Ana 0s microphone"}},
        "outputs": [
            {"connect": str(tmp_path / "bot.sock")},
            {"record": {"folder": str(tmp_path / "recording")}},
        ],
    }

    async def whole() -> None:
        async with greenroom.Session(session) as running, asyncio.timeout(60):
            parrot = await asyncio.create_subprocess_exec("./parrot", cwd=tmp_path)
            async for event in running.events():
                if event.name == "program-connected":
                    break
            # Its voice is in the recording once its samples are in the report.
            level = -100.0
            while level < -30:
                await asyncio.sleep(0.1)
                with contextlib.suppress(greenroom.SessionError):  # it may not have started yet
                    report = await running.report()
                    level = report["audioTracks"][0].get("peakDBFS") or -100.0
            await running.stop()
            assert await parrot.wait() == 0

    asyncio.run(whole())
