"""Pipelines of pipecat in a call and in a room: speech detection, echo, interruption, and a camera. Needs pipecat-ai."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import pathlib
import sys
import wave
from typing import Any

import greenroom
import pytest
import yaml
from greenroom._program import host_program

pytest.importorskip("pipecat")
import numpy

from greenroom.pipecat import GreenroomParams, GreenroomTransport
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    EndFrame,
    Frame,
    OutputAudioRawFrame,
    OutputImageRawFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

pytestmark = pytest.mark.skipif(host_program() is None, reason="needs the program greenroom")
ROOT = pathlib.Path(__file__).parents[2]
SAMPLE = ROOT / "Samples" / "python" / "pipecat_echo.py"
PEER = ROOT / "Tests" / "WebRoom" / "peer.py"
VOICES = pathlib.Path(os.environ.get("GREENROOM_VOICES", "/usr/share/sounds/alsa"))


def sample() -> Any:
    """The module of the sample."""
    spec = importlib.util.spec_from_file_location("pipecat_echo", SAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class News(FrameProcessor):
    """Keeps when speech begins and ends, and how long the echo is."""

    def __init__(self) -> None:
        super().__init__()
        self.news: list[str] = []
        self.seconds = 0.0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, VADUserStartedSpeakingFrame):
            self.news.append("begins")
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self.news.append("ends")
        elif isinstance(frame, OutputAudioRawFrame):
            self.seconds += len(frame.audio) / 32000
        await self.push_frame(frame, direction)


def likeness(heard: Any, said: Any) -> float:
    """The correlation of what is said with the part of what is heard that resembles it most."""
    length = len(heard) + len(said)
    products = numpy.fft.irfft(numpy.fft.rfft(heard, length) * numpy.conj(numpy.fft.rfft(said, length)), length)
    power = numpy.concatenate([[0.0], numpy.cumsum(heard**2)])
    windows = power[len(said) :] - power[: -len(said)]
    scale = numpy.sqrt(windows * numpy.sum(said**2)) + 1
    return float(numpy.max(products[: len(windows)] / scale))


async def converse(session: dict[str, Any], folder: pathlib.Path) -> None:
    """Runs the room, the bot, and a guest who ends after the second answer: they may join amid their words."""
    async with asyncio.timeout(120), greenroom.Session(session) as room:
        bot = await asyncio.create_subprocess_exec(
            sys.executable, SAMPLE, folder / "bot.sock", stderr=asyncio.subprocess.PIPE
        )
        url = await anext(event.text or "" async for event in room.events() if event.data.get("state") == "live")
        guest = await asyncio.create_subprocess_exec(
            "/usr/bin/python3", PEER, "talk", url, "guest-token-1234567", "Ana", folder / "speech",
            folder / "heard",
        )  # fmt: skip
        assert await guest.wait() == 0
        await room.stop()
        # The bot ends with the session.
        _, log = await bot.communicate()
        assert bot.returncode == 0, log.decode()


def test_a_guest_of_a_room_hears_what_they_have_said(tmp_path: pathlib.Path) -> None:
    voices = {}
    for name in ("Front_Center", "Rear_Left", "Side_Right"):
        with wave.open(str(VOICES / f"{name}.wav")) as file:
            assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (48000, 1, 2)
            voices[name] = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    said = voices["Front_Center"].astype("<i2").tobytes()
    (tmp_path / "speech").write_bytes(said + bytes(4 * 96000))
    session = {
        **yaml.safe_load(SAMPLE.with_suffix(".yaml").read_text()),
        "call": {"plugin": "WebRoom", "settings": {"guest-token": "guest-token-1234567"}},
    }
    session["microphone"]["connect"] = session["outputs"][0]["connect"] = str(tmp_path / "bot.sock")
    asyncio.run(converse(session, tmp_path))
    heard = numpy.frombuffer((tmp_path / "heard").read_bytes(), "<i2").astype(float)
    alike = {name: likeness(heard, voice) for name, voice in voices.items()}
    assert alike["Front_Center"] > 2 * max(alike["Rear_Left"], alike["Side_Right"], 0.15), alike


def test_a_pipeline_hears_speech_and_echoes_it(tmp_path: pathlib.Path) -> None:
    socket = {"connect": str(tmp_path / "bot.sock")}
    session = {
        "session": {"maximum": "320x180@15", "name": "pipecat"},
        "camera": dict(socket), "microphone": dict(socket),
        "call": {
            "plugin": "LoopbackCall",
            "settings": {"voices": str(VOICES), "script": "Ana 0s say=Front_Center@4s"},
        },
        "outputs": [dict(socket), {"record": {"folder": str(tmp_path / "recording")}}],
    }  # fmt: skip
    news: list[str] = []
    echo, follower = sample().Echo(), News()

    async def whole() -> None:
        transport = GreenroomTransport(
            tmp_path / "bot.sock",
            GreenroomParams(
                audio_in_enabled=True, audio_out_enabled=True, video_out_enabled=True,
                video_out_width=320, video_out_height=180, audio_out_end_silence_secs=0,
            ),
        )  # fmt: skip

        @transport.event_handler("on_first_participant_joined")
        async def joined(transport: Any, participant: greenroom.Participant) -> None:
            news.append(f"{participant.name} joined")

        @transport.event_handler("on_active_speaker_changed")
        async def speaks(transport: Any, participant: greenroom.Participant | None) -> None:
            news.append(f"{participant.name if participant else 'nobody'} speaks")

        pipeline = Pipeline(
            [
                transport.input(), VADProcessor(vad_analyzer=SileroVADAnalyzer()), echo, follower,
                transport.output(),
            ]  # fmt: skip
        )
        worker = PipelineWorker(
            pipeline,
            params=PipelineParams(audio_in_sample_rate=16000, audio_out_sample_rate=16000),
            enable_rtvi=False,
        )
        async with greenroom.Session(session) as running:
            runner = WorkerRunner(handle_sigint=False)
            await runner.add_workers(worker)
            task = asyncio.create_task(runner.run())
            async with asyncio.timeout(60):
                await worker.queue_frame(
                    OutputImageRawFrame(image=bytes([200, 30, 30]) * 320 * 180, size=(320, 180), format="RGB")
                )
                while "ends" not in follower.news:
                    await asyncio.sleep(0.05)
                await asyncio.sleep(follower.seconds + 1)
            await worker.queue_frame(EndFrame())
            await asyncio.wait_for(task, 20)
            await running.stop()

    asyncio.run(whole())
    assert news[:2] == ["Ana joined", "Ana speaks"]
    assert follower.news[:2] == ["begins", "ends"]
    with wave.open(str(tmp_path / "recording" / "camera.wav")) as sound:
        samples = memoryview(sound.readframes(sound.getnframes())).cast("h")
    loud = sum(abs(sample) > 1000 for sample in samples)
    assert loud > 3000, loud
    picture = (tmp_path / "recording" / "camera.y4m").read_bytes()
    luma = picture[-320 * 180 * 3 // 2]
    assert 60 < luma < 100, luma
