"""Repeats what somebody in a room has said, with the speech detection of pipecat.

    greenroom live pipecat_echo.yaml
    .venv/bin/python pipecat_echo.py
"""

import asyncio
import sys

from greenroom.pipecat import GreenroomParams, GreenroomTransport
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    InputAudioRawFrame,
    InterruptionFrame,
    OutputAudioRawFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.workers.runner import WorkerRunner

RATE = 16000


class Echo(FrameProcessor):
    """Says again what somebody has said, once they are silent."""

    def __init__(self):
        super().__init__()
        self.said = bytearray()
        self.is_speaking = False

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self.said += frame.audio
            if not self.is_speaking:
                del self.said[:-RATE]  # speech is detected up to half a second after its start
            return
        if isinstance(frame, VADUserStartedSpeakingFrame):
            self.is_speaking = True
            await self.push_frame(InterruptionFrame())  # the bot is silent while somebody speaks
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self.is_speaking = False
            said, self.said = bytes(self.said), bytearray()
            await self.push_frame(OutputAudioRawFrame(audio=said, sample_rate=RATE, num_channels=1))
        await self.push_frame(frame, direction)


async def main(socket):
    transport = GreenroomTransport(
        socket, GreenroomParams(audio_in_enabled=True, audio_out_enabled=True)
    )
    detector = VADProcessor(vad_analyzer=SileroVADAnalyzer())
    worker = PipelineWorker(
        Pipeline([transport.input(), detector, Echo(), transport.output()]),
        params=PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=RATE),
    )
    runner = WorkerRunner()

    @transport.event_handler("on_disconnected")
    async def end(transport):
        await runner.cancel()

    await runner.add_workers(worker)
    await runner.run()


if __name__ == "__main__":
    asyncio.run(main(*(sys.argv[1:] or ["bot.sock"])))
