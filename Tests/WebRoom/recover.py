"""Breaks a room and the pages in Chromium, and waits until they are well again: see recover.sh.

    recover.py LOG PID      the log has the links; PID is the room's host
"""

import os
import signal
import subprocess
import sys
import time

from page import links_in
from playwright.sync_api import sync_playwright

log, host = sys.argv[1], int(sys.argv[2])
links = links_in(log)
ARGUMENTS = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
WHOLE = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
LOST = {**WHOLE, "offline": True, "packetLoss": 100}


def read(since):
    with open(log, encoding="utf-8") as file:
        file.seek(since)
        return file.read()


def expect_in_log(text, since):
    until = time.monotonic() + 60
    while text not in read(since):
        assert time.monotonic() < until, f"the log does not say \"{text}\""
        time.sleep(0.2)
    line = next(line for line in read(since).splitlines() if text in line)
    print(f"    log: {line}", flush=True)


def says(page, text):
    page.locator("#status-text").filter(has_text=text).wait_for()
    print(f"    page: {text}", flush=True)


def is_well():
    """Both pages show the host's video, which goes on, and Ana is a guest."""
    for page in (viewer, guest):
        page.locator("#status.live").wait_for()
        page.wait_for_function("""() => {
            const video = document.querySelector("article[aria-label=Host]:not(.waiting) video");
            if (!video) return false;
            window.shown ??= video.currentTime;
            return video.currentTime > window.shown + 1 || video.currentTime < window.shown;
        }""", polling=500)
        page.evaluate("() => { delete window.shown; }")
    guest.locator("article[aria-label='Ana (you)']").wait_for()
    viewer.locator("article[aria-label=Ana]:not(.waiting)").wait_for()


def step(text):
    print(text, flush=True)
    return time.monotonic(), os.path.getsize(log)


def end(begun):
    is_well()
    print(f"    well again {time.monotonic() - begun:.0f} s after it began", flush=True)


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
    # A window each: a tab behind another one is throttled.
    viewer, guest = (browser.new_context(
        viewport={"width": 640, "height": 480}, permissions=["camera", "microphone"]).new_page() for _ in range(2))
    for page, role in ((viewer, "viewers"), (guest, "guests")):
        page.set_default_timeout(60_000)
        page.goto(links[role])
    guest.click("#join")
    guest.fill("#name", "Ana")
    guest.locator("#enter:enabled").wait_for()
    guest.click("#enter")
    is_well()

    begun, since = step("the room's process is killed")
    children = subprocess.run(["pgrep", "-P", str(host)], capture_output=True, text=True, check=True).stdout.split()
    assert len(children) == 1, f"processes of the host: {children}"
    os.kill(int(children[0]), signal.SIGKILL)
    for page in (viewer, guest):
        says(page, "Reconnecting")
    expect_in_log("killed by SIGKILL", since)
    end(begun)

    begun, since = step("the host is stopped for 10 s")
    os.kill(host, signal.SIGSTOP)
    try:
        time.sleep(10)
    finally:
        os.kill(host, signal.SIGCONT)
    end(begun)

    begun, since = step("the viewer's tab is frozen for 20 s")
    tab = viewer.context.new_cdp_session(viewer)
    tab.send("Page.setWebLifecycleState", {"state": "frozen"})
    time.sleep(20)
    tab.send("Page.setWebLifecycleState", {"state": "active"})
    end(begun)

    begun, since = step("the guest has no network for 20 s")
    network = guest.context.new_cdp_session(guest)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", LOST)
    says(guest, "Reconnecting")
    expect_in_log("no packets arrive", since)
    time.sleep(5)
    network.send("Network.emulateNetworkConditions", WHOLE)
    end(begun)
    browser.close()
