#!/bin/sh
# Measures the processor time per frame of a camera in Python beside the same camera in C, both isolated, at
# 1280x720@30 I420, and of PyAV's VideoFrame.from_ndarray; then of a receiver with 32 participants.
#
#   Tests/Benchmarks/python.sh [SECONDS]      20 by default
#
# GREENROOM_PROGRAM names the host, by default the release build; PYTHON an interpreter with numpy and av.
set -eu
cd "$(dirname "$0")/../.."
: "${GREENROOM_PROGRAM:=$PWD/.build/release/greenroom}"
: "${PYTHON:=python3}"
export GREENROOM_PROGRAM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/copy.c" <<'C'
#include <greenroom/base.h>
typedef struct camera { gr_source source; } camera;
/* As NumPy does: planes that calloc returned, and one copy for a plane whose rows follow each other. glibc
   copies memory of another alignment more slowly at once than by rows. */
static uint8_t *picture[3];
static void send_frames(gr_source *source) {
  gr_frame_time time;
  gr_lease lease;
  for (uint32_t i = 0; i < 3; i++)
    picture[i] = calloc(gr_plane_rows(GR_FORMAT_I420, i, 720), gr_row_bytes(GR_FORMAT_I420, i, 1280));
  while (gr_next_frame(source, &time) == GR_STATUS_OK) {
    if (gr_acquire_frame(source, &time, GR_FORMAT_I420, &lease) != GR_STATUS_OK) continue;
    for (uint32_t i = 0; i < 3; i++) {
      const size_t row = gr_row_bytes(GR_FORMAT_I420, i, time.width);
      const uint32_t rows = gr_plane_rows(GR_FORMAT_I420, i, time.height);
      const int is_packed = lease.frame.planes[i].stride_bytes == row;
      for (uint32_t y = 0; y < rows; y += is_packed ? rows : 1)
        memcpy(gr_row(&lease.frame, i, y), picture[i] + y * row, is_packed ? row * rows : row);
    }
    gr_commit_frame(source, &time, &lease);
  }
}
static gr_status set(void *self, const gr_setting *setting) { return (void)self, (void)setting, GR_STATUS_OK; }
static const gr_parameter parameters[] = {GR_LIVE_INTEGER("unused", "Unused", NULL, 0, 0, 1)};
static const gr_descriptor description =
    GR_DESCRIPTION(GR_KIND_VIDEO_SOURCE, "org.example.copy", "Copy", "1.0.0", "Copies", parameters);
GR_EXPORT_SOURCE(camera, description, send_frames, set)
C
cc -O2 -shared -fPIC -pthread -I Sources/GreenroomABI/include "$work/copy.c" -o "$work/copy.so"
cat > "$work/copy_camera.py" <<'PY'
import greenroom
import numpy as np

PICTURE = [np.zeros(shape, np.uint8) for shape in ((720, 1280), (360, 640), (360, 640))]

class Copy(greenroom.Camera):
    def draw(self, frame):
        for plane, picture in zip(frame.planes, PICTURE):
            np.asarray(plane)[:] = picture
PY
cat > "$work/hear.py" <<'PY'
import greenroom

class Hear(greenroom.Receiver):
    rate = 48000
    def heard(self, participant, block):
        self.last = block.tobytes()
PY
exec "$PYTHON" - "$work" "${1:-20}" <<'PY'
import json, os, subprocess, sys, time

folder, seconds = sys.argv[1], float(sys.argv[2])
host = os.environ["GREENROOM_PROGRAM"]
TICK = os.sysconf("SC_CLK_TCK")


def children(pid):
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = open(f"/proc/{entry}/stat").read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                yield int(entry)


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def measure(session):
    """Processor seconds per second: of the plugin's process, and of the host."""
    file = f"{folder}/s.yaml"
    json.dump(session, open(file, "w"))
    process = subprocess.Popen([host, "run", file, "--duration", f"{seconds + 6}s"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(5)
    plugins = list(children(process.pid))
    before = sum(map(cpu, plugins)), cpu(process.pid), time.monotonic()
    time.sleep(seconds)
    after = sum(map(cpu, plugins)), cpu(process.pid), time.monotonic()
    process.wait()
    past = after[2] - before[2]
    return (after[0] - before[0]) / past, (after[1] - before[1]) / past


def camera(plugin):
    used, _ = measure({"session": {"maximum": "1280x720@30"},
                       "camera": {"plugin": plugin, "isolation": "process"} | (
                           {"python": sys.executable} if plugin.endswith(".py") else {}),
                       "outputs": [{"y4m": {"to": "-", "track": "camera"}}]})
    return used / 30 * 1e6


c, python = camera(f"{folder}/copy.so"), camera(f"{folder}/copy_camera.py")
print(f"camera in C        {c:7.0f} us a frame")
print(f"camera in Python   {python:7.0f} us a frame, {python - c:+.0f}")
try:
    import av
    import numpy as np

    picture = np.zeros((1080, 1280), np.uint8)
    begin, count = time.process_time(), 300
    for _ in range(count):
        av.VideoFrame.from_ndarray(picture, format="yuv420p")
    print(f"PyAV from_ndarray  {(time.process_time() - begin) / count * 1e6:7.0f} us a frame")
except ImportError:
    print("PyAV is not installed")
script = "; ".join(f"P{number} 0s microphone" for number in range(32))
used, _ = measure({"session": {"maximum": "320x180@15"}, "microphone": {"plugin": "Tone"},
                   "call": {"plugin": "LoopbackCall", "settings": {"script": script}, "isolation": "host"},
                   "outputs": [{"plugin": f"{folder}/hear.py", "python": sys.executable}]})
print(f"32 participants    {used * 100:7.1f} % of a core for blocks of 10 ms")
PY
