"""Draws the frames of the camera: stripes that drift across the frame."""

# Luma rises from 16 to 235, again and again: a row of any frame is a part of this.
RAMP = bytes(range(16, 236)) * 40


def draw(width, height, seconds, speed):
    """Returns a frame in I420: Y, then U, then V, without padding. Chroma of odd sizes rounds up."""
    shift = int(seconds * speed)
    starts = ((y + shift) % 220 for y in range(height))
    luma = b"".join(RAMP[start : start + width] for start in starts)
    chroma = (width + 1) // 2 * ((height + 1) // 2)
    return luma + bytes([160]) * chroma + bytes([110]) * chroma
