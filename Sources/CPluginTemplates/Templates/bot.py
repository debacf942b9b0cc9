"""A bot that answers each participant with a tone."""

import math
import struct

import greenroom


class MyPlugin(greenroom.Agent):
    """Answers each participant with a tone."""

    frequency: int = greenroom.setting(440, "Frequency of the answer", unit="Hz", minimum=100, maximum=2000)

    def __init__(self) -> None:
        self.speaker: greenroom.Participant | None = None

    async def joined(self, participant: greenroom.Participant) -> None:
        self.log(f"{participant.name} has joined")

    async def left(self, participant: greenroom.Participant) -> None:
        self.log(f"{participant.name} has left")

    async def speaking(self, participant: greenroom.Participant | None) -> None:
        """Somebody begins to speak, or nobody speaks any more."""
        if participant is not None:
            self.voice.clear()  # an interrupted bot is silent
        elif self.speaker is not None:
            self.log(f"answers {self.speaker.name}")
            self.voice.play(self.tone(0.5))
        self.speaker = participant

    async def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
        """Each 10 ms of each participant: the place for a speech recognizer."""

    def tone(self, seconds: float) -> bytes:
        count = round(seconds * self.voice_rate)
        step = 2 * math.pi * self.frequency / self.voice_rate
        return struct.pack(f"<{count}h", *(round(8000 * math.sin(i * step)) for i in range(count)))
