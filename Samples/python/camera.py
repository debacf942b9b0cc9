"""A camera that NumPy draws: a plasma, in the host's memory."""

import greenroom
import numpy as np


class Plasma(greenroom.Camera):
    """A plasma that flows."""

    speed: float = greenroom.setting(1.0, "Speed", minimum=0, maximum=10)
    color: int = greenroom.setting(60, "Strength of the colors", minimum=0, maximum=100)

    def draw(self, frame: greenroom.Frame) -> None:
        luma, u, v = (np.asarray(plane) for plane in frame.planes)
        time = frame.time * self.speed
        x = np.linspace(0, 8, frame.width, dtype=np.float32)
        y = np.linspace(0, 8, frame.height, dtype=np.float32)
        luma[:] = 126 + 50 * np.sin(x + time) + 50 * np.cos(y - time)[:, None]
        # Chroma has half the size.
        u[:] = 128 + self.color * np.sin(x[::2] * 2 - time)
        v[:] = 128 + self.color * np.cos(y[::2] * 2 + time)[:, None]


if __name__ == "__main__":
    # The same camera from a process of yours: camera: { connect: ./camera.sock }
    greenroom.connect("camera.sock", Plasma)
