"""A page of lines that scrolls."""

import greenroom


class MyPlugin(greenroom.Share):
    """A page of lines that scrolls."""

    lines: int = greenroom.setting(30, "Lines", minimum=1, maximum=200)

    def draw(self, frame: greenroom.Frame) -> None:
        page, u, v = frame.planes
        page.fill(230)
        step = frame.height / self.lines
        for line in range(self.lines):
            top = round((line * step + frame.time * 20) % frame.height)
            page.fill(60, top=top, left=20, height=max(round(step / 3), 1), width=frame.width * 2 // 3)
        u.fill(128)
        v.fill(128)
