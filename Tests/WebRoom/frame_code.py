"""The number and time that ColorBars draws into the top left quarter of a frame, in 64 blocks."""

# The time is in milliseconds, and begins again after so many.
TIME_PERIOD = 2**24


def checksum(payload):
    return 255 - sum(payload >> 8 * byte & 0xFF for byte in range(6)) % 256


def read(data, width, height, stride):
    """The frame's number and its time in milliseconds; None if they can't be read."""
    bits = []
    for row in range(4):
        for column in range(16):
            x = (2 * column + 1) * width // 64
            y = (2 * row + 1) * height // 32
            bits.append(data[y * stride + x] > 126)
    value = sum(bit << (63 - index) for index, bit in enumerate(bits))
    payload = value >> 12 & 0xFFFFFFFFFFFF
    whole = value >> 60 == 0b1010 and value & 15 == 0b0101 and value >> 4 & 0xFF == checksum(payload)
    return (payload >> 24, payload & 0xFFFFFF) if whole else None


def draw(number, milliseconds, width, height):
    """A grey I420 frame with these, in sizes that 32 and 4 divide."""
    payload = (number % 2**24) << 24 | milliseconds % TIME_PERIOD
    value = 0b1010 << 60 | payload << 12 | checksum(payload) << 4 | 0b0101
    luma = b""
    for row in range(4):
        bits = value >> 16 * (3 - row) & 0xFFFF
        line = b"".join(
            bytes([235 if bits >> (15 - column) & 1 else 16]) * (width // 32) for column in range(16))
        luma += (line + bytes([126]) * (width - len(line))) * ((row + 1) * height // 16 - row * height // 16)
    luma += bytes([126]) * (width * height - len(luma))
    return luma + bytes([128]) * (width * height // 2)
