"""The brightness of each participant's camera as lines of CSV."""

import pathlib

import greenroom


class MyPlugin(greenroom.Receiver):
    """The brightness of each participant's camera as lines of CSV."""

    wants_video = True
    every: int = greenroom.setting(15, "Frames from one line to the next", minimum=1, maximum=1000)
    file: pathlib.Path = greenroom.setting(
        pathlib.Path(), "The CSV file; none: only the report", live=False
    )

    def start(self) -> None:
        self.lines = open(self.file, "w") if self.file != pathlib.Path() else None

    def seen(self, participant: greenroom.Participant, frame: greenroom.Frame) -> None:
        if frame.index % self.every:
            return
        luma = memoryview(frame.planes[0])
        places = [luma[y, x] for y in range(0, frame.height, 8) for x in range(0, frame.width, 8)]
        brightness = sum(places) / len(places)
        if self.lines:
            print(f"{participant.name},{frame.time:.3f},{brightness:.1f}", file=self.lines)
        self.report_value("brightness", brightness)

    def stop(self) -> None:
        if self.lines:
            self.lines.close()
