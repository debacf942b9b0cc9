#!/usr/bin/python3
"""What hostile clients do to a room's server, and to its places. Prints what became of it as JSON.

    hostile.py connections URL VIEWER-TOKEN GUEST-TOKEN OPERATOR-TOKEN
    hostile.py places      URL VIEWER-TOKEN GUEST-TOKEN OPERATOR-TOKEN
                            for a room behind a proxy at this machine
"""

import concurrent.futures
import json
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

mode, url, viewer, guest, operator = sys.argv[1:6]
place = urllib.parse.urlsplit(url)
OFFER = (
    "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
    "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na={}\r\na=rtcp-mux\r\n"
    "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\na=setup:actpass\r\n"
    "a=fingerprint:sha-256 " + ":".join(["AA"] * 32) + "\r\na=rtpmap:96 VP8/90000\r\n")


# Of the candidates that the room has said.
ports = []


def connect():
    return socket.create_connection((place.hostname, place.port), timeout=20)


def status(method, path, token=None, body=None, origin=None):
    headers = {"Content-Type": "application/sdp"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if origin:
        headers["X-Forwarded-For"] = f"198.51.100.1, {origin}"
    asked = urllib.request.Request(
        url.rstrip("/") + path, method=method, data=body and body.encode(), headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=20) as response:
            ports.extend(
                int(line.split()[5]) for line in response.read().decode().splitlines()
                if line.startswith("a=candidate:"))
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def answers(text):
    """The statuses of what is answered until the connection ends."""
    with connect() as asked:
        asked.sendall(text)
        received = b""
        while part := asked.recv(65536):
            received += part
    return [int(part[:3]) for part in received.split(b"HTTP/1.1 ")[1:]]


def endless():
    """Sends a head without an end. Returns the status, and how many bytes were sent."""
    sent = 0
    with connect() as asked:
        try:
            asked.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
            while sent < 64_000_000:
                asked.sendall(b"a" * 65536)
                sent += 65536
        except OSError:
            pass
        # What was answered before the connection was cut off.
        try:
            answer = asked.recv(65536)
        except OSError:
            answer = b""
    return int(answer.split()[1]) if answer else 431, sent


def is_closed(silent):
    try:
        silent.setblocking(False)
        return silent.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def connections():
    half = connect()
    half.sendall(b"GET / HTTP/1.1\r\nHost: ")
    silent = [connect() for _ in range(300)]
    results = {"page": status("GET", "/"), "room": status("GET", "/room", viewer)}
    results["endless head"], results["bytes of it"] = endless()
    end = time.monotonic() + 10
    while sum(map(is_closed, silent)) < 200 and time.monotonic() < end:
        time.sleep(0.1)
    results["closed"] = sum(map(is_closed, silent))
    results["half a head is closed"] = int(half.recv(1) == b"")
    ask = b"%b HTTP/1.1\r\nHost: x\r\n%b\r\n"
    results["large body"] = answers(ask % (b"POST /whep", b"Content-Length: 9999999\r\n"))[0]
    results["chunks"] = answers(ask % (b"POST /whep", b"Transfer-Encoding: chunked\r\n"))[0]
    results["two lengths"] = answers(ask % (b"POST /", b"Content-Length: 1\r\nContent-Length: 2\r\n"))[0]
    # It is closed without an answer.
    results["answers to no HTTP"] = len(answers(b"hello\r\n\r\n"))
    results["two at once"] = answers(
        ask % (b"GET /health", b"") + ask % (b"GET /health", b"Connection: close\r\n")).count(200)
    return results


def places():
    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        watch = OFFER.format("recvonly")
        got = list(threads.map(lambda _: status("POST", "/whep", viewer, watch, "203.0.113.7"), range(16)))
        results = {"admitted": got.count(201), "full": got.count(503)}
        results["elsewhere"] = status("POST", "/whep", viewer, watch, "2001:db8::1")
    results["port"] = next((port for port in ports if not 50000 <= port <= 50099), ports[0])
    join = OFFER.format("sendonly")
    # At once: a guest that has not connected for 5 s gives its place to another one.
    with concurrent.futures.ThreadPoolExecutor(17) as threads:
        got = list(threads.map(lambda _: status("POST", "/whip?name=Ana", guest, join), range(17)))
    results["guests"], results["guests too many"] = got.count(201), got.count(503)
    return results


print(json.dumps(connections() if mode == "connections" else places()))
