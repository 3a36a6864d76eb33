"""Compares rules that are written with the headers for authors with plain loops in Numba.

    python3 tests/bench/numba/bench.py [--threads 1,2] [--rules wave,flow] [--pairs 9]

It needs NumPy, Numba, and a build of the engine. It makes a plugin of each rule with the Makefile that `engine
new-plugin` writes, and checks that the plugin and the loop compute the same, except for Vicsek's birds. The rules fire
and flow are those of tests/stencil. Then both take steps in turns. One
thread is timed by its processor time, and more threads by the clock. The table has the medians.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "python"))

options = argparse.ArgumentParser()
options.add_argument("--threads", default="1,2")
options.add_argument("--rules", default="")
options.add_argument("--pairs", type=int, default=9)
options.add_argument("--seconds", type=float, default=0.3, help="of a turn")
options.add_argument("--cc", default="cc")
options.add_argument("--build", default=str(ROOT / "build"))
options.add_argument("--include", default=str(ROOT / "include"))
options = options.parse_args()
os.environ.setdefault("ENGINE_LIBRARY", options.build + "/libengine.so")
os.environ.setdefault("NUMBA_NUM_THREADS", str(max(int(n) for n in options.threads.split(","))))

import numba  # noqa: E402
import numpy as np  # noqa: E402
from numba import prange  # noqa: E402

import engine  # noqa: E402

f32 = np.float32


# ---- The loops. Arrays have ghosts, one on each side, as a loop without remainders needs them. ---------------------


def ghosts2(a, mirror):
    """Fills the ghosts of the last two axes."""
    h, w = a.shape[0] - 2, a.shape[1] - 2
    for y in range(1, h + 1):
        a[y, 0] = a[y, 1] if mirror else a[y, w]
        a[y, w + 1] = a[y, w] if mirror else a[y, 1]
    for x in range(w + 2):
        a[0, x] = a[1, x] if mirror else a[h, x]
        a[h + 1, x] = a[h, x] if mirror else a[1, x]


def ghosts3(a):
    d, h, w = a.shape[0] - 2, a.shape[1] - 2, a.shape[2] - 2
    for z in range(1, d + 1):
        for y in range(1, h + 1):
            a[z, y, 0] = a[z, y, w]
            a[z, y, w + 1] = a[z, y, 1]
        for x in range(w + 2):
            a[z, 0, x] = a[z, h, x]
            a[z, h + 1, x] = a[z, 1, x]
    for y in range(h + 2):
        for x in range(w + 2):
            a[0, y, x] = a[d, y, x]
            a[d + 1, y, x] = a[1, y, x]


def wireworld(a, b, steps):
    h, w = a.shape[0] - 2, a.shape[1] - 2
    for _ in range(steps):
        ghosts2(a, False)
        for y in prange(1, h + 1):
            for x in range(1, w + 1):
                cell = a[y, x]
                if cell == 1:
                    b[y, x] = 2
                elif cell == 2:
                    b[y, x] = 3
                elif cell == 3:
                    heads = 0
                    for j in range(-1, 2):
                        for i in range(-1, 2):
                            heads += a[y + j, x + i] == 1
                    b[y, x] = 1 if heads == 1 or heads == 2 else 3
                else:
                    b[y, x] = 0
        a, b = b, a


def wave(now, before, steps, mirror):
    h, w = now.shape[0] - 2, now.shape[1] - 2
    c2, two, four = f32(0.25), f32(2), f32(4)
    for _ in range(steps):
        ghosts2(now, mirror)
        for y in prange(1, h + 1):
            for x in range(1, w + 1):
                around = (now[y, x - 1] + now[y, x + 1]) + (now[y - 1, x] + now[y + 1, x])
                before[y, x] = two * now[y, x] - before[y, x] + c2 * (around - four * now[y, x])
        now, before = before, now


def gray(u, v, nu, nv, feed, steps):
    d, h, w = u.shape[0] - 2, u.shape[1] - 2, u.shape[2] - 2
    du, dv, kill, one, six = f32(0.16), f32(0.08), f32(0.06), f32(1), f32(6)
    for _ in range(steps):
        ghosts3(u)
        ghosts3(v)
        for z in prange(1, d + 1):
            for y in range(1, h + 1):
                for x in range(1, w + 1):
                    a, b, f = u[z, y, x], v[z, y, x], feed[z - 1, y - 1, x - 1]
                    around_u = ((u[z, y, x - 1] + u[z, y, x + 1]) + (u[z, y - 1, x] + u[z, y + 1, x])) + (
                        u[z - 1, y, x] + u[z + 1, y, x]
                    )
                    around_v = ((v[z, y, x - 1] + v[z, y, x + 1]) + (v[z, y - 1, x] + v[z, y + 1, x])) + (
                        v[z - 1, y, x] + v[z + 1, y, x]
                    )
                    abb = a * b * b
                    nu[z, y, x] = a + (du * (around_u - six * a) - abb + f * (one - a))
                    nv[z, y, x] = b + (dv * (around_v - six * b) + abb - (f + kill) * b)
        u, v, nu, nv = nu, nv, u, v


def fire(a, b, steps):
    """The random numbers are those of Numba."""
    h, w = a.shape[0] - 2, a.shape[1] - 2
    for _ in range(steps):
        ghosts2(a, False)
        for y in prange(1, h + 1):
            for x in range(1, w + 1):
                if a[y, x] == 2:
                    b[y, x] = 0
                elif a[y, x] == 1:
                    burning = a[y, x - 1] == 2 or a[y, x + 1] == 2 or a[y - 1, x] == 2 or a[y + 1, x] == 2
                    b[y, x] = 2 if burning or np.random.random() < 1e-4 else 1
                else:
                    b[y, x] = 1 if np.random.random() < 0.01 else 0
        a, b = b, a


def philox(seed, stream, block):
    c0, c1 = np.uint64(block) & np.uint64(0xFFFFFFFF), np.uint64(block) >> np.uint64(32)
    c2, c3 = np.uint64(stream) & np.uint64(0xFFFFFFFF), np.uint64(stream) >> np.uint64(32)
    k0, k1 = np.uint64(seed) & np.uint64(0xFFFFFFFF), np.uint64(seed) >> np.uint64(32)
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        p, q = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (q >> np.uint64(32)) ^ c1 ^ k0, q & low, (p >> np.uint64(32)) ^ c3 ^ k1, p & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return c0, c1


def fire_philox(a, b, steps, seed):
    """The random numbers are those of the engine."""
    h, w = a.shape[0] - 2, a.shape[1] - 2
    for step in range(steps):
        ghosts2(a, False)
        for y in prange(1, h + 1):
            for x in range(1, w + 1):
                spark, grow = philox(seed, (1 << 40) + step, (y - 1) * w + x - 1)
                if a[y, x] == 2:
                    b[y, x] = 0
                elif a[y, x] == 1:
                    burning = a[y, x - 1] == 2 or a[y, x + 1] == 2 or a[y - 1, x] == 2 or a[y + 1, x] == 2
                    b[y, x] = 2 if burning or spark < 429496 else 1
                else:
                    b[y, x] = 1 if grow < 42949672 else 0
        a, b = b, a


def flow(f, g, ux_out, solid, steps):
    h, w = f.shape[1] - 2, f.shape[2] - 2
    w0, w1, w5 = f32(f32(4) / f32(9)), f32(f32(1) / f32(9)), f32(f32(1) / f32(36))
    omega, force, one, three, half9, half3 = f32(1 / f32(0.6)), f32(1e-5), f32(1), f32(3), f32(4.5), f32(1.5)
    push1, push5 = w1 * three * force, w5 * three * force
    for _ in range(steps):
        for i in range(9):
            ghosts2(f[i], False)
        for y in prange(1, h + 1):
            for x in range(1, w + 1):
                f0, f1, f2 = f[0, y, x], f[1, y, x - 1], f[2, y - 1, x]
                f3, f4, f5 = f[3, y, x + 1], f[4, y + 1, x], f[5, y - 1, x - 1]
                f6, f7, f8 = f[6, y - 1, x + 1], f[7, y + 1, x + 1], f[8, y + 1, x - 1]
                if solid[y - 1, x - 1]:
                    g[0, y, x] = f0
                    g[1, y, x], g[3, y, x] = f3, f1
                    g[2, y, x], g[4, y, x] = f4, f2
                    g[5, y, x], g[7, y, x] = f7, f5
                    g[6, y, x], g[8, y, x] = f8, f6
                    ux_out[y - 1, x - 1] = 0
                else:
                    rho = ((f0 + f1) + (f2 + f3)) + ((f4 + f5) + (f6 + f7)) + f8
                    ux = ((f1 - f3) + (f5 - f7) + (f8 - f6)) / rho
                    uy = ((f2 - f4) + (f5 - f7) + (f6 - f8)) / rho
                    sq = half3 * (ux * ux + uy * uy)
                    c5, c6 = ux + uy, uy - ux
                    c7, c8 = -ux - uy, ux - uy
                    g[0, y, x] = f0 + omega * (w0 * rho * (one - sq) - f0)
                    g[1, y, x] = f1 + (omega * (w1 * rho * (one + three * ux + half9 * ux * ux - sq) - f1) + push1)
                    g[2, y, x] = f2 + omega * (w1 * rho * (one + three * uy + half9 * uy * uy - sq) - f2)
                    g[3, y, x] = f3 + (omega * (w1 * rho * (one - three * ux + half9 * ux * ux - sq) - f3) - push1)
                    g[4, y, x] = f4 + omega * (w1 * rho * (one - three * uy + half9 * uy * uy - sq) - f4)
                    g[5, y, x] = f5 + (omega * (w5 * rho * (one + three * c5 + half9 * c5 * c5 - sq) - f5) + push5)
                    g[6, y, x] = f6 + (omega * (w5 * rho * (one + three * c6 + half9 * c6 * c6 - sq) - f6) - push5)
                    g[7, y, x] = f7 + (omega * (w5 * rho * (one + three * c7 + half9 * c7 * c7 - sq) - f7) - push5)
                    g[8, y, x] = f8 + (omega * (w5 * rho * (one + three * c8 + half9 * c8 * c8 - sq) - f8) + push5)
                    ux_out[y - 1, x - 1] = ux
        f, g = g, f


def vicsek(position, heading, new_heading, first, order, box, steps):
    """A grid of cells as wide as the reach; its particles are sorted in each step. The random numbers are Numba's."""
    count, cells = len(position), int(box)
    side, speed, noise = f32(box / cells), f32(0.03), f32(0.3)
    half_box, full_box, one, two, half = f32(box / 2), f32(box), f32(1), f32(2), f32(0.5)
    for _ in range(steps):
        first[:] = 0
        for i in range(count):
            cx, cy = min(int(position[i, 0] / side), cells - 1), min(int(position[i, 1] / side), cells - 1)
            first[cy * cells + cx + 1] += 1
        for c in range(cells * cells):
            first[c + 1] += first[c]
        for i in range(count - 1, -1, -1):
            cx, cy = min(int(position[i, 0] / side), cells - 1), min(int(position[i, 1] / side), cells - 1)
            c = cy * cells + cx + 1
            first[c] -= 1
            order[first[c]] = i
        # first[c + 1] is now where cell c begins, and first[c + 2] or `count` where it ends
        for i in prange(count):
            px, py = position[i, 0], position[i, 1]
            cx, cy = min(int(px / side), cells - 1), min(int(py / side), cells - 1)
            sx, sy = f32(0), f32(0)
            for j in range(-1, 2):
                for k in range(-1, 2):
                    c = (cy + j) % cells * cells + (cx + k) % cells
                    end = first[c + 2] if c + 2 <= cells * cells else count
                    for n in range(first[c + 1], end):
                        o = order[n]
                        dx, dy = position[o, 0] - px, position[o, 1] - py
                        if dx > half_box:
                            dx -= full_box
                        elif dx < -half_box:
                            dx += full_box
                        if dy > half_box:
                            dy -= full_box
                        elif dy < -half_box:
                            dy += full_box
                        if dx * dx + dy * dy < one:
                            sx += heading[o, 0]
                            sy += heading[o, 1]
            length = np.sqrt(sx * sx + sy * sy)
            t = half * noise * f32(two * f32(np.random.random()) - one)
            down = one / (one + t * t)
            c, s = (one - t * t) * down, two * t * down
            new_heading[i, 0] = (sx * c - sy * s) / length
            new_heading[i, 1] = (sx * s + sy * c) / length
        for i in prange(count):
            for axis in range(2):
                p = position[i, axis] + speed * new_heading[i, axis]
                position[i, axis] = p - full_box if p >= full_box else p + full_box if p < 0 else p
                heading[i, axis] = new_heading[i, axis]


# ---- The rules -----------------------------------------------------------------------------------------------------


def compiled(loop, threads):
    """Compiles the loop with Numba; on several threads, `prange` divides it."""
    return numba.njit(parallel=threads > 1)(loop)


ghosts2, ghosts3, philox = numba.njit(ghosts2), numba.njit(ghosts3), numba.njit(philox)


def padded(a):
    return np.pad(a, [(1, 1)] * a.ndim)


class Rule:
    """An engine run and a loop from the same state. `sizes` are those of the table and of the check."""

    settings, sizes, edges, exact = {}, ((2048, 2048), (45, 33)), "torus", True

    def __init__(self, plugins, threads, small):
        self.size = self.sizes[small]
        self.cells = int(np.prod(self.size))
        self.random = np.random.default_rng(5)
        settings = {"run.plugin": self.name, "run.threads": threads}
        if len(self.size) > 1:
            settings["grid.size"] = self.size
        if self.edges != "torus":
            settings["grid.edges"] = self.edges
        self.run = engine.run(settings | self.settings, plugins=plugins)
        self.loop = compiled(self.function, threads)
        self.start()

    def uniform(self, *shape):
        return self.random.random(shape or self.size[::-1], np.float32)

    def result(self, steps, one, other):
        """Returns the one of two arrays that holds the state after `steps`, without ghosts."""
        return (other if steps % 2 else one)[(slice(1, -1),) * one.ndim]


class Wireworld(Rule):
    name, function = "wireworld", staticmethod(wireworld)

    def start(self):
        cells = self.random.choice(4, self.size[::-1], p=(0.4, 0.1, 0.1, 0.4)).astype(np.uint8)
        self.run["cells"] = cells
        self.a, self.b = padded(cells), padded(cells)

    def take(self, steps):
        self.loop(self.a, self.b, steps)

    def check(self, steps):
        return {"cells": self.result(steps, self.a, self.b)}


class Wave(Rule):
    name, function = "wave", staticmethod(wave)

    def start(self):
        self.a, self.b = padded(self.uniform()), padded(self.uniform())
        self.run["now"], self.run["before"] = self.result(0, self.a, self.b), self.result(1, self.a, self.b)

    def take(self, steps):
        self.loop(self.a, self.b, steps, self.edges == "mirror")

    def check(self, steps):
        return {"now": self.result(steps, self.a, self.b), "before": self.result(steps + 1, self.a, self.b)}


class MirrorWave(Wave):
    edges = "mirror"


class Gray(Rule):
    name, function, sizes = "gray", staticmethod(gray), ((128, 128, 128), (17, 9, 11))

    def start(self):
        # The state is nearly stable. So tiny numbers, with which processors are slow, do not arise.
        u, v = 0.4 + 0.05 * self.uniform(), 0.25 + 0.05 * self.uniform()
        self.feed = 0.045 + 0.01 * self.uniform()
        self.run["u"], self.run["v"], self.run["feed"] = u, v, self.feed
        self.arrays = [padded(u), padded(v), padded(u), padded(v)]

    def take(self, steps):
        self.loop(*self.arrays, self.feed, steps)

    def check(self, steps):
        u, v, nu, nv = self.arrays
        return {"u": self.result(steps, u, nu), "v": self.result(steps, v, nv)}


class Fire(Rule):
    name, sizes, settings = "fire", ((1024, 1024), (45, 33)), {"init.seed": 1}

    def __init__(self, plugins, threads, small):
        self.own = not small  # the random numbers are those of Numba
        self.function = fire if self.own else fire_philox
        super().__init__(plugins, threads, small)

    def start(self):
        cells = (self.uniform() < 0.5).astype(np.uint8)
        self.run["cells"] = cells
        self.a, self.b = padded(cells), padded(cells)

    def take(self, steps):
        self.loop(self.a, self.b, steps, *(() if self.own else (1,)))

    def check(self, steps):
        return {"cells": self.result(steps, self.a, self.b)}


class Flow(Rule):
    name, function, sizes = "flow", staticmethod(flow), ((1024, 512), (45, 33))

    def start(self):
        width, height = self.size
        x, y = np.meshgrid(np.arange(width), np.arange(height))
        inside = (x - width / 4) ** 2 + (y - height / 2) ** 2 < (height / 8) ** 2
        self.solid = ((y % (height - 1) == 0) | inside).astype(np.uint8)
        weights = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36], np.float32)
        f = weights[:, None, None] * (1 + 0.01 * self.uniform(9, height, width))
        self.run["f"], self.run["solid"] = np.moveaxis(f, 0, -1), self.solid
        self.f = np.pad(f, ((0, 0), (1, 1), (1, 1)))
        self.g, self.ux = self.f.copy(), np.zeros_like(f[0])

    def take(self, steps):
        self.loop(self.f, self.g, self.ux, self.solid, steps)

    def check(self, steps):
        f = (self.g if steps % 2 else self.f)[:, 1:-1, 1:-1]
        return {"f": np.moveaxis(f, 0, -1), "ux": self.ux}


class Vicsek(Rule):
    name, function, exact = "vicsek", staticmethod(vicsek), False
    sizes = ((40000,), (500,))

    def __init__(self, plugins, threads, small):
        self.box = 10 * (1 if small else 10)
        count = self.sizes[small][0]
        self.settings = {"particles.count": count, "particles.box": (self.box, self.box, 0)}
        super().__init__(plugins, threads, small)

    def start(self):
        count = self.size[0]
        self.position = self.box * self.uniform(count, 2)
        angle = 6.2831855 * self.uniform(count)
        self.heading = np.stack((np.cos(angle), np.sin(angle)), -1)
        self.run["position"], self.run["heading"] = self.position, self.heading
        self.rest = [self.heading.copy(), np.zeros(self.box**2 + 2, np.int64), np.zeros(count, np.int64)]

    def take(self, steps):
        self.loop(self.position, self.heading, *self.rest, float(self.box), steps)


RULES = {
    "wireworld": Wireworld,
    "vicsek": Vicsek,
    "flow": Flow,
    "wave": Wave,
    "fire": Fire,
    "mirror": MirrorWave,
    "gray": Gray,
}


# ---- The table -----------------------------------------------------------------------------------------------------


def make_plugin(name, folder):
    """Compiles a rule as the Makefile of `engine new-plugin` does."""
    tested = ROOT / "tests/stencil"
    header = next(path for path in (HERE / f"{name}.h", tested / f"{name}.h") if path.exists())
    (folder / f"{name}.h").write_text(header.read_text())
    (folder / "plugin.c").write_text(
        f'#define NAME "{name}"\n#include "{tested}/plain.h"\n#include "{name}.h"\n#include "{HERE}/plugin.c"\n'
    )
    (folder / "Makefile").write_text((ROOT / "cli/template/Makefile").read_text().replace("@NAME@", name))
    subprocess.run(
        ["make", "-s", "-C", folder, "NVCC=", f"CC={options.cc}", f"ENGINE_INCLUDE={options.include}", f"{name}.so"],
        check=True,
    )


def check(rule):
    steps = 21
    rule.run.advance(steps)
    rule.take(steps)
    for field, wanted in rule.check(steps).items():
        if not np.array_equal(rule.run[field], wanted):
            sys.exit(f"{rule.name}: the plugin and the loop differ in {field}")


def timed(take, steps, clock):
    begin = clock()
    take(steps)
    return (clock() - begin) / steps


def compare(rule, threads):
    """Returns the median rates of both in millions of cells a second, and the ratios of all pairs."""
    clock = time.process_time if threads == 1 else time.perf_counter
    takers = [rule.run.advance, rule.take]
    steps = []
    for take in takers:
        take(16)
        steps.append(max(16, int(options.seconds / timed(take, 16, clock)) // 16 * 16))
    pairs = [[timed(take, n, clock) for take, n in zip(takers, steps)] for _ in range(options.pairs)]
    rates = [rule.cells / statistics.median(pair[i] for pair in pairs) / 1e6 for i in range(2)]
    return rates, sorted(pair[1] / pair[0] for pair in pairs)


def main():
    print("| rule | threads | engine, M/s | Numba, M/s | engine / Numba | least to most |\n|---|---|---|---|---|---|")
    for name in options.rules.split(",") if options.rules else RULES:
        kind = RULES[name]
        with tempfile.TemporaryDirectory() as folder:
            make_plugin(kind.name, pathlib.Path(folder))
            if kind.exact:
                check(kind(folder, 1, True))
            for threads in map(int, options.threads.split(",")):
                numba.set_num_threads(threads)
                rates, ratios = compare(kind(folder, threads, False), threads)
                shown = [f"{rate:.0f}" if rate >= 100 else f"{rate:.1f}" for rate in rates]
                print(
                    f"| {name} | {threads} | {shown[0]} | {shown[1]} | **{statistics.median(ratios):.2f}** | "
                    f"{ratios[0]:.2f} to {ratios[-1]:.2f} |",
                    flush=True,
                )


main()
