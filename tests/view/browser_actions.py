"""Every action of the page of engine view: how it is tried, once by its button and once by each of its keys."""

from browser_page import FOLDER, PENTOMINO, becomes, equal, life, parse_rle, result
from client import Refused
from webdriver import downloaded, wait

ACTIONS = {}
NOTHING = "nothing is selected; choose Select and drag over the cells"


def action(name):
    return lambda function: ACTIONS.setdefault(name, function)


@action("play")
def _(page, say, do):
    page.ask("play", playing=False, speed=100)
    wait(lambda: page.text(".speed") == "100 steps/s")  # life() is slow, so there must be few steps
    do()
    result(f"{say}: steps are taken", wait(lambda: page.step() > 3 and page.pressed("play")))
    do()
    result(f"{say} again: the simulation stops", wait(lambda: not page.now()["playing"]))
    becomes("the page shows the state at which it stopped", page.shown, life(PENTOMINO, page.step()))
    equal("and so does a screenshot", page.photographed(), life(PENTOMINO, page.step()))


@action("step")
def _(page, say, do):
    do()
    becomes(f"{say}: the next generation, cell by cell", page.shown, life(PENTOMINO))


@action("steps")
def _(page, say, do):
    do()
    becomes(f"{say}: ten generations", page.shown, life(PENTOMINO, 10))


@action("slower")
def _(page, say, do):
    page.ask("play", playing=False, speed=100)
    page.ask("step", count=1)
    wait(lambda: page.text(".speed") == "100 steps/s")
    do()
    becomes(say, lambda: (page.now()["speed"], page.text(".speed")), (50, "50 steps/s"))


@action("faster")
def _(page, say, do):
    page.ask("play", playing=False, speed=100)
    page.ask("step", count=1)
    wait(lambda: page.text(".speed") == "100 steps/s")
    do()
    becomes(say, lambda: (page.now()["speed"], page.text(".speed")), (200, "200 steps/s"))


@action("restart")
def _(page, say, do):
    page.ask("step", count=30)
    page.key("m")
    wait(lambda: page.is_current() and page.ask("hello")["marks"][-1]["step"] == 30)
    do()
    becomes(f"{say}: the first state", page.shown, PENTOMINO)


@action("mark")
def _(page, say, do):
    page.ask("step", count=4)
    do()
    becomes(f"{say}: a mark of step 4", lambda: page.ask("hello")["marks"][-1]["step"], 4)


def zooms(page, say, do, cells, distance=100):
    """The middle stays, and so many cells lie on the pixels to the left of it."""
    before = page.look(distance)
    do()
    wait(lambda: page.look(distance)[1] in cells)
    after = page.look(distance)
    result(say, after[0] == before[0] and after[1] in cells, before, after)


@action("zoom in")
def _(page, say, do):
    page.key("1", "]", "]")
    zooms(page, say, do, (12, 13))


@action("zoom out")
def _(page, say, do):
    page.key("1", "]", "]", "]")
    zooms(page, say, do, (25,))


@action("one to one")
def _(page, say, do):
    zooms(page, f"{say}: a pixel a cell", do, (25,), 25)


@action("fit")
def _(page, say, do):
    page.key("1")
    do()
    becomes(f"{say}: the whole grid", page.shown, PENTOMINO)


def pans(name, x, y):
    @action(name)
    def _(page, say, do):
        page.key("1", "]", "]", "]", "]")
        before, (_, _, columns, rows) = page.look(), page.canvas()
        do()
        cells = round(columns / 10 / 16) if x else round(rows / 10 / 16)
        after = page.look()
        moved = ((after[0][0] - before[0][0]) * x, (after[0][1] - before[0][1]) * y)
        result(f"{say}: the view moves by a tenth", abs(sum(moved) - cells) <= 1 and 0 in moved, before, after, cells)


pans("left", -1, 0)
pans("right", 1, 0)
pans("up", 0, -1)
pans("down", 0, 1)


@action("lines")
def _(page, say, do):
    left, top, scale = page.corner()

    def at_line():
        return page.pixels(left + 5 * scale, top + 5 * scale + scale // 2)[0]

    result(f"a line stands between cells of {scale} pixels", 40 < at_line() < 140, at_line())
    do()
    becomes(f"{say}: no line", at_line, 0)
    do()


@action("pan")
def _(page, say, do):
    page.key("d")
    do()
    equal(f"{say}: pressed", (page.pressed("pan"), page.pressed("draw")), (True, False))
    page.key("1", "]", "]", "]", "]")
    before, (left, top, columns, rows) = page.look()[0], page.canvas()
    page.browser.drag((left + columns // 2, top + rows // 2), (left + columns // 2 + 48, top + rows // 2 - 32))
    becomes(
        f"{say}: a drag by 48 and -32 pixels moves by cells of 16",
        lambda: page.look()[0],
        (before[0] - 3, before[1] + 2),
    )


@action("draw")
def _(page, say, do):
    do()
    page.browser.drag(page.place(3, 5), page.place(6, 5), page.place(6, 8))
    line = {(3, 5), (4, 5), (5, 5), (6, 5), (6, 6), (6, 7), (6, 8)}
    becomes(f"{say}: a line of cells", page.cells, PENTOMINO | line)
    becomes("the page shows it", page.shown, PENTOMINO | line)
    page.browser.drag(page.place(6, 5), page.place(6, 8), button=2)
    becomes("the right button erases", page.cells, PENTOMINO | {(3, 5), (4, 5), (5, 5)})


@action("erase")
def _(page, say, do):
    do()
    page.browser.drag(page.place(30, 21), page.place(31, 21))
    becomes(say, page.cells, PENTOMINO - {(30, 21), (31, 21)})


@action("select")
def _(page, say, do):
    do()
    page.browser.drag(page.place(9, 9), page.place(7, 8))
    page.key("i")
    becomes(f"{say}: from a corner to the other", page.cells, PENTOMINO | {(x, y) for x in (7, 8, 9) for y in (8, 9)})


@action("all")
def _(page, say, do):
    do()
    page.key("Delete")
    becomes(f"{say}: and all is erased", page.cells, set())


@action("none")
def _(page, say, do):
    page.key("Ctrl+a")
    do()
    page.key("Delete")
    becomes(f"{say}: and nothing can be erased", lambda: page.text(".error"), NOTHING)
    equal("nothing was", page.cells(), PENTOMINO)


@action("fill")
def _(page, say, do):
    page.select(0, 0, 2, 1)
    do()
    becomes(say, page.cells, PENTOMINO | {(x, y) for x in range(3) for y in range(2)})


@action("clear")
def _(page, say, do):
    page.select(30, 20, 31, 20)
    do()
    becomes(say, page.cells, PENTOMINO - {(31, 20)})


COPIED = {(x - 20, y - 10) for x, y in PENTOMINO}  # what is pasted at (10, 10), if the selection began at (30, 20)


def paste_by_key(page):
    page.browser.point(*page.place(10, 10))
    page.key("Ctrl+v")


@action("copy")
def _(page, say, do):
    page.select(30, 20, 32, 22)
    do()
    wait(lambda: page.browser.run("return (await navigator.clipboard.readText()).includes('!')"))
    paste_by_key(page)
    becomes(f"{say}, and pasted at the pointer", page.cells, PENTOMINO | COPIED)


@action("paste")
def _(page, say, do):
    page.browser.run("await navigator.clipboard.writeText('x = 2, y = 2\\n2o$bo!\\n')")
    page.browser.point(*page.place(10, 10))
    do()
    if "button" in say:  # the pointer is on the button, so the place is the middle of the picture
        becomes(say, lambda: len(page.cells()), 8)
    else:
        becomes(say, page.cells, PENTOMINO | {(10, 10), (11, 10), (11, 11)})


@action("paste files")
def _(page, say, do):
    if "button" in say:
        do()
    else:
        page.browser.hold("p")
    page.drop("corner.rle", "x = 2, y = 2\n2o$o!\n", 50, 40)
    becomes(f"{say}: a dropped file is pasted", page.cells, PENTOMINO | {(50, 40), (51, 40), (50, 41)})
    if "button" in say:
        do()
    else:
        page.browser.hold("p", False)
    equal("and later ones are opened", page.pressed("paste files"), False)


@action("open")
def _(page, say, do):
    page.browser.run(
        "const field = document.querySelector('input[type=file]'); field.addEventListener('click', event => "
        "{ event.preventDefault(); field.asked = (field.asked ?? 0) + 1; }, {once: true}); field.asked = 0"
    )
    do()
    equal(
        f"{say}: the browser asks for a file",
        page.browser.run("return document.querySelector('input[type=file]').asked"),
        1,
    )


@action("save")
def _(page, say, do):
    do()
    name, content = downloaded(FOLDER, ".rle")
    cells = parse_rle(content.decode())
    least = [min(cell[i] for cell in cells) - min(cell[i] for cell in PENTOMINO) for i in (0, 1)] if cells else [0, 0]
    equal(f"{say}: an RLE file", {(x - least[0], y - least[1]) for x, y in cells}, PENTOMINO)


@action("film")
def _(page, say, do):
    do()
    equal(f"{say}: it is recorded", wait(lambda: page.pressed("film")), True)
    page.ask("step", count=1)
    wait(page.is_current)
    page.ask("step", count=1)
    wait(page.is_current)
    do()
    name, content = downloaded(FOLDER, ".webm")
    equal(f"{say}: a film is saved", content[:4], b"\x1aE\xdf\xa3")


def panels(name):
    @action(name)
    def _(page, say, do):
        script = "const one = document.querySelector($[0]); return Boolean(one.offsetParent && one.textContent)"
        before = page.browser.run(script, f"section.{name}")
        do()
        equal(f"{say}: the panel opens", (before, page.browser.run(script, f"section.{name}")), (False, True))
        do()
        equal(f"{say} again: it closes", page.browser.run(script, f"section.{name}"), False)


for panel in ("marks", "curves", "parameters", "configuration", "keys"):
    panels(panel)


# ---- Volumes and particles -------------------------------------------------------------------------------------------

VOLUME = """[run]
plugin = life3d-naive
steps = 10
[grid]
size = 32 24 16
[init]
source = defaults
"""
SOLID = [(5, 6, 8), (7, 9, 8), (5, 6, 9), (20, 11, 3), (16, 12, 5), (10, 12, 7)]


@action("next plane")
def _(page, say, do):
    do()
    becomes(f"{say}: the cells of plane 9", lambda: page.shown(32, 24), {(5, 6)})
    page.key("PageDown")


@action("previous plane")
def _(page, say, do):
    page.key("PageUp")
    do()
    becomes(f"{say}: the cells of plane 8", lambda: page.shown(32, 24), {(5, 6), (7, 9)})


@action("sum")
def _(page, say, do):
    do()
    becomes(f"{say}: the cells of all planes", lambda: page.shown(32, 24, 30), {(x, y) for x, y, _ in SOLID})
    do()


@action("density")
def _(page, say, do):
    points = page.pixels(300, 0, 400, 400)
    do()
    result(f"{say}: another picture", wait(lambda: page.pressed("density") and page.pixels(300, 0, 400, 400) != points))
    result("it is not empty", max(page.pixels(300, 0, 400, 400)) > 100)
    do()


def try_actions(page, table, names):
    """Tries the actions of the names, by the button and by each key."""
    for one in table:
        if one["name"] not in names or one["name"] not in ACTIONS:
            continue
        ways = [("button", lambda: page.click(one["name"]))] + [
            (f"key {key!r}", lambda key=key: page.key(key)) for key in one["keys"]
        ]
        for way, do in ways:
            page.start()
            try:
                ACTIONS[one["name"]](page, f"{one['name']} by {way}", do)
            except (RuntimeError, TypeError, KeyError, Refused) as error:
                result(f"{one['name']} by {way}", False, repr(error))
