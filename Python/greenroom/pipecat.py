"""A transport for pipecat: a pipeline takes part in a Greenroom session as one participant.

::

    from greenroom.pipecat import GreenroomTransport
    from pipecat.transports.base_transport import TransportParams

    transport = GreenroomTransport(
        "bot.sock", TransportParams(audio_in_enabled=True, audio_out_enabled=True)
    )
    pipeline = Pipeline([transport.input(), ..., transport.output()])

The session file names the socket for each part of the bot::

    microphone: { connect: ./bot.sock }
    outputs: [{ connect: ./bot.sock }]
    call: { plugin: WebRoom }

Needs the wheel with its extra ``pipecat``.
"""

from __future__ import annotations

import asyncio
import collections
import math
import os
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

from loguru import logger
from PIL import Image
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    InputTransportMessageFrame,
    InterruptionFrame,
    OutputAudioRawFrame,
    OutputImageRawFrame,
    OutputTransportMessageFrame,
    OutputTransportMessageUrgentFrame,
    StartFrame,
    UserAudioRawFrame,
    UserImageRawFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

from . import _core
from ._media import Block, Capability, Offer, Participant
from ._media import Frame as VideoFrame
from ._plugins import Agent
from ._program import ConnectionEnded, connect
from ._voice import Playback


class GreenroomParams(TransportParams):
    """The media that a pipeline receives and sends.

    audio_in_user_tracks: get each participant's audio as a `UserAudioRawFrame` with the id of the
        participant, instead of the sum of all as an `InputAudioRawFrame`, which pipecat's speech
        detection needs.
    """

    audio_in_user_tracks: bool = False


class _Client:
    """The connection to the session, and the agent that the session sees."""

    #: How long a host that is not there yet is looked for, in seconds.
    RETRY = 0.25
    #: How many chunks are queued ahead of the one that is heard.
    AHEAD = 3

    def __init__(self, path: str | os.PathLike[str], params: TransportParams) -> None:
        self.path = os.fspath(path)
        self.params = params
        self.agent: Pipecat | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.input: _Input | None = None
        self.call: Callable[..., Coroutine[Any, Any, None]] | None = None
        self.rate_in = self.rate_out = 16000
        self._thread: threading.Thread | None = None
        self._ends = False
        self._playing: collections.deque[Playback] = collections.deque()
        self.image: bytes | None = None
        self.size: tuple[int, int] = (params.video_out_width, params.video_out_height)

    @property
    def hears_users(self) -> bool:
        return bool(getattr(self.params, "audio_in_user_tracks", False))

    @property
    def captured(self) -> float | None:
        """The most frames a second of everybody's camera; None if only what is asked for is captured."""
        if not self.params.video_in_enabled:
            return None
        if not self.params.video_in_sources:
            return math.inf
        camera = self.params.video_in_sources.get("camera")
        if camera is None or camera.on_request_only or not camera.framerate:
            return None
        return float(camera.framerate)

    def start(self) -> None:
        """Connects, once for input and output."""
        if self._thread is not None:
            return
        self.loop = asyncio.get_running_loop()
        made = PipecatCamera if self.params.video_out_enabled else Pipecat
        self.agent = made(self)
        self._thread = threading.Thread(target=self._run, name="greenroom-pipecat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        assert self.agent is not None
        while not self._ends:
            try:
                connect(self.path, self.agent)
                break
            except ConnectionEnded as ended:
                if not ended.is_temporary:
                    logger.error(f"Greenroom: {ended}")
                    break
                logger.debug(f"Greenroom: {ended}")
                time.sleep(self.RETRY)
            except Exception as error:
                logger.exception(f"Greenroom: {error}")
                break
        self.post("on_disconnected")

    async def stop(self) -> None:
        thread, self._ends = self._thread, True
        if thread is not None and thread.is_alive():
            await asyncio.to_thread(_core.finish)
            await asyncio.to_thread(thread.join, 5)

    def post(self, event: str, *arguments: Any) -> None:
        """Calls the handlers of an event on the pipeline's loop. [any thread]"""
        if self.call is not None:
            self.submit(self.call(event, *arguments))

    def submit(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs a coroutine on the pipeline's loop. [any thread]"""
        loop = self.loop
        if loop is None or loop.is_closed():
            work.close()
            return
        asyncio.run_coroutine_threadsafe(work, loop)

    async def play(self, pcm: bytes) -> bool:
        """Queues a chunk, and returns when few others are ahead of it."""
        agent = self.agent
        if agent is None or not agent.is_sending:
            return False
        try:
            playback = agent.voice.play(pcm)
        except RuntimeError:  # the session has just stopped the microphone
            return False
        self._playing.append(playback)
        if len(self._playing) > self.AHEAD:
            await self._playing.popleft()
        return True

    def interrupt(self) -> None:
        """Is silent at once."""
        self._playing.clear()
        if self.agent is not None:
            self.agent.voice.clear()


class Pipecat(Agent):
    """The parts of the session's agent that a pipeline is."""

    def __init__(self, client: _Client) -> None:
        self.client = client
        self.rate = client.rate_in
        self.voice_rate = client.rate_out
        self.captured = client.captured
        self.wants_video = self.captured is not None
        self.is_sending = False
        self.wanted: dict[str, float] = {}
        self._first = True
        self._shown: dict[int, float] = {}

    def start(self) -> None:
        self.is_sending = True
        self.client.post("on_connected")

    def stop(self) -> None:
        self.is_sending = False

    def joined(self, participant: Participant) -> None:
        self.client.post("on_participant_joined", participant)
        self.client.post("on_client_connected", participant)
        if self._first:
            self._first = False
            self.client.post("on_first_participant_joined", participant)

    def left(self, participant: Participant) -> None:
        self.client.post("on_participant_left", participant)
        self.client.post("on_client_disconnected", participant)

    def speaking(self, participant: Participant | None) -> None:
        self.client.post("on_active_speaker_changed", participant)

    def message(self, author: str, text: str) -> None:
        self.client.post("on_app_message", text, author)
        if self.client.input is not None:
            self.client.submit(self.client.input.push_frame(InputTransportMessageFrame(message=text)))

    def mixed(self, block: Block) -> None:
        if self.client.input is not None and not self.client.hears_users:
            frame = InputAudioRawFrame(
                audio=block.tobytes(), sample_rate=block.rate, num_channels=block.channels
            )
            self.client.submit(self.client.input.push_audio_frame(frame))

    def heard(self, participant: Participant, block: Block) -> None:
        if self.client.input is not None and self.client.hears_users:
            frame = UserAudioRawFrame(
                user_id=str(participant.id), audio=block.tobytes(), sample_rate=block.rate,
                num_channels=block.channels,
            )  # fmt: skip
            self.client.submit(self.client.input.push_audio_frame(frame))

    def seen(self, participant: Participant, frame: VideoFrame) -> None:
        rate = self.wanted.get(str(participant.id), self.captured)
        if rate is None or self.client.input is None:
            return
        if frame.time < self._shown.get(participant.id, 0.0):
            return
        self._shown[participant.id] = frame.time + 1 / rate - 0.001
        image = UserImageRawFrame(
            user_id=str(participant.id), image=memoryview(frame.rgb()).tobytes(),
            size=(frame.width, frame.height), format="RGB",
        )  # fmt: skip
        self.client.submit(self.client.input.push_video_frame(image))


class PipecatCamera(Pipecat):
    """A bot with a camera, which shows the newest image of the pipeline."""

    def choose(self, offer: Offer) -> Capability | None:
        width = self.client.params.video_out_width
        return next((row for row in offer.rows if row.width == width), None)

    def draw(self, frame: VideoFrame) -> None:
        image, self.client.size = self.client.image, (frame.width, frame.height)
        if image is None or len(image) != frame.width * frame.height * 3:
            for plane, value in zip(frame.planes, (16, 128, 128), strict=True):
                plane.fill(value)
        else:
            frame.write_rgb(memoryview(image).cast("B", (frame.height, frame.width, 3)))


class _Input(BaseInputTransport):
    def __init__(self, client: _Client, params: TransportParams, **keywords: Any) -> None:
        super().__init__(params, **keywords)
        self._client = client

    def _supports_video_in_source(self, video_source: str) -> bool:
        return video_source == "camera"

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        await super().setup(setup)
        self._client.rate_in = self.sample_rate

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        self._client.input = self
        await self.set_transport_ready(frame)
        self._client.start()

    async def stop(self, frame: EndFrame) -> None:
        # The output ends the connection, after what it has yet to say.
        await super().stop(frame)
        self._client.input = None

    async def cancel(self, frame: CancelFrame) -> None:
        await super().cancel(frame)
        self._client.input = None
        await self._client.stop()


class _Output(BaseOutputTransport):
    def __init__(self, client: _Client, params: TransportParams, **keywords: Any) -> None:
        super().__init__(params, **keywords)
        if params.audio_out_channels != 1:
            raise ValueError(
                f"audio_out_channels is {params.audio_out_channels}, and a bot's voice has 1"
            )
        self._client = client

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        await super().setup(setup)
        self._client.rate_out = self.sample_rate

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)
        self._client.start()

    async def stop(self, frame: EndFrame) -> None:
        await super().stop(frame)
        await self._client.stop()

    async def cancel(self, frame: CancelFrame) -> None:
        await super().cancel(frame)
        await self._client.stop()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if isinstance(frame, InterruptionFrame):
            self._client.interrupt()
        await super().process_frame(frame, direction)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        return await self._client.play(frame.audio)

    async def write_video_frame(self, frame: OutputImageRawFrame) -> bool:
        size = self._client.size
        image = Image.frombytes(frame.format or "RGB", frame.size, frame.image)
        if image.mode != "RGB":
            image = image.convert("RGB")
        if image.size != size:
            image = image.resize(size)
        self._client.image = image.tobytes()
        return True

    async def send_message(
        self, frame: OutputTransportMessageFrame | OutputTransportMessageUrgentFrame
    ) -> None:
        agent = self._client.agent
        if agent is None or not agent.is_sending:
            return
        if isinstance(frame.message, dict) and frame.message.get("label") == "rtvi-ai":
            return  # for the scripts of pipecat's own pages; people read the messages of a room
        try:
            agent.send_message(str(frame.message))
        except (_core.Refused, RuntimeError) as refusal:
            logger.warning(f"Greenroom: a message was not sent: {refusal}")


class GreenroomTransport(BaseTransport):
    """A pipeline's connection to a session.

    Event handlers: ``on_connected``, ``on_disconnected``, ``on_client_connected``,
    ``on_client_disconnected``, ``on_participant_joined``, ``on_first_participant_joined`` and
    ``on_participant_left`` with a `greenroom.Participant`; ``on_active_speaker_changed`` with one or None;
    ``on_app_message`` with a text and its author.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        params: TransportParams,
        *,
        name: str | None = None,
        input_name: str | None = None,
        output_name: str | None = None,
    ) -> None:
        """
        path: the socket that the session file names with ``connect``.
        params: `GreenroomParams`, or pipecat's own.
        """
        super().__init__(name=name, input_name=input_name, output_name=output_name)
        self._params = params
        self._client = _Client(path, params)
        self._client.call = self._call_event_handler
        self._input: _Input | None = None
        self._output: _Output | None = None
        for event in (
            "on_connected", "on_disconnected", "on_client_connected", "on_client_disconnected",
            "on_participant_joined", "on_first_participant_joined", "on_participant_left",
            "on_active_speaker_changed", "on_app_message",
        ):  # fmt: skip
            self._register_event_handler(event)

    def input(self) -> _Input:
        if self._input is None:
            self._input = _Input(self._client, self._params, name=self._input_name)
        return self._input

    def output(self) -> _Output:
        if self._output is None:
            self._output = _Output(self._client, self._params, name=self._output_name)
        return self._output

    def get_client_id(self, client: Any) -> str:
        """The id of a participant."""
        return str(client.id)

    async def capture_participant_video(
        self,
        participant_id: str,
        framerate: int | None = 30,
        video_source: str = "camera",
        *,
        on_request_only: bool = False,
    ) -> None:
        """Pushes a participant's video as `UserImageRawFrame`, at most at `framerate` frames a second."""
        agent = self._client.agent
        if agent is None or on_request_only or framerate == 0:
            logger.warning(f"{self}: video is captured at a rate, of a session that runs.")
            return
        agent.wanted[participant_id] = math.inf if framerate is None else float(framerate)
        if not agent.wants_video:
            agent.wants_video = True
            await asyncio.to_thread(agent.wants_changed)


__all__ = ["GreenroomParams", "GreenroomTransport"]
