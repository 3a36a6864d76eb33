"""A client of a WebDriver server (chromedriver), with what the tests of the view need, and a reader of PNG files."""

import base64
import http.client
import json
import os
import struct
import subprocess
import time
import zlib

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
NAMED = {
    "Backspace": "\ue003",
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Ctrl": "\ue009",
    "Escape": "\ue00c",
    " ": "\ue00d",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Delete": "\ue017",
}


class Browser:
    """A headless Chromium. Its files, and those that it downloads, come into the folder."""

    def __init__(self, driver, binary, folder, width=1000, height=800):
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.connection = http.client.HTTPConnection("127.0.0.1", int(line.split()[-1].rstrip(".")), timeout=60)
                break
        options = {
            "binary": binary,
            "args": [
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                f"--window-size={width},{height}",
                "--force-device-scale-factor=1",
                f"--user-data-dir={folder}/profile",
                "--no-first-run",
            ],
            "prefs": {"download.default_directory": f"{folder}/downloads", "download.prompt_for_download": False},
        }
        self.session = ""
        self.session = (
            "/session/"
            + self.ask(
                "POST",
                "/session",
                {
                    "capabilities": {
                        "alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
                    }
                },
            )["sessionId"]
        )

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()

    def ask(self, method, path, body=None):
        self.connection.request(method, self.session + path, None if body is None else json.dumps(body))
        answer = self.connection.getresponse()
        value = json.load(answer)["value"]
        if answer.status != 200:
            raise RuntimeError(value["message"].splitlines()[0])
        return value

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Runs a function's body; await is allowed in it."""
        return self.ask(
            "POST",
            "/execute/async",
            {
                "script": "const done = arguments[arguments.length - 1], given = "
                "[...arguments].slice(0, -1); (async (...$) => {"
                + script
                + "})(...given).then(value => done({value}), "
                "error => done({error: String(error)}))",
                "args": list(arguments),
            },
        ).get("value")

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def text(self, selector):
        return self.run("return document.querySelector($[0])?.textContent ?? null", selector)

    def do(self, selector, action, body):
        """Does something with an element, as soon as it is there and can be used."""
        end = time.monotonic() + 5
        while True:
            try:
                return self.ask("POST", f"/element/{self.find(selector)}/{action}", body)
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def click(self, selector):
        self.do(selector, "click", {})

    def choose_file(self, selector, path):
        self.do(selector, "value", {"text": path})

    def write(self, selector, text):
        """Types over what a field has, and presses Enter."""
        self.run("document.querySelector($[0]).select()", selector)
        self.do(selector, "value", {"text": text + NAMED["Enter"]})

    def screenshot(self, selector):
        """The pixels of an element: width, height, and a function that gives (red, green, blue) of a place."""
        return read_png(base64.b64decode(self.ask("GET", f"/element/{self.find(selector)}/screenshot")))

    # ---- Keys and the pointer

    def act(self, *sources):
        self.ask("POST", "/actions", {"actions": list(sources)})

    def keys(self, *keys):
        """Presses keys, named as in the table of the page: "Ctrl+a"."""
        actions = []
        for key in keys:
            parts = [NAMED.get(part, part) for part in (["Ctrl", key[5:]] if key.startswith("Ctrl+") else [key])]
            actions += [{"type": "keyDown", "value": part} for part in parts]
            actions += [{"type": "keyUp", "value": part} for part in reversed(parts)]
        self.act({"type": "key", "id": "keys", "actions": actions})

    def hold(self, key, down=True):
        self.act({"type": "key", "id": "keys", "actions": [{"type": "keyDown" if down else "keyUp", "value": key}]})

    def drag(self, *places, button=0):
        """Presses the button at the first place of the window, and moves through the others."""
        move = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)} for x, y in places]
        self.act(
            {
                "type": "pointer",
                "id": "mouse",
                "actions": [
                    move[0],
                    {"type": "pointerDown", "button": button},
                    *move[1:],
                    {"type": "pointerUp", "button": button},
                ],
            }
        )

    def point(self, x, y):
        self.act(
            {
                "type": "pointer",
                "id": "mouse",
                "actions": [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}],
            }
        )

    def wheel(self, x, y, turn):
        self.act(
            {
                "type": "wheel",
                "id": "wheel",
                "actions": [
                    {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": turn, "duration": 0}
                ],
            }
        )

    # ---- The network and windows

    def offline(self, offline):
        self.ask("POST", "/chromium/send_command", {"cmd": "Network.enable", "params": {}})
        self.ask(
            "POST",
            "/chromium/send_command",
            {
                "cmd": "Network.emulateNetworkConditions",
                "params": {"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
            },
        )

    def tabs(self):
        return self.ask("GET", "/window/handles")

    def new_tab(self):
        handle = self.ask("POST", "/window/new", {"type": "tab"})["handle"]
        self.use(handle)
        return handle

    def use(self, tab):
        self.ask("POST", "/window", {"handle": tab})

    def complaints(self):
        """What the console got since the last time, from the level of errors on."""
        return [
            entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"
        ]


def wait(condition, seconds=10):
    """Waits until the function returns something true, and returns it, or the last other value. A browser that is asked
    for its picture all the time draws nothing new, so the pauses grow."""
    end, pause = time.monotonic() + seconds, 0.03
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(pause)
        pause = min(pause * 1.5, 0.4)
    return value


def downloaded(folder, ending, seconds=10):
    """The name and the bytes of the downloaded file with the ending, which is removed."""
    folder = os.path.join(folder, "downloads")

    def there():
        return [name for name in os.listdir(folder) if name.endswith(ending)] if os.path.isdir(folder) else []

    wait(there, seconds)
    if not there():
        return None, b""
    path = os.path.join(folder, there()[0])
    with open(path, "rb") as file:
        content = file.read()
    os.remove(path)
    return os.path.basename(path), content


def read_png(data):
    """The pixels of a PNG file of 8 bits, without interlacing: width, height, a function of x and y."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, _, colours = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += length + 12
    size = {2: 3, 6: 4}[colours]
    plain, rows, above = zlib.decompress(packed), [], bytearray(width * size)
    for y in range(height):
        start = y * (width * size + 1)
        above = unfilter(plain[start], bytearray(plain[start + 1 : start + 1 + width * size]), above, size)
        rows.append(above)
    return width, height, lambda x, y: tuple(rows[y][x * size : x * size + 3])


def unfilter(kind, row, above, size):
    if kind == 1:
        for i in range(size, len(row)):
            row[i] = (row[i] + row[i - size]) & 255
    elif kind == 2:
        for i in range(len(row)):
            row[i] = (row[i] + above[i]) & 255
    elif kind >= 3:
        for i in range(len(row)):
            left, corner = (row[i - size], above[i - size]) if i >= size else (0, 0)
            near = left + above[i] - corner
            paeth = min(
                (abs(near - left), 0, left), (abs(near - above[i]), 1, above[i]), (abs(near - corner), 2, corner)
            )[2]
            row[i] = (row[i] + ((left + above[i]) // 2 if kind == 3 else paeth)) & 255
    return row
