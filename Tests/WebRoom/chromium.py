"""Drives Chromium through a room: see chromium.sh.

    chromium.py LOG FOLDER [ORIGIN]     the log has the links; screenshots go to the folder
"""

import sys
import time

from page import FRAMES, GONE, PITCH, SHOWS, expect_counting, links_in
from playwright.sync_api import sync_playwright

log, folder = sys.argv[1:3]
links = links_in(log, *sys.argv[3:])

ARGUMENTS = [
    "--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
]
# Whether the page sends video of so many lines, because it has asked the browser for that.
SENDS = """async (lines) => {
    for (const connection of connections)
        for (const sender of connection.getSenders()) {
            if (!(sender.getParameters().encodings?.[0]?.scaleResolutionDownBy > 1)) continue;
            for (const report of (await sender.getStats()).values())
                if (report.type === "outbound-rtp" && report.frameHeight === lines) return true;
        }
    return false;
}"""
problems = []


def page(browser, link, width, height, scheme, phone=False):
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=phone,
        device_scale_factor=2 if phone else 1, permissions=["camera", "microphone"],
        ignore_https_errors=True)
    # What the page makes is not reachable from outside.
    context.add_init_script("""window.connections = [];
        window.RTCPeerConnection = class extends RTCPeerConnection {
            constructor(...words) { super(...words); window.connections.push(this); }
        };""")
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.on("pageerror", lambda error: problems.append(f"{error}"))
    # A stream may end while the page asks for it: 404.
    opened.on("console", lambda line: line.type == "error" and "404" not in line.text and problems.append(line.text))
    opened.goto(link)
    return opened


def shot(opened, name):
    opened.screenshot(path=f"{folder}/{name}.png")


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)

    begun = time.monotonic()
    viewer = page(browser, links["viewers"], 1280, 800, "light")
    viewer.wait_for_function("() => [...document.querySelectorAll('video')].some((video) => video.videoWidth > 0)")
    print(f"from the link to the first frame: {time.monotonic() - begun:.1f} s")
    for name in ["Camera", "Share"]:
        viewer.wait_for_function(SHOWS, arg=name)
    shot(viewer, "viewer-light")
    expect_counting(viewer.evaluate(FRAMES, "Camera"))
    assert viewer.locator("#join").is_hidden(), "a viewer may not join"
    viewer.keyboard.press("a")
    pitch = viewer.evaluate(PITCH)
    assert abs(pitch - 330) < 10, f"the tone is 330 Hz, and {pitch} was heard"
    viewer.keyboard.press("a")

    guest = page(browser, links["guests"], 1280, 800, "dark")
    guest.wait_for_function(SHOWS, arg="Camera")
    guest.click("#join")
    guest.fill("#name", "Ana")
    guest.wait_for_function("() => document.getElementById('preview').videoWidth > 0")
    shot(guest, "join-dark")
    guest.keyboard.press("Enter")
    guest.wait_for_function(SHOWS, arg="Ana (you)")
    viewer.wait_for_function(SHOWS, arg="Ana")
    # The session records 640x360 of it.
    guest.wait_for_function(SENDS, arg=360)
    shot(guest, "guest-dark")
    shot(viewer, "viewer-with-guest-light")

    phone = page(browser, links["guests"], 390, 844, "dark", phone=True)
    phone.wait_for_function(SHOWS, arg="Ana")
    shot(phone, "phone-viewer-dark")
    phone.click("#join")
    phone.fill("#name", "Ben")
    phone.wait_for_function("() => document.getElementById('preview').videoWidth > 0")
    phone.click("#enter")
    guest.wait_for_function(SHOWS, arg="Ben")
    shot(phone, "phone-guest-dark")
    light = page(browser, links["viewers"], 390, 844, "light", phone=True)
    light.wait_for_function(SHOWS, arg="Ben")
    shot(light, "phone-viewer-light")
    light.close()

    guest.click("#microphone")
    guest.click("#camera")
    viewer.wait_for_function("() => document.querySelector('article.dark[aria-label=Ana]') !== null")
    shot(viewer, "viewer-muted-light")

    operator = page(browser, links["operators"], 1280, 800, "dark")
    operator.wait_for_function(SHOWS, arg="Ben")
    operator.hover("article[aria-label=Ben]")
    shot(operator, "operator-dark")
    operator.click("button[aria-label='Remove Ben from the room']")
    viewer.wait_for_function(GONE, arg="Ben")

    # The operator moves a slider, and the session's setting changes.
    operator.keyboard.press("o")
    slider = operator.locator("[id='setting-camera-speed']")
    slider.wait_for()
    said = open(log, encoding="utf-8").read().count("camera: speed set to")
    slider.focus()
    operator.keyboard.press("End")
    operator.wait_for_function("() => document.getElementById('control-says').textContent.includes('camera: speed set to 10')")
    assert open(log, encoding="utf-8").read().count("camera: speed set to") > said, "the session's setting has not changed"
    value = operator.evaluate("""async () => (await (await fetch("/api/session", { headers: { authorization: "Bearer " + location.hash.slice(1) } })).json())
        .plugins.find((plugin) => plugin.role === "camera").parameters.find((parameter) => parameter.name === "speed").value""")
    assert value == 10, f"the session's speed is {value}"
    # A plot has points, and the log the command.
    operator.wait_for_function("() => document.querySelector('#control .delivered')?.points.length > 3")
    operator.wait_for_function("() => document.querySelector('#control ol').textContent.includes('speed set to 10')")
    shot(operator, "operator-control-dark")
    tuning = page(browser, links["operators"], 390, 844, "light", phone=True)
    tuning.click("#control-open")
    tuning.wait_for_function("() => document.querySelector('#control .delivered')?.points.length > 3")
    shot(tuning, "phone-control-light")
    tuning.close()
    assert viewer.locator("#control-open").is_hidden(), "a viewer controls nothing"

    # Both a ceiling that is set and one that was set before the page was opened can be lifted.
    operator.select_option("#ceiling-camera", "640x360@30")
    operator.wait_for_function("() => document.getElementById('control-says').textContent.includes('ceiling 640x360@30')")
    operator.reload()
    operator.keyboard.press("o")
    operator.wait_for_function("() => document.getElementById('ceiling-camera')?.value === '640x360@30'")
    operator.select_option("#ceiling-camera", "none")
    operator.wait_for_function("() => document.getElementById('control-says').textContent.includes('ceiling none')")

    # A headless browser has no screen: its page shares a canvas.
    guest.evaluate("""() => { navigator.mediaDevices.getDisplayMedia = async () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [800, 600];
        const context = canvas.getContext("2d");
        setInterval(() => { context.fillStyle = `hsl(${performance.now() / 20} 80% 50%)`; context.fillRect(0, 0, 800, 600); }, 100);
        return canvas.captureStream(10);
    }; }""")
    guest.click("#share")
    viewer.wait_for_function(SHOWS, arg="Ana’s screen")
    shot(viewer, "viewer-with-share-light")
    viewer.keyboard.press("f")
    viewer.wait_for_function("() => document.fullscreenElement !== null")
    viewer.keyboard.press("f")
    viewer.wait_for_function("() => document.fullscreenElement === null")
    guest.click("#share")
    viewer.wait_for_function(GONE, arg="Ana’s screen")

    guest.click("#leave")
    viewer.wait_for_function(GONE, arg="Ana")
    browser.close()
assert not problems, problems
print("seen and heard: the camera, the share, the tone, two guests, a mute, a removal, a slider and a leave")
