"""A media server as servers are that do not work: each path refuses in its own way.

/redirect/URL redirects to the URL. Prints each request in a line.
"""

import http.server
import sys

NO_VIDEO = (
    "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=fingerprint:sha-256 00\r\na=ice-ufrag:abcd\r\n"
    "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=recvonly\r\n"
    "m=video 0 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\na=inactive\r\n"
)


# Audio alone.
AUDIO = NO_VIDEO.replace("a=recvonly", "a=sendonly")


class Handler(http.server.BaseHTTPRequestHandler):
    def respond(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        token = (self.headers.get("Authorization") or "none").split()[-1]
        print(self.command, self.path, token, len(body) > 100, flush=True)
        if self.path == "/audio" and self.command == "POST":
            self.answer(201, AUDIO, {"Location": "ended?id=8", "Content-Type": "application/sdp"})
        elif self.path.startswith("/redirect/"):
            self.answer(307, "", {"Location": self.path.removeprefix("/redirect/")})
        elif self.path == "/no-video" and self.command == "POST":
            headers = {"Location": "ended?id=7", "Content-Type": "application/sdp"}
            self.answer(201, NO_VIDEO, headers)
        elif self.path == "/page" and self.command == "POST":
            self.answer(201, "<html>", {"Content-Type": "text/html"})
        elif self.path[1:].isdigit():
            self.answer(int(self.path[1:]), "not now", {"Content-Type": "text/plain"})
        else:
            self.answer(200, "")

    do_POST = do_DELETE = respond

    def answer(self, status, text, headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("port", server.server_address[1], flush=True)
sys.stdout.flush()
server.serve_forever()
