"""Drives Chromium through a room: see chromium.sh.

    chromium.py LOG FOLDER              the log has the links; screenshots go to the folder
    chromium.py LOG FOLDER ORIGIN       the same through a proxy at that origin, in any room, which goes on
"""

import os
import sys
import time

from page import CONNECTIONS, FRAMES, GONE, LOUDEST, PITCH, SHOWS, expect_counting, links_in
from playwright.sync_api import sync_playwright

log, folder = sys.argv[1:3]
# chromium.sh's own room is small, has a share that loses slides, and is ended at last.
is_own_room = len(sys.argv) == 3
links = links_in(log, *sys.argv[3:])

ARGUMENTS = [
    "--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
]
# Whether the largest layer that the page sends has so many lines, because nobody needs more.
SENDS = """async (lines) => {
    for (const connection of connections)
        for (const sender of connection.getSenders()) {
            const reports = sender.track?.kind === "video" ? [...(await sender.getStats()).values()] : [];
            const layers = reports.filter((report) => report.type === "outbound-rtp" && report.active && report.frameHeight);
            if (Math.max(...layers.map((report) => report.frameHeight)) === lines) return true;
        }
    return false;
}"""
# How bright the video of that name's tile is, of 255.
BRIGHTNESS = """(name) => {
    const video = document.querySelector(`article[aria-label="${name}"] video`);
    const canvas = Object.assign(document.createElement("canvas"), { width: 16, height: 9 });
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0, 16, 9);
    const bytes = context.getImageData(0, 0, 16, 9).data;
    return bytes.reduce((sum, byte, index) => sum + (index % 4 < 3 ? byte : 0), 0) / (16 * 9 * 3);
}"""
# With the longest texts that the header has: what stands outside of the page's width and height, if anything.
OUTSIDE = """([width, height]) => {
    const texts = { "status-text": "Reconnecting", "network": "Network: 2160p of 4320p", "people-count": "18", "title": "A session with a long name" };
    for (const [id, text] of Object.entries(texts)) document.getElementById(id).textContent = text;
    document.getElementById("status").classList.remove("live");
    for (const id of ["network", "people-open", "unread"]) document.getElementById(id).hidden = false;
    const outside = document.documentElement.scrollWidth > width ? [`a page of ${document.documentElement.scrollWidth}`] : [];
    if (innerWidth !== width) outside.push(`a window of ${innerWidth}`);
    for (const element of document.querySelectorAll("body > header > *, nav > *, footer > *")) {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        if (left < 0 || top < 0 || right > width || bottom > height) outside.push(element.id);
    }
    if (!document.getElementById("network").checkVisibility()) outside.push("network");
    return outside;
}"""
PHONES = [(360, 800), (390, 844), (844, 390)]
problems = []


def page(browser, link, width, height, scheme, phone=False, slow=False):
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=phone,
        device_scale_factor=2 if phone else 1, permissions=["camera", "microphone"],
        ignore_https_errors=True)
    context.add_init_script(CONNECTIONS)
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.on("pageerror", lambda error: problems.append(f"{error}"))
    # A stream may end while the page asks for it: 404.
    opened.on("console", lambda line: line.type == "error" and "404" not in line.text and problems.append(line.text))
    if slow:
        # At this rate the page itself would take half a minute: its files come past the browser's network.
        context.route("**/*.{js,css,svg}", lambda route: route.fulfill(response=route.fetch()))
        network = context.new_cdp_session(opened)
        network.send("Network.enable")
        network.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": 5000, "uploadThroughput": -1, "packetQueueLength": 5})
    opened.goto(link)
    return opened


def expect_to_fit(opened, size):
    outside = opened.evaluate(OUTSIDE, size)
    assert not outside, f"outside of {size}: {outside}"


def asked(opened, path):
    """What the room answers to the page's link."""
    return opened.evaluate("""async (path) => (await fetch(path, {
        headers: { authorization: "Bearer " + location.hash.slice(1) } })).json()""", path)


def expect(what, condition):
    """Waits until that is so."""
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.2)


def setting(opened, role, name):
    plugin = next(plugin for plugin in asked(opened, "/api/session")["plugins"] if plugin["role"] == role)
    return next(parameter["value"] for parameter in plugin["parameters"] if parameter["name"] == name)


def state(opened, role):
    return next(plugin["state"] for plugin in asked(opened, "/api/session")["plugins"] if plugin["role"] == role)


def names_of_videos(opened):
    return [stream.get("name") for stream in asked(opened, "/room")["streams"]]


def has_microphone(opened, name):
    return next(guest["microphone"] for guest in asked(opened, "/room")["guests"] if guest["name"] == name)


def expect_pitch(opened, hertz):
    pitch = opened.evaluate(PITCH)
    assert abs(pitch - hertz) < 10, f"the tone is {hertz} Hz, and {pitch} was heard"


def shot(opened, name):
    opened.screenshot(path=f"{folder}/{name}.png")


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)

    # Who was alone in the room leaves nothing behind.
    alone = page(browser, links["guests"], 1280, 800, "light")
    alone.click("#join")
    alone.fill("#name", "Zoe")
    alone.wait_for_function("() => document.getElementById('preview').videoWidth > 0")
    alone.click("#enter")
    alone.wait_for_function(SHOWS, arg="Zoe (you)")
    expect("Zoe has no video", lambda: "Zoe" in names_of_videos(alone))
    alone.click("#leave")
    expect("Zoe has left a video behind", lambda: "Zoe" not in names_of_videos(alone))
    alone.close()

    begun = time.monotonic()
    viewer = page(browser, links["viewers"], 1280, 800, "light")
    viewer.wait_for_function("() => [...document.querySelectorAll('video')].some((video) => video.videoWidth > 0)")
    print(f"from the link to the first frame: {time.monotonic() - begun:.1f} s")
    for name in ["Host", "Host’s screen"]:
        viewer.wait_for_function(SHOWS, arg=name)
    shot(viewer, "viewer-light")
    expect_counting(viewer.evaluate(FRAMES, "Host"))
    assert viewer.locator("#join").is_hidden(), "a viewer may not join"
    viewer.click("#audio")
    expect_pitch(viewer, 330)
    viewer.keyboard.press("a")
    assert viewer.evaluate(PITCH) == 0, "audio that is off was heard"
    viewer.keyboard.press("a")
    expect_pitch(viewer, 330)

    # The slider of a person changes this page's audio, and no other page's.
    other = page(browser, links["viewers"], 1280, 800, "light")
    other.wait_for_function(SHOWS, arg="Host")
    other.click("#audio")
    viewer.click("#people-open")
    volume = viewer.locator("input[aria-label='Volume of Host on this page']")
    volume.focus()
    levels = {}
    for key, percent in [("Home", 0), ("End", 200), ("ArrowLeft", 50)]:
        for _ in range(15 if percent == 50 else 1):
            viewer.keyboard.press(key)
        assert volume.get_attribute("aria-valuetext") == f"{percent} %", volume.get_attribute("aria-valuetext")
        expect(f"the tone is wrong at {percent} %", lambda: abs(viewer.evaluate(PITCH) - (330 if percent else 0)) < 10)
        time.sleep(1) # until the page plays nothing of the volume before
        levels[percent] = viewer.evaluate(LOUDEST)[1]
    assert 10 < levels[200] - levels[50] < 14, f"four times the volume is 12 dB: {levels}"
    shot(viewer, "viewer-volume-light")
    full = other.evaluate(LOUDEST)[1]
    assert 4 < full - levels[50] < 8, f"another page hears half of the volume too: {full}, {levels}"
    other.close()
    for _ in range(5):
        viewer.keyboard.press("ArrowRight")
    viewer.click("#side-close")

    if is_own_room:
        slow = page(browser, links["viewers"], 1280, 800, "dark", slow=True)
        slow.locator("#network").filter(has_text="Network: 360p of 720p").wait_for()
        shot(slow, "viewer-slow-dark")
        slow.close()
    assert viewer.locator("#network").is_hidden(), "the network of another viewer is slow"

    guest = page(browser, links["guests"], 1280, 800, "dark")
    guest.wait_for_function(SHOWS, arg="Host")
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

    if is_own_room:
        # A program of the session has recognized this.
        with open(os.environ["CAPTIONS"], "a", encoding="utf-8") as captions:
            captions.write("1\t2\tAna\tShall we start? <b>Yes</b>\n")
        caption = viewer.locator("#captions p")
        caption.wait_for()
        shot(viewer, "viewer-caption-light")
        assert caption.inner_text() == "Ana: Shall we start? <b>Yes</b>", caption.inner_text()
        assert guest.locator("#captions").inner_text() == caption.inner_text(), "a guest sees another caption"
        viewer.click("#captions-toggle")
        assert viewer.locator("#captions").is_hidden(), "the caption stays after it was turned off"

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
    expect_to_fit(phone, (390, 844))
    for size in PHONES:
        name = f"phone-{size[0]}"
        watching = page(browser, links["viewers"], *size, "light", phone=True)
        watching.wait_for_function(SHOWS, arg="Ben")
        expect_to_fit(watching, size)
        shot(watching, f"{name}-viewer")
        watching.close()
        controlling = page(browser, links["operators"], *size, "dark", phone=True)
        controlling.wait_for_function(SHOWS, arg="Ben")
        expect_to_fit(controlling, size)
        shot(controlling, f"{name}-operator")
        controlling.tap("#control-open")
        controlling.locator("#setting-camera-speed").wait_for()
        expect_to_fit(controlling, size)
        shot(controlling, f"{name}-control")
        controlling.tap("#side-close")
        assert controlling.locator("#side").is_hidden(), f"Control does not close on {size}"
        controlling.close()

    guest.click("#microphone")
    muted = time.monotonic()
    expect("Ana is not muted", lambda: not has_microphone(viewer, "Ana"))
    guest.click("#camera")
    viewer.wait_for_function("() => document.querySelector('article.dark[aria-label=Ana]') !== null")
    shot(viewer, "viewer-muted-light")

    operator = page(browser, links["operators"], 1280, 800, "dark")
    operator.wait_for_function(SHOWS, arg="Ben")
    operator.hover("article[aria-label=Ben]")
    shot(operator, "operator-dark")
    operator.click("button[aria-label='Remove Ben from the room']")
    operator.click("#removal-confirm")
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
    operator.wait_for_function("() => document.querySelector('#control .log').textContent.includes('speed set to 10')")
    figure = "#control figure:has(b:text-is('{}'))"
    facts = operator.locator(figure.format("camera") + " p").text_content()
    assert ", limited by " in facts, facts
    if is_own_room:
        # The recorder takes 640x360. Viewers get the whole camera, and so does the slow one's share.
        assert facts.startswith("1280x720@30, limited by session.maximum; "), facts
        share = operator.locator(figure.format("share"))
        expect("the plots do not say why slides are lost", lambda: "withheld" in share.locator("p").text_content())
        expect("the plot marks no loss", lambda: "M" in share.locator(".drops").get_attribute("d"))
    shot(operator, "operator-control-dark")

    # A switch, and a field, which takes nothing out of its bounds.
    operator.click("#setting-camera-ball")
    expect("the switch changes nothing", lambda: setting(operator, "camera", "ball") is False)
    said = operator.locator("#control")
    for bounds in ["per second, 0–10", "Hz, 1–20000", "dBFS, -120 to 0"]:
        assert bounds in said.text_content(), f"bounds that are not shown: {bounds}"
    field = operator.locator("input[aria-label='Sine frequency, as a number']")
    field.fill("30000")
    field.press("Enter")
    operator.locator("#control-says.error").wait_for()
    assert setting(operator, "microphone", "frequency") == 330, "a value out of bounds was set"
    field.fill("440")
    field.press("Enter")
    expect("the field changes nothing", lambda: setting(operator, "microphone", "frequency") == 440)
    expect("the new tone is not heard", lambda: abs(viewer.evaluate(PITCH) - 440) < 10)

    # Its buttons do what they say. Ana is muted, and Ben gone: the tone is all that is heard.
    operator.click("button[aria-label=Mute]")
    expect("Mute does not stop the microphone", lambda: state(operator, "microphone") == "stopped")
    expect("the tone is heard in spite of Mute", lambda: viewer.evaluate(PITCH) == 0)
    operator.click("button[aria-label=Unmute]")
    expect("Unmute does not start the microphone", lambda: state(operator, "microphone") == "sending")
    expect("the tone is not heard after Unmute", lambda: abs(viewer.evaluate(PITCH) - 440) < 10)
    operator.click("button[aria-label='Stop camera']")
    expect("Stop does not stop the camera", lambda: state(operator, "camera") == "stopped")
    expect("the camera is not black", lambda: viewer.evaluate(BRIGHTNESS, "Host") < 20)
    shot(operator, "operator-stopped-dark")
    operator.click("button[aria-label='Start camera']")
    expect("Start does not start the camera", lambda: state(operator, "camera") == "sending")
    expect("the camera is black", lambda: viewer.evaluate(BRIGHTNESS, "Host") > 60)

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
    operator.wait_for_function("() => document.getElementById('ceiling-camera')?.value === '640x360@30'")
    operator.select_option("#ceiling-camera", "none")
    operator.wait_for_function("() => document.getElementById('control-says').textContent.includes('ceiling none')")

    time.sleep(max(0, muted + 8 - time.monotonic()))
    guest.click("#microphone")
    expect("Ana is still muted", lambda: has_microphone(viewer, "Ana"))

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
    # The session's share is the large one, until another one is picked.
    for name in ["Host’s screen", "Ana’s screen"]:
        if name != "Host’s screen":
            viewer.hover(f"article[aria-label='{name}']")
            viewer.click(f"button[aria-label='Pin {name}']")
        viewer.keyboard.press("f")
        viewer.wait_for_function("""(name) => document.fullscreenElement?.getAttribute("aria-label") === name
            && document.fullscreenElement.querySelector("video").clientWidth === innerWidth""", arg=name)
        shot(viewer, f"viewer-full-{name.split(chr(8217))[0].lower()}")
        viewer.keyboard.press("f")
        viewer.wait_for_function("() => document.fullscreenElement === null")
    guest.click("#share")
    viewer.wait_for_function(GONE, arg="Ana’s screen")

    guest.click("#leave")
    viewer.wait_for_function(GONE, arg="Ana")

    # A page finds no room any more, and says so in its console too.
    assert not problems, problems
    if is_own_room:
        operator.click("#control button:text-is('End the session')")
        operator.locator("#ending-title").wait_for()
        assert state(operator, "camera") == "sending", "one click ends the session"
        operator.click("#ending-confirm")
        viewer.wait_for_function("() => document.getElementById('empty-title').checkVisibility() && document.getElementById('status-text').textContent === 'Ended'")
        shot(viewer, "viewer-ended-light")
    browser.close()
print("seen and heard: the camera, the share, the tone at three volumes, two guests, a mute, a removal, and on phones too; an operator's "
      "slider, switch, field, buttons and plots" + ("; a caption, a slow network, lost slides and the end" if is_own_room else ""))
