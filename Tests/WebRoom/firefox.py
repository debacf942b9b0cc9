"""Drives Firefox through a room, over the Marionette protocol that Firefox itself speaks: see firefox.sh.

    firefox.py LOG FOLDER       the log has the links; profile and screenshots go to the folder
"""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import time

from page import FRAMES, GONE, PITCH, SHOWS, expect_counting, links_in

log, folder = sys.argv[1:3]
links = links_in(log)

# The settings of a person who has allowed the page everything; a camera and a microphone of Firefox's
# own; and connections within this machine, which it does not offer otherwise.
PREFERENCES = {
    "media.navigator.permission.disabled": True,
    "media.navigator.streams.fake": True,
    "media.autoplay.default": 0,
    "media.peerconnection.ice.loopback": True,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "marionette.port": 0,
}


browsers = []


class Firefox:
    """One window. A call's answer is [1, number, error, result] behind its length."""

    def __init__(self, name):
        profile = os.path.join(folder, f"profile-{name}")
        shutil.rmtree(profile, ignore_errors=True)
        os.makedirs(profile)
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as file:
            for key, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        browsers.append(self)
        said = os.path.join(profile, "MarionetteActivePort")
        for _ in range(600):
            if os.path.exists(said) and (port := open(said, encoding="utf-8").read().strip()):
                break
            time.sleep(0.1)
        else:
            raise AssertionError("Firefox does not listen")
        self.stream = socket.create_connection(("127.0.0.1", int(port)), timeout=90).makefile("rwb")
        self.read()
        self.calls = 0
        self.call("WebDriver:NewSession", {"capabilities": {}})
        self.call("WebDriver:SetTimeouts", {"script": 60_000})

    def read(self):
        length = b""
        while (byte := self.stream.read(1)) != b":":
            length += byte
        return json.loads(self.stream.read(int(length)))

    def call(self, name, parameters):
        self.calls += 1
        text = json.dumps([0, self.calls, name, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(text), text))
        self.stream.flush()
        _, _, error, result = self.read()
        assert error is None, f"{name}: {error}"
        return result

    def open(self, link, width, height):
        self.call("WebDriver:SetWindowRect", {"width": width, "height": height})
        self.call("WebDriver:Navigate", {"url": link})

    def evaluate(self, function, *arguments):
        script = f"const [done] = [...arguments].slice(-1); Promise.resolve(({function})(...arguments)).then(done)"
        return self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": list(arguments)})["value"]

    def wait(self, function, *arguments):
        for _ in range(300):
            if self.evaluate(function, *arguments):
                return
            time.sleep(0.1)
        raise AssertionError(f"not within 30 s: {function} {arguments}")

    def click(self, selector):
        found = self.call("WebDriver:FindElement", {"using": "css selector", "value": selector})
        self.call("WebDriver:ElementClick", {"id": list(found["value"].values())[0]})

    def type(self, selector, text):
        found = self.call("WebDriver:FindElement", {"using": "css selector", "value": selector})
        self.call("WebDriver:ElementSendKeys", {"id": list(found["value"].values())[0], "text": text})

    def shot(self, name):
        picture = self.call("WebDriver:TakeScreenshot", {"full": False})["value"]
        with open(f"{folder}/firefox-{name}.png", "wb") as file:
            file.write(base64.b64decode(picture))

    def end(self):
        self.process.terminate()
        self.process.wait()


try:
    viewer = Firefox("viewer")
    viewer.open(links["viewers"], 1280, 800)
    for name in ["Host", "Host’s screen"]:
        viewer.wait(SHOWS, name)
    expect_counting(viewer.evaluate(FRAMES, "Host"))
    viewer.type("body", "a")
    pitch = viewer.evaluate(PITCH)
    assert abs(pitch - 330) < 10, f"the tone is 330 Hz, and {pitch} was heard"
    viewer.shot("viewer")

    guest = Firefox("guest")
    guest.open(links["guests"], 1280, 800)
    guest.wait(SHOWS, "Host")
    guest.click("#join")
    guest.type("#name", "Fox")
    guest.wait("() => document.getElementById('preview').videoWidth > 0")
    guest.click("#enter")
    guest.wait(SHOWS, "Fox (you)")
    viewer.wait(SHOWS, "Fox")
    viewer.shot("viewer-with-guest")
    guest.shot("guest")
    guest.click("#leave")
    viewer.wait(GONE, "Fox")
finally:
    for browser in browsers:
        browser.end()
print("seen and heard in Firefox: the camera with its frames in order, the share, the tone, a guest and their leave")
