"""Whether a recording has what a browser's fake camera and microphone send: see chromium.sh and firefox.sh.

    recorded.py FOLDER NAME [SECONDS]     both draw colours that move, and Chromium beeps where Firefox hums;
                                          so long the microphone was muted, and heard before and after
"""

import array
import sys
import wave

folder, name = sys.argv[1:3]
muted = float(sys.argv[3]) if len(sys.argv) > 3 else 0
with open(f"{folder}/{name}-camera.y4m", "rb") as file:
    words = file.readline().decode().split()
    width, height = (int(next(word for word in words if word[0] == axis)[1:]) for axis in "WH")
    luma, chroma = width * height, (width + 1) // 2 * ((height + 1) // 2)
    frames, colourful, different, last = 0, 0, 0, None
    while file.readline():
        frame = file.read(luma + 2 * chroma)
        frames += 1
        colourful += max(abs(sum(frame[start:start + chroma]) / chroma - 128) for start in (luma, luma + chroma)) > 10
        different += frame != last
        last = frame
with wave.open(f"{folder}/{name}-microphone.wav") as file:
    samples = array.array("h", file.readframes(file.getnframes()))
    seconds = file.getnframes() / file.getframerate()
    tenth = file.getframerate() // 10 * file.getnchannels()
loudest = max(map(abs, samples), default=0)
loud = [index for index in range(len(samples) // tenth)
        if max(map(abs, samples[index * tenth:(index + 1) * tenth])) > 300]
silence = max((later - index - 1 for index, later in zip(loud, loud[1:])), default=0) / 10
print(f"{name}: {frames} frames of {width}x{height}, {colourful} in colour, {different} different; "
      f"{seconds:.1f} s of audio, at most {loudest} of 32768, "
      f"silent for {silence:.1f} s on end")
assert colourful > 30 and different > 30 and loudest > 300, "that is not what the browser sent"
assert silence >= muted, f"the microphone was muted for {muted} s"
