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

plan
