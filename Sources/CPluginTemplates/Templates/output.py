"""The brightness of the camera as lines of CSV."""

import pathlib

import greenroom


class MyPlugin(greenroom.Output):
    """The brightness of the camera as lines of CSV."""

    every: int = greenroom.setting(30, "Frames from one line to the next", minimum=1, maximum=1000)
    file: pathlib.Path = greenroom.setting(
        pathlib.Path(), "The CSV file; none: only the report", live=False
    )

    def start(self) -> None:
        self.lines = open(self.file, "w") if self.file != pathlib.Path() else None

    def track(self, track: greenroom.Track) -> greenroom.Want | None:
        return greenroom.Want(pace="complete") if track.kind == "camera" else None

    def video(self, track: greenroom.Track, frame: greenroom.Frame) -> None:
        if frame.index % self.every:
            return
        luma = memoryview(frame.planes[0])
        places = [luma[y, x] for y in range(0, frame.height, 8) for x in range(0, frame.width, 8)]
        brightness = sum(places) / len(places)
        if self.lines:
            print(f"{frame.time:.3f},{brightness:.1f}", file=self.lines)
        self.report_value("brightness", brightness)

    def stop(self) -> None:
        if self.lines:
            self.lines.close()
