"""A filter with OpenCV: blurs the background, and keeps people sharp, found by the color of skin."""

import cv2
import greenroom
import numpy as np

cv2.setNumThreads(1)


class Portrait(greenroom.Filter):
    """A blurred background behind a person."""

    blur: int = greenroom.setting(12, "Strength of the blur", unit="px", minimum=1, maximum=40)
    margin: int = greenroom.setting(8, "Sharp margin around skin", unit="%", minimum=0, maximum=30)

    def edit(self, frame: greenroom.Frame) -> None:
        luma, u, v = (np.asarray(plane) for plane in frame.planes)
        person = self.person(u, v)
        for plane in (luma, u, v):
            height, width = plane.shape
            # At a quarter of the size, the same blur costs a sixteenth.
            small = cv2.resize(plane, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
            small = cv2.GaussianBlur(small, (0, 0), max(self.blur / 4, 0.5))
            soft = cv2.resize(small, (width, height))
            mask = cv2.resize(person, (width, height), interpolation=cv2.INTER_NEAREST)
            np.copyto(plane, soft, where=mask == 0)

    def person(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """255 where the chroma is that of skin, and around it."""
        skin = cv2.bitwise_and(cv2.inRange(u, 77, 122), cv2.inRange(v, 138, 173))
        skin = cv2.erode(skin, np.ones((3, 3), np.uint8))
        reach = max(u.shape[1] * self.margin // 100, 1)
        return cv2.dilate(skin, np.ones((reach, reach), np.uint8))
