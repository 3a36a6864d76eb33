"""What engine view shows, changes and saves."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
import threading
import time
import unittest

from client import Refused, View, message

ENGINE = os.environ["ENGINE"]
SCRATCH = os.environ["TEST_SCRATCH"]
GLIDER = b"x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!"


def life(cells, width, height):
    """A step of Life on a torus."""
    count = {}
    for x, y in cells:
        for i in (-1, 0, 1):
            for j in (-1, 0, 1):
                place = (x + i) % width, (y + j) % height
                count[place] = count.get(place, 0) + ((i, j) != (0, 0))
    return {place for place, n in count.items() if n == 3 or (n == 2 and place in cells)}


def shown(view, box, **members):
    """The cells of a box that are shown white, from a picture of one pixel a cell."""
    width, height = box[3] - box[0], box[4] - box[1]
    head, data = view.ask("frame", field=0, box=box, columns=width, rows=height, **members)
    assert (head["columns"], head["rows"], head["block"], head["coloured"]) == (width, height, 1, False), head
    assert len(data) == width * height and set(data) <= {0, 255}
    return {(box[0] + i % width, box[1] + i // width) for i, cell in enumerate(data) if cell}


def run(*words):
    return subprocess.run([ENGINE, *words], check=True, capture_output=True, text=True).stdout


class Unbounded(unittest.TestCase):
    MIDDLE = 2**28

    def test_a_plane_of_tiles_and_of_a_tree(self):
        """A glider moves by a cell in four steps, and is shown, drawn on and pasted far from the middle."""
        path = os.path.join(SCRATCH, "far.rle")
        with open(path, "wb") as file:
            file.write(b"#CXRLE Pos=-5000000,7\n" + GLIDER)
        x, y = self.MIDDLE - 5000000, self.MIDDLE + 7
        for words in ((), ("--set", "run.implementation=hashlife")):
            with View(ENGINE, path, "--no-browser", *words) as view:
                field = view.ask("hello")[0]["fields"][0]
                self.assertTrue(field["unbounded"])
                self.assertEqual(field["extent"][:2], [2 * self.MIDDLE] * 2)
                part = [x - 2**14, y - 2**14, 0, x + 2**14, y + 2**14, 1]
                head, data = view.ask("frame", field=0, box=part, columns=512, rows=512)
                self.assertEqual(head["bounds"], [x, y, 0, x + 3, y + 3, 1])
                self.assertEqual((head["block"], [i for i, cell in enumerate(data) if cell]), (64, [256 * 512 + 256]))
                view.ask("step", count=40)
                glider = {(x + 1, y), (x + 2, y + 1), (x, y + 2), (x + 1, y + 2), (x + 2, y + 2)}
                glider = {(i + 10, j + 10) for i, j in glider}
                self.assertEqual(shown(view, [x - 20, y - 20, 0, x + 60, y + 60, 1]), glider)
                view.ask("draw", field=0, cells=[x, y, 0], value=1)
                view.ask("paste", GLIDER, name="g.rle", x=1, y=3)
                self.assertEqual(shown(view, [x, y, 0, x + 60, y + 60, 1]), glider | {(x, y)})
                self.assertEqual(shown(view, [0, 0, 0, 9, 9, 1]), {(2, 3), (3, 4), (1, 5), (2, 5), (3, 5)})
                view.ask("back", id=view.ask("hello")[0]["marks"][0]["id"])
                self.assertEqual(view.ask("frame", field=0, box=part, columns=512, rows=512)[0]["bounds"], [x, y, 0, x + 3, y + 3, 1])


class Grids(unittest.TestCase):
    def setUp(self):
        self.view = View(ENGINE, "configs/gosper-gun.ini", "--no-browser", "--set", "grid.size=61 47")
        self.all = [0, 0, 0, 61, 47, 1]

    def tearDown(self):
        self.view.close()

    def test_pictures_are_the_cells(self):
        cells = shown(self.view, self.all)
        for _ in range(40):
            self.view.ask("step", count=1)
            cells = life(cells, 61, 47)
            self.assertEqual(shown(self.view, self.all), cells)
        part = [9, 5, 0, 40, 31, 1]
        self.assertEqual(shown(self.view, part), {(x, y) for x, y in cells if 9 <= x < 40 and 5 <= y < 31})

    def test_the_whole_is_reduced(self):
        head, data = self.view.ask("frame", field=0, box=self.all, columns=16, rows=16)
        self.assertEqual((head["columns"], head["rows"], head["block"]), (16, 12, 4))
        cells = shown(self.view, self.all)
        self.assertEqual({i for i, shade in enumerate(data) if shade}, {y // 4 * 16 + x // 4 for x, y in cells})

    def test_what_was_seen_is_not_sent_again(self):
        head, _ = self.view.ask("frame", field=0)
        again, data = self.view.ask("frame", field=0, seen=head["state"])
        self.assertTrue(again["same"])
        self.assertEqual(data, b"")
        self.view.ask("step", count=1)
        self.assertNotIn("same", self.view.ask("frame", field=0, seen=head["state"])[0])

    def test_metrics_are_those_of_the_state(self):
        head, _ = self.view.ask("frame", field=0, measure=True)
        self.assertEqual(head["metrics"], [len(shown(self.view, self.all))])

    def test_drawing_sets_cells(self):
        before = shown(self.view, self.all)
        head, _ = self.view.ask("draw", field=0, cells=[0, 0, 0, 60, 46, 0, 30, 40, 0], value=1)
        self.assertEqual(head["edited"], 0)
        self.assertEqual(shown(self.view, self.all), before | {(0, 0), (60, 46), (30, 40)})
        self.view.ask("draw", field=0, cells=[60, 46, 0], value=0)
        self.assertEqual(shown(self.view, self.all), before | {(0, 0), (30, 40)})
        for cells in ([61, 0, 0], [0, 47, 0], [-1, 0, 0], [0, 0], [], ["a", 0, 0.5e400]):
            with self.assertRaises(Refused):
                self.view.ask("draw", field=0, cells=cells, value=1)
        with self.assertRaisesRegex(Refused, "0 to 1"):
            self.view.ask("draw", field=0, cells=[0, 0, 0], value=2)

    def test_filling_sets_a_box(self):
        self.view.ask("fill", field=0, box=self.all, value=0)
        self.view.ask("fill", field=0, box=[3, 4, 0, 7, 9, 1], value=1)
        self.assertEqual(shown(self.view, self.all), {(x, y) for x in range(3, 7) for y in range(4, 9)})

    def test_pasting_wraps(self):
        self.view.ask("fill", field=0, box=self.all, value=0)
        head, _ = self.view.ask("paste", GLIDER, x=60, y=45, name="glider.rle")
        self.assertEqual(head["box"], [60, 45, 0, 63, 48, 1])
        self.assertEqual(shown(self.view, self.all), {(0, 45), (1, 46), (60, 0), (0, 0), (1, 0)})

    def test_pasting_over_clears(self):
        self.view.ask("fill", field=0, box=self.all, value=1)
        self.view.ask("paste", GLIDER, x=10, y=10, over=True)
        self.assertEqual(len(shown(self.view, self.all)), 61 * 47 - 4)

    def test_a_selection_is_saved_and_pasted(self):
        cells = shown(self.view, [16, 16, 0, 52, 25, 1])
        head, data = self.view.ask("save", format="rle", box=[16, 16, 0, 52, 25, 1])
        self.assertRegex(head["name"], r"^life2d-bit-0*0\.rle$")
        self.assertIn(b"x = 36, y = 9, rule = B3/S23\n", data)
        self.view.ask("fill", field=0, box=self.all, value=0)
        low = min(x for x, _ in cells), min(y for _, y in cells)
        self.view.ask("paste", data, x=low[0], y=low[1])
        self.assertEqual(shown(self.view, self.all), cells)

    def test_going_back_restores(self):
        first = shown(self.view, self.all)
        self.view.ask("step", count=10)
        head, _ = self.view.ask("mark")
        tenth = shown(self.view, self.all)
        self.view.ask("fill", field=0, box=self.all, value=1)
        begin, mark = head["marks"][0], head["marks"][1]
        back, _ = self.view.ask("back", id=mark["id"])
        self.assertEqual((back["step"], back["edited"]), (10, None))
        self.assertEqual(shown(self.view, self.all), tenth)
        self.view.ask("back", id=begin["id"])
        self.assertEqual(shown(self.view, self.all), first)

    def test_playing_takes_steps_at_the_speed(self):
        self.view.ask("play", playing=True, speed=100)
        time.sleep(1)
        head, _ = self.view.ask("play", playing=False, speed=100)
        self.assertGreater(head["step"], 20)
        self.assertLess(head["step"], 300)
        time.sleep(0.2)
        self.assertEqual(self.view.ask("frame", field=0)[0]["step"], head["step"])

    def test_playing_as_fast_as_possible_still_answers(self):
        self.view.ask("play", playing=True, speed=0)
        for _ in range(20):
            head, _ = self.view.ask("frame", field=0)
        self.assertGreater(head["step"], 20)

    def test_a_picture_does_not_end_the_steps_that_were_asked_for(self):
        with View(ENGINE, "configs/soup.ini", "--no-browser", "--set", "grid.size=512 512", "--set", "life2d-bit.settled=no") as view:
            view.enter()
            done = []

            def look():
                while not done:
                    view.request("POST", "/message", view.headers(), message("frame", field=0))

            other = threading.Thread(target=look)
            other.start()
            steps = [view.ask("step", count=20000)[0]["step"] for _ in range(3)]
            done.append(True)
            other.join()
            self.assertEqual(steps, [20000, 40000, 60000])

    def test_the_implementation_changes_and_the_state_stays(self):
        self.view.ask("step", count=7)
        cells = shown(self.view, self.all)
        head, _ = self.view.ask("set", key="run.implementation", value="cpu-serial")
        self.assertIsNone(head["edited"])
        self.assertEqual(self.view.ask("hello")[0]["implementation"], "cpu-serial")
        self.assertEqual(shown(self.view, self.all), cells)

    def test_a_rule_changes(self):
        cells = shown(self.view, self.all)
        head, _ = self.view.ask("set", key="rule", value="B/S012345678")
        self.assertEqual(head["edited"], 0)
        self.assertEqual(self.view.ask("step", count=5)[0]["step"], 5)
        self.assertEqual(shown(self.view, self.all), cells)
        for key, value in (("rule", "nonsense"), ("run.plugins", "/tmp"), ("run.output", "x"), ("nothing", "1")):
            with self.assertRaises(Refused):
                self.view.ask("set", key=key, value=value)

    def test_a_change_of_a_parameter_keeps_the_marks(self):
        first = shown(self.view, self.all)
        self.view.ask("step", count=3)
        self.view.ask("mark")
        third = shown(self.view, self.all)
        self.view.ask("step", count=4)
        seventh = shown(self.view, self.all)
        head, _ = self.view.ask("set", key="rule", value="B/S012345678")
        self.assertEqual(([mark["step"] for mark in head["marks"]], head["edited"]), ([0, 3, 7], 7))
        self.assertEqual(shown(self.view, self.all), seventh)
        for mark, cells in zip(head["marks"], (first, third, seventh)):
            back, _ = self.view.ask("back", id=mark["id"])
            self.assertEqual((back["step"], back["edited"]), (mark["step"], mark["step"]))
            self.view.ask("step", count=2)
            self.assertEqual(shown(self.view, self.all), cells)  # the rule changes nothing
        self.view.ask("set", key="rule", value="B3/S23")
        self.view.ask("set", key="run.implementation", value="cpu-serial")
        back, _ = self.view.ask("back", id=head["marks"][1]["id"])
        self.assertEqual((back["step"], back["edited"]), (3, 3))  # nobody has given the rule at first
        for _ in range(4):
            third = life(third, 61, 47)
            self.view.ask("step", count=1)
        self.assertEqual(shown(self.view, self.all), third)

    def test_a_parameter_that_has_its_first_value_again_edits_nothing(self):
        with View(ENGINE, "configs/gosper-gun.ini", "--no-browser", "--set", "life2d-bit.rule=B3/S23") as view:
            for rule in "B36/S23", "B3/S23":
                view.ask("step", count=1)
                head, _ = view.ask("set", key="rule", value=rule)
                self.assertEqual(head["edited"], 1)
            edited = [view.ask("back", id=mark["id"])[0]["edited"] for mark in head["marks"]]
            self.assertEqual(edited, [None, None, 1])

    def test_a_pattern_is_opened(self):
        head, _ = self.view.ask("open", GLIDER, name="../../glider.rle")
        self.assertIsNone(head["edited"])
        found, _ = self.view.ask("hello")
        self.assertEqual(found["title"], "glider.rle")
        width, height, _ = found["fields"][0]["extent"]
        self.assertEqual(len(shown(self.view, [0, 0, 0, width, height, 1])), 5)
        self.view.ask("set", key="rule", value="B36/S23")  # the file is still there

    def test_a_snapshot_is_opened(self):
        self.view.ask("step", count=12)
        cells = shown(self.view, self.all)
        _, snapshot = self.view.ask("save", format="snapshot")
        self.view.ask("fill", field=0, box=self.all, value=0)
        head, _ = self.view.ask("open", snapshot, name="state.snapshot")
        self.assertEqual(head["step"], 12)
        self.assertEqual(shown(self.view, self.all), cells)

    def test_no_configuration_or_library_is_opened(self):
        for name in ("x.ini", "x.so", "x.rle", ""):
            with self.assertRaises(Refused) as caught:
                self.view.ask("open", b"[run]\nplugin = life2d-bit\n", name=name)
            self.assertNotIn("/tmp", str(caught.exception))

    def test_reading_gives_elements(self):
        head, data = self.view.ask("read", field=0, box=[16, 16, 0, 20, 25, 1])
        self.assertEqual((head["type"], len(data)), ("uint8", 36))
        with self.assertRaisesRegex(Refused, "no cells"):
            self.view.ask("read", field=0, box=[5, 5, 0, 5, 9, 1])


class Others(unittest.TestCase):
    def test_planes_and_sums_of_a_volume(self):
        words = ("--set", "run.plugin=life3d-packed", "--set", "grid.size=9 8 7", "--set", "init.source=random", "--set", "run.steps=1")
        config = os.path.join(SCRATCH, "volume.ini")
        with open(config, "w", encoding="utf-8") as file:
            file.write("[run]\nplugin = life3d-packed\n")
        with View(ENGINE, config, "--no-browser", *words) as view:
            _, data = view.ask("read", field=0, box=[0, 0, 0, 9, 8, 7])
            cells = {(i % 9, i // 9 % 8, i // 72) for i, cell in enumerate(data) if cell}
            self.assertTrue(cells)
            for axis, (across, up, depth, size) in enumerate(((0, 1, 2, (9, 8, 7)), (0, 2, 1, (9, 7, 8)), (1, 2, 0, (8, 7, 9))), 1):
                head, whole = view.ask("frame", field=0, axis=axis, columns=99, rows=99)
                self.assertEqual((head["columns"], head["rows"]), size[:2])
                flat = {(cell[across], cell[up]) for cell in cells}
                self.assertEqual({(i % size[0], i // size[0]) for i, shade in enumerate(whole) if shade}, flat)
                for plane in range(size[2]):
                    _, data = view.ask("frame", field=0, axis=axis, plane=plane + 1, columns=99, rows=99)
                    found = {(i % size[0], i // size[0]) for i, shade in enumerate(data) if shade}
                    self.assertEqual(found, {(cell[across], cell[up]) for cell in cells if cell[depth] == plane})

    def test_particles_are_sent(self):
        with View(ENGINE, "configs/nbody-galaxies.ini", "--no-browser", "--set", "particles.count=1000") as view:
            hello, _ = view.ask("hello")
            position = next(i for i, field in enumerate(hello["fields"]) if field["name"] == "position")
            head, data = view.ask("points", field=position, most=300)
            self.assertEqual((head["of"], head["count"], head["masses"]), (1000, 250, True))
            points = list(struct.iter_unpack("<4f", data))
            self.assertEqual(len(points), 250)
            _, raw = view.ask("read", field=position, box=[0, 0, 0, 1000, 1, 1])
            places = list(struct.iter_unpack("<3f", raw))
            self.assertEqual([point[:3] for point in points], places[::4])
            for axis in range(3):
                self.assertAlmostEqual(head["low"][axis], min(place[axis] for place in places), places=5)
                self.assertAlmostEqual(head["high"][axis], max(place[axis] for place in places), places=5)
            head, data = view.ask("frame", field=position, columns=64, rows=48, bounds=[-4, 4, -3, 3])
            self.assertEqual(len(data), head["columns"] * head["rows"] * (3 if head["coloured"] else 1))

    def test_a_drawn_input_stays(self):
        library, config = os.path.join(SCRATCH, "d2q9.so"), os.path.join(SCRATCH, "channel.ini")
        subprocess.run(["cc", "-std=gnu11", "-shared", "-fPIC", "-Iinclude", "examples/d2q9/plugin.c", "-lm", "-o", library], check=True)
        with open(config, "w", encoding="utf-8") as file:
            file.write("[run]\nplugin = d2q9\nplugins = .\nsteps = 1\n[grid]\nsize = 32 16\n[init]\nsource = cylinder\n[d2q9]\ndiameter = 4\n")
        with View(ENGINE, config, "--no-browser") as view:
            solid = [field["name"] for field in view.ask("hello")[0]["fields"]].index("solid")
            view.ask("step", count=2)
            view.ask("draw", field=solid, cells=[20, 3, 0], value=1)
            drawn = view.ask("read", field=solid)[1]
            self.assertEqual(drawn[3 * 32 + 20], 1)
            head, _ = view.ask("set", key="viscosity", value="0.05")
            self.assertEqual(view.ask("read", field=solid)[1], drawn)
            back, _ = view.ask("back", id=head["marks"][0]["id"])
            self.assertEqual((back["step"], back["edited"]), (0, 0))  # the obstacle still stands there

    def test_a_folder_of_a_run_stays_as_it_is(self):
        folder = os.path.join(SCRATCH, "run")
        run("run", "configs/gosper-gun.ini", "--quiet", "--set", f"run.output={folder}", "--set", "checkpoint.every=100", "--set",
            "checkpoint.keep=3", "--set", "run.steps=250")

        def content():
            return {name: (os.stat(os.path.join(folder, name)).st_mtime_ns, hashlib.md5(open(os.path.join(folder, name), "rb").read()).hexdigest())
                    for name in os.listdir(folder)}

        before = content()
        with View(ENGINE, folder, "--no-browser") as view:
            hello, _ = view.ask("hello")
            self.assertEqual([mark["step"] for mark in hello["marks"]], [0, 100, 200, 250])
            self.assertEqual(hello["step"], 250)
            cells = shown(view, [0, 0, 0, 256, 192, 1])
            view.ask("back", id=hello["marks"][1]["id"])
            self.assertEqual(view.ask("step", count=150)[0]["step"], 250)
            self.assertEqual(shown(view, [0, 0, 0, 256, 192, 1]), cells)
            view.ask("set", key="rule", value="B/S012345678")
            back, _ = view.ask("back", id=hello["marks"][2]["id"])
            self.assertEqual((back["step"], back["edited"]), (200, 200))
            view.ask("draw", field=0, cells=[1, 1, 0], value=1)
            view.ask("save", format="png")
            view.close()
        self.assertEqual(content(), before)

    def test_an_error_of_the_command_line(self):
        for words, sentence in ((("nothing.ini",), "nothing"), (("configs/soup-densities.ini",), "ensemble"),
                                (("configs/gosper-gun.ini", "--port", "99999"), "--port")):
            done = subprocess.run([ENGINE, "view", *words, "--no-browser"], capture_output=True, text=True, timeout=30, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(sentence, done.stderr)
            self.assertEqual(done.stdout, "")
