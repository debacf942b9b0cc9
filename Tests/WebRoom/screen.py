"""Looks at a room with a screen and several cameras in Chromium: see screen.sh.

    screen.py LOG FOLDER PIPE       the log has the links; screenshots go to the folder; the pipe leads to the window
"""

import sys

from page import FRAMES, SHOWS, expect_counting, links_in
from playwright.sync_api import sync_playwright

log, folder, pipe = sys.argv[1:4]
TILES = ["Host", "Host (desk)", "Host (room)", "Host’s screen"]
# Whether the window in the share shows a number: 16 columns, white for each bit that is 1.
NUMBER = """([name, number]) => {
    const video = document.querySelector(`article[aria-label="${name}"] video`);
    const canvas = Object.assign(document.createElement("canvas"), { width: 400, height: 300 });
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0, 400, 300);
    let shown = 0;
    for (let bit = 0; bit < 16; bit++)
        if (context.getImageData(bit * 16 + 8, 16, 1, 1).data[1] > 126) shown |= 1 << bit;
    return shown === number;
}"""
# The colour in the middle of the lower half of a tile's video.
LOWER = """(name) => {
    const video = document.querySelector(`article[aria-label="${name}"] video`);
    const canvas = Object.assign(document.createElement("canvas"), { width: 16, height: 16 });
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0, 16, 16);
    return [...context.getImageData(12, 12, 1, 1).data].slice(0, 3);
}"""


def draw(number):
    with open(pipe, "w", encoding="ascii") as lines:
        lines.write(f"draw {number}\n")


draw(4660)
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    viewer = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    viewer.set_default_timeout(60_000)
    problems = []
    viewer.on("pageerror", lambda error: problems.append(f"{error}"))
    viewer.goto(links_in(log)["viewers"])
    for name in TILES:
        viewer.wait_for_function(SHOWS, arg=name)
    names = viewer.evaluate("() => [...document.querySelectorAll('article')].map((tile) => tile.ariaLabel)")
    assert sorted(names) == sorted(TILES), f"the page has other tiles: {names}"
    for name in TILES[:3]:
        expect_counting(viewer.evaluate(FRAMES, name))
    red, green, blue = viewer.evaluate(LOWER, "Host")
    assert green > 180 and red < 90 and blue < 90, f"no page lies over the camera: {red}, {green}, {blue}"
    red, green, blue = viewer.evaluate(LOWER, "Host (desk)")
    assert max(red, green, blue) - min(red, green, blue) < 30, f"the desk is not grey: {red}, {green}, {blue}"
    for number in [4660, 43981]:
        draw(number)
        viewer.wait_for_function(NUMBER, arg=["Host’s screen", number])
    viewer.screenshot(path=f"{folder}/screen.png")
    assert not problems, problems
    browser.close()
