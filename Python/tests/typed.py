"""Uses of NumPy in plugins that `mypy --strict` accepts. Tests/Python/run.sh checks them; nothing runs them."""

from __future__ import annotations

import greenroom
import numpy
import numpy.typing


class Negative(greenroom.Filter):
    def edit(self, frame: greenroom.Frame) -> None:
        pixels: numpy.typing.NDArray[numpy.uint8] = numpy.asarray(frame.rgb())
        frame.write_rgb(255 - pixels)


class Silence(greenroom.AudioFilter):
    def edit(self, block: greenroom.Block) -> None:
        numpy.asarray(block.samples)[:] = 0


class Beep(greenroom.Agent):
    async def joined(self, participant: greenroom.Participant) -> None:
        await self.voice.play(numpy.zeros(1600, numpy.int16))


class Black(greenroom.Camera):
    def start(self) -> None:
        self.send(numpy.zeros((180, 320, 4), numpy.uint8), "bgra")
