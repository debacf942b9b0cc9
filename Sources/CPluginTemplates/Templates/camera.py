"""Stripes of light that drift across the frame."""

import greenroom


class MyPlugin(greenroom.Camera):
    """Stripes of light that drift."""

    stripes: int = greenroom.setting(8, "Stripes", minimum=1, maximum=64)

    def draw(self, frame: greenroom.Frame) -> None:
        luma, u, v = frame.planes
        luma.fill(40)
        step = frame.width / self.stripes
        shift = frame.time * 60 % step
        for stripe in range(self.stripes):
            luma.fill(190, left=round(stripe * step + shift), width=round(step / 2))
        u.fill(118)
        v.fill(138)
