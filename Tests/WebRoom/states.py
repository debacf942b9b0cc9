"""Shows the states of a room's page in Chromium, and checks the content of each: see states.sh.

    states.py LOG FOLDER PID        the log has the links; screenshots go to the folder; PID is the room's host
"""

import os
import signal
import subprocess
import sys

from axe_playwright_python.sync_playwright import Axe
from page import links_in
from playwright.sync_api import sync_playwright

log, folder, host = sys.argv[1], sys.argv[2], int(sys.argv[3])
links = links_in(log)

ARGUMENTS = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
# A microphone with a voice, since Chromium's own beeps twice a second, and a screen.
DEVICES = """() => {
    const media = navigator.mediaDevices, get = media.getUserMedia.bind(media);
    media.getUserMedia = async (wanted) => {
        const stream = await get(wanted);
        if (!wanted.audio) return stream;
        const context = new AudioContext(), end = context.createMediaStreamDestination();
        const tone = new OscillatorNode(context, { frequency: 440 }), gain = new GainNode(context, { gain: 0.3 });
        tone.connect(gain).connect(end);
        tone.start();
        return new MediaStream([...stream.getVideoTracks(), ...end.stream.getAudioTracks()]);
    };
    media.getDisplayMedia = async () => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 1280, height: 720 });
        const context = canvas.getContext("2d");
        setInterval(() => {
            context.fillStyle = "#fbfaf5"; context.fillRect(0, 0, 1280, 720);
            context.fillStyle = "#176b4a"; context.font = "600 72px sans-serif"; context.fillText("Results of the week", 120, 200);
            context.fillStyle = "#333"; context.font = "48px sans-serif";
            ["Three plugins", "Two rooms", "No lost frame"].forEach((line, index) => context.fillText(line, 140, 320 + 90 * index));
        }, 100);
        return canvas.captureStream(10);
    };
}"""
# The fault of a page's layout, if there is one: a page that scrolls, a control outside of it, black on half of the
# stage.
LAYOUT = """() => {
    const faults = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.push(`the page scrolls: ${scrollWidth} of ${clientWidth}`);
    for (const element of document.querySelectorAll("body > header button, footer button, dialog[open] button")) {
        if (!element.checkVisibility()) continue;
        const { left, top, right, bottom } = element.getBoundingClientRect();
        if (left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) faults.push(`outside: ${element.id}`);
    }
    for (const button of document.querySelectorAll("button")) {
        if (button.checkVisibility() && !(button.ariaLabel || button.textContent.trim())) faults.push(`no name: ${button.outerHTML}`);
    }
    for (const field of document.querySelectorAll("input, select, meter")) {
        if (field.checkVisibility() && !(field.ariaLabel || field.labels?.length)) faults.push(`no label: ${field.id}`);
    }
    return faults;
}"""
problems = []
axe = Axe()


def page(browser, role, size=(1280, 800), scheme="light", phone=False, permissions=("camera", "microphone")):
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, has_touch=phone,
        device_scale_factor=2 if phone else 1, permissions=list(permissions))
    context.add_init_script(f"({DEVICES})()")
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.on("pageerror", lambda error: problems.append(f"{error}"))
    opened.goto(links[role])
    return opened


def shot(opened, name):
    faults = opened.evaluate(LAYOUT)
    assert not faults, f"{name}: {faults}"
    found = axe.run(opened).response["violations"]
    assert not found, f"{name}: {[(rule['id'], [node['html'] for node in rule['nodes']]) for rule in found]}"
    opened.screenshot(path=f"{folder}/state-{name}.png")
    print(f"state: {name}")


def join(opened, name, camera=True, microphone=True):
    opened.locator("#join, #empty-join").locator("visible=true").click()
    opened.fill("#name", name)
    opened.locator("#enter:enabled").wait_for()
    for device, is_wanted in (("camera", camera), ("microphone", microphone)):
        if not is_wanted:
            opened.select_option(f"#{device}-choice", "off")
    opened.locator("#enter:enabled").wait_for()
    opened.click("#enter")


def is_in(opened, name):
    opened.locator(f"article[aria-label='{name} (you)']").wait_for()
    opened.locator(f"#people-list .name:text-is('{name} (you)')").wait_for(state="attached")


def reads(opened, selector, text):
    opened.locator(selector).filter(has_text=text).wait_for()


def processes(parent):
    """The host and the processes that it has started."""
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False).stdout.split()
    return [parent] + [process for child in found for process in processes(int(child))]


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)

    # 1: connecting. The room's answer is held back.
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    waiting = context.new_page()
    waiting.route("**/room?*", lambda route: None)
    waiting.goto(links["viewers"])
    reads(waiting, "#status-text", "Connecting")
    shot(waiting, "connecting")
    context.close()

    # 2: full. The room has places, so its refusal is made here.
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    refused = context.new_page()
    refused.route("**/whep/slots", lambda route: route.fulfill(status=503, body="The room is full: try again later."))
    refused.goto(links["viewers"])
    reads(refused, "#empty-title", "The room is full")
    shot(refused, "full")
    context.close()

    viewer = page(browser, "viewers")
    viewer.locator("article[aria-label=Host]:not(.waiting)").wait_for()
    reads(viewer, "#title", "Weekly demo")
    assert viewer.locator("#join").is_hidden(), "a viewer may not join"

    # 3: the dialog. The meter moves, and the devices have names.
    ana = page(browser, "guests", scheme="dark")
    ana.click("#join")
    ana.fill("#name", "Ana")
    ana.wait_for_function("() => document.getElementById('preview').videoWidth > 0 && document.getElementById('meter').value > 0.3")
    assert ana.locator("#camera-choice option").count() > 2, "the dialog lists no cameras"
    ana.click("#test-sound")
    shot(ana, "join")
    ana.click("#enter")
    is_in(ana, "Ana")

    # 4: a browser that denies devices. The guest joins to listen, with the keyboard alone.
    ben = page(browser, "guests", permissions=())
    ben.evaluate("() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError'); }; }")
    ben.click("#join")
    ben.fill("#name", "Ben")
    reads(ben, "#entry-error", "The browser denies the camera")
    reads(ben, "#enter", "Join to listen")
    shot(ben, "denied")
    ben.keyboard.press("Enter")
    is_in(ben, "Ben")

    # 5: a grid with the active speaker marked.
    viewer.locator("article[aria-label=Ana].speaking:not(.waiting)").wait_for()
    viewer.locator("article[aria-label=Ben].dark").wait_for()
    shot(viewer, "grid")

    # 6: the speaker large.
    viewer.keyboard.press("g")
    viewer.locator("article[aria-label=Ana].large").wait_for()
    shot(viewer, "speaker")
    viewer.keyboard.press("g")
    viewer.locator("article.large").wait_for(state="detached")

    # 7: a share with a strip, on a phone.
    phone = page(browser, "guests", (390, 844), "dark", phone=True)
    join(phone, "Zoë", camera=False)
    is_in(phone, "Zoë")
    ana.click("#share")
    phone.locator("article[aria-label='Ana’s screen'].large:not(.waiting)").wait_for()
    shot(phone, "share-phone")
    viewer.locator("article[aria-label='Ana’s screen'].large:not(.waiting)").wait_for()
    shot(viewer, "share")

    # 8: messages, which are text and no HTML.
    ana.click("#messages-open")
    ana.fill("#message", "<b>Welcome</b> all")
    ana.keyboard.press("Enter")
    reads(phone, "#unread", "1")
    phone.click("#messages-open")
    reads(phone, "#message-log p", "<b>Welcome</b> all")
    phone.fill("#message", "Good morning")
    phone.keyboard.press("Enter")
    reads(ana, "#message-log", "Good morning")
    shot(ana, "messages")
    shot(phone, "messages-phone")
    phone.click("#side-close")

    # 9: the operator's panel begins with people. A muted guest knows it.
    operator = page(browser, "operators", scheme="dark")
    operator.locator("article[aria-label=Ana]").wait_for()
    operator.keyboard.press("o")
    order = operator.locator("#side h3").all_text_contents()
    operator.wait_for_function("() => document.querySelector('#control .delivered')?.points.length > 1")
    order = operator.evaluate("() => [...document.querySelectorAll('#side h3, #side figure')].map((part) => part.tagName === 'H3' ? part.textContent : 'graph')")
    assert order[1:4] == ["Sources", "Outputs", "Events"] and order[0].endswith(" people") and order[-1] == "graph", order
    stage = operator.locator("#stage").bounding_box()
    assert stage["width"] > 0.6 * 1280, f"the panel squeezes the stage: {stage}"
    operator.click("#people-list button[aria-label='Mute Ana']")
    reads(ana, "#toast", "The operator has muted your microphone")
    reads(ana, "#microphone", "Unmute")
    operator.click("#people-list button[aria-label='Pin Host for all']")
    viewer.locator("article[aria-label=Host].large").wait_for()
    shot(operator, "operator")
    # The whole panel, for the manual.
    operator.set_viewport_size({"width": 1280, "height": 1500})
    operator.locator("#side").screenshot(path=f"{folder}/state-panel.png")
    operator.set_viewport_size({"width": 1280, "height": 800})
    operator.click("#control .recording button:text-is('Pause recording')")
    reads(operator, "#control .recording p", "Recording paused")
    reads(viewer, "#recording", "Recording paused")
    operator.click("#control .recording button:text-is('Resume recording')")
    reads(viewer, "#recording", "Recording")
    operator.click("#control .recording button:text-is('Stop recording')")
    reads(operator, "#control .recording p", "Not recording")
    operator.click("#control .recording button:text-is('Start recording')")
    operator.locator("#control .recording span:text-is('Recording')").wait_for()
    operator.click("#people-list button[aria-label='Unpin Host for all']")

    # Ben joined to listen, and adds a microphone.
    ben.evaluate("() => { delete navigator.mediaDevices.getUserMedia; }")
    ben.click("#devices")
    ben.select_option("#camera-choice", "off")
    ben.locator("#enter:enabled").wait_for()
    shot(ben, "devices")
    ben.click("#enter")
    reads(ben, "#microphone", "Mute")
    operator.locator("#people-list li").filter(has_text="Ben").filter(has_text="microphone on").wait_for()

    # A guest who reloads is a guest again, and still muted.
    ana.reload()
    is_in(ana, "Ana")
    reads(ana, "#microphone", "Unmute")

    # 10: removed, and barred.
    operator.click("#people-list button[aria-label='Remove Zoë']")
    shot(operator, "confirm")
    operator.click("#removal-block")
    reads(phone, "#empty-title", "The operator has removed you")
    shot(phone, "removed")
    join(phone, "Zoë", camera=False)
    reads(phone, "#entry-error", "The operator has barred the name Zoë")
    phone.click("#cancel")

    # Ending asks first.
    operator.click("#control button:text-is('End the session')")
    reads(operator, "#ending-title", "End the session for everybody?")
    shot(operator, "ending")
    operator.click("#ending-cancel")

    # 11: left.
    ben.click("#leave")
    reads(ben, "#empty-title", "You have left the room")
    shot(ben, "left")
    ben.click("#empty-watch")
    ben.locator("article[aria-label=Ana]").wait_for()

    # 12: reconnecting, while the host is stopped; Ana is a guest afterwards.
    stopped = processes(host)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        reads(ana, "#banner", "The connection is interrupted")
        reads(ana, "#status-text", "Reconnecting")
        shot(ana, "reconnecting")
        ana.wait_for_timeout(4000)
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    reads(ana, "#status-text", "Live")
    is_in(ana, "Ana")

    # 13: draining, until a second signal.
    os.kill(host, signal.SIGTERM)
    for page in (viewer, ana):
        reads(page, "#banner", "This room is closing. It accepts no new guests and ends when the last guest leaves.")
    shot(ana, "draining")
    os.kill(host, signal.SIGTERM)
    reads(viewer, "#empty-title", "The session has ended")
    reads(ana, "#empty-title", "The session has ended")
    shot(viewer, "ended")
    assert not problems, problems
    browser.close()
