"""A client of engine view: starts the program, and exchanges messages with it (view/messages.h)."""

from __future__ import annotations

import http.client
import json
import os
import struct
import subprocess


class Refused(Exception):
    """The answer has an error."""


def message(do, data=b"", **members):
    """The bytes of a request."""
    head = json.dumps({"do": do, **members}).encode()
    return struct.pack("<I", len(head)) + head + data


class View:
    """A program `engine view` with a connection to it."""

    def __init__(self, engine, *words, environment=None):
        self.process = subprocess.Popen([engine, "view", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": "", **(environment or {})})
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise Refused(self.process.stderr.read())
        self.token = self.address.split("token=")[1]
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.cookie = ""
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the program. Returns its exit status."""
        if self.connection:
            self.connection.close()
        self.process.terminate()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(timeout=30)

    def request(self, method, path, headers=None, body=None, host="127.0.0.1"):
        """One HTTP request on a connection of its own: status, headers, body."""
        connection = http.client.HTTPConnection(host, self.port, timeout=30)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        given = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
        if body is not None:
            given.setdefault("Content-Length", str(len(body)))
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        found = response.status, dict(response.getheaders()), response.read()
        connection.close()
        return found

    def enter(self):
        """Trades the token for the cookie, as a browser does."""
        status, headers, _ = self.request("GET", f"/?token={self.token}")
        assert status == 200, status
        self.cookie = headers["Set-Cookie"].split(";")[0]
        return headers

    def headers(self):
        return {"Origin": f"http://127.0.0.1:{self.port}", "Cookie": self.cookie, "Content-Type": "application/octet-stream",
                "Sec-Fetch-Site": "same-origin"}

    def exchange(self, body):
        """Sends the bytes of a message, and returns those of the answer."""
        if not self.cookie:
            self.enter()
        if not self.connection:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            self.connection.request("POST", "/message", body, self.headers())
        except (BrokenPipeError, ConnectionResetError):  # the server closes a connection that was idle for long
            self.connection.close()
            self.connection.request("POST", "/message", body, self.headers())
        response = self.connection.getresponse()
        data = response.read()
        if response.status != 200:
            raise Refused(f"{response.status}: {data!r}")
        return data

    def ask(self, do, data=b"", **members):
        """Sends a request, and returns the head of the answer and its bytes."""
        answer = self.exchange(message(do, data, **members))
        length, = struct.unpack("<I", answer[:4])
        found = json.loads(answer[4:4 + length])
        if "error" in found:
            raise Refused(found["error"])
        return found, answer[4 + length:]
