"""What Chromium sees of a virtual camera and hears of a virtual microphone.

Runs in a session bus with PipeWire and a Greenroom session of bars in 1280x720 and a tone of 1 kHz.
Stands in for the desktop's camera portal, which asks a person for permission, serves a page that opens
camera and microphone, and checks what the page reports. Started by chromium.sh.
"""

import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

PAGE = """<!doctype html><video id=v autoplay muted></video><script>
const say = text => fetch("/result", {method: "POST", body: JSON.stringify(text)});
const pause = ms => new Promise(done => setTimeout(done, ms));
async function look() {
  const stream = await navigator.mediaDevices.getUserMedia({video: true, audio: {
    echoCancellation: false, noiseSuppression: false, autoGainControl: false}});
  const devices = (await navigator.mediaDevices.enumerateDevices()).map(d => d.kind + " " + d.label);
  v.srcObject = stream;
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 8192;
  context.createMediaStreamSource(stream).connect(analyser);
  await context.resume();
  for (let i = 0; i < 100 && !v.videoWidth; i++) await pause(100);
  await pause(3000);
  const canvas = document.createElement("canvas");
  canvas.width = v.videoWidth; canvas.height = v.videoHeight;
  const pen = canvas.getContext("2d");
  pen.drawImage(v, 0, 0);
  const colors = [...Array(8).keys()].map(bar => [...pen.getImageData(
    (2 * bar + 1) * canvas.width / 16, canvas.height * 3 / 4, 1, 1).data].slice(0, 3));
  const bins = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(bins);
  const peak = bins.indexOf(Math.max(...bins));
  return {devices, size: [v.videoWidth, v.videoHeight], colors, level: bins[peak],
    hertz: peak * context.sampleRate / analyser.fftSize};
}
look().then(say, error => say({error: String(error)}));
</script>"""

PORTAL = """<node>
  <interface name="org.freedesktop.portal.Camera">
    <method name="AccessCamera"><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
    <method name="OpenPipeWireRemote"><arg type="a{sv}" direction="in"/><arg type="h" direction="out"/></method>
    <property name="IsCameraPresent" type="b" access="read"/>
    <property name="version" type="u" access="read"/>
  </interface>
</node>"""


def call(connection, sender, path, interface, method, parameters, invocation):
    """Answers the portal's methods: access is granted, and the socket is PipeWire's."""
    options = parameters.unpack()[0]
    if method == "AccessCamera":
        caller = sender[1:].replace(".", "_")
        request = f"/org/freedesktop/portal/desktop/request/{caller}/{options['handle_token']}"
        invocation.return_value(GLib.Variant("(o)", (request,)))
        connection.emit_signal(
            sender, request, "org.freedesktop.portal.Request", "Response",
            GLib.Variant("(ua{sv})", (0, {})))
        return
    remote = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    remote.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], "pipewire-0"))
    descriptors = Gio.UnixFDList.new_from_array([remote.detach()])
    invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), descriptors)


def read(connection, sender, path, interface, name):
    return GLib.Variant("b", True) if name == "IsCameraPresent" else GLib.Variant("u", 1)


class Server(http.server.BaseHTTPRequestHandler):
    result = None

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def do_POST(self):
        Server.result = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(204)
        self.end_headers()
        loop.quit()

    def log_message(self, *_):
        pass


loop = GLib.MainLoop()
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object(
    "/org/freedesktop/portal/desktop", Gio.DBusNodeInfo.new_for_xml(PORTAL).interfaces[0], call,
    read, None)
Gio.bus_own_name_on_connection(
    bus, "org.freedesktop.portal.Desktop", Gio.BusNameOwnerFlags.NONE, None, None)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as profile:
    browser = subprocess.Popen(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
         f"--user-data-dir={profile}", "--use-fake-ui-for-media-stream",
         "--enable-features=WebRtcPipeWireCamera", "--autoplay-policy=no-user-gesture-required",
         f"http://127.0.0.1:{server.server_address[1]}/"],
        stdout=subprocess.DEVNULL, stderr=open(os.environ.get("CHROMIUM_LOG", os.devnull), "w"))
    GLib.timeout_add_seconds(60, loop.quit)
    loop.run()
    browser.terminate()
    browser.wait()
if Server.result is None:
    sys.exit("Chromium reported nothing in a minute")
result = json.loads(Server.result)
print(json.dumps(result))
if "error" in result:
    sys.exit(f"Chromium: {result['error']}")
for kind in "videoinput", "audioinput":
    if f"{kind} Greenroom" not in result["devices"]:
        sys.exit(f"Chromium lists no {kind} Greenroom")
if result["size"] != [1280, 720]:
    sys.exit("the camera has another size")
for bar, color in enumerate(result["colors"]):
    wanted = [191 * (not bar & bit) for bit in (2, 4, 1)]
    if any(abs(seen - value) > 8 for seen, value in zip(color, wanted)):
        sys.exit(f"bar {bar} is {color}, not {wanted}")
if abs(result["hertz"] - 1000) > 10 or result["level"] < -50:
    sys.exit("the microphone has another tone")
