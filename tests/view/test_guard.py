"""Who may speak with engine view."""

from __future__ import annotations

import http.client
import os
import random
import socket
import stat
import struct
import time
import unittest

from client import Refused, View

ENGINE = os.environ["ENGINE"]
SCRATCH = os.environ["TEST_SCRATCH"]
VIEW: View


def setUpModule():
    global VIEW
    VIEW = View(ENGINE, "configs/gosper-gun.ini", "--no-browser")
    VIEW.enter()


def tearDownModule():
    VIEW.close()


def status(method="GET", path="/", headers=None, body=None, host="127.0.0.1"):
    return VIEW.request(method, path, headers, body, host)[0]


def hello():
    head = b'{"do":"hello"}'
    return struct.pack("<I", len(head)) + head


def post(**changed):
    """The status of a POST whose headers differ from those of a page."""
    headers = VIEW.headers()
    headers.update({name.replace("_", "-"): value for name, value in changed.items()})
    return status("POST", "/message", headers, hello())


class Pages(unittest.TestCase):
    def test_without_the_token_there_is_no_page(self):
        self.assertEqual(status(), 403)
        for path in ("/view.css", "/nothing", "/message"):
            self.assertEqual(status(path=path), 403)

    def test_a_wrong_token_is_refused(self):
        token = VIEW.token
        other = ("0" if token[0] != "0" else "1") + token[1:]
        for wrong in (other, token[:-1], token + "0", "", token.upper() + "x", token[:-1] + "g"):
            self.assertEqual(status(path=f"/?token={wrong}"), 403, wrong)

    def test_the_token_opens_the_page_alone(self):
        self.assertEqual(status(path=f"/?token={VIEW.token}"), 200)
        self.assertEqual(status(path=f"/view.css?token={VIEW.token}"), 403)

    def test_the_cookie_opens_the_page(self):
        self.assertEqual(status(headers={"Cookie": VIEW.cookie}), 200)
        self.assertEqual(status(headers={"Cookie": "a=b; " + VIEW.cookie + "; c=d"}), 200)
        self.assertEqual(status(path="/view.css", headers={"Cookie": VIEW.cookie}), 200)
        self.assertEqual(status(path="/../etc/passwd", headers={"Cookie": VIEW.cookie}), 404)

    def test_a_wrong_cookie_is_refused(self):
        name, value = VIEW.cookie.split("=")
        for wrong in (f"{name}={value[:-1]}", f"{name}={value}0", f"x{name}={value}", f"{name}={VIEW.token}", f"{name}=", name):
            self.assertEqual(status(headers={"Cookie": wrong}), 403, wrong)

    def test_headers_protect_the_page(self):
        headers = VIEW.request("GET", f"/?token={VIEW.token}")[1]
        self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
        self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        self.assertIn("HttpOnly", headers["Set-Cookie"])
        self.assertIn("SameSite=Strict", headers["Set-Cookie"])
        self.assertFalse([name for name in headers if name.lower().startswith("access-control")])


class Hosts(unittest.TestCase):
    def test_the_names_of_the_loopback_are_known(self):
        for name in ("127.0.0.1", "localhost", "[::1]"):
            host = f"{name}:{VIEW.port}"
            self.assertEqual(status(headers={"Host": host, "Cookie": VIEW.cookie}), 200, host)
            self.assertEqual(post(Host=host, Origin=f"http://{host}"), 200, host)

    def test_other_names_are_refused(self):
        for host in ("evil.example", f"evil.example:{VIEW.port}", "127.0.0.1", f"127.0.0.1:{VIEW.port + 1}", f"127.0.0.2:{VIEW.port}",
                     f"localhost.evil.example:{VIEW.port}", "", None):
            self.assertIn(status(headers={"Host": host, "Cookie": VIEW.cookie}), (400, 403), host)
            self.assertIn(post(Host=host, Origin=f"http://{host}"), (400, 403), host)

    def test_it_listens_on_the_loopback_alone(self):
        found = set()
        for name in ("tcp", "tcp6"):
            with open(f"/proc/net/{name}", encoding="ascii") as table:
                for line in list(table)[1:]:
                    address, port = line.split()[1].split(":")
                    if int(port, 16) == VIEW.port and line.split()[3] == "0A":
                        found.add(address)
        self.assertIn("0100007F", found)
        self.assertLessEqual(found, {"0100007F", "00000000000000000000000001000000"})


class Messages(unittest.TestCase):
    def test_a_page_is_answered(self):
        self.assertEqual(post(), 200)
        self.assertEqual(post(Sec_Fetch_Site=None), 200)

    def test_another_origin_is_refused(self):
        for origin in (None, "null", "", "http://evil.example", f"https://127.0.0.1:{VIEW.port}", f"http://127.0.0.1:{VIEW.port + 1}",
                       f"http://localhost:{VIEW.port}", f"http://127.0.0.1:{VIEW.port}.evil.example"):
            self.assertEqual(post(Origin=origin), 403, origin)
        for site in ("cross-site", "same-site", "none"):
            self.assertEqual(post(Sec_Fetch_Site=site), 403, site)

    def test_a_form_is_refused(self):
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", None):
            self.assertEqual(post(Content_Type=kind), 403, kind)

    def test_without_the_cookie_there_is_no_answer(self):
        self.assertEqual(post(Cookie=None), 403)
        self.assertEqual(status("POST", f"/message?token={VIEW.token}", {**VIEW.headers(), "Cookie": None}, hello()), 403)

    def test_other_methods_are_refused(self):
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
            self.assertEqual(status(method, "/message", VIEW.headers(), b""), 405, method)

    def test_a_message_has_a_limit(self):
        headers = {**VIEW.headers(), "Content-Length": str((64 << 20) + 1)}
        self.assertEqual(status("POST", "/message", headers, b"x"), 413)
        for length in ("0", "x", "18446744073709551615"):
            self.assertIn(status("POST", "/message", {**VIEW.headers(), "Content-Length": length}, b""), (400, 413), length)

    def test_a_message_without_a_length_is_refused(self):
        headers = {**VIEW.headers(), "Content-Length": None, "Transfer-Encoding": "chunked"}
        self.assertEqual(status("POST", "/message", headers, b"1\r\nx\r\n0\r\n\r\n"), 413)

    def test_whatever_is_sent_there_is_an_answer(self):
        draw = random.Random(1)
        valid = [b'{"do":"frame","field":0,"box":[0,0,0,9,9,1],"columns":3,"rows":3}', b'{"do":"draw","cells":[1,1,0],"value":1}',
                 b'{"do":"points"}', b'{"do":"read","box":[1,2,0,3,4,1]}', b'{"do":"set","key":"rule","value":"B3/S23"}',
                 b'{"do":"save","format":"rle","box":[0,0,0,9,9,1]}', b'{"do":"fill","box":[0,0,0,9,9,1],"value":0}',
                 b'{"do":"play","playing":false,"speed":1}', b'{"do":"back","id":1}', b'{"do":"paste","x":1,"y":1}']
        words = [b"-1", b"1e308", b"null", b"[]", b"{}", b'"\\u0000"', b"99999999999999999999", b"NaN", b"true", b"[[[[[[[[[1]]]]]]]]]"]
        with View(ENGINE, "configs/gosper-gun.ini", "--no-browser") as view:
            for _ in range(1000):
                text = bytearray(draw.choice(valid))
                for _ in range(draw.randrange(3)):
                    at = draw.randrange(len(text))
                    if draw.random() < 0.5:
                        text[at] = draw.randrange(256)
                    else:
                        text[at:at + draw.randrange(4)] = draw.choice(words)
                length = len(text) if draw.random() < 0.9 else draw.randrange(1 << 32)
                view.exchange(struct.pack("<I", length) + bytes(text) + draw.randbytes(draw.randrange(20)))
            self.assertEqual(view.ask("hello")[0]["plugin"], "life2d-bit")
            self.assertEqual(view.close(), 0)


class Limits(unittest.TestCase):
    def test_silent_connections_do_not_keep_others_out_for_long(self):
        silent = [socket.create_connection(("127.0.0.1", VIEW.port)) for _ in range(40)]
        for connection in silent:
            connection.close()
        for _ in range(50):
            try:
                self.assertEqual(post(), 200)
                return
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
        self.fail("no answer after 40 silent connections")

    def test_a_head_has_a_limit(self):
        try:
            self.assertIn(status(headers={"Cookie": "x" * 100000}), (400, 413, 414, 431))
        except (OSError, http.client.HTTPException):
            pass  # the connection was closed
        self.assertEqual(post(), 200)


class Secrets(unittest.TestCase):
    def test_no_other_user_can_read_the_token(self):
        """A program that stands for the browser finds the address in a file that only this user can read."""
        seen = os.path.join(SCRATCH, "seen")
        program = os.path.join(SCRATCH, "xdg-open")
        with open(program, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\n{{ printf "%s\\n" "$1"; stat -c %a "$1" "$(dirname "$1")"; cat "$1"; }} >{seen}.new\nmv {seen}.new {seen}\n')
        os.chmod(program, 0o755)
        environment = {"DISPLAY": ":0", "PATH": SCRATCH + ":" + os.environ["PATH"]}
        with View(ENGINE, "configs/gosper-gun.ini", environment=environment) as view:
            for _ in range(100):
                if os.path.exists(seen):
                    break
                time.sleep(0.05)
            with open(seen, encoding="utf-8") as file:
                path, mode, folder_mode, page = file.read().split("\n", 3)
            self.assertEqual((mode, folder_mode), ("600", "700"))
            self.assertIn(view.address, page)
            for name in ("cmdline", "environ"):
                with open(f"/proc/{view.process.pid}/{name}", "rb") as file:
                    self.assertNotIn(view.token.encode(), file.read())
        self.assertFalse(os.path.exists(path))

    def test_the_token_is_printed_once(self):
        view = View(ENGINE, "configs/gosper-gun.ini", "--no-browser")
        view.ask("hello")
        view.process.terminate()
        out, err = view.process.communicate(timeout=30)
        self.assertEqual((out, err), ("", ""))

    def test_each_program_has_secrets_of_its_own(self):
        with View(ENGINE, "configs/gosper-gun.ini", "--no-browser") as other:
            other.enter()
            self.assertEqual(len(other.token), 32)
            self.assertNotEqual(other.token, VIEW.token)
            self.assertNotEqual(other.cookie.split("=")[1], VIEW.cookie.split("=")[1])
            self.assertNotIn(VIEW.token, other.cookie)


class ReadOnly(unittest.TestCase):
    def test_it_only_shows(self):
        with View(ENGINE, "configs/gosper-gun.ini", "--no-browser", "--read-only") as view:
            hello = view.ask("hello")[0]
            self.assertTrue(hello["read_only"])
            self.assertFalse({"draw", "fill", "paste", "open", "set"} & set(hello["can"]))
            for request in ({"do": "draw", "cells": [1, 1, 0], "value": 1}, {"do": "fill", "value": 1}, {"do": "paste"},
                            {"do": "open", "name": "x.rle"}, {"do": "set", "key": "rule", "value": "B3/S23"}):
                with self.assertRaisesRegex(Refused, "read-only"):
                    view.ask(**request)
            self.assertEqual(view.ask("step", count=3)[0]["step"], 3)
            self.assertIsNone(view.ask("frame", field=0)[0]["edited"])
