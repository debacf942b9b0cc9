"""Frames, blocks of audio, tracks, and what a plugin may ask for."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _core

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._core import Array, Plane

#: The pixel formats, named by the order of their components in memory.
PixelFormat = Literal[
    "i420", "nv12", "nv21", "yuy2", "uyvy", "bgra", "rgba", "bgrx", "rgbx", "rgb24", "i010", "p010"
]

FORMATS: dict[str, int] = {
    "i420": 1, "nv12": 2, "nv21": 3, "yuy2": 4, "uyvy": 5, "bgra": 6, "rgba": 7, "bgrx": 8,
    "rgbx": 9, "rgb24": 10, "i010": 12, "p010": 13,
}  # fmt: skip
FORMAT_NAMES: dict[int, PixelFormat] = {
    number: name for name, number in FORMATS.items()  # type: ignore[misc]
}
LIMITED, FULL = 1, 2
BT601, BT709 = 1, 2
MATRICES = {"bt601": BT601, "bt709": BT709}
UNSTAMPED = -(2**63)
RATES = 8000, 192000
MOST_PIXELS, MOST_FPS = 8192, 1000


def choice(place: str, value: object, numbers: Mapping[str, int]) -> int:
    """The number of a text that must be one of several."""
    number = numbers.get(value) if isinstance(value, str) else None
    if number is None:
        raise ValueError(f"{place} is {value!r}, and must be one of {', '.join(numbers)}")
    return number


def whole(place: str, value: Any, lowest: int, highest: int) -> int:
    """A whole number within limits."""
    try:
        number = operator.index(value)
    except TypeError:
        number = lowest - 1
    if not lowest <= number <= highest:
        raise ValueError(f"{place} is {value!r}, and must be a whole number from {lowest} to {highest}")
    return number


def is_buffer(value: object) -> bool:
    try:
        memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def format_number(name: object, place: str = "format") -> int:
    """The number of a pixel format."""
    return choice(place, name, FORMATS)


def is_rgb(number: int) -> bool:
    """Whether a format has red, green and blue."""
    return 6 <= number <= 10


class Frame(_core.Frame):
    """A frame of video: views of the host's memory, without a copy.

    The planes are buffers: ``memoryview(frame.planes[0])`` and ``numpy.asarray(frame.planes[0])`` read and
    write the pixels in place. The frame of a callback ends when the callback returns; ``copy()`` makes
    one that stays.
    """

    __slots__ = ()

    @property
    def format(self) -> PixelFormat:
        return FORMAT_NAMES[self._format]

    @property
    def full_range(self) -> bool:
        """Whether luma is 0 to 255 and not 16 to 235."""
        return self._range == FULL or is_rgb(self._format)

    @property
    def matrix(self) -> Literal["bt601", "bt709"]:
        return "bt709" if self._matrix == BT709 else "bt601"

    def rgb(self) -> Plane:
        """A copy as RGB, with the shape (height, width, 3), of an ``i420`` frame."""
        return self._pixels(is_bgr=False)

    def bgr(self) -> Plane:
        """A copy as BGR, the order of OpenCV, of an ``i420`` frame."""
        return self._pixels(is_bgr=True)

    def write_rgb(self, pixels: Buffer | Array) -> None:
        """Replaces the content of an ``i420`` frame by pixels of the shape (height, width, 3 or 4)."""
        self._write(pixels, is_bgr=False)

    def write_bgr(self, pixels: Buffer | Array) -> None:
        """The same for pixels in the order of OpenCV."""
        self._write(pixels, is_bgr=True)

    def _colors(self) -> tuple[int, int]:
        if self.format != "i420":
            raise ValueError(f"the frame is {self.format}, and only i420 is converted")
        return FULL if self.full_range else LIMITED, BT709 if self.matrix == "bt709" else BT601

    def _pixels(self, is_bgr: bool) -> Plane:
        value, matrix = self._colors()
        return _core.to_rgb(self.planes, self.width, self.height, value, matrix, is_bgr)

    def _write(self, pixels: Buffer | Array, is_bgr: bool) -> None:
        value, matrix = self._colors()
        if not is_buffer(pixels):
            raise TypeError(
                f"frame.write_{'bgr' if is_bgr else 'rgb'}: the pixels are of the type {type(pixels).__name__}, and must be "
                f"an array of uint8 of the shape ({self.height}, {self.width}, 3). Use numpy.array(pixels, numpy.uint8)"
            )
        _core.from_rgb(self.planes, self.width, self.height, value, matrix, is_bgr, pixels)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The pixels of a format with one plane, for NumPy."""
        if len(self.planes) != 1:
            raise TypeError(
                f"a {self.format} frame has {len(self.planes)} planes: use numpy.asarray of "
                "frame.planes[0], or of frame.rgb()"
            )
        return array_of(self.planes[0], dtype, copy)

    def __repr__(self) -> str:
        return f"<Frame {self.width}x{self.height} {self.format} at {self.time:.3f} s>"


_core.set_frame_class(Frame)


def array_of(buffer: Buffer, dtype: Any, copy: bool | None) -> Any:
    import numpy

    array = numpy.asarray(buffer)
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


_SAMPLE_TYPES = {
    "e": "float16", "f": "float32", "d": "float64", "?": "bool", "b": "int8", "B": "uint8", "H": "uint16",
    "i": "int32", "I": "uint32", "l": "int64", "L": "uint64", "q": "int64", "Q": "uint64",
}  # fmt: skip


def pcm_of(place: str, samples: Buffer | Array, channels: int) -> bytes:
    """The bytes of 16-bit samples with interleaved channels. Raises an error for other types and shapes."""
    try:
        view = memoryview(samples)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{place}: the samples are of the type {type(samples).__name__}, and must be bytes or an array of int16. "
            "Use numpy.array(samples, numpy.int16) for values from -32768 to 32767"
        ) from None
    letters, shape = view.format, view.shape or ()
    is_plain = letters in ("B", "c") and len(shape) == 1
    if not is_plain and letters not in ("h", "<h", "@h", "=h"):
        is_float = letters[-1] in "efd"
        raise ValueError(
            f"{place}: the samples have the type {_SAMPLE_TYPES.get(letters, letters)}, and must be int16 or bytes. Use "
            + ("(samples * 32767).astype(numpy.int16) for values from -1 to 1" if is_float
               else "samples.astype(numpy.int16) for values from -32768 to 32767")
        )  # fmt: skip
    if not is_plain and shape[1:] != (channels,) and (channels != 1 or len(shape) != 1):
        raise ValueError(
            f"{place}: the samples have the shape {shape}, and must have "
            f"{'(count,) or (count, 1)' if channels == 1 else f'(count, {channels})'}. {_reshaped(shape, channels)}"
        )
    if view.nbytes % (2 * channels) != 0:
        raise ValueError(
            f"{place}: {view.nbytes} bytes are no whole number of 16-bit samples for {channels} "
            f"channel{'s' if channels > 1 else ''}. Pass a multiple of {2 * channels} bytes"
        )
    return view.tobytes()


def _reshaped(shape: tuple[int, ...], channels: int) -> str:
    """The advice for samples with another shape than (count, channels)."""
    if channels == 1 and len(shape) == 2:
        shorter = 0 if shape[0] < shape[1] else 1
        return f"To mix the channels, use samples.mean(axis={shorter}).astype(numpy.int16)"
    if len(shape) == 2 and shape[0] == channels:
        return "Use samples.T"
    if channels == 1:
        return "Use samples.reshape(-1)"
    return (
        f"Use samples.reshape(-1, {channels}) if the channels are interleaved; for one channel, use "
        f"numpy.repeat(samples.reshape(-1, 1), {channels}, axis=1)"
    )


class Block:
    """A block of audio: 16-bit samples of the shape (count, channels)."""

    __slots__ = ("_samples", "rate", "channels", "pts_ns", "time", "reference")

    rate: int
    channels: int
    #: The time at which the first sample sounds, in nanoseconds on the session's clock.
    pts_ns: int
    #: The time in seconds, from the start of the source or of the track.
    time: float
    #: The session's incoming audio of an audio filter with ``reference = True``; else None.
    reference: Plane | None

    def __init__(
        self, samples: Plane | memoryview, rate: int, channels: int, pts_ns: int, time: float = 0.0
    ) -> None:
        self._samples = samples
        self.rate = rate
        self.channels = channels
        self.pts_ns = pts_ns
        self.time = time
        self.reference = None

    @property
    def samples(self) -> Plane | memoryview:
        """A buffer, writable where the plugin makes or edits the audio, in place."""
        return self._samples

    if not TYPE_CHECKING:

        @samples.setter
        def samples(self, value):
            raise AttributeError(
                "block.samples is read-only: edit in place, such as numpy.asarray(block.samples)[:] = edited"
            )

    @property
    def count(self) -> int:
        """The samples of each channel."""
        shape = self.samples.shape
        return shape[0] if shape else 0

    def tobytes(self) -> bytes:
        """A copy of the samples: little-endian, channels interleaved."""
        return memoryview(self.samples).tobytes()

    def copy(self) -> Block:
        """A block with the same samples in Python's memory, which stays after the callback."""
        shape = (self.count, self.channels)
        made = memoryview(bytearray(self.tobytes())).cast("h", shape)
        return Block(made, self.rate, self.channels, self.pts_ns, self.time)

    @property
    def level(self) -> float:
        """The level of the samples, from 0 for silence to 1 for full scale (RMS)."""
        return _core.level(self.samples)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return array_of(self.samples, dtype, copy)

    def __repr__(self) -> str:
        return f"<Block {self.count} samples at {self.rate} Hz, {self.time:.3f} s>"


#: The kind of a track.
TrackKind = Literal[
    "camera", "microphone", "share", "share-audio", "mix", "incoming", "mix-minus", "full-mix",
    "stage", "split", "unknown",
]  # fmt: skip

TRACK_KINDS: dict[int, TrackKind] = {
    1: "camera", 2: "microphone", 3: "share", 4: "share-audio", 5: "mix", 6: "incoming",
    7: "mix-minus", 8: "full-mix", 9: "stage", 10: "split",
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Participant:
    """A person whom a call has brought into the session."""

    #: A number that no other participant of the session has had.
    id: int
    #: The name for people.
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Track:
    """A track of the session, or of a participant."""

    id: int
    kind: TrackKind
    #: A name for files, such as ``camera`` or ``ana-camera``.
    name: str
    #: The participant who owns the track; None for the session's own tracks.
    participant: Participant | None
    #: The largest size of a video track; 0 for audio.
    width: int
    height: int
    #: The highest rate of a video track, in frames per second; 0 for audio.
    fps: float

    @property
    def is_video(self) -> bool:
        return self.kind in ("camera", "share", "stage")


@dataclasses.dataclass(frozen=True, slots=True)
class Want:
    """The format in which an output requests a track. The host converts."""

    #: Video: ``i420``, ``nv12``, ``bgra`` or ``rgba``.
    format: PixelFormat = "i420"
    #: Video: the size; 0 for the track's own.
    width: int = 0
    height: int = 0
    #: Video: frames per second; 0 for the track's own.
    fps: int = 0
    #: Video: how a frame of another aspect ratio fills the size.
    fit: Literal["letterbox", "crop", "stretch"] = "letterbox"
    #: The pace of frames: each at its time, or as soon as it is available.
    pace: Literal["live", "complete"] = "live"
    #: Audio: samples per second, 8000 to 192000.
    rate: int = 48000
    #: Audio: 1 or 2.
    channels: int = 2
    #: Audio: the length of a block, 1 to 100 ms.
    block_ms: int = 10

    def numbers(self) -> tuple[int, ...]:
        fits = {"letterbox": 1, "crop": 2, "stretch": 3}
        paces = {"live": 1, "complete": 2}
        return (
            format_number(self.format, "Want.format"), choice("Want.fit", self.fit, fits),
            whole("Want.width", self.width, 0, MOST_PIXELS), whole("Want.height", self.height, 0, MOST_PIXELS),
            whole("Want.fps", self.fps, 0, MOST_FPS), 1 if self.fps else 0, 0,
            choice("Want.pace", self.pace, paces), whole("Want.rate", self.rate, *RATES),
            whole("Want.channels", self.channels, 1, 2),
            self.rate * whole("Want.block_ms", self.block_ms, 1, 100) // 1000,
        )  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Capability:
    """A size and a frame rate."""

    width: int
    height: int
    fps: float

    def numbers(self) -> tuple[int, int, int, int]:
        whole = round(self.fps)
        if abs(self.fps - whole) < 1e-9:
            return self.width, self.height, whole, 1
        return self.width, self.height, round(self.fps * 1001), 1001

    @property
    def is_possible(self) -> bool:
        """Whether it has a size and a rate above 0."""
        numbers = self.numbers() if math.isfinite(self.fps) else ()
        return bool(numbers) and all(isinstance(one, int) and 0 < one < 1 << 32 for one in numbers)

    @staticmethod
    def of(numbers: tuple[int, int, int, int]) -> Capability:
        width, height, numerator, denominator = numbers
        return Capability(width, height, numerator / denominator if denominator else 0.0)


@dataclasses.dataclass(frozen=True, slots=True)
class Offer:
    """The sizes and rates that the session can use of a source."""

    #: The rows to choose from, largest first; for a share the largest size and rate.
    rows: tuple[Capability, ...]
    #: The best row for now.
    suggested: Capability
    #: Whether any size and rate up to the row is possible, as for a share.
    is_up_to: bool
    reason: Literal["initial", "ceiling-lowered", "ceiling-raised"]
