#!/bin/bash
# [output] region, stride and reduce: files of a part of a grid, compared with what NumPy makes of the whole grid, for
# every format, odd sizes and divided runs; with what is refused, and with runs that are resumed.
. "$(dirname "$0")/common"
umask 022
use_python
read -r -a cc <<<"${CC:-cc}"

# A plugin whose steps change nothing, with fields of several types and components.
cat >"$TMP/still.c" <<'C'
#define ENGINE_MINOR 5 /* for ENGINE_DIVISIBLE */
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self;
    call->result = call->current;
    return 0;
}
static const struct engine_field fields[] = {
    {.name = "level", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .components = 1, .rank = 2, .values = 5},
    {.name = "wind", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_F32, .components = 2, .rank = 2},
    {.name = "far", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_I64, .components = 1, .rank = 2},
    {.name = "short", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_I16, .components = 1, .rank = 2},
    {.name = "heat", .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_F64, .components = 1, .rank = 2},
};
static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "nothing", .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_DIVISIBLE, .advance = advance},
};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {.abi = ENGINE_ABI(5), .name = "still", .version = "1",
                                                          .summary = "stays", .fields = ENGINE_ARRAY(fields),
                                                          .impls = ENGINE_ARRAY(impls)};
C
expect 'the plugin compiles' "${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude "$TMP/still.c" -o "$TMP/still.so"

# Runs the engine, decodes the files without it, and prints "ok NAME" or "wrong NAME: WHY" for each case.
cat >"$TMP/cases.py" <<'PYTHON'
import itertools, json, math, os, re, shutil, struct, subprocess, sys, zlib
import numpy as np

engine, tmp = sys.argv[1:]

def run(config, folder, *settings):
    shutil.rmtree(folder, ignore_errors=True)
    sets = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([engine, "run", config, "--plugins", tmp, "--quiet", "--set", "run.output=" + folder, *sets],
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

def blocks(a, axes, ranges, strides, reduce):
    """What the region should be: a is (z, y, x, components) or (y, x, components); ranges and strides in x y z."""
    first = tuple(slice(*r) for r in reversed(ranges))
    a = a[first]
    strides = tuple(reversed(strides))
    if reduce == "none":
        return a[tuple(slice(None, None, s) for s in strides)]
    shape = tuple(-(-n // s) for n, s in zip(a.shape, strides))
    out = np.empty(shape + a.shape[axes:], object)
    for at in itertools.product(*map(range, shape)):
        block = a[tuple(slice(i * s, (i + 1) * s) for i, s in zip(at, strides))].reshape(-1, a.shape[-1])
        for c in range(a.shape[-1]):
            cells = block[:, c]
            out[at + (c,)] = {"any": lambda: bool((cells != 0).any()), "count": lambda: int((cells != 0).sum()),
                              "max": lambda: cells.max(), "mean": lambda: math.fsum(map(float, cells)) / len(cells)}[reduce]()
    return out

def same(found, wanted, reduce):
    if found.shape != wanted.shape:
        return f"shape {found.shape}, expected {wanted.shape}"
    if reduce == "mean":
        single = found.dtype == np.float32
        wanted = wanted.astype(np.float64)
        close = np.abs(found - wanted) <= (1e-7 if single else 1e-14) * np.maximum(1, np.abs(wanted))
        return None if (close | (np.isnan(found) & np.isnan(wanted))).all() else "other means"
    wanted = wanted.astype(found.dtype)
    equal = (found == wanted) | ((found != found) & (wanted != wanted))
    return None if equal.all() else f"{(~equal).sum()} of {equal.size} cells differ"

def npy(path, axes):
    a = np.load(path)
    return a if a.ndim > axes else a[..., None]

def vti(path):
    raw = open(path, "rb").read()
    head, data = raw.split(b'<AppendedData encoding="raw">\n_', 1)
    count, size, last = struct.unpack("<3Q", data[:24])
    packed = struct.unpack(f"<{count}Q", data[24:24 + 8 * count])
    at, out = 24 + 8 * count, b""
    for n in packed:
        out += zlib.decompress(data[at:at + n])
        at += n
    text = head.decode()
    names = {"UInt8": "u1", "Int64": "i8", "Int16": "i2", "Float32": "f4", "Float64": "f8", "UInt32": "u4"}
    get = lambda name: [int(n) for n in re.search(name + r'="([-0-9 ]+)"', text).group(1).split()]
    dtype = names[re.search(r'DataArray type="(\w+)" Name="[a-z]+" NumberOf', text).group(1)]
    extent = get("WholeExtent")[1::2]
    shape = [n for n in reversed(extent) if n] + get("NumberOfComponents")
    return np.frombuffer(out, "<" + dtype).reshape(shape), get("Origin"), get("Spacing"), text

def rle(path):
    """Cells, the place in x= y=, and the lines before it, of RLE of two or three axes."""
    lines = open(path).read().split("\n")
    head = [line for line in lines if line[:1] in "#3"]
    size = next(line for line in lines if line.startswith("x"))
    n = [int(k) for k in re.findall(r"[xyz] ?= ?(\d+)", size)] + [1]
    cells = np.zeros((n[2], n[1], n[0], 1), np.uint8)
    x = y = z = 0
    for count, tag in re.findall(r"(\d*)([bo$/!])", "".join(lines[lines.index(size) + 1:])):
        count = int(count or 1)
        if tag == "o":
            cells[z, y, x:x + count] = 1
        x, y, z = {"$": (0, y + count, z), "/": (0, 0, z + count)}.get(tag, (x + count, y, z))
    return cells if "z" in size else cells[0], size, head

def png(path):
    """The frames of a PNG or APNG, each of samples 0 … 255."""
    raw, at, frames, text = open(path, "rb").read(), 8, [], {}
    while at < len(raw):
        n, kind = struct.unpack(">I4s", raw[at:at + 8])
        data = raw[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[:10])
        elif kind == b"tEXt":
            text.update([data.decode("latin1").split("\0", 1)])
        elif kind == b"fcTL" or (kind == b"IDAT" and not frames):
            frames.append(b"")
        if kind == b"IDAT":
            frames[-1] += data
        elif kind == b"fdAT":
            frames[-1] += data[4:]
        at += 12 + n
    pictures = []
    for frame in frames:
        rows = np.frombuffer(zlib.decompress(frame), np.uint8).reshape(height, -1)
        assert not rows[:, 0].any() and colour == 0
        pictures.append(np.unpackbits(rows[:, 1:], axis=1)[:, :width] * 255 if depth == 1 else rows[:, 1:])
    return pictures, text

def report(name, why):
    print(f"wrong {name}: {why}" if why else f"ok {name}")

def place(ranges, extent):
    return [r[0] for r in ranges], [r[1] - r[0] for r in ranges]

# ---- Patterns: every format, region, stride and reduction, also in parts
ranges_of = {"all": lambda n: (0, n), "some": lambda n: (n // 4, n - n // 5), "one": lambda n: (n - 1, n)}
text_of = {"all": lambda n: ":", "some": lambda n: f"{n // 4}:{n - n // 5}", "one": lambda n: f"{n - 1}:"}
for config, extent, patterns in (("life2d", (67, 31), "rle"), ("life3d", (37, 10, 12), "rle3")):
    axes = len(extent)
    run(f"{tmp}/{config}.ini", f"{tmp}/whole", "output.formats=npy")
    whole = npy(f"{tmp}/whole/cells-0000000004.npy", axes)
    summary = json.load(open(f"{tmp}/whole/summary.json"))
    for which, strides, reduce, parts in [
            *itertools.product(("all", "some", "one"), ((1,), (4,), (3, 2, 5)), ("none",), (1, 3)),
            *itertools.product(("all", "some"), ((4,), (5, 7, 3), (100,)), ("any", "max", "mean", "count"), (1, 3))]:
        name = f"{config} {which} {strides} {reduce} in {parts}"
        each = [strides[0]] * axes if len(strides) == 1 else strides[:axes]
        ranges = [ranges_of[which](n) for n in extent]
        wanted = blocks(whole, axes, ranges, each, reduce)
        two = reduce in ("none", "any", "max")
        settings = ["output.region=" + " ".join(text_of[which](n) for n in extent), f"run.parts={parts}",
                    "output.scale=1", "output.view=slice" if axes == 3 else "output.every=0"]
        if strides != (1,):
            settings += ["output.stride=" + " ".join(map(str, each)), f"output.reduce={reduce}"]
        run(f"{tmp}/{config}.ini", f"{tmp}/part", "output.formats=npy vti png apng " + (patterns if two else ""), *settings)
        at = f"{tmp}/part/cells-0000000004."
        report(name + " npy", same(npy(at + "npy", axes), wanted, reduce))
        cells, origin, spacing, text = vti(at + "vti")
        report(name + " vti", same(cells.reshape(wanted.shape), wanted, reduce))
        begin, block = [r[0] for r in ranges] + [0] * (3 - axes), list(each) + [1] * (3 - axes)
        report(name + " place in vti", None if (origin, spacing) == (begin, block) else f"{origin} {spacing}")
        note = ", ".join(f"{axis} {a}:{b}" for axis, (a, b) in zip("xyz", ranges))
        report(name + " note", None if f"Region: {note}" in text else text)
        if two:
            cells, size, head = rle(at + patterns)
            report(name + " " + patterns, same(cells, wanted, reduce))
            if strides == (1,) and axes == 2:
                middle = [r[0] - n // 2 for r, n in zip(ranges, extent)]
                report(name + " Pos", None if f"Pos={middle[0]},{middle[1]} " in head[0] else head[0])
                report(name + " torus", None if size.endswith(":T67,31") else size)
            elif strides == (1,):
                pos = "pos=%d,%d,%d" % tuple(begin) if any(begin) else "version=1 size=37 gen"
                report(name + " pos", None if pos in head[0] and "grid=37,10,12" in head[0] else head[0])
            else:
                report(name + " no torus", None if ":T" not in size and "size=" not in head[0] else size + head[0])
        plane = wanted[..., 0] if axes == 2 else wanted[wanted.shape[0] // 2, :, :, 0]
        white = np.prod(each) if reduce == "count" else 1
        shades = np.floor(np.clip(plane.astype(np.float64) / white, 0, 1) * 255 + 0.5)
        pictures, text = png(at + "png")
        off = np.abs(pictures[0] - shades) if pictures[0].shape == shades.shape else np.array([9])
        report(name + " png", None if off.max() <= (reduce == "mean") else "other shades")
        film, text = png(f"{tmp}/part/cells.apng")
        report(name + " apng", None if (film[-1] == pictures[0]).all() else "another frame")
        again = json.load(open(f"{tmp}/part/summary.json"))
        report(name + " hash and metrics", None if [again["hash"], again["metrics"]] == [summary["hash"], summary["metrics"]]
               else again)

# ---- Other types and components. 0.1 has no exact double; NaN must not vanish.
rng = np.random.default_rng(7)
arrays = {"level": rng.integers(0, 5, (23, 41)).astype(np.uint8), "wind": rng.normal(size=(23, 41, 2)).astype(np.float32),
          "far": rng.integers(-2**62, 2**62, (23, 41)), "short": rng.integers(-3, 3, (23, 41)).astype(np.int16),
          "heat": np.where(rng.random((23, 41)) < 0.01, np.nan, 0.1)}
for field, a in arrays.items():
    np.save(f"{tmp}/{field}.npy", a)
open(f"{tmp}/still.ini", "w").write("[run]\nplugin = still\n[grid]\nsize = 41 23\n[init]\nsource = arrays\n" +
                                    "".join(f"{field} = {tmp}/{field}.npy\n" for field in arrays))
for reduce, parts in itertools.product(("none", "any", "max", "mean", "count"), (1, 4)):
    run(f"{tmp}/still.ini", f"{tmp}/part", "output.formats=npy vti", "output.region=2:39 :22", "output.stride=6 5",
        f"output.reduce={reduce}", f"run.parts={parts}")
    for field, a in arrays.items():
        wanted = blocks(a if a.ndim == 3 else a[..., None], 2, [(2, 39), (0, 22)], [6, 5], reduce)
        found = npy(f"{tmp}/part/{field}-0000000001.npy", 2)
        report(f"{field} {reduce} in {parts}", same(found, wanted, reduce))
        report(f"{field} {reduce} in {parts} vti",
               same(vti(f"{tmp}/part/{field}-0000000001.vti")[0].reshape(wanted.shape), wanted, reduce))
        types = {"any": np.uint8, "count": np.uint32, "mean": np.float32 if a.dtype.itemsize < 8 else np.float64}
        report(f"{field} {reduce} has its type", None if found.dtype == types.get(reduce, a.dtype) else found.dtype)
PYTHON
printf '[run]\nplugin = life2d-bit\nsteps = 4\nthreads = 2\n[grid]\nsize = 67 31\n[init]\nsource = random\ndensity = 0.3\n' >"$TMP/life2d.ini"
printf '[run]\nplugin = life3d-packed\nsteps = 4\nthreads = 2\n[grid]\nsize = 37 10 12\n[init]\nsource = random\ndensity = 0.3\n' >"$TMP/life3d.ini"
"$python" "$TMP/cases.py" "$ENGINE" "$TMP" >"$TMP/cases" 2>"$TMP/errors"
expect_equal 'all cases were tried' "$?" 0
head -20 "$TMP/errors" | sed 's/^/# /'
expect_equal 'as NumPy has it' "$(grep -v '^ok ' "$TMP/cases" | head -20)" ''
expect_equal 'number of comparisons' "$(wc -l <"$TMP/cases")" 1248

# ---- What is refused, before anything is written
try() { # try TEXT SETTING…
    local text=$1 sets=()
    for setting in "${@:2}"; do sets+=(--set "$setting"); done
    refused "${*:2}" 2 "$text" "$ENGINE" run "$TMP/life2d.ini" --set "run.output=$TMP/out" "${sets[@]}"
}
try "'0:68 :' leaves the grid: cells has 67 cells along x; expected a range within 0:67" 'output.region=0:68 :'
try "'67: :' leaves the grid: cells has 67 cells along x; expected a range within 0:67" 'output.region=67: :'
try "'1:2' has 1 range; cells is a grid of 67 x 31 cells; expected a range for each axis" output.region=1:2
for wrong in 5 5-7 5:5 7:5 --3:5 1:2:3 ': : : :' ':x'; do try "'$wrong' is not a region; expected" \
    "output.region=$wrong"; done
try "'-3:5 0:5' leaves the grid" 'output.region=-3:5 0:5'
for wrong in 0 -1 2.5 '1 2 3 4' x; do try "'$wrong' is not a stride; expected" "output.stride=$wrong"; done
try "'4 4 4' has 3 numbers; cells is a grid of 67 x 31 cells; expected one number, or one for each axis" \
    'output.stride=4 4 4'
try 'nothing uses this key without stride' output.reduce=mean
try 'reduce = sum: expected one of none, any, mean, max, count' output.reduce=sum output.stride=2
try 'rle cannot hold the float32 numbers that reduce = mean makes of the cells; expected some of npy vti png' \
    output.reduce=mean output.stride=2 output.formats=rle
try 'rle cannot hold the uint32 numbers that reduce = count makes' output.reduce=count output.stride=2 \
    output.formats='npy rle'
expect_status 2 "$ENGINE" check "$TMP/life2d.ini" --set output.reduce=count --set output.stride=2 \
    --set output.formats=rle
if [ -e "$BUILD/plugins/nbody.so" ]; then
    refused 'particles have no region' 2 'nothing uses this key, because nbody writes no grid; leave it out' \
        "$ENGINE" check configs/nbody-texts.ini --set output.region=0:10
fi
expect_status 2 "$ENGINE" check "$TMP/life3d.ini" --set output.formats=png --set output.region=': : 4:6' \
    --set output.view=slice --set output.slice=2
expect_stderr_has 'slice = 2: cells has 2 cells along z; expected 0 to 1'

# ---- The estimate knows the part: of 67 x 31 cells, 8 x 4 numbers are written as uint32, with a header of 128 bytes
expect_status 0 "$ENGINE" check "$TMP/life2d.ini" --json --set output.stride=9 --set output.reduce=count
expect_equal 'bytes of an output' "$(json "$TMP/stdout" '{output_bytes_each}' | sed 's/\.0*$//')" $((8 * 4 * 4 + 128))

# ---- A resumed run writes the same files; the files before it stay listed though the part was another one
region=(--set output.every=2 --set 'output.region=3:50 5:' --set output.stride=3 --set output.reduce=max)
go() { expect_status 0 "$ENGINE" "${@}" --quiet; }
go run "$TMP/life2d.ini" --set "run.output=$TMP/once" --set run.steps=12 "${region[@]}" \
    --set output.formats='npy apng rle'
go run "$TMP/life2d.ini" --set "run.output=$TMP/twice" --set run.steps=6 "${region[@]}" \
    --set output.formats='npy apng rle' \
    --set checkpoint.every=3
go resume "$TMP/twice" --set run.steps=12
for file in "$TMP/once"/*.{npy,apng,csv,rle}; do expect_same "$TMP/twice/$(basename "$file")" "$file"; done
go run "$TMP/life2d.ini" --set "run.output=$TMP/other" --set run.steps=6 "${region[@]}" --set output.formats=rle \
    --set checkpoint.every=3
go resume "$TMP/other" --set run.steps=12 --set output.reduce=count --set output.formats=npy
expect_equal 'patterns of the first part are listed' \
    "$(json "$TMP/other/summary.json" '{outputs}' | grep -c '\.rle$')" 4
expect_equal 'and arrays of the second' "$(json "$TMP/other/summary.json" '{outputs}' | grep -c '\.npy$')" 3

# ---- --watch shows the region: a block of cells in the corner of an empty grid fills it
if command -v script >/dev/null; then
    printf 'x = 2, y = 2\n2o$2o!\n' >"$TMP/block.rle"
    printf '[run]\nplugin = life2d-bit\nsteps = 1\n[grid]\nsize = 400 400\n[init]\nfile = block.rle\nat = 100 200\n' \
        >"$TMP/block.ini"
    for part in ': :' '99:103 199:203'; do
        TERM=xterm-256color script -qec "stty cols 40 rows 12; '$ENGINE' run '$TMP/block.ini' --watch --force \
            --set 'run.output=$TMP/watched' --set 'output.region=$part' 2>&1 >'$TMP/said'" "$TMP/log" </dev/null \
            >/dev/null
        grep -aoE '\[[34]8;5;[0-9]+' "$TMP/log" | sed 's/.*;//' | sort | uniq -c >"$TMP/colours.${part%%:*}"
    done
    white() { awk '$2 == 15 || $2 == 231 || $2 == 255 { n += $1 } END { print n + 0 }' "$TMP/colours.$1"; }
    expect 'the part is seen larger than in the whole' test "$(white 99)" -gt "$(white '')"
fi
plan
