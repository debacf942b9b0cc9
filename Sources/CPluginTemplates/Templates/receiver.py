"""The brightness of each participant's camera as lines of CSV."""

import pathlib

import greenroom


class MyPlugin(greenroom.Receiver):
    """The brightness of each participant's camera as lines of CSV."""

    wants_video = True
    every: int = greenroom.setting(15, "Frames from one line to the next", minimum=1, maximum=1000)
    file: pathlib.Path = greenroom.setting(pathlib.Path("participants.csv"), "File", live=False)

    def start(self) -> None:
        self.lines = open(self.file, "w")

    def seen(self, participant: greenroom.Participant, frame: greenroom.Frame) -> None:
        if frame.index % self.every:
            return
        luma = memoryview(frame.planes[0])
        places = [luma[y, x] for y in range(0, frame.height, 8) for x in range(0, frame.width, 8)]
        brightness = sum(places) / len(places)
        print(f"{participant.name},{frame.time:.3f},{brightness:.1f}", file=self.lines)
        self.report_value("brightness", brightness)

    def stop(self) -> None:
        self.lines.close()
