#!/usr/bin/python3
"""What clients without rights try with a room. Prints the status of each attempt as JSON, by its name.

    attempts.py URL VIEWER-TOKEN GUEST-TOKEN OPERATOR-TOKEN
"""

import json
import sys
import urllib.error
import urllib.request

url, viewer, guest, operator = sys.argv[1:5]
base = url.rstrip("/")
OFFER = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
MEDIA = (
    "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na={}\r\na=rtcp-mux\r\n"
    "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\na=setup:actpass\r\n"
    "a=fingerprint:sha-256 " + ":".join(["AA"] * 32) + "\r\na=rtpmap:96 {}/90000\r\n")


def send(method, path, token=None, body=None, **headers):
    """Returns the status and the headers."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers.setdefault("Content-Type", "application/sdp")
        body = body.encode()
    asked = urllib.request.Request(base + path, method=method, data=body, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=20) as response:
            return response.status, response.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers
    except OSError as error:
        return str(error), {}


def status(*arguments, **headers):
    return send(*arguments, **headers)[0]


offered = OFFER + MEDIA.format("recvonly", "VP8")
SECOND = MEDIA.format("recvonly", "VP8").replace("mid:0", "mid:1")
results = {
    "page": status("GET", "/"),
    "script": status("GET", "/room.js"),
    "room without a token": status("GET", "/room"),
    "room with a wrong token": status("GET", "/room", viewer[:-1] + "!"),
    "room": status("GET", "/room", viewer),
    "a path outside": status("GET", "/../../etc/passwd", viewer),
    "watch without a token": status("POST", "/whep", None, offered),
    "a viewer joins": status("POST", "/whip?name=x", viewer, offered),
    "a guest removes somebody": status("DELETE", "/participants/1", guest),
    "a foreign page asks": status("OPTIONS", "/whep", None, Origin="http://evil.example"),
    "a program asks": status("OPTIONS", "/whep"),
    "another page watches": status("POST", "/whep", viewer, offered, Origin="http://evil.example"),
    "another type": status("POST", "/whep", viewer, offered, Content_Type="text/plain"),
    "no SDP": status("POST", "/whep", viewer, "hello"),
    "half an SDP": status("POST", "/whep", viewer, OFFER),
    "two videos": status("POST", "/whep", viewer, offered + SECOND),
    "two of one name": status("POST", "/whep/slots", viewer, offered + MEDIA.format("recvonly", "VP8")),
    "no name of a medium": status("POST", "/whep", viewer, offered.replace("a=mid:0\r\n", "")),
    "a guest sends two videos": status(
        "POST", "/whip?name=x", guest, OFFER + MEDIA.format("sendonly", "VP8") + SECOND.replace("recv", "send")),
    "slots of nobody": status("PUT", "/viewers/x/slots", viewer, "[]", Content_Type="application/json"),
    "wishes that are none": status("PUT", "/viewers/x/slots", viewer, "{", Content_Type="application/json"),
    "endless wishes": status("PUT", "/viewers/x/slots", viewer, "[" + " " * 5000, Content_Type="application/json"),
    "another codec": status("POST", "/whep", viewer, OFFER + MEDIA.format("recvonly", "VP9")),
    "sends to a viewer": status("POST", "/whep", viewer, OFFER + MEDIA.format("sendonly", "VP8")),
    "a large body": status("POST", "/whep", viewer, "v=0\r\n" + "a=x\r\n" * 20_000),
    "no such stream": status("POST", "/whep/4000000000", viewer, offered),
    "no such viewer": status("DELETE", "/viewers/x", viewer),
    "no such guest": status("DELETE", "/guests/x", guest),
    "no name": status("POST", "/whip?name=%20", guest, OFFER + MEDIA.format("sendonly", "VP8")),
    "nobody shares": status("POST", "/whip?share-of=x", guest, OFFER + MEDIA.format("sendonly", "VP8")),
    "operator removes nobody": status("DELETE", "/participants/99", operator),
}
# An offer of somebody who never connects is answered, and forgotten later.
results["never connects"] = status("POST", "/whep", viewer, offered)
location = send("POST", "/whep", viewer, offered)[1]["Location"]
results["deleted"] = status("DELETE", location, viewer)
results["deleted again"] = status("DELETE", location, viewer)
# A page of an allowed origin may ask and send, and learns where its connection is.
PAGE = "https://page.example"
code, headers = send(
    "OPTIONS", "/whip", Origin=PAGE, Access_Control_Request_Method="POST",
    Access_Control_Request_Headers="authorization,content-type")
results["an allowed page asks"] = code if headers["Access-Control-Allow-Origin"] == PAGE else str(headers)
code, headers = send("POST", "/whep", viewer, offered, Origin=PAGE)
exposed = (headers["Access-Control-Expose-Headers"] or "").split(", ")
results["an allowed page watches"] = code if {"Location", "Link"} <= set(exposed) else str(headers)
code, headers = send("POST", "/whep", None, offered, Origin=PAGE)
results["an allowed page without a token"] = code if headers["Access-Control-Allow-Origin"] == PAGE else str(headers)
results["tokens guessed"] = [status("GET", "/room", "guess-%016d" % n) for n in range(30)][-1]
print(json.dumps(results))
