#!/usr/bin/python3
"""Serves a Matroska file with H.264 as rtsp://127.0.0.1:PORT/live, again and again; prints the port.

  rtsp.py FILE [PORT]
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(sys.argv[2] if len(sys.argv) > 2 else "0")
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(
    f'( filesrc location="{sys.argv[1]}" ! matroskademux ! h264parse ! rtph264pay name=pay0 pt=96'
    " config-interval=1 )"
)
server.get_mount_points().add_factory("/live", factory)
server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
