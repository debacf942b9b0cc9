"""A guest in Chromium who sends three layers, a small and a large viewer: see layers.sh.

    layers.py LOG FOLDER STATUS...    the log has the links; screenshots go to the folder; the command STATUS prints
                                      the session's report
"""

import json
import subprocess
import sys
import time

from page import CONNECTIONS, SHOWS, links_in
from playwright.sync_api import sync_playwright

log, folder, *status = sys.argv[1:]
links = links_in(log)
ARGUMENTS = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
# The lines of the video that the tile of that name shows, and the frames that it has shown; none without the tile.
SHOWN = """(name) => {
    const video = document.querySelector(`article[aria-label="${name}"] video`);
    return video ? [video.videoHeight, video.getVideoPlaybackQuality().totalVideoFrames] : [0, 0];
}"""
# The layers that the page sends: their names and the lines, and the frames of each.
SENT = """async () => {
    const connection = connections.find((connection) => connection.getSenders().some((sender) => sender.track?.kind === "video"));
    const reports = [...(await connection.getStats()).values()].filter((report) => report.type === "outbound-rtp" && report.rid);
    return Object.fromEntries(reports.map(({ rid, active, frameHeight, framesEncoded }) => [rid, [active, frameHeight, framesEncoded]]));
}"""


def page(browser, link, width, height):
    context = browser.new_context(viewport={"width": width, "height": height}, permissions=["camera", "microphone"])
    context.add_init_script(CONNECTIONS)
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.goto(link)
    return opened


def expect(what, value, wanted):
    """Waits until the value is as wanted."""
    until = time.monotonic() + 30
    while not wanted(value()):
        assert time.monotonic() < until, f"{what}: {value()}"
        time.sleep(0.2)


def expect_lines(opened, name, *lines):
    expect(f"{name} does not have {lines} lines", lambda: opened.evaluate(SHOWN, name)[0], lambda shown: shown in lines)
    _, frames = opened.evaluate(SHOWN, name)
    expect("the video stands still", lambda: opened.evaluate(SHOWN, name)[1], lambda shown: shown > frames + 15)


def expect_sent(opened, *names):
    """Waits until the page sends these layers, and no other."""
    expect(f"not the layers {names}", lambda: opened.evaluate(SENT),
           lambda sent: {name for name, (is_active, *_) in sent.items() if is_active} == set(names))
    before = opened.evaluate(SENT)
    time.sleep(2)
    after = opened.evaluate(SENT)
    for name, (_, lines, frames) in after.items():
        assert (frames > before[name][2]) == (name in names), f"layer {name}: {before[name]}, and then {after[name]}"
    return after


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
    guest = page(browser, links["guests"], 1280, 800)
    guest.click("#join")
    guest.fill("#name", "Ana")
    guest.wait_for_function("() => document.getElementById('preview').videoWidth > 0")
    guest.click("#enter")
    guest.wait_for_function(SHOWS, arg="Ana (you)")

    large = page(browser, links["viewers"], 1280, 800)
    small = page(browser, links["viewers"], 300, 500)
    for viewer in (large, small):
        viewer.wait_for_function(SHOWS, arg="Ana")
    expect_lines(large, "Ana", 720)
    expect_lines(small, "Ana", 180)
    large.screenshot(path=f"{folder}/layers-large.png")
    small.screenshot(path=f"{folder}/layers-small.png")
    print("sent to both:", expect_sent(guest, "f", "q"))
    (room,) = json.loads(subprocess.check_output(status))["outputPlugins"]
    slots = {name: value for name, value in room["values"].items() if name.startswith("slots-")}
    assert slots == {"slots-encoded": 0, "slots-forwarded": 2}, slots

    # Nobody watches the large layer any more.
    large.close()
    expect_sent(guest, "q")
    expect_lines(small, "Ana", 180)

    # The layers return, in the same connection: the middle one and the large one.
    for size, name, lines in [((680, 500), "h", 360), ((1280, 800), "f", 720), ((300, 500), "q", 180)]:
        small.set_viewport_size({"width": size[0], "height": size[1]})
        expect_lines(small, "Ana", lines)
        expect_sent(guest, name)
        print(f"a window of {size}: {lines} lines")
    small.close()
    expect_sent(guest)

    late = page(browser, links["viewers"], 1280, 800)
    begun = time.monotonic()
    # A browser begins the layer with fewer lines while it does not know its network.
    expect_lines(late, "Ana", 540, 720)
    print(f"from the link to the large layer, which was paused: {time.monotonic() - begun:.1f} s")
    expect_sent(guest, "f")
    browser.close()
