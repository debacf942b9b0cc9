"""The loudness of the session's audio as lines of CSV."""

import pathlib

import greenroom


class MyPlugin(greenroom.Output):
    """The loudness of the session's audio as lines of CSV."""

    every: int = greenroom.setting(10, "Blocks from one line to the next", minimum=1, maximum=1000)
    file: pathlib.Path = greenroom.setting(
        pathlib.Path(), "The CSV file; none: only the report", live=False
    )

    def start(self) -> None:
        self.count = 0
        self.lines = open(self.file, "w") if self.file != pathlib.Path() else None

    def track(self, track: greenroom.Track) -> greenroom.Want | None:
        return greenroom.Want(channels=1, pace="complete") if track.kind == "mix" else None

    def audio(self, track: greenroom.Track, block: greenroom.Block) -> None:
        if self.count % self.every == 0:
            if self.lines:
                print(f"{block.time:.3f},{block.level:.4f}", file=self.lines)
            self.report_value("loudness", block.level)
        self.count += 1

    def stop(self) -> None:
        if self.lines:
            self.lines.close()
