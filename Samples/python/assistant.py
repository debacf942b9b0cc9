"""An assistant that hears each participant, recognizes phrases, answers, and stops when it is interrupted.

webrtcvad finds speech, pocketsphinx recognizes it, and espeak-ng speaks. All three come from PyPI with what
they need, and nothing leaves the machine.
"""

import collections
import ctypes
import json
import pathlib

import espeakng_loader
import greenroom
import pocketsphinx
import webrtcvad


class Mouth:
    """Texts as 16-bit samples, by espeak-ng."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(espeakng_loader.get_library_path())
        synchronous = 2
        self.library.espeak_Initialize(synchronous, 0, espeakng_loader.get_data_path().encode(), 0)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        self.callback = kind(self.take)
        self.library.espeak_SetSynthCallback(self.callback)
        self.library.espeak_SetVoiceByName(b"en")
        self.pcm = bytearray()

    def take(self, samples, count, events) -> int:
        if samples and count:
            self.pcm += ctypes.string_at(samples, 2 * count)
        return 0

    def say(self, text: str) -> bytes:
        self.pcm.clear()
        data, is_utf8 = text.encode(), 1
        self.library.espeak_Synth(data, len(data) + 1, 0, 1, 0, is_utf8, None, None)
        return bytes(self.pcm)


class Ear:
    """One participant: finds where their speech begins and ends, in blocks of 10 ms."""

    def __init__(self) -> None:
        self.vad = webrtcvad.Vad(3)
        self.votes = collections.deque(maxlen=5)
        self.past = collections.deque(maxlen=30)
        self.said = bytearray()
        self.pause = 0

    def hear(self, pcm: bytes, rate: int) -> str:
        """Returns "begins", "ends", or "" for no change."""
        is_speech = self.vad.is_speech(pcm, rate)
        self.votes.append(is_speech)
        self.past.append(pcm)
        if not self.said:
            if sum(self.votes) < 4:
                return ""
            self.said += b"".join(self.past)
            self.pause = 0
            return "begins"
        self.said += pcm
        self.pause = 0 if is_speech else self.pause + 1
        return "ends" if self.pause == 40 or len(self.said) > 20 * rate else ""


class Assistant(greenroom.Agent):
    """Answers to phrases that it hears."""

    phrases: str = greenroom.setting("front left, front center, front right", "Phrases, with commas", live=False)
    transcript: pathlib.Path = greenroom.setting(pathlib.Path("transcript.jsonl"), "Who said what", live=False)
    voice_rate = 22050

    def start(self) -> None:
        self.began = self.host.now_ns
        self.ears: dict[int, Ear] = collections.defaultdict(Ear)
        self.mouth = Mouth()
        self.decoder = pocketsphinx.Decoder(lm=None, samprate=self.rate, loglevel="FATAL")
        grammar = " | ".join(phrase.strip() for phrase in self.phrases.split(","))
        self.decoder.add_jsgf_string("phrases", f"#JSGF V1.0; grammar g; public <phrase> = {grammar};")
        self.decoder.activate_search("phrases")
        self.transcript.write_text("")

    async def heard(self, participant: greenroom.Participant, block: greenroom.Block) -> None:
        if block.count != self.rate // 100:
            return  # the last block of a track may be shorter
        ear = self.ears[participant.id]
        change = ear.hear(block.tobytes(), self.rate)
        if change == "begins" and self.voice.is_speaking:
            left = self.voice.clear()
            self.note(block, "Assistant", f"interrupted by {participant.name}, {left:.1f} s unsaid")
        elif change == "ends":
            phrase = self.recognize(bytes(ear.said))
            ear.said.clear()
            if phrase:
                self.note(block, participant.name, phrase)
                self.answer(block, f"{participant.name} said {phrase}, and I have heard it well.")

    def recognize(self, pcm: bytes) -> str:
        self.decoder.start_utt()
        self.decoder.process_raw(pcm, full_utt=True)
        self.decoder.end_utt()
        found = self.decoder.hyp()
        return found.hypstr if found else ""

    def answer(self, block: greenroom.Block, text: str) -> None:
        self.note(block, "Assistant", text)
        self.voice.play(self.mouth.say(text))

    def note(self, block: greenroom.Block, who: str, text: str) -> None:
        with self.transcript.open("a") as file:
            time = round((block.pts_ns - self.began) / 1e9, 2)
            print(json.dumps({"time": time, "who": who, "text": text}), file=file)

    async def left(self, participant: greenroom.Participant) -> None:
        self.ears.pop(participant.id, None)
