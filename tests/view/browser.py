"""The page of engine view in a real browser: browser.py ENGINE DRIVER BROWSER FOLDER prints TAP.

Every button and every key of the page's table is tried, and its effect is looked for in the state that another client
reads, or in a picture. The right generations of Life are computed here."""

import http.server
import json
import os
import re
import threading
import time

from browser_actions import ACTIONS, SOLID, VOLUME, try_actions
from browser_page import (
    BINARY,
    DRIVER,
    FOLDER,
    HEIGHT,
    LIFE,
    PENTOMINO,
    WIDTH,
    Page,
    becomes,
    equal,
    life,
    parse_rle,
    plan,
    result,
    write,
)
from webdriver import Browser, downloaded, wait

# ---- Volumes and particles -------------------------------------------------------------------------------------------


def check_volume(browser, table):
    with Page(browser, write("volume.ini", VOLUME)) as page:
        page.ask("draw", field=0, cells=[number for cell in SOLID for number in cell], value=1)
        page.ask("mark")
        page.start = page.settle  # the actions start from a state with these cells
        becomes("the plane in the middle of a volume", lambda: page.shown(32, 24), {(5, 6), (7, 9)})
        try_actions(page, table, {"sum", "next plane", "previous plane"})
        for axis, width, height, cells in ((2, 32, 16, {(16, 5), (10, 7)}), (3, 24, 16, {(12, 5)})):
            browser.click(f'option[value="{axis}"]')
            becomes(f"along axis {'zyx'[axis - 1]}", lambda: page.shown(width, height), cells)
            page.focus()
        page.key("d")
        wait(lambda: page.pressed("draw"))
        browser.run(
            "document.querySelector('input[type=range]').value = 3;"
            "document.querySelector('input[type=range]').dispatchEvent(new Event('input'))"
        )
        becomes("the slider chooses the plane", lambda: page.shown(24, 16), set())
        box, (left, top, scale) = page.canvas(), page.corner(24, 16)
        browser.drag((box[0] + left + 2.5 * scale, box[1] + top + 4.5 * scale))
        becomes("draws into the plane", lambda: page.shown(24, 16), {(2, 4)})
        equal(
            "x is the plane, y and z are those of the picture",
            page.view.ask("read", field=0, box=[3, 2, 4, 4, 3, 5])[1],
            b"\1",
        )
        page.key("u")
        browser.drag((box[0] + left + 9.5 * scale, box[1] + top + 4.5 * scale))
        becomes(
            "a sum cannot be changed",
            lambda: page.text(".error"),
            "the sum of a volume cannot be changed; show a plane",
        )


def check_particles(browser, table):
    write("four.xyz", "4\nProperties=species:S:1:pos:R:3\nA -1 0 0\nA 1 0 0\nA 0 0 1\nA 0 0 -1\n")
    with Page(browser, write("four.ini", "[run]\nplugin = nbody\nsteps = 1\n[init]\nfile = four.xyz\n")) as page:
        _, _, width, height = page.canvas()
        unit = 0.4 * min(width, height)

        def shade(x, y=0):
            return max(page.pixels(round(width / 2 + x) - 1, round(height / 2 + y) - 1, 3, 3))

        wait(lambda: shade(0) > 0)
        shades = shade(-unit), shade(unit), shade(0)
        result("the nearer particle is brighter", shades[0] == shades[1] > 90 and shades[2] > shades[0] + 40, shades)
        box = page.canvas()
        middle = box[0] + width // 2, box[1] + height // 2
        browser.drag(middle, (middle[0] + 112, middle[1]))  # 112 pixels of 0.007 radians: 45 degrees
        near, far = unit * 0.7071 * 4 / (4 - 0.7071), unit * 0.7071 * 4 / (4 + 0.7071)
        result(
            "a drag rotates",
            wait(lambda: shade(0) < 90 and shade(near) > 150 and shade(-near) > 150 and shade(far) > 90),
            [shade(x) for x in (0, near, -near, far)],
        )
        page.key("f", "]")
        result("zooms", wait(lambda: shade(2 * unit if 2 * unit < width / 2 else 0) > 90))
        page.key("[")
        page.browser.hold("\ue008")
        browser.drag(middle, (middle[0] + 50, middle[1] + 20))
        page.browser.hold("\ue008", False)
        result("Shift and a drag move", wait(lambda: shade(50, 20) > 150 and shade(0) < 90))
    with Page(browser, "configs/nbody-texts.ini", "--set", "particles.count=60000") as page:
        wait(lambda: not browser.run("return document.querySelector('[data-action=density]').hidden"))
        try_actions(page, table, {"density"})


# ---- Zoom, pan, and large grids --------------------------------------------------------------------------------------


def check_edges(page):
    page.start()
    box, (left, top, scale) = page.canvas(), page.corner()
    for name, x, y, cell in (("first", 1, 1, (0, 0)), ("last", WIDTH * scale - 2, HEIGHT * scale - 2, (63, 47))):
        page.key("f")
        for _ in range(12):
            page.browser.wheel(box[0] + left + x, box[1] + top + y, -120)
        equal(
            f"the wheel zooms in at the {name} cell, which stays under the pointer",
            page.cell_at(left + x, top + y),
            cell,
        )
        way = 1 if x < 9 else -1
        equal(
            "as far as 64 pixels a cell",
            [page.cell_at(left + x + i * way, top + y + i * way) for i in (40, 60)],
            [cell, (cell[0] + way, cell[1] + way)],
        )
        for _ in range(20):
            page.browser.wheel(box[0] + left + x, box[1] + top + y, 120)
        # The grid ends in the middle of the canvas then.
        inside = [page.cell_at(box[2] // 2 - i * way, box[3] // 2 - i * way) for i in (3, 23)]
        equal("and out again to a pixel a cell", all(inside) and [abs(b - a) for a, b in zip(*inside)], [20, 20])
    page.key("f")
    becomes("all of it", page.shown, PENTOMINO)


def check_large(browser):
    size = 16384
    with Page(browser, write("large.ini", LIFE.replace("64 48", f"{size} {size}"))) as page:
        page.ask("fill", field=0, box=[size - 100, size - 100, 0, size, size, 1], value=1)
        _, _, width, height = page.canvas()
        block = -(-size // min(width, height))
        across = -(-size // block)
        left, top = round((size / block - width) / -2), round((size / block - height) / -2)
        corner = left + across - 1, top + across - 1
        result("the last cells of 16384 x 16384 are seen", wait(lambda: page.pixels(*corner)[0] > 0))
        place = page.canvas()[0] + corner[0] - 1, page.canvas()[1] + corner[1] - 1
        for _ in range(50):
            browser.wheel(*place, -120)
        becomes(
            "the wheel zooms in to single cells", lambda: max(page.pixels(corner[0] - 70, corner[1] - 70, 60, 60)), 255
        )


def check_pan(browser):
    with Page(browser, "configs/soup.ini", "--set", "grid.size=3000 2000") as page:
        _, _, width, height = page.canvas()
        page.key("]")
        middle = [width // 2 - 100, height // 2 - 100, 200, 200]
        wait(lambda: max(page.pixels(*middle)) > 0)
        time.sleep(1)  # a picture that is scaled for a moment does not move by whole cells
        steady = wait(lambda: (now := page.pixels(*middle)) == page.pixels(*middle) and now)
        box = page.canvas()
        browser.drag((box[0] + width // 2, box[1] + height // 2), (box[0] + width // 2 + 37, box[1] + height // 2 - 23))
        becomes(
            "a pan moves the picture and changes no pixel of it",
            lambda: page.pixels(middle[0] + 37, middle[1] - 23, 200, 200) == steady,
            True,
        )


# ---- Edits, files, parameters ----------------------------------------------------------------------------------------


def check_edits(page):
    browser = page.browser
    page.start()
    page.key("Delete")
    becomes(
        "an edit without a selection is refused in a line",
        lambda: page.text(".error"),
        "nothing is selected; choose Select and drag over the cells",
    )
    page.ask("step", count=5)
    page.select(0, 0, 1, 1)
    page.key("i")
    becomes("the page says when it was edited", lambda: page.text(".edited"), "edited at step 5")
    equal("and so does the title", browser.run("return document.title"), "step 5 · edited at step 5 · life.ini")
    equal("an action takes the error away", page.text(".error"), "")
    browser.click("input.selected")
    page.key("w")
    name, content = downloaded(FOLDER, ".rle")
    equal(
        "the selection alone is saved",
        (name, parse_rle(content.decode())),
        ("edited-at-step-5-life2d-bit-0000000005.rle", {(0, 0), (1, 0), (0, 1), (1, 1)}),
    )
    browser.click("input.selected")
    page.start()
    becomes("the begin is not edited", lambda: page.text(".edited"), "")
    browser.write("input.value", "7")
    page.focus()
    page.select(0, 0, 1, 1)
    page.key("i")
    becomes("a sentence of the server is shown", lambda: page.text(".error"), "cells takes the values 0 to 1")
    browser.write("input.value", "1")
    page.focus()
    page.start()
    browser.run("await navigator.clipboard.writeText('x = 3, y = 3\\n3o$obo$3o!\\n')")
    browser.click("input.over")
    browser.point(*page.place(30, 20))
    page.key("Ctrl+v")
    ring = {(x, y) for x in (30, 31, 32) for y in (20, 21, 22)} - {(31, 21)}
    becomes("zeros of a pattern replace live cells", page.cells, ring)
    browser.click("input.over")


def check_marks(page):
    page.start()
    page.ask("step", count=7)
    wait(page.is_current)
    page.key("b")
    page.ask("mark")
    page.key("b", "b")
    marks = page.ask("hello")["marks"]
    page.ask("step", count=7)
    wait(lambda: page.is_current() and page.text(f"[data-mark='{marks[-1]['id']}']") == "step 7: marked")
    page.browser.click(f"[data-mark=\"{marks[-1]['id']}\"]")
    becomes("back to a mark of the list", page.step, 7)
    page.focus()
    page.key("b")


def check_curves(page):
    page.start()
    page.key("g")
    page.focus()
    for _ in range(3):
        page.key(" ")
        wait(page.is_current)
    blue = """const canvas = document.querySelector('canvas.curve'), data = canvas.getContext('2d').getImageData(0, 0,
              canvas.width, canvas.height).data; let found = 0;
              for (let i = 0; i < data.length; i += 4) found += data[i + 2] > data[i] + 60 && data[i + 3] > 100;
              return found;"""
    result("a curve is drawn", wait(lambda: page.browser.run(blue) > 100))
    page.key("g")


def check_files(page):
    browser = page.browser
    page.start()
    page.drop("wrong.ini", "[run]", 1, 1)
    result(
        "a configuration is not opened",
        wait(lambda: "no configuration or library" in page.text(".error")),
        page.text(".error"),
    )
    page.drop("block.rle", "x = 2, y = 2, rule = B3/S23\n2o$2o!\n", 1, 1)
    becomes("a dropped pattern is opened", lambda: page.text(".title"), "block.rle")
    equal("it has four cells", sum(page.view.ask("read", field=0)[1]), 4)
    browser.choose_file("input[type=file]", os.path.abspath("configs/patterns/glider.rle"))
    becomes("a chosen file is opened", lambda: page.text(".title"), "glider.rle")
    equal("it has five cells", sum(page.view.ask("read", field=0)[1]), 5)


def check_parameters(page):
    browser = page.browser
    page.start()
    page.key("a")
    browser.write("input[name=rule]", "B36/S23")
    becomes("a parameter is another one", lambda: page.ask("hello")["parameters"][0]["value"], "B36/S23")
    result("the configuration has it", wait(lambda: re.search(r"rule *= *B36/S23", page.text("pre"))), page.text("pre"))
    others = [one for one in page.ask("hello")["implementations"] if one != page.ask("hello")["implementation"]]
    browser.click(f"[name='run.implementation'] option[value={others[0]}]")
    becomes("the implementation is another one", lambda: page.ask("hello")["implementation"], others[0])
    browser.write("input[name=rule]", "nonsense")
    result("a wrong value is refused in a line", wait(lambda: "rule" in page.text(".error")), page.text(".error"))
    becomes(
        "and the old one is back",
        lambda: browser.run("return document.querySelector('input[name=rule]').value"),
        "B36/S23",
    )
    page.key("Escape")


def check_access(page):
    browser = page.browser
    names = browser.run(
        "return [...document.querySelectorAll('button, input:not([hidden]), select, canvas.picture')].filter(one => "
        "!one.getAttribute('aria-label') && !one.labels?.length && !/[a-z]/i.test(one.textContent)).map("
        "one => one.outerHTML)"
    )
    equal("everything has a name for a screen reader", names, [])
    page.start()
    page.key("Escape")
    focus = "return document.activeElement.dataset.action ?? document.activeElement.className"
    first = browser.run(focus)
    page.key("Tab")
    equal("Escape leaves the picture, and Tab goes on", (first, browser.run(focus), page.step()), ("play", "step", 0))
    page.key("Escape")
    equal("Escape comes back", browser.run(focus), "picture")
    browser.ask(
        "POST",
        "/chromium/send_command",
        {
            "cmd": "Emulation.setDeviceMetricsOverride",
            "params": {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False},
        },
    )
    for key in "gbat?":
        page.key(key)
    becomes(
        "nothing is wider than a window of 360 pixels",
        lambda: browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"),
        0,
    )
    for key in "gbat?":
        page.key(key)
    browser.ask("POST", "/chromium/send_command", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})


# ---- Connections and strangers ---------------------------------------------------------------------------------------

MESSAGES = """const {pack, unpack} = await import('/connection.js'); let right = 0;
    for (let i = 0; i < 1000; i++) {
        const body = pack(i % 2 ? {do: 'step', count: 1} : {do: 'frame', field: 0, seen: -1, columns: 64, rows: 48});
        const headers = {'Content-Type': 'application/octet-stream'};
        const answer = await fetch('/message', {method: 'POST', headers, body});
        right += unpack(await answer.arrayBuffer()).head.error === undefined;
    }
    return right;"""


def check_connection(page):
    browser = page.browser
    page.start()
    equal("1000 messages have answers", browser.run(MESSAGES), 1000)
    becomes("the page shows the 500th generation", page.shown, life(PENTOMINO, 500))
    browser.offline(True)
    becomes("a lost connection", lambda: page.text(".notice"), "connection lost, trying again")
    page.ask("step", count=1)
    browser.offline(False)
    becomes("it returns by itself", lambda: page.text(".notice"), "")
    becomes("and shows what happened since", page.shown, life(PENTOMINO, 501))
    browser.complaints()  # the lost requests
    first = browser.tabs()[0]
    second = browser.new_tab()
    browser.open(f"http://127.0.0.1:{page.view.port}/")
    result("a second tab shows the same", wait(lambda: page.is_current() and page.shown() == life(PENTOMINO, 501)))
    page.focus()
    page.key(" ")
    becomes("it takes a step", page.shown, life(PENTOMINO, 502))
    browser.ask("DELETE", "/window")
    browser.use(first)
    becomes("and the first tab shows it", page.shown, life(PENTOMINO, 502))
    equal("there was a second tab", second != first, True)


HOSTILE = """<!doctype html><body><script>
const target = 'http://127.0.0.1:%d', head = new TextEncoder().encode('{"do":"step"}');
const body = new Uint8Array([head.length, 0, 0, 0, ...head]), said = {};
const attempt = (name, promise) =>
    promise.then(answer => said[name] = 'came through ' + answer, () => said[name] = 'failed');
const load = (tag, name, path) => attempt(name, new Promise((resolve, reject) => {
    const one = document.createElement(tag); one.onload = resolve; one.onerror = reject; one.src = target + path;
    document.body.append(one); }));
Promise.all([
    attempt('fetch', fetch(target + '/message', {method: 'POST', credentials: 'include', body,
        headers: {'Content-Type': 'application/octet-stream'}})),
    attempt('simple fetch', fetch(target + '/message', {method: 'POST', credentials: 'include', body})),
    attempt('read', fetch(target + '/', {credentials: 'include'})),
    attempt('blind fetch', fetch(target + '/message', {method: 'POST', mode: 'no-cors', credentials: 'include', body})),
    load('script', 'script', '/connection.js')]).then(() => document.title = JSON.stringify(said));
</script>
<form method=post enctype=text/plain action="http://127.0.0.1:%d/message" target=form><input name=x value=y></form>
<iframe name=form></iframe><iframe id=page src="http://127.0.0.1:%d/"></iframe></body>"""


def serve_hostile(port):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            content = (HOSTILE % (port, port, port)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def check_strangers(page):
    browser = page.browser
    page.start()
    server = serve_hostile(page.view.port)
    for host in ("localhost", "127.0.0.1"):  # the cookie of 127.0.0.1 goes to all of its ports
        browser.open(f"http://{host}:{server.server_port}/")
        said = wait(lambda: (title := browser.run("return document.title")).startswith("{") and json.loads(title))
        wanted = {"fetch", "simple fetch", "read", "script"}
        equal(
            f"a page of {host} gets nothing",
            {name for name, what in (said or {}).items() if what == "failed"} & wanted,
            wanted,
        )
        browser.run(
            "document.querySelector('form').submit();"
            "await new Promise(done => { document.querySelector('[name=form]').onload = done; setTimeout(done, 2000); })"
        )
        for number in (0, 1):
            browser.ask("POST", "/frame", {"id": number})
            equal(
                f"and its frame {number} has no page of the view",
                browser.run("return document.querySelectorAll('canvas').length"),
                0,
            )
            browser.ask("POST", "/frame", {"id": None})
        equal("the simulation took no step", page.step(), 0)
    server.shutdown()
    browser.complaints()  # what the page did not get
    browser.ask("DELETE", "/cookie")
    for address in ("/", "/?token=" + "0" * 32, "/?token=", "/view.js"):
        browser.open(f"http://127.0.0.1:{page.view.port}{address}")
        result(
            f"{address}: no page without the token", "needs the whole address" in page.text("body"), page.text("body")
        )
    browser.complaints()


def check_read_only(browser, config):
    with Page(browser, config, "--read-only") as page:
        visible = browser.run(
            "return [...document.querySelectorAll('[data-action]')].filter(one => one.offsetParent).map("
            "one => one.dataset.action)"
        )
        equal(
            "--read-only hides what changes something",
            set(visible) & {"draw", "erase", "fill", "clear", "paste", "paste files", "open"},
            set(),
        )
        page.key("d")
        browser.drag(page.place(3, 5), page.place(6, 5))
        page.key("Ctrl+a", "i", "Delete")
        page.drop("block.rle", "x = 2, y = 2, rule = B3/S23\n2o$2o!\n", 1, 1)
        page.key("f", "a")
        equal(
            "parameters cannot be changed",
            browser.run("return document.querySelector('input[name=rule]').disabled"),
            True,
        )
        page.key(" ")
        becomes("it takes steps", page.shown, life(PENTOMINO))
        equal("nothing was edited", page.now()["edited"], None)
        equal("nothing is wrong in the console", browser.complaints(), [])
        page.view.close()
        becomes("the simulation has ended", lambda: page.text(".notice"), "connection lost, trying again")


# ---- All of it -------------------------------------------------------------------------------------------------------


def check_life(browser, config):
    with Page(browser, config) as page:
        equal(
            "the token is gone from the address",
            browser.run("return location.href"),
            f"http://127.0.0.1:{page.view.port}/",
        )
        becomes("the title has the step", lambda: browser.run("return document.title"), "step 0 · life.ini")
        equal("the first state, cell by cell", page.photographed(), PENTOMINO)
        table = browser.run("return (await import('/actions.js')).ACTIONS.map(({name, keys}) => ({name, keys}))")
        equal("every action has a test", {one["name"] for one in table}, set(ACTIONS))
        try_actions(page, table, set(ACTIONS) - {"sum", "next plane", "previous plane", "density"})
        for check in (
            check_edges,
            check_edits,
            check_marks,
            check_curves,
            check_access,
            check_connection,
            check_strangers,
        ):
            check(page)
        browser.open(page.view.address)
        wait(page.is_current)
        check_parameters(page)
        check_files(page)
        equal("nothing is wrong in the console", browser.complaints(), [])
    return table


def check_plane(browser):
    """An unbounded grid: the page fits the pattern, and names its cells from the middle."""
    path = write("far.rle", "#CXRLE Pos=-5000000,7\nx = 4, y = 4, rule = B3/S23\n4o$o2bo$o2bo$4o!\n")
    with Page(browser, path, "--set", "run.implementation=hashlife") as page:
        ring = {(x, y) for x in range(4) for y in range(4) if x in (0, 3) or y in (0, 3)}
        becomes("the page fits the pattern of a plane", lambda: page.shown(4, 4), ring)
        left, top, scale = page.corner(4, 4)
        equal("and counts cells from the middle", page.cell_at(left + 1, top + 3 * scale + 1), (-5000000, 10))
        browser.wheel(*(page.canvas()[axis] + page.canvas()[axis + 2] / 2 for axis in (0, 1)), 5000)
        becomes("the wheel zooms out of it", lambda: page.shown(4, 4, 1), set())
        page.settle()
        becomes("Fit shows it again", lambda: page.shown(4, 4), ring)


def main():
    browser = Browser(DRIVER, BINARY, FOLDER)
    try:
        write("r.rle", "x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n")
        config = write("life.ini", LIFE)
        table = check_life(browser, config)
        check_read_only(browser, config)
        check_volume(browser, table)
        check_particles(browser, table)
        check_large(browser)
        check_pan(browser)
        check_plane(browser)
    finally:
        browser.close()
    plan()


main()
