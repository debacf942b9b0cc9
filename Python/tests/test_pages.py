"""The Python code on the pages of the manual and the book, as written."""

from __future__ import annotations

import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any

import pytest
from greenroom._program import host_program
from greenroom.testing import TestHost, TestSession

DOCS = pathlib.Path(__file__).parents[2] / "docs"

pytestmark = pytest.mark.skipif(host_program() is None, reason="needs the program greenroom")


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (DOCS / f"{page}.md").read_text(), re.S | re.M)


def write(folder: pathlib.Path, text: str) -> str:
    """A script, with the page's interpreter beside it."""
    (folder / "plugin.py").write_text(text)
    return str(folder / "plugin.py")


def run(folder: pathlib.Path, text: str) -> str:
    """The output of a program of a page."""
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def write_session(folder: pathlib.Path, duration: str = "2s") -> None:
    session = {
        "session": {"maximum": "320x180@15", "duration": duration, "name": "bars"},
        "camera": {"plugin": "ColorBars"}, "microphone": {"plugin": "Tone"},
        "outputs": [{"record": {"folder": "recording", "overwrite": True}}],
    }  # fmt: skip
    (folder / "session.yaml").write_text(json.dumps(session))


ALL = [
    (page, number)
    for page in sorted(str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*.md"))
    for number in range(len(blocks(page)))
]


@pytest.mark.parametrize("page, number", ALL)
def test_every_block_compiles(page: str, number: int) -> None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    compile(blocks(page)[number], f"{page}.md", "exec", flags=flags, dont_inherit=True)


def test_the_test_of_a_filter_passes(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_page.py").write_text(blocks("book/test-a-plugin")[0])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_page.py"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def names(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": "page"}
    exec(compile(text, "page", "exec", dont_inherit=True), found)
    return found


def test_stripes_drift_across_or_down() -> None:
    stripes = names(blocks("book/add-settings")[0])["Stripes"]
    for direction, other in (("across", (0, 40)), ("down", (40, 0))):
        settings = {"direction": direction, "speed": 32}
        with TestHost(stripes, settings, fps=1) as host:
            host.advance(1.5)
        first, second = (memoryview(frame.planes[0]) for frame in host.frames)
        assert (first[0, 0], second[0, 0]) == (180, 60), direction
        assert first[other] == 60 and second[other] == 180, direction


def test_the_filters_invert_and_silence() -> None:
    pytest.importorskip("numpy")
    video, audio = blocks("book/write-a-filter")
    with TestHost(names(video)["Negative"]) as host:
        assert memoryview(host.edit(host.picture(luma=51)).planes[0])[0, 0] == 200
        host.set("strength", 50)
        assert memoryview(host.edit(host.picture(luma=51)).planes[0])[0, 0] == 125
    loud = b"\x00\x04" * 960
    with TestHost(names(audio)["Gate"]) as host:
        assert host.edit_audio(loud) == loud
        assert host.edit_audio(b"\x00\x01" * 960) == bytes(1920)


def test_the_parrot_answers_and_is_interrupted(tmp_path: pathlib.Path) -> None:
    parrot = next(text for text in blocks("book/python") if "class Parrot" in text)
    answer = "import greenroom\nanswer = b'\\0\\x20' * 32000\n"  # 2 s
    bot = {"plugin": write(tmp_path, answer + parrot)}
    session = {
        "session": {"maximum": "320x180@15", "name": "t"}, "microphone": dict(bot),
        "call": {"plugin": "LoopbackCall", "settings": {
            "script": "Ana 0s microphone mute=1s; Ben 0s microphone=330 mute=0s-2s",
        }},
        "outputs": [bot],
    }  # fmt: skip
    with TestSession(session, tmp_path) as running:
        running.advance(4)
    samples = running.samples()
    spoken = [second for second in range(40) if any(samples[second * 4800 + i, 0] for i in range(4800))]
    # Ana is silent from 1 s on, and Ben begins at 2 s.
    assert 11 <= spoken[0] <= 16 and 20 <= spoken[-1] <= 23, spoken
    assert spoken == list(range(spoken[0], spoken[-1] + 1))


def test_the_output_logs_and_reports_the_brightness(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("numpy")
    session = {
        "session": {"maximum": "320x180@15", "name": "t"}, "camera": {"plugin": "ColorBars"},
        "outputs": [{"plugin": write(tmp_path, blocks("book/take-media")[0])}],
    }  # fmt: skip
    with TestSession(session, tmp_path) as running:
        running.advance(3)
    report = json.loads((tmp_path / "recording/session.json").read_text())
    assert 16 < report["outputPlugins"][0]["values"]["brightness"] < 235
    assert any(str(event.text).startswith("frame 1: ") for event in running.events)


def test_a_program_runs_and_follows_a_session(tmp_path: pathlib.Path) -> None:
    write_session(tmp_path)
    lines = run(tmp_path, blocks("manual/embed-a-session")[0]).splitlines()
    assert any(" commanded " in line for line in lines), lines
    assert lines[-1].startswith("finished {'camera': "), lines


def test_a_program_runs_a_session_on_the_virtual_clock(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, blocks("manual/commands")[0]) == "0 finished\n"
    assert (tmp_path / "recording/camera.y4m").exists()


def test_a_program_reads_the_report(tmp_path: pathlib.Path) -> None:
    write_session(tmp_path)
    lines = run(tmp_path, blocks("manual/report")[0]).splitlines()
    assert lines[0].startswith("camera ") and lines[-1].startswith("{'camera': "), lines


def test_a_program_controls_a_session_that_runs(tmp_path: pathlib.Path) -> None:
    write_session(tmp_path, "1h")
    program = blocks("manual/change-a-session")[0]
    # The path of a socket is short, and that of tmp_path is not.
    with tempfile.TemporaryDirectory() as runtime, subprocess.Popen(
        [str(host_program()), "run", "session.yaml", "--json"], cwd=tmp_path,
        env=os.environ | {"XDG_RUNTIME_DIR": runtime}, stdout=subprocess.PIPE, text=True,
    ) as host:  # fmt: skip
        assert host.stdout is not None
        for line in host.stdout:
            if json.loads(line)["event"] == "started":
                break
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
            env=os.environ | {"XDG_RUNTIME_DIR": runtime},
        )  # fmt: skip
        host.terminate()
        host.stdout.read()
    assert done.returncode == 0 and "'grey'" in done.stdout, done.stdout + done.stderr
