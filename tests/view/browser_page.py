"""What the tests of the page of engine view use: results as TAP, Life, and a page in a browser with a second client."""

import os
import re
import sys

from client import View
from webdriver import wait

ENGINE, DRIVER, BINARY, FOLDER = sys.argv[1:5]
WIDTH, HEIGHT = 64, 48
PENTOMINO = {(31, 20), (32, 20), (30, 21), (31, 21), (31, 22)}
LIFE = """[run]
plugin = life2d-bit
steps = 1000
[grid]
size = 64 48
[init]
file = r.rle
at = 30 20
"""
count = 0


def plan():
    print(f"1..{count}")


def result(name, good, *lines):
    global count
    count += 1
    print(f"{'' if good else 'not '}ok {count} - {name}")
    for line in lines if not good else ():
        print(f"# {line}")
    sys.stdout.flush()


def equal(name, found, wanted):
    result(name, found == wanted, f"is:     {found!r:.1500}", f"should: {wanted!r:.1500}")


def becomes(name, function, wanted, seconds=10):
    """The function soon gives the value."""
    found = []

    def look():
        found[:] = [function()]
        return found[0] == wanted

    wait(look, seconds)
    equal(name, found[0], wanted)


def life(cells, steps=1, width=WIDTH, height=HEIGHT):
    """The live cells of a torus after some generations of Life."""
    for _ in range(steps):
        near = {}
        for x, y in cells:
            for i in range(9):
                place = (x + i % 3 - 1) % width, (y + i // 3 - 1) % height
                near[place] = near.get(place, 0) + 1
        cells = {place for place, count in near.items() if count == 3 or (count == 4 and place in cells)}
    return cells


def parse_rle(text):
    """The live cells of an RLE text, from its corner."""
    cells, x, y = set(), 0, 0
    for count, what in re.findall(
        r"(\d*)([bo$!])", "".join(line for line in text.splitlines() if line[:1] not in "#x")
    ):
        count = int(count or 1)
        if what == "o":
            cells |= {(x + i, y) for i in range(count)}
        x, y = (0, y + count) if what == "$" else (x + count, y)
    return cells


def write(name, text):
    with open(f"{FOLDER}/{name}", "w") as file:
        file.write(text)
    return f"{FOLDER}/{name}"


class Page:
    """A simulation, its page in the browser, and another client."""

    def __init__(self, browser, *words):
        self.browser = browser
        self.view = View(ENGINE, *words, "--no-browser", "--quiet")
        browser.ask(
            "POST",
            "/chromium/send_command",
            {
                "cmd": "Browser.grantPermissions",
                "params": {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
            },
        )
        browser.open(self.view.address)
        result(
            f"{os.path.basename(words[0])}: the page shows a step", wait(lambda: self.text(".step").startswith("step"))
        )
        wait(self.is_current)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.view.close()

    def ask(self, do, data=b"", **members):
        return self.view.ask(do, data, **members)[0]

    def now(self):
        return self.ask("frame", field=0, seen=-1, columns=1, rows=1)

    def step(self):
        return self.now()["step"]

    def is_current(self):
        """Does the page show the step of the simulation?"""
        return self.text(".step") == f"step {self.step()}"

    def cells(self):
        data = self.view.ask("read", field=0)[1]
        return {(i % WIDTH, i // WIDTH) for i in range(len(data)) if data[i]}

    def text(self, selector):
        return self.browser.text(selector) or ""

    # ---- Places on the canvas

    def canvas(self):
        return self.browser.run(
            "const box = document.querySelector('canvas.picture').getBoundingClientRect();"
            "return [box.left, box.top, box.width, box.height]"
        )

    def corner(self, width=WIDTH, height=HEIGHT):
        """The pixel of the canvas at which the grid begins when all of it is shown, and the pixels of a cell."""
        _, _, columns, rows = self.canvas()
        scale = min(64, int(min(columns / width, rows / height)))
        return round((columns - width * scale) / 2), round((rows - height * scale) / 2), scale

    def place(self, x, y):
        """The middle of a cell in the window."""
        left, top, scale = self.corner()
        box = self.canvas()
        return box[0] + left + (x + 0.5) * scale, box[1] + top + (y + 0.5) * scale

    def photographed(self):
        """The live cells of a screenshot, looked for in the middle of each cell."""
        left, top, scale = self.corner()
        _, _, pixel = self.browser.screenshot("canvas.picture")
        return {
            (x, y)
            for x in range(WIDTH)
            for y in range(HEIGHT)
            if min(pixel(left + x * scale + scale // 2, top + y * scale + scale // 2)) > 128
        }

    def pixels(self, x, y, columns=1, rows=1):
        """The red parts of pixels of the canvas, which the page's own script reads faster than a screenshot is made."""
        return self.browser.run(
            "const canvas = document.querySelector('canvas.picture');"
            "return [...canvas.getContext('2d').getImageData(...$).data].filter((_, i) => i % 4 === 0)",
            x,
            y,
            columns,
            rows,
        )

    def shown(self, width=WIDTH, height=HEIGHT, least=128):
        """The live cells on the canvas."""
        return {
            tuple(cell)
            for cell in self.browser.run(
                """
            const [left, top, scale, width, height, least] = $, found = [];
            const canvas = document.querySelector('canvas.picture');
            const pixels = canvas.getContext('2d').getImageData(left, top, width * scale, height * scale).data;
            for (let x = 0; x < width; x++)
                for (let y = 0; y < height; y++)
                    if (pixels[4 * ((y * scale + (scale >> 1)) * width * scale + x * scale + (scale >> 1))] >= least)
                        found.push([x, y]);
            return found;""",
                *self.corner(width, height),
                width,
                height,
                least,
            )
        }

    def cell_at(self, x, y):
        """The cell under a pixel of the canvas, and its value, by the page's own text."""
        box = self.canvas()
        self.browser.point(box[0] + 1, box[1] + 1)
        self.browser.point(box[0] + x, box[1] + y)
        found = wait(lambda: re.fullmatch(r"cell ([-\d, ]+)(?:: .+)?", self.text(".place")), 2)
        return tuple(map(int, found[1].split(", "))) if found else None

    def look(self, distance=100):
        """The cell in the middle of the canvas, and the cells between it and a pixel to the left of it."""
        _, _, columns, rows = self.canvas()
        a, b = self.cell_at(columns // 2, rows // 2), self.cell_at(columns // 2 - distance, rows // 2)
        return a and b and (a, a[0] - b[0])

    # ---- What a user does

    def key(self, *keys):
        self.browser.keys(*keys)

    def click(self, action):
        self.browser.click(f'[data-action="{action}"]')

    def pressed(self, action):
        return self.browser.run(
            "return document.querySelector($[0]).getAttribute('aria-pressed') === 'true'", f'[data-action="{action}"]'
        )

    def focus(self):
        self.browser.run("document.querySelector('canvas.picture').focus()")

    def settle(self, *keys):
        """All in sight, nothing but panning, and the keyboard on the canvas, where Escape takes it away."""
        self.focus()
        self.key("f", *keys, "Escape")
        self.focus()

    def start(self):
        """Back to the begin, all of it in sight, and no selection."""
        self.ask("back", id=self.ask("hello")["marks"][0]["id"])
        self.settle("k")
        wait(self.is_current)

    def select(self, left, top, right, bottom):
        """Drags over the cells from one corner to the other, both of them selected."""
        self.key("s")
        self.browser.drag(self.place(left, top), self.place(right, bottom))
        self.key("Escape")
        self.focus()

    def drop(self, name, text, x, y):
        """Drops a file on a cell."""
        self.browser.run(
            "const data = new DataTransfer(); data.items.add(new File([$[1]], $[0]));"
            "document.querySelector('canvas.picture').dispatchEvent(new DragEvent('drop', {dataTransfer: data,"
            "bubbles: true, cancelable: true, clientX: $[2], clientY: $[3]}))",
            name,
            text,
            *self.place(x, y),
        )
