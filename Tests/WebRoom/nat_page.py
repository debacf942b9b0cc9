"""A browser behind a router opens a room's page: see nat.sh.

    nat_page.py URL watch       until it shows video
    nat_page.py URL join        joins as "Browser", until the room has given it a number
    nat_page.py URL blocked     until it says why it has no media, which is printed
"""

import shutil
import sys

from page import SHOWS
from playwright.sync_api import sync_playwright

url, mode = sys.argv[1:3]
ARGUMENTS = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium") or shutil.which("chromium-headless-shell"), args=ARGUMENTS)
    context = browser.new_context(ignore_https_errors=True, permissions=["camera", "microphone"])
    page = context.new_page()
    page.set_default_timeout(30_000)
    problems = []
    page.on("pageerror", lambda error: problems.append(f"{error}"))
    page.goto(url)
    if mode == "blocked":
        page.wait_for_function("() => document.getElementById('empty-text').textContent.includes('do not connect')")
        assert page.text_content("#status-text") == "No media", page.text_content("#status-text")
        print(page.text_content("#empty-text"))
    else:
        page.wait_for_function(SHOWS, arg="Host")
        assert page.text_content("#status-text") == "Live", page.text_content("#status-text")
    if mode == "join":
        page.click("#join")
        page.fill("#name", "Browser")
        page.wait_for_selector("#enter:enabled")
        page.click("#enter")
        page.wait_for_function("() => document.querySelector('[aria-label=\"Browser (you)\"]') !== null")
        # The room lists who has joined with media.
        page.wait_for_function("""async () => {
            const answer = await fetch("/room", { headers: { authorization: `Bearer ${location.hash.slice(1)}` } });
            return (await answer.json()).streams.some((stream) => stream.name === "Browser");
        }""")
    assert not problems, problems
    browser.close()
