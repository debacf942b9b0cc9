"""The times at which blocks of audio are due."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Instance

LATEST_NS = 200_000_000


def is_virtual(instance: Instance) -> bool:
    """Whether the session's clock is another one than the machine's."""
    return abs(instance.now() - time.monotonic_ns()) > 1_000_000_000


def due_times(instance: Instance, rate: int, frames: int, start: int) -> Iterator[int]:
    """Waits for each block of ``frames`` frames, and yields its time, until the instance stops.

    A source that is more than 200 ms late continues in the present.
    """
    sent = 0
    while True:
        due = start + sent * 1_000_000_000 // rate
        now = instance.now()
        if now - due > LATEST_NS:
            start += now - due
            due = now
        if not instance.wait_until(due):
            return
        yield due
        sent += frames
