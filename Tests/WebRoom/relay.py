#!/usr/bin/python3
"""A bad network without a kernel that makes one: a room behind it has its HTTP address and its media go
through here. The candidates of each offer and answer are replaced by addresses of the relay, which delays
each packet by a random time, so that later ones overtake it, and drops some.

    relay.py URL MILLISECONDS PERCENT       the delay, as in 0-80, and how much is lost, in both directions

Prints its port, and on SIGTERM how many packets it has passed, dropped and reordered.
"""

import heapq
import http.server
import itertools
import random
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request

url, loss = sys.argv[1].rstrip("/"), float(sys.argv[3]) / 100
least, most = (float(bound) / 1000 for bound in sys.argv[2].split("-"))
counts = {"passed": 0, "dropped": 0, "reordered": 0}
chance = random.Random(1)
# When which packet goes where, the next one first.
due = []
order = itertools.count()
changed = threading.Condition()


def port():
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    end.bind(("127.0.0.1", 0))
    return end


def read(arriving, leaving, target):
    """Takes what arrives at one side; it leaves from the other."""
    newest = [0]
    while True:
        data = arriving.recv(65536)
        with changed:
            if chance.random() < loss:
                counts["dropped"] += 1
                continue
            at = time.monotonic() + chance.uniform(least, most)
            heapq.heappush(due, (at, next(order), data, leaving, target, newest))
            changed.notify()


def write():
    while True:
        with changed:
            while not due or due[0][0] > time.monotonic():
                changed.wait(due[0][0] - time.monotonic() if due else None)
            _, number, data, leaving, target, newest = heapq.heappop(due)
            counts["passed"] += 1
            counts["reordered"] += number < newest[0]
            newest[0] = max(number, newest[0])
        leaving.sendto(data, target)


def redirect(sdp, end):
    """A description whose only candidate is this one, and where its own first one was."""
    lines, first = [], None
    for line in sdp.splitlines():
        words = line.split(" ")
        if line.startswith("a=candidate:"):
            if words[2].upper() != "UDP" or (first and first != (words[4], int(words[5]))):
                continue
            first = words[4], int(words[5])
            words[4:6] = "127.0.0.1", str(end.getsockname()[1])
        lines.append(" ".join(words))
    return "\r\n".join(lines) + "\r\n", first


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        headers = {
            name: self.headers[name] for name in ("Authorization", "Content-Type") if name in self.headers}
        is_offer = self.command == "POST" and headers.get("Content-Type") == "application/sdp"
        if is_offer:
            to_room, to_peer = port(), port()
            text, peer = redirect(body.decode(), to_room)
            body = text.encode()
        asked = urllib.request.Request(url + self.path, method=self.command, data=body, headers=headers)
        try:
            with urllib.request.urlopen(asked, timeout=30) as reply:
                status, told, answer = reply.status, reply.headers, reply.read()
        except urllib.error.HTTPError as error:
            status, told, answer = error.code, error.headers, error.read()
        if is_offer and status == 201:
            text, room = redirect(answer.decode(), to_peer)
            answer = text.encode()
            for way in ((to_peer, to_room, room), (to_room, to_peer, peer)):
                threading.Thread(target=read, args=way, daemon=True).start()
        self.send_response(status)
        for name in ("Location", "Content-Type"):
            if name in told:
                self.send_header(name, told[name])
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    def log_message(self, *words):
        pass


def end(*_):
    print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    sys.exit()


signal.signal(signal.SIGTERM, end)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=write, daemon=True).start()
print("port", server.server_address[1], flush=True)
server.serve_forever()
