"""A voice that trembles."""

import math

import greenroom


class MyPlugin(greenroom.AudioFilter):
    """A voice that trembles."""

    rate: int = greenroom.setting(5, "Rate", unit="Hz", minimum=1, maximum=20)

    def edit(self, block: greenroom.Block) -> None:
        samples = memoryview(block.samples)
        level = 0.6 + 0.4 * math.sin(2 * math.pi * self.rate * block.time)
        for index in range(block.count):
            samples[index, 0] = round(samples[index, 0] * level)
