"""A bot that repeats what it hears, and stops when somebody else begins to speak."""

import greenroom


class Parrot(greenroom.Agent):
    """Repeats what a participant has said."""

    pause: float = greenroom.setting(0.4, "Silence before it answers", unit="s", minimum=0.1, maximum=5)

    def __init__(self) -> None:
        self.said: dict[int, bytearray] = {}

    async def joined(self, participant: greenroom.Participant) -> None:
        self.log(f"hello, {participant.name}")

    async def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
        said = self.said.setdefault(participant.id, bytearray())
        if block.level > 0.01:
            if self.voice.is_speaking and not said:
                self.log(f"interrupted by {participant.name} after {self.voice.clear():.2f} s")
            said += block.tobytes()
            self.until = block.pts_ns + round(self.pause * 1e9)
        elif said and block.pts_ns >= self.until:
            self.voice.play(bytes(said))
            said.clear()

    async def left(self, participant: greenroom.Participant) -> None:
        self.said.pop(participant.id, None)

    def draw(self, frame: greenroom.Frame) -> None:
        frame.planes[0].fill(180 if self.voice.is_speaking else 60)
        frame.planes[1].fill(110)
        frame.planes[2].fill(140)
