"""A desktop's portals for screen casts and cameras that ask nobody.

Arguments: the id of the node to share, and the answer: yes or no. Prints what it is asked. SIGUSR1 ends the share, as
the user does on the desktop.
"""
import os
import signal
import socket
import sys

from gi.repository import Gio, GLib

INTERFACES = Gio.DBusNodeInfo.new_for_xml("""
<node>
  <interface name="org.freedesktop.portal.ScreenCast">
    <method name="CreateSession">
      <arg type="a{sv}" direction="in"/><arg type="o" direction="out"/>
    </method>
    <method name="SelectSources">
      <arg type="o" direction="in"/><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/>
    </method>
    <method name="Start">
      <arg type="o" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
      <arg type="o" direction="out"/>
    </method>
    <method name="OpenPipeWireRemote">
      <arg type="o" direction="in"/><arg type="a{sv}" direction="in"/><arg type="h" direction="out"/>
    </method>
  </interface>
  <interface name="org.freedesktop.portal.Session">
    <method name="Close"/>
  </interface>
  <interface name="org.freedesktop.portal.Camera">
    <method name="AccessCamera">
      <arg type="a{sv}" direction="in"/><arg type="o" direction="out"/>
    </method>
    <method name="OpenPipeWireRemote">
      <arg type="a{sv}" direction="in"/><arg type="h" direction="out"/>
    </method>
  </interface>
</node>
""")
OBJECT = "/org/freedesktop/portal/desktop"
node, answer = int(sys.argv[1]), sys.argv[2]
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
sessions = []


def say(text):
    print(text, flush=True)


def called(connection, sender, path, interface, method, parameters, invocation):
    values = parameters.unpack()
    if method == "Close":
        say("closed")
        return invocation.return_value(None)
    if method == "OpenPipeWireRemote":
        remote = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        remote.connect(os.environ["XDG_RUNTIME_DIR"] + "/pipewire-0")
        files = Gio.UnixFDList.new_from_array([remote.detach()])
        return invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), files)
    options = values[-1]
    place = sender[1:].replace(".", "_")
    request = f"{OBJECT}/request/{place}/{options['handle_token']}"
    results = {}
    if method == "CreateSession":
        session = f"{OBJECT}/session/{place}/{options['session_handle_token']}"
        sessions.append(session)
        bus.register_object(session, INTERFACES.interfaces[1], called, None, None)
        results = {"session_handle": GLib.Variant("s", session)}
    elif method == "SelectSources":
        chosen = ("types", "cursor_mode", "persist_mode", "restore_token")
        say(" ".join(f"{name}={options[name]}" for name in chosen if name in options))
    elif method == "AccessCamera":
        say("camera")
    elif answer == "yes":
        results = {
            "restore_token": GLib.Variant("s", "token-7"),
            "streams": GLib.Variant("a(ua{sv})", [(node, {"source_type": GLib.Variant("u", 1)})]),
        }
    status = 1 if method in ("Start", "AccessCamera") and answer == "no" else 0
    invocation.return_value(GLib.Variant("(o)", (request,)))
    bus.emit_signal(
        sender, request, "org.freedesktop.portal.Request", "Response",
        GLib.Variant("(ua{sv})", (status, results)))


def end():
    bus.emit_signal(
        None, sessions[-1], "org.freedesktop.portal.Session", "Closed", None)
    return True


for index in (0, 2):
    bus.register_object(OBJECT, INTERFACES.interfaces[index], called, None, None)
Gio.bus_own_name_on_connection(
    bus, "org.freedesktop.portal.Desktop", Gio.BusNameOwnerFlags.NONE, lambda *_: say("ready"), None)
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, end)
GLib.MainLoop().run()
