"""A receiver that writes a WAV file for each participant."""

import pathlib
import re
import wave

import greenroom


class Tapes(greenroom.Receiver):
    """One WAV file per participant."""

    rate = 16000
    folder: pathlib.Path = greenroom.setting(pathlib.Path("."), "Folder of the files", live=False)

    def __init__(self) -> None:
        self.files: dict[int, wave.Wave_write] = {}

    def joined(self, participant: greenroom.Participant) -> None:
        name = re.sub(r"[^\w-]", "_", participant.name)
        file = wave.open(str(self.folder / f"{name}-{participant.id}.wav"), "wb")
        file.setnchannels(self.channels)
        file.setsampwidth(2)
        file.setframerate(self.rate)
        self.files[participant.id] = file
        self.log(f"{participant.name} is recorded")

    def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
        self.files[participant.id].writeframesraw(block.tobytes())

    def left(self, participant: greenroom.Participant) -> None:
        self.files.pop(participant.id).close()

    def speaking(self, participant: greenroom.Participant | None) -> None:
        self.log(f"{participant.name} speaks" if participant else "nobody speaks")
