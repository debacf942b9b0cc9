"""The brown of old photographs."""

import greenroom


class MyPlugin(greenroom.Filter):
    """The brown of old photographs."""

    strength: int = greenroom.setting(80, "Strength", unit="%", minimum=0, maximum=100)

    def edit(self, frame: greenroom.Frame) -> None:
        frame.planes[1].fill(128 - 16 * self.strength // 100)
        frame.planes[2].fill(128 + 18 * self.strength // 100)
