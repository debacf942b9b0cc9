"""How late headless Chromium shows a person's frames, and plays the person's beeps: see sync.sh.

    sync.py LINK [NAME]     of Host, or of that name; ends with 1 if audio and video are more than 40 ms apart
"""

import statistics
import sys
import time

from page import FRAMES, SHOWS
from playwright.sync_api import sync_playwright

MOST = 40
NAME = (sys.argv[2:] or ["Host"])[0]
SECONDS = 20
# The times of day in milliseconds at which the page plays beeps, in so many seconds; without the latency of a
# loudspeaker. A beep is a sample above a tenth after 0.1 s without one.
BEEPS = """async (seconds) => {
    const context = new AudioContext({ latencyHint: 0 });
    const code = `registerProcessor("beeps", class extends AudioWorkletProcessor {
        quiet = 0;
        process([input]) {
            (input[0] ?? []).forEach((value, index) => {
                if (Math.abs(value) < 0.1) { this.quiet += 1; return; }
                if (this.quiet > sampleRate / 10) this.port.postMessage((currentFrame + index) / sampleRate);
                this.quiet = 0;
            });
            return true;
        }
    })`;
    await context.audioWorklet.addModule(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    const node = new AudioWorkletNode(context, "beeps", { numberOfInputs: 1, numberOfOutputs: 0 });
    context.createMediaStreamSource(document.getElementById("audio-out").srcObject).connect(node);
    const beeps = [];
    node.port.onmessage = ({ data }) => beeps.push(data);
    const clock = [];
    for (const end = performance.now() + 1000 * seconds; performance.now() < end;) {
        clock.push([context.currentTime, performance.now() - 1000 * context.currentTime]);
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
    // The context's time stands still within a block, and falls behind where the machine is busy: the least that is
    // seen around the beep counts.
    return beeps.map((beep) => {
        const near = clock.filter(([at]) => Math.abs(at - beep) < 0.5).map(([, began]) => began);
        return performance.timeOrigin + Math.min(...near) + 1000 * beep;
    });
}"""
ARGUMENTS = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
    # The page allows no scripts but its own.
    page = browser.new_page(bypass_csp=True)
    page.set_default_timeout(60_000)
    page.goto(sys.argv[1])
    page.wait_for_function(SHOWS, arg=NAME)
    page.click("#audio")
    page.wait_for_timeout(5000)
    beeps = page.evaluate(BEEPS, SECONDS)
    frames = page.evaluate(FRAMES, NAME)
    stats = page.evaluate("""async () => {
        const { watcher } = await import("./watch.js");
        return [...(await watcher.pc.getStats()).values()].filter((one) => one.type === "inbound-rtp" && one.jitterBufferEmittedCount)
            .map((one) => [one.kind, 1000 * one.jitterBufferDelay / one.jitterBufferEmittedCount]);
    }""")
    browser.close()

# The session's clock is the machine's monotonic one; the page has the time of day.
since = (time.time() - time.monotonic()) * 1000
video = statistics.median((shown - since - stamp) % 2**24 for _, stamp, shown in frames)
audio = statistics.median((beep - since - video + 500) % 1000 - 500 for beep in beeps) + video
print(f"{len(frames)} frames, p50 {video:.0f} ms after their time; {len(beeps)} beeps, p50 {audio:.0f} ms: audio after "
      f"video {audio - video:+.0f} ms; in the jitter buffers: "
      + ", ".join(f"{kind} {delay:.0f} ms" for kind, delay in stats))
assert len(beeps) >= SECONDS * 3 // 4, "beeps are missing"
assert abs(audio - video) <= MOST, f"audio and video are more than {MOST} ms apart"
