"""A pipeline of pipecat in a call: speech detection, echo, interruption, and a camera. Needs pipecat-ai."""

from __future__ import annotations

import asyncio
import os
import pathlib
import wave
from typing import Any

import greenroom
import pytest
from greenroom._program import host_program

pytest.importorskip("pipecat")

from greenroom.pipecat import GreenroomParams, GreenroomTransport
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    EndFrame,
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
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
VOICES = pathlib.Path(os.environ.get("GREENROOM_VOICES", "/usr/share/sounds/alsa"))


class Echo(FrameProcessor):
    """Says again what somebody has said, once they are silent."""

    def __init__(self) -> None:
        super().__init__()
        self.news: list[str] = []
        self.said = bytearray()
        self.is_speaking = False

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, VADUserStartedSpeakingFrame):
            self.news.append("begins")
            self.is_speaking = True
            self.said.clear()
            await self.push_frame(InterruptionFrame())
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self.news.append("ends")
            self.is_speaking = False
            await self.push_frame(
                OutputAudioRawFrame(audio=bytes(self.said), sample_rate=16000, num_channels=1)
            )
        elif isinstance(frame, InputAudioRawFrame):
            if self.is_speaking:
                self.said += frame.audio
            return
        await self.push_frame(frame, direction)


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
    echo = Echo()

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
            [transport.input(), VADProcessor(vad_analyzer=SileroVADAnalyzer()), echo, transport.output()]
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
                while "ends" not in echo.news:
                    await asyncio.sleep(0.05)
                # The echo is as long as what was said.
                await asyncio.sleep(len(echo.said) / 32000 + 1)
            await worker.queue_frame(EndFrame())
            await asyncio.wait_for(task, 20)
            await running.stop()

    asyncio.run(whole())
    assert news[:2] == ["Ana joined", "Ana speaks"]
    assert echo.news[:2] == ["begins", "ends"]
    with wave.open(str(tmp_path / "recording" / "camera.wav")) as sound:
        samples = memoryview(sound.readframes(sound.getnframes())).cast("h")
    loud = sum(abs(sample) > 1000 for sample in samples)
    assert loud > 3000, loud
    picture = (tmp_path / "recording" / "camera.y4m").read_bytes()
    luma = picture[-320 * 180 * 3 // 2]
    assert 60 < luma < 100, luma
