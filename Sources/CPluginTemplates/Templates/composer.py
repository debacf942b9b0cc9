"""The brightness of all cameras and shares, side by side."""

from collections.abc import Mapping

import greenroom


class MyPlugin(greenroom.Composer):
    """A mosaic of all cameras and shares, side by side."""

    brightness: int = greenroom.setting(100, "Brightness", unit="%", minimum=0, maximum=100)

    def compose(self, frame: greenroom.Frame, pictures: Mapping[greenroom.Track, greenroom.Frame]) -> None:
        luma, u, v = frame.planes
        luma.fill(16)
        u.fill(128)
        v.fill(128)
        across = 16
        for place, picture in enumerate(pictures.values()):
            width = frame.width // len(pictures)
            pixels = memoryview(picture.planes[0])
            tile = max(width // across, 1)
            for y in range(0, frame.height, tile):
                for x in range(0, width, tile):
                    row, column = y * picture.height // frame.height, x * picture.width // width
                    value = pixels[row, column] * self.brightness // 100
                    luma.fill(value, top=y, left=place * width + x, height=tile, width=tile)
