"""Reads what a recording has of a track whose frames are numbered, as those of ColorBars and of
`peer.py count`; and of its audio. Prints a line, and ends with 1 if less arrived than wanted.

    numbered.py FOLDER VIDEO AUDIO MINIMUM HERTZ    VIDEO.y4m has the frames, AUDIO.wav a tone
    numbered.py FOLDER VIDEO AUDIO MINIMUM beeps    of `peer.py count`, a beep at each 15th frame: lip sync

MINIMUM is the percentage of the numbers, from the first to the last, that the file must have; 0 where that
tells only how busy the machine is. SKIP is so
many seconds at its beginning that do not count; APART is the most milliseconds between audio and video, 80
unless set; TONE is the percentage of the audio that must have the tone.
"""

import array
import json
import os
import statistics
import sys
import wave

import frame_code

folder, video, audio, minimum, wanted = sys.argv[1:6]
skip = float(os.environ.get("SKIP", "0"))


def frames():
    """Each frame's time since the track began, and what it shows."""
    with open(f"{folder}/{video}.y4m", "rb") as file:
        words = file.readline().decode().split()
        facts = {word[0]: word[1:] for word in words[1:]}
        width, height = int(facts["W"]), int(facts["H"])
        over, under = map(int, facts["F"].split(":"))
        size = width * height + 2 * ((width + 1) // 2 * ((height + 1) // 2))
        index = 0
        while file.readline():
            frame = file.read(size)
            if index * under / over >= skip:
                yield index * under / over, frame_code.read(frame, width, height, width)
            index += 1


def samples():
    with wave.open(f"{folder}/{audio}.wav") as file:
        channels, rate = file.getnchannels(), file.getframerate()
        return array.array("h", file.readframes(file.getnframes()))[int(skip * rate) * channels::channels], rate


def begins():
    """When each track began, in seconds of the session."""
    with open(f"{folder}/session.json", encoding="utf-8") as file:
        report = json.load(file)
    return {
        track["track"]: track["beganSeconds"]
        for participant in report.get("participants", []) for track in participant["tracks"]}


shown = list(frames())
read = [(at, code) for at, code in shown if code]
assert len(read) > 10, f"{len(read)} of {len(shown)} frames of {video} have a number"
# Each number once, when it is first shown.
first, back = [read[0]], 0
for at, code in read[1:]:
    back += code[0] < first[-1][1][0]
    if code[0] > first[-1][1][0]:
        first.append((at, code))
covered = first[-1][1][0] - first[0][1][0] + 1
longest = max(later[0] - earlier[0] for earlier, later in zip(first, first[1:]))
percent = 100 * len(first) / covered
print(f"{video}: {len(shown)} frames, {len(read)} with a number; {len(first)} of {covered} numbers ({percent:.1f} %), "
      f"{back} times back, the longest without a new one {longest:.2f} s", flush=True)
assert percent >= float(minimum), f"less than {minimum} % of the numbers arrived"
assert back == 0, "frames are out of order"

heard, rate = samples()
if wanted == "beeps":
    began = begins()
    # Of `peer.py count`, 15 a second. The milliseconds begin anew before a whole second.
    late = [at - code[0] / 15 for at, code in first]
    beeps, quiet = [], rate
    for index, value in enumerate(heard):
        if abs(value) > 1000:
            if quiet > rate // 2:
                beeps.append(skip + index / rate)
            quiet = 0
        else:
            quiet += 1
    offset = began[audio] - began[video] - statistics.median(late)
    apart = [(beep + offset + 0.5) % 1 - 0.5 for beep in beeps]
    assert len(apart) >= 5, f"only {len(apart)} beeps"
    middle, worst = 1000 * statistics.median(apart), 1000 * max(apart, key=abs)
    print(f"{audio}: {len(beeps)} beeps, after their video {middle:+.0f} ms, at worst {worst:+.0f} ms")
    assert abs(middle) <= float(os.environ.get("APART", "80")), "audio and video are apart"
else:
    # Half seconds: the rising zero crossings tell the frequency where there is no gap. A track goes on in
    # silence until the room notices that its sender has vanished.
    half, right, total = rate // 2, 0, 0
    for start in range(0, len(heard) - half + 1, half):
        block = heard[start:start + half]
        if max(map(abs, block)) < 300:
            continue
        crossings = sum(one < 0 <= two for one, two in zip(block, block[1:]))
        right += abs(2 * crossings - float(wanted)) <= 6
        total += 1
    print(f"{audio}: {wanted} Hz in {right} of the {total} half seconds that are not silent")
    assert total >= 10 and right >= total * float(os.environ.get("TONE", "90")) / 100, "the tone is not heard"
