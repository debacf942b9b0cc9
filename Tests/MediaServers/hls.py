"""What Chromium sees and hears of a session's HLS. Started by hls.sh.

  hls.py GREENROOM
"""

import functools
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

PAGE = """<!doctype html><video id=v autoplay src="live.m3u8"></video><script>
const say = result => fetch("/result", {method: "POST", body: JSON.stringify(result)});
const pause = ms => new Promise(done => setTimeout(done, ms));
async function look() {
  const context = new AudioContext(), analyser = context.createAnalyser();
  analyser.fftSize = 8192;
  context.createMediaElementSource(v).connect(analyser);
  await context.resume();
  const frames = () => v.getVideoPlaybackQuality().totalVideoFrames;
  for (let i = 0; i < 200 && frames() < 150; i++) {
    if (v.error) throw v.error.message;
    await pause(100);
  }
  const canvas = document.createElement("canvas");
  canvas.width = v.videoWidth; canvas.height = v.videoHeight;
  const pen = canvas.getContext("2d");
  pen.drawImage(v, 0, 0);
  const colors = [...Array(8).keys()].map(bar => [...pen.getImageData(
    (2 * bar + 1) * canvas.width / 16, canvas.height * 3 / 4, 1, 1).data].slice(0, 3));
  const bins = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(bins);
  const peak = bins.indexOf(Math.max(...bins));
  return {size: [v.videoWidth, v.videoHeight], frames: frames(), time: v.currentTime, colors,
    level: bins[peak], hertz: peak * context.sampleRate / analyser.fftSize};
}
look().then(say, error => say({error: String(error)}));
</script>"""

SESSION = """session: { maximum: 640x360@30 }
camera: { plugin: ColorBars, settings: { ball: false, counter: false } }
microphone: { plugin: Tone, settings: { frequency: 1000 } }
outputs: [{ plugin: Stream, settings: { hls: live.m3u8, key-interval: 1 } }]
"""


class Server(http.server.SimpleHTTPRequestHandler):
    extensions_map = {
        ".html": "text/html", ".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t"}
    result = None
    has_result = threading.Event()

    def do_POST(self):
        Server.result = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        Server.has_result.set()

    def log_message(self, *_):
        pass


with tempfile.TemporaryDirectory() as folder:
    for name, text in ("page.html", PAGE), ("session.yaml", SESSION):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    handler = functools.partial(Server, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    session = subprocess.Popen([sys.argv[1], "run", f"{folder}/session.yaml"])
    try:
        end = time.monotonic() + 30
        while not os.path.exists(f"{folder}/live-2.ts"):
            if time.monotonic() > end or session.poll() is not None:
                sys.exit("the session has written no segments")
            time.sleep(0.1)
        browser = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             f"--user-data-dir={folder}/profile", "--autoplay-policy=no-user-gesture-required",
             f"http://127.0.0.1:{server.server_address[1]}/page.html"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        Server.has_result.wait(60)
        browser.terminate()
        browser.wait()
    finally:
        session.terminate()
        session.wait()

result = Server.result
if result is None:
    sys.exit("Chromium reported nothing in a minute")
print(json.dumps(result))
if "error" in result:
    sys.exit(f"Chromium: {result['error']}")
if result["size"] != [640, 360] or result["frames"] < 150:
    sys.exit("the video has another size, or too few frames")
for bar, color in enumerate(result["colors"]):
    wanted = [191 * (not bar & bit) for bit in (2, 4, 1)]
    if any(abs(seen - value) > 12 for seen, value in zip(color, wanted)):
        sys.exit(f"bar {bar} is {color}, not {wanted}")
if abs(result["hertz"] - 1000) > 10 or result["level"] < -60:
    sys.exit("the audio has another tone")
