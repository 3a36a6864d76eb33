#!/bin/bash
# [output] formats = gif: a decoder of its own finds the frames, colours and delays of the animated PNG. Pillow, ffmpeg and
# ImageMagick found the same frames on 2026-11-26.
. "$(dirname "$0")/common"
use_python
cd "$TMP" || exit 1
printf '[run]\nplugin = life2d-bit\nsteps = 12\noutput = run\n[grid]\nsize = 67 31\n[init]\nsource = random\n[output]\nevery = 2\nformats = gif npy\nscale = 2\nrate = 25\n' >film.ini

# Compares the frames of an animated PNG with those of a GIF file, by default without a tolerance. Prints the number of frames
# and the delays.
cat >compare.py <<'PYTHON'
import struct, sys, zlib
import numpy as np

def film(path):
    raw, at, pixels, palette = open(path, "rb").read(), 8, b"", None
    while at < len(raw):
        n, kind = struct.unpack(">I4s", raw[at:at + 8])
        data = raw[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[:10])
        palette = np.frombuffer(data, np.uint8).reshape(-1, 3) if kind == b"PLTE" else palette
        if kind in (b"IDAT", b"fdAT"):
            rows = np.frombuffer(zlib.decompress(data[4 * (kind == b"fdAT"):]), np.uint8).reshape(height, -1)
            assert not rows[:, 0].any(), "a filter"
            rows = np.unpackbits(rows[:, 1:], axis=1)[:, :width] * 255 if depth == 1 else rows[:, 1:]
            yield palette[rows] if colour == 3 else rows.reshape(height, width, -1).repeat(3 if colour == 0 else 1, 2)
        at += 12 + n

def unpack(data, bits):
    clear, out, old = 1 << bits, [], None
    held = have = at = 0
    width, table = bits + 1, []
    while True:
        while have < width:
            held, have, at = held | data[at] << have, have + 8, at + 1
        code, held, have = held & ((1 << width) - 1), held >> width, have - width
        if code == clear:
            width, table, old = bits + 1, [bytes([i]) for i in range(clear)] + [b"", b""], None
            continue
        if code == clear + 1:
            assert at == len(data) and held == 0, "the end"
            return b"".join(out)
        text = table[code] if code < len(table) else old + old[:1]
        assert code <= len(table), "a code"
        if old is not None and len(table) < 4096:
            table.append(old + text[:1])
        if len(table) == 1 << width and width < 12:
            width += 1
        out.append(text)
        old = text

def gif(path):
    raw = open(path, "rb").read()
    width, height, flags = struct.unpack("<HHB", raw[6:11])
    assert raw[:6] == b"GIF89a" and not flags & 0x80 and raw[13:32] == b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    at = 32
    while raw[at] == 0x21:
        assert raw[at + 1:at + 4] == b"\xf9\4\4" and raw[at + 8] == 0x2c
        delay, = struct.unpack("<H", raw[at + 4:at + 6])
        x, y, w, h, flags = struct.unpack("<HHHHB", raw[at + 9:at + 18])
        assert (x, y, w, h, flags & 0xf8) == (0, 0, width, height, 0x80), "the image"
        colours = 2 << (flags & 7)
        table = np.frombuffer(raw[at + 18:at + 18 + 3 * colours], np.uint8).reshape(-1, 3)
        at += 18 + 3 * colours
        bits, at, data = raw[at], at + 1, b""
        while raw[at]:
            data, at = data + raw[at + 1:at + 1 + raw[at]], at + 1 + raw[at]
        at += 1
        yield table[np.frombuffer(unpack(data, bits), np.uint8).reshape(height, width)], delay
    assert raw[at:] == b";", "the end of the file"

want, got = list(film(sys.argv[1])), list(gif(sys.argv[2]))
assert len(want) == len(got), (len(want), len(got))
worst = max(int(np.abs(a.astype(int) - b).max()) for a, (b, _) in zip(want, got))
assert worst <= int(sys.argv[3]) and (worst > 0) == (sys.argv[3] != "0"), worst
print(len(got), *[delay for _, delay in got])
PYTHON
same_film() { "$python" compare.py "$1/cells.apng" "$1/cells.gif" "${2:-0}" 2>&1 | tail -1; }

expect_status 0 "$ENGINE" run film.ini --quiet
expect_equal 'frames and delays' "$(same_film run)" '7 4 4 4 4 4 4 4'
expect_equal 'the summary lists it' "$(json run/summary.json '{outputs}' | grep -c 'cells.gif$')" 1
for rate in 10:10,10,10,10,10,10,10 30:3,3,4,3,3,4,3 1:100,100,100,100,100,100,100 1000:2,2,2,2,2,2,2; do
    expect_status 0 "$ENGINE" run film.ini --quiet --force --set "output.rate=${rate%:*}"
    expect_equal "rate ${rate%:*}" "$(same_film run)" "7 $(tr , ' ' <<<"${rate#*:}")"
done
expect_status 0 "$ENGINE" run film.ini --quiet --force --set output.colours=viridis --set output.stride=1 --set output.reduce=mean
expect_equal 'colours' "$(same_film run)" '7 4 4 4 4 4 4 4'
expect_status 0 "$ENGINE" run film.ini --quiet --force --set grid.batch=6
expect_equal 'universes of a batch' "$(same_film run)" '7 4 4 4 4 4 4 4'

# A resumed run makes the film of all its frames.
expect_status 0 "$ENGINE" run film.ini --quiet --force
expect_status 0 "$ENGINE" run film.ini --quiet --set run.output=more --set run.steps=4 --set checkpoint.every=2
expect_status 0 "$ENGINE" resume more --quiet --set run.steps=12
expect_same more/cells.gif run/cells.gif

# ---- Pictures of arrays: noise that fills the dictionary, one pixel, and many colours
"$python" - <<'PYTHON'
import numpy as np
rng = np.random.default_rng(1)
np.save("noise.npy", rng.integers(0, 256, (150, 217), dtype=np.uint8))
np.save("one.npy", np.zeros((1, 1), np.uint8))
np.save("flat.npy", np.zeros((700, 900), np.uint8))
np.save("wide.npy", np.zeros((1, 1100), np.uint8))
PYTHON
for array in noise one flat; do
    mkdir "$array"
    for format in apng gif; do
        expect_status 0 "$ENGINE" convert "$array.npy" "$array/cells.$format" --scale 1 --colours inferno
    done
    expect_equal "the picture of $array" "$(same_film "$array")" '1 10'
done
refused 'a picture that is too wide' 6 'wide.gif: a GIF file has at most 65535 x 65535 pixels, and the film has 70400 x 64' \
    "$ENGINE" convert wide.npy wide.gif --scale 64
expect_not 'no file is left' test -e wide.gif

# A reduced picture of a rule with colours has more than 256: each is at most half a side of the cube away.
if [ -e "$BUILD/plugins/ruletable.so" ]; then
    printf '@RULE Three\n@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:permute\n@COLORS\n1 255 10 0\n2 20 40 250\n0 0 200 90\n' >Three.rule
    printf '[run]\nplugin = ruletable\nsteps = 0\noutput = many\n[ruletable]\nrule = Three.rule\n[grid]\nsize = 41000 60\n[init]\nsource = random\n[output]\nformats = gif\n' >many.ini
    expect_status 0 "$ENGINE" run many.ini --quiet
    expect_equal 'more than 256 colours' "$(same_film many 26)" '1 10'
fi
plan
