"""What the drivers of browsers ask a page of a room: see chromium.py and firefox.py."""

import time
from urllib.parse import urlsplit


def links_in(log, origin=None):
    """The links that `greenroom live` prints, by whom they are for; at that origin, if there is one."""
    links = {}
    for line in open(log, encoding="utf-8"):
        if "://" in line and "#" in line:
            name, link = line.split(":", 1)
            address = urlsplit(link.strip())
            links[name.strip()] = f"{origin}{address.path}#{address.fragment}" if origin else address.geturl()
    return links


# Keeps what the page makes, which is not reachable from outside, in window.connections.
CONNECTIONS = """window.connections = [];
    window.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...words) { super(...words); window.connections.push(this); }
    };"""
# Whether the tile of that name shows video that goes on.
SHOWS = """(name) => [...document.querySelectorAll("article")].some((tile) =>
    tile.getAttribute("aria-label") === name && tile.querySelector("video").videoWidth > 0
        && tile.querySelector("video").currentTime > 1)"""
GONE = """(name) => ![...document.querySelectorAll("article")].some((tile) =>
    tile.getAttribute("aria-label") === name)"""
# The frequency that is loudest in what the page plays, and its level in decibels; 0 Hz if it plays nothing.
LOUDEST = """async () => {
    const audio = document.getElementById("audio-out");
    if (audio.muted || audio.paused) return [0, -200];
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 32768 });
    context.createMediaStreamSource(audio.srcObject).connect(analyser);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const bins = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(bins);
    const level = Math.max(...bins);
    if (level < -90) return [0, -200];
    return [bins.indexOf(level) * context.sampleRate / analyser.fftSize, level];
}"""
PITCH = f"async () => (await ({LOUDEST})())[0]"
# The frames that the tile of that name shows in three seconds: the number that ColorBars has drawn into each,
# its time on the session's clock in milliseconds, and the time of day in milliseconds when it is on the
# screen. The bits stand in the top left quarter, in four rows of 16.
FRAMES = """(name) => new Promise((resolve) => {
    const tile = [...document.querySelectorAll("article")].find((tile) => tile.getAttribute("aria-label") === name);
    const video = tile.querySelector("video");
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const frames = [];
    const end = performance.now() + 3000;
    const look = (now, facts) => {
        const [width, height] = [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
        context.drawImage(video, 0, 0);
        const bytes = context.getImageData(0, 0, width, height).data;
        let bits = 0n;
        for (let row = 0; row < 4; row++)
            for (let column = 0; column < 16; column++) {
                const x = Math.floor((2 * column + 1) * width / 64), y = Math.floor((2 * row + 1) * height / 32);
                bits = bits << 1n | (bytes[4 * (y * width + x) + 1] > 126 ? 1n : 0n);
            }
        if (bits >> 60n === 0b1010n && (bits & 15n) === 0b0101n)
            frames.push([Number(bits >> 36n & 0xffffffn), Number(bits >> 12n & 0xffffffn), performance.timeOrigin + facts.expectedDisplayTime]);
        if (now > end) resolve(frames);
        else video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
})"""


def expect_counting(frames):
    """Frames are numbered as they are made: a page shows them in order, and most of them."""
    numbers = [frame[0] for frame in frames]
    assert len(numbers) > 10, f"the page shows no numbers: {numbers}"
    assert numbers == sorted(numbers), f"the page shows frames out of order: {numbers}"
    shown = numbers[-1] - numbers[0]
    assert 45 <= shown <= 110, f"in 3 s the page went on by {shown} frames of 30 a second"
    # The session's clock is the machine's monotonic one; the page has the time of day.
    since = (time.time() - time.monotonic()) * 1000
    late = sorted((shown - since - stamp) % 2**24 for _, stamp, shown in frames)
    print(f"{len(late)} of {shown + 1} frames seen, from the source to the screen p50 {late[len(late) // 2]:.0f} ms, "
          f"p95 {late[len(late) * 95 // 100]:.0f} ms")
