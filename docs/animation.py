"""Takes the frames of the README's animated picture: see animation.sh.

    animation.py LOG FOLDER        the log has the links; the folder has ana.y4m and ben.y4m, and gets the frames
"""

import sys

from page import links_in
from playwright.sync_api import sync_playwright

log, folder = sys.argv[1:]
links = links_in(log)
taken = 0


def page(playwright, role, *arguments):
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", *arguments])
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="dark", permissions=["camera", "microphone"])
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    opened.goto(links[role])
    return opened


def join(playwright, name):
    opened = page(
        playwright, "guests", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={folder}/{name.lower()}.y4m")
    opened.locator("#join, #empty-join").locator("visible=true").click()
    opened.fill("#name", name)
    opened.locator("#enter:enabled").wait_for()
    opened.select_option("#microphone-choice", "off")
    opened.locator("#enter:enabled").wait_for()
    opened.click("#enter")


def shoot(opened, count):
    global taken
    for _ in range(count):
        taken += 1
        opened.screenshot(path=f"{folder}/frame-{taken:03}.png")
        opened.wait_for_timeout(150)


with sync_playwright() as playwright:
    operator = page(playwright, "operators")
    operator.locator("article[aria-label=Host]:not(.waiting)").wait_for()
    operator.wait_for_timeout(3000)
    shoot(operator, 6)
    for name in ("Ana", "Ben"):
        join(playwright, name)
        operator.locator(f"article[aria-label='{name}']:not(.waiting)").wait_for()
        operator.wait_for_timeout(2000)
        shoot(operator, 6)
    operator.click("#control-open")
    operator.locator("#control select").first.wait_for()
    operator.wait_for_timeout(500)
    shoot(operator, 5)
    operator.locator("#control select").filter(has_text="grey").first.select_option("grey")
    operator.wait_for_timeout(800)
    shoot(operator, 6)
    operator.click("#control-open")
    operator.click("#layout")
    operator.wait_for_timeout(800)
    shoot(operator, 7)
