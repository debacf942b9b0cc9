"""A sine of any frequency."""

import math

import greenroom


class MyPlugin(greenroom.Microphone):
    """A sine."""

    rate = 48000
    frequency: int = greenroom.setting(440, "Frequency", unit="Hz", minimum=20, maximum=20000)

    def __init__(self) -> None:
        self.phase = 0.0

    def fill(self, block: greenroom.Block) -> None:
        samples = memoryview(block.samples)
        step = 2 * math.pi * self.frequency / self.rate
        for index in range(block.count):
            samples[index, 0] = round(8000 * math.sin(self.phase))
            self.phase += step
