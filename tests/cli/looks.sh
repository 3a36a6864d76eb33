#!/bin/bash
# How pictures look. Python decodes them with zlib, and compares them with the cells and particles of the same step.
. "$(dirname "$0")/../lib.sh"
use_python
decode='
import sys
sys.path.insert(0, "tests")
import numpy as np
from picture import brightness, check, frames_of
'

# decoded NAME PROGRAM FILE…: runs the program in Python, with the files as sys.argv[1:].
decoded() {
    if "$python" -c "$decode$2" "${@:3}" >"$TMP/said" 2>&1; then ok "$1"; else not_ok "$1" "$(cat "$TMP/said")"; fi
}

# go FOLDER [KEY=VALUE]…: runs $TMP/run.ini
go() {
    local set=() setting
    for setting in "${@:2}"; do set+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/run.ini" --quiet --force --set run.output="$TMP/$1" "${set[@]}"
}

# ---- Colours of automata: what fires is brightest, what dies fades, and what is dead is black

printf '[run]\nsteps = 9\n[grid]\nsize = 60 40\n[init]\nsource = random\ndensity = 0.3\n[output]\nformats = npy png apng
every = 9\nscale = 2\n' >"$TMP/run.ini"
fading='
cells, states = np.load(sys.argv[1]), int(sys.argv[4])
for path in sys.argv[2:4]:
    shown = frames_of(path)[-1][::2, ::2]
    colours = [np.unique(shown[cells == state], axis=0) for state in [0, *range(states - 1, 0, -1)]]
    check(all(len(of) == 1 for of in colours), f"one colour for each state: {colours}")
    rising = brightness(np.concatenate(colours))
    check(rising[0] == 0 and (np.diff(rising) > 15).all(), f"brightness {rising}")
'
while read -r plugin rule states; do
    go "$plugin" run.plugin="$plugin" "$plugin.rule=$rule"
    decoded "$plugin $rule: what dies fades" "$fading" "$TMP/$plugin"/cells-0000000009.{npy,png} \
        "$TMP/$plugin/cells.apng" "$states"
done <<'END'
generations /2/3 3
generations 345/2/4 4
generations /2/6 6
larger-than-life R3,C6,S,B4-24,NN 6
END
go two run.plugin=generations generations.rule=23/3/2
decoded 'two states are black and white' '
cells, shown = np.load(sys.argv[1]), frames_of(sys.argv[2])[0]
check((shown[::2, ::2] == 255 * cells[..., None]).all(), "not 255 times the cells")' \
    "$TMP/two"/cells-0000000009.{npy,png}
go grey run.plugin=generations generations.rule=/2/3 output.colours=grey
decoded 'colours = grey: the shades rise with the state' '
cells, shown = np.load(sys.argv[1]), frames_of(sys.argv[2])[0]
check((shown[::2, ::2] == np.array([0, 128, 255])[cells][..., None]).all(), "not 0, 128, 255")' \
    "$TMP/grey"/cells-0000000009.{npy,png}

# ---- Lines between cells: the last row and column of pixels of each cell but the last

lines='
scale = int(sys.argv[3])
for without, shown in zip(frames_of(sys.argv[1]), frames_of(sys.argv[2]), strict=True):
    wanted = without.copy()
    wanted[scale - 1 : -1 : scale] = wanted[:, scale - 1 : -1 : scale] = 64
    check((shown == wanted).all() and (shown != without).any(), "not the lines")
'
while read -r name scale keys; do
    read -ra keys <<<"$keys"
    keys=("${keys[@]//_/ }")
    go "$name" "output.scale=$scale" 'output.formats=png apng' "${keys[@]}"
    go "$name-lines" "output.scale=$scale" 'output.formats=png apng' output.lines=yes "${keys[@]}"
    for file in cells-0000000009.png cells.apng; do
        decoded "lines: $name, $file" "$lines" "$TMP/$name/$file" "$TMP/$name-lines/$file" "$scale"
    done
done <<'END'
life 8 run.plugin=life2d-bit
brain 9 run.plugin=generations generations.rule=/2/3
grey 11 run.plugin=generations generations.rule=/2/3 output.colours=viridis
batch 8 run.plugin=life2d-bit grid.batch=3
slice 8 run.plugin=life3d-naive grid.size=12_9_7 output.view=slice
projection 8 run.plugin=life3d-naive grid.size=12_9_7
END
go narrow run.plugin=life2d-bit output.formats=png output.scale=7
go none run.plugin=life2d-bit output.formats=png output.scale=7 output.lines=yes
expect_same "$TMP/narrow/cells-0000000009.png" "$TMP/none/cells-0000000009.png"

# ---- Captions: a strip below the picture. A grey line; a bar; its length; the step

captions='
without, shown = frames_of(sys.argv[1])[-1], frames_of(sys.argv[2])[-1]
bar, dot, art = int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
rows = len(without)
check((shown[:rows] == without).all(), "the picture is not above the strip")
strip = shown[rows:]
check((strip == strip[..., :1]).all() and (strip[0] == 64).all(), "no grey line")
check(set(np.unique(strip[1:])) == {0, 230}, "other levels of grey")
check(strip[1 + 7 * dot, 4 * dot : 4 * dot + bar, 0].min() == 230 and strip[1 + 7 * dot, 4 * dot + bar, 0] == 0, "bar")
text = strip[1 + 4 * dot : 1 + 11 * dot : dot, 8 * dot + bar :: dot, 0] == 230
wanted = np.array([[dot == "#" for dot in row] for row in art])
check(not art or (text[:, : wanted.shape[1]] == wanted).all(), "\n".join("".join(" #"[dot] for dot in row[:90]) for row in text))
'
ten_cells=('  #    ###                     ##    ##        '
    ' ##   #   #                     #     #        '
    '  #   #  ##        ###   ###    #     #    ### '
    '  #   # # #       #     #   #   #     #   #    '
    '  #   ##  #       #     #####   #     #    ### '
    '  #   #   #       #   # #       #     #       #'
    ' ###   ###         ###   ###   ###   ###  #### ')

# captioned NAME BAR DOT ART… -- KEY=VALUE…: the bar is so many pixels long, and a dot of a text has so many.
captioned() {
    local name=$1 bar=$2 dot=$3 art=() field
    for ((; $# > 3; )); do [ "$4" = -- ] && break; art+=("$4"); set -- "${@:1:3}" "${@:5}"; done
    go without "${@:5}"
    go captions output.captions=yes "${@:5}"
    field=$(basename "$(echo "$TMP"/without/*9.png)" -0000000009.png)
    decoded "$name: png" "$captions" "$TMP"/{without,captions}/"$field-0000000009.png" "$bar" "$dot" "${art[@]}"
    decoded "$name: apng" "$captions" "$TMP"/{without,captions}/"$field.apng" "$bar" "$dot" "${art[@]}"
    decoded "$name: the step" '
first, last = (frame[-30:] for frame in frames_of(sys.argv[1])[:: len(frames_of(sys.argv[1])) - 1])
middle = first.shape[1] // 2
check((first[-12:, middle:] != last[-12:, middle:]).any() and (first[-12:, :middle] == last[-12:, :middle]).all(), "step")' \
        "$TMP/captions/$field.apng"
}
# A quarter of 60 cells is 15, so the bar has 10.
captioned 'black and white' 80 1 "${ten_cells[@]}" -- run.plugin=life2d-bit output.scale=8 'output.formats=png apng'
captioned 'large dots' 200 2 "${ten_cells[@]}" -- run.plugin=life2d-bit output.scale=20 'output.formats=png apng'
captioned 'colours' 80 1 "${ten_cells[@]}" -- run.plugin=generations output.scale=8 'output.formats=png apng' \
    generations.rule=/2/3
captioned 'a cell of four' 40 1 "${ten_cells[@]}" -- run.plugin=life2d-bit output.scale=16 'output.formats=png apng' \
    output.stride=4
captioned 'a cell at least' 64 1 -- run.plugin=life2d-bit output.scale=64 'output.formats=png apng' grid.size='3 3'
captioned 'a volume from the side' 160 1 "${ten_cells[@]}" -- run.plugin=life3d-naive output.scale=16 \
    'output.formats=png apng' grid.size='9 40 7' output.axis=x

# ---- engine convert has the same looks as a run

same_pixels='check((frames_of(sys.argv[1])[-1] == frames_of(sys.argv[2])[0]).all(), "other pixels")'
go looks run.plugin=life2d-bit output.scale=8 output.lines=yes output.captions=yes checkpoint.every=9
expect_status 0 "$ENGINE" convert "$TMP"/looks/checkpoint-*9.snapshot "$TMP/looks.png" --scale 8 --lines --captions
decoded 'convert: lines and captions' "$same_pixels" "$TMP/looks/cells-0000000009.png" "$TMP/looks.png"
expect_status 2 "$ENGINE" convert "$TMP"/looks/checkpoint-*9.snapshot "$TMP/looks.png" --force --depth auto
expect_stderr_has '--depth: this option is for pictures of grids of three axes and of particles'
expect_status 2 "$ENGINE" convert "$TMP"/looks/checkpoint-*9.snapshot "$TMP/looks.rle" --lines
expect_stderr_has '--lines: this option is for pictures of grids'

printf '[run]\nplugin = life3d-naive\nsteps = 2\n[grid]\nsize = 12 9 7\n[init]\nsource = random\ndensity = 0.1
[output]\nformats = png npy\n' >"$TMP/run.ini"
go deep output.depth=auto output.axis=y
expect_status 0 "$ENGINE" convert "$TMP/deep/cells-0000000002.npy" "$TMP/deep.png" --axis y --depth auto
decoded 'convert: a volume with depth' "$same_pixels" "$TMP"/deep/cells-0000000002.png "$TMP/deep.png"
go flat output.axis=y
expect_not 'depth is another picture' cmp -s "$TMP"/{deep,flat}/cells-0000000002.png

printf '[run]\nplugin = nbody\nsteps = 9\n[particles]\ncount = 64\n[init]\nsource = plummer\n[output]
formats = png apng\nevery = 9\nbounds = 4\npixels = 800\nfields = position\n' >"$TMP/run.ini"
captioned 'particles' 200 1 --

# Lengths in sigma, if it is 1. Of 6.24 sigma on 800 pixels, a quarter is 1.56.
one_sigma=('  #                 #                    '
    ' ##                                      '
    '  #          ###   ##    #### ## #   ### '
    '  #         #       #   #   # # # #     #'
    '  #          ###    #    #### # # #  ####'
    '  #             #   #       # #   # #   #'
    ' ###        ####   ###   ###  #   #  ####')
cp "$TMP/run.ini" "$TMP/nbody.ini"
printf '[run]\nplugin = pairs\nsteps = 9\n[particles]\ncount = 108\nbox = 6 6 6\n[init]\nsource = fcc\n[analyse]
plugin = rdf\nevery = 9\n[rdf]\nr_max = 2.5\n[output]\nformats = png apng svg gro\nevery = 9\npixels = 800\n' >"$TMP/run.ini"
captioned 'particles with a sigma of 1' 128 1 "${one_sigma[@]}" --
axis_of() { sed -n 's/.*>\(r[^<]*\)<.*/\1/p' "$TMP/$1/rdf.svg" | tail -1; }
expect_equal 'a plot, too' "$(axis_of captions)" 'r (sigma)'
go two pairs.sigma=2 particles.count=32 particles.box='12 12 12'
expect_equal 'sigma = 2: the unit is not known' "$(axis_of two)" r
go mixed pairs.species=2 pairs.sigma='1 0.88' pairs.composition='4 1'
expect_equal 'several species: sigma is that of the first' "$(axis_of mixed)" 'r (sigma)'
go file init.source=file init.file="$TMP/captions/position-0000000009.gro"
expect_equal 'a file states the unit' "$(axis_of file)" 'r (nm)'
mv "$TMP/nbody.ini" "$TMP/run.ini"

# The time is 9 steps of 10/9, so the text ends with "10", and "step 9  time 10" has 15 characters of 6 dots.
go captions output.captions=yes nbody.dt=1.1111111111
decoded 'the time' '
strip = frames_of(sys.argv[1])[-1][-12:, :, 0] == 230
text = strip[1:8, strip.shape[1] - 4 - 11 : -4]
wanted = np.array([[dot == "#" for dot in row[:11]] for row in sys.argv[2:]])
check((text == wanted).all(), "\n".join("".join(" #"[dot] for dot in row) for row in text))
ink = np.flatnonzero(strip.any(axis=0)) - strip.shape[1]
check(ink[ink >= -110].min() == -4 - 15 * 6 + 1, str(ink[-80:]))' "$TMP/captions/position-0000000009.png" "${ten_cells[@]}"

while IFS=: read -r depth option; do
    go deep output.formats=png output.pixels=1024 output.depth="$depth" output.bounds= checkpoint.every=9 nbody.dt=0
    expect_status 0 "$ENGINE" convert "$TMP"/deep/checkpoint-*9.snapshot "$TMP/deep.png" --force --depth "$option"
    decoded "convert: depth $option" "$same_pixels" "$TMP/deep/position-0000000009.png" "$TMP/deep.png"
done <<'END'
auto:auto
-0.5 0.5:-0.5,0.5
END
expect_status 2 "$ENGINE" convert "$TMP"/deep/checkpoint-*9.snapshot "$TMP/deep.png" --force --depth 2,1
expect_stderr_has "--depth: '2,1': expected auto, or LOW,HIGH with LOW < HIGH"

# ---- Depth: a run that is resumed keeps the range of its first picture

printf '[run]\nplugin = nbody\nsteps = 80\n[particles]\ncount = 200\n[init]\nsource = cube\n[nbody]\ndt = 0.01\ntotal_mass = 1\nsoftening = 0.03
[output]\nformats = apng\nevery = 40\npixels = 100\nfields = position\ndepth = auto\n[checkpoint]\nevery = 40\n' >"$TMP/run.ini"
go whole
go part run.steps=40
expect_status 0 "$ENGINE" resume "$TMP/part" --quiet --set run.steps=80
expect_same "$TMP/whole/position.apng" "$TMP/part/position.apng"
decoded 'and shows particles' 'check((frames_of(sys.argv[1])[-1].max(axis=2) > 60).sum() > 200, "few pixels")' \
    "$TMP/part/position.apng"
go flat output.depth=
expect_not 'depth is another picture' cmp -s "$TMP/whole/position.apng" "$TMP/flat/position.apng"
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set output.depth='2 1'
expect_stderr_has "[output] depth: '2 1' is not a range; expected auto, or the lowest and the highest coordinate"
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set output.weight=mass
expect_stderr_has '[output] depth: a picture with depth shows no weight = mass; leave one of them out'
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set output.lines=yes
expect_stderr_has '[output] lines: nothing uses this key, because nbody writes no grid; leave it out'
plan
