#!/bin/bash
# Frequent mistakes of beginners: one line says what is wrong, what was expected, and what to do.
. "$(dirname "$0")/common"
umask 022
cd "$TMP" || exit 1

printf 'x = 5, y = 3\n2bo$o3bo$5o!\n' >pattern.rle
printf '2\nLattice="9 0 0 0 9 0 0 0 9"\nH 0 0 0\nO 1 1 1\n' >atoms.xyz
run=("$ENGINE" run good.ini)

# ---- The command line
refused 'a value with blanks and no quotes' 2 "--set 'grid.size=512 384'" "${run[@]}" --set grid.size=64 48
refused '--set without a value' 2 'as in run.steps=100' "${run[@]}" --set run.steps
refused '--set without a section' 2 'as in run.steps=100' "${run[@]}" --set steps=5
refused 'no configuration' 2 'CONFIG is missing, expected `engine run CONFIG' "$ENGINE" run
refused 'one file of two' 2 'OUT is missing, expected `engine convert IN OUT' "$ENGINE" convert pattern.rle
refused 'help about a key' 2 '`engine help config`' "$ENGINE" help batch
refused 'a plugin by what it does' 4 '`engine list` shows the names' "${run[@]}" --set 'run.plugin=game of life'
refused 'a plugin of one'"'"'s own, without its folder' 4 '--plugins FOLDER' "${run[@]}" --set run.plugin=my-rule

refused 'an implementation that is none' 2 \
    'expected auto, cpu, cuda, or one of cpu-serial cpu cpu-words hashlife cuda-bytes cuda-words cuda' "${run[@]}" \
    --set run.implementation=fastest
refused 'an implementation that is none, by an option' 2 \
    "engine: implementation: life2d-bit has no implementation 'fastest'" \
    "$ENGINE" verify good.ini --impl fastest
refused 'an option with a number too small' 2 'engine: --repeats = 0: out of range, expected 1 to 10000' \
    "$ENGINE" bench good.ini --repeats 0

# ---- Sizes
sizeless=("$ENGINE" run sizeless.ini)
grep -v -e '^size' good.ini >sizeless.ini
refused 'no size' 2 'give it, as in size = 512 384' "${sizeless[@]}"
refused 'no size, and a pattern' 2 'at least as large as the pattern, which is 5 x 3' "${sizeless[@]}" \
    --set init.source=file --set init.file=pattern.rle
refused 'a number too few' 2 'has 1 number; cells of life2d-bit is a grid of 2 axes, as in size = 512 384' "${run[@]}" \
    --set grid.size=64
refused 'an axis too many' 2 'has 3 numbers; cells of life2d-bit is a grid of 2 axes' "${run[@]}" \
    --set 'grid.size=6 4 8'
refused 'a plane for a plugin of volumes' 2 'as in size = 64 64 64' "${run[@]}" --set run.plugin=life3d-naive
refused 'bodies without a number' 2 'give it, as in count = 4096' "${run[@]}" --set run.plugin=nbody
refused 'a matrix without rows' 2 'give it, as in rows = 1000' "${run[@]}" --set run.plugin=transpose

# ---- Files
file=(--set init.source=file --set)
refused 'a file that is not there, by its key' 3 '[init] file: there is no file ./none.rle' "${run[@]}" "${file[@]}" \
    init.file=none.rle
refused 'a pattern where a matrix belongs' 3 \
    'is a pattern of cells; field matrix of transpose starts from an array of rows and columns' \
    "${run[@]}" --set run.plugin=transpose "${file[@]}" init.file=pattern.rle
refused 'a pattern where bodies belong' 3 'is a pattern of cells; field position of nbody starts from particles' \
    "${run[@]}" --set run.plugin=nbody --set particles.count=3 "${file[@]}" init.file=pattern.rle
"$ENGINE" convert pattern.rle pattern.npy 2>/dev/null
refused 'a matrix of another size than [matrix] says' 3 \
    'it is uint8 (3, 5), expected uint8 (3, 6); the keys of [matrix] must agree' \
    "${run[@]}" --set run.plugin=transpose --set matrix.rows=3 --set matrix.columns=6 "${file[@]}" init.file=pattern.npy
refused 'bodies where a pattern belongs' 3 'it contains position species; expected a pattern (.rle' \
    "${run[@]}" "${file[@]}" init.file=atoms.xyz

cp good.ini "$TMP/deeper.ini" && mkdir deeper && mv deeper.ini deeper/
refused 'a file of this folder for a configuration elsewhere' 3 'relative to the folder of the configuration' \
    "$ENGINE" run deeper/deeper.ini "${file[@]}" init.file=pattern.rle

# ---- Choices
refused 'a first state that nobody makes' 2 'expected one of file, random, arrays, defaults, random-unit, cube, plummer' \
    "${run[@]}" --set run.plugin=nbody --set particles.count=3 --set init.source=ball
refused 'a file and no source = file' 2 'use source = file, or leave file out' "${run[@]}" --set init.file=pattern.rle
refused 'a rule by its name' 2 'an example of a rule is B3/S23' "${run[@]}" --set life2d-bit.rule=nobodys-rule
refused 'a format that suits other plugins' 2 'xyz cannot hold any field of life2d-bit; expected some of rle npy' \
    "${run[@]}" --set output.formats=xyz
# A plugin whose `cuda` was not compiled in, whatever this build has
"$ENGINE" new-plugin fresh --quiet && make -s -C fresh NVCC= CC="${CC:-cc}" ENGINE_INCLUDE="$ROOT/include" >/dev/null \
    2>&1
expect_status 4 "$ENGINE" run fresh/fresh.ini --plugins fresh --set run.implementation=cuda
expect_stderr_has 'no CUDA compiler; implementation = auto chooses one that can'
expect_status 0 "$ENGINE" conform fresh/fresh.so
expect_equal 'what is not in a build is told of once' "$(grep -c fresh/cuda stdout)" 1
expect_stdout_has '# fresh: 22 promises hold, 0 do not'

expect_status 4 "$ENGINE" bench fresh/fresh.ini --plugins fresh --impl cuda
expect_stdout_has 'no CUDA compiler |'
expect_stderr_has '--impl NAME,NAME'

# ---- What `run` refuses at its first step, `check` refuses, too
printf '2\nLattice="9 0 0 0 9 0 0 0 9"\nA 0 0 0\nA 1 1 1\n%.0s' 1 2 3 4 >frames.xyz
perl -e '$head = "{\x27descr\x27: \x27|u1\x27, \x27fortran_order\x27: False, \x27shape\x27: (10, 20), }";
    print "\x93NUMPY\x01\0", pack("v", 118), $head, " " x (117 - length $head), "\n", "\1\7" x 100' >values.npy
sed '/^density/d; /^size/d; /^steps/d; /grid/d' good.ini >bare.ini
while IFS='|' read -r wanted text words; do
    read -r -a settings <<<"$words"
    for verb in check run; do
        expect_status "$wanted" "$ENGINE" $verb bare.ini --set "run.output=tried-$results" "${settings[@]/#/--set=}"
        expect_stderr_has "$text"
    done
done <<'END'
2|orbit has two bodies; set [particles] count = 2|run.plugin=nbody run.steps=4 particles.count=3 init.source=orbit
2|particle 1: its species is 1; expected 0 to 0|run.plugin=pairs run.steps=4 init.source=file init.file=atoms.xyz
3|is 7; field cells takes 0 to 1|init.source=file run.steps=4 init.file=values.npy
2|4 frames for 5 steps|run.plugin=rdf init.source=file init.file=frames.xyz rdf.r_max=2 ensemble.sweep=run.steps=1,5
END

# ---- Folders
refused 'an output that is a file' 6 'good.ini: is a file, expected a folder' "${run[@]}" --set run.output=good.ini
refused 'a file for the folder of a run' 3 'good.ini: is a file, expected the output folder of a run' "$ENGINE" resume good.ini
mkdir rule
refused 'a plugin whose folder is there' 6 'rule: cannot make this folder: File exists; give another name' \
    "$ENGINE" new-plugin rule

# ---- A pattern in the place of a configuration runs, and a rule that the plugin does not take is refused
cd "$TMP" || exit 1
printf 'x = 3, y = 3, rule = B36/S23\nbo$2bo$3o!\n' >ship.rle
expect_status 0 "$ENGINE" run ship.rle --quiet --json --set run.output=ship-alone
expect_stdout_has '"size":"unbounded"'
# All lines of some patterns are comments of a configuration.
printf '#MCell 4.20\n#GAME Life\n#RULE 23/36\n#L 3A\n' >ship.mcl
printf '#Life 1.05\n' >ship.lif
printf '#Life 1.06\n' >ship.life
printf '[M2]\n#R B36/S23\n' >ship.mc
printf ' !\n' >bang.rle
for format in cells mc; do
    expect_status 0 "$ENGINE" convert ship.rle "of-$format.$format" --quiet
done
for file in ship.mcl ship.lif ship.life ship.mc bang.rle of-cells.cells of-mc.mc; do
    expect_status 0 "$ENGINE" check "$file"
    expect_stdout_has 'cells: unbounded'
done
echo '# a comment' >comment.ini
refused 'comments alone' 2 'comment.ini: [run] plugin is missing' "$ENGINE" run comment.ini
printf '[run]\nplugin = life2d-bit\n[init]\nfile = ship.rle\n[grid]\nsize = 67 67\n' >ship.ini
expect_status 0 "$ENGINE" run ship.ini --quiet --set run.output=ship
printf 'x = 3, y = 3, rule = B36/S23:T9,9\nbo$2bo$3o!\n' >torus.rle
expect_status 0 "$ENGINE" check torus.rle
expect_stdout_has 'cells: 9 x 9'
printf 'x = 3, y = 3, rule = Nobody-takes-this\n3A!\n' >nobody.rle
refused 'a pattern that no plugin takes' 2 \
    'nobody.rle: no plugin takes this pattern of the rule Nobody-takes-this; the file is a pattern, not a configuration' \
    "$ENGINE" run nobody.rle
printf 'x = 3, y = 3, rule = B3/S23:Z9,9\nbo$2bo$3o!\n' >grid.rle
refused 'a pattern with a wrong grid' 3 "grid.rle:1: the rule's bounded grid ':Z9,9'" "$ENGINE" run grid.rle
: >empty.rle
refused 'an empty pattern' 3 'empty.rle: is an empty file' "$ENGINE" check empty.rle
refused 'a misspelt pattern that comes with the engine' 2 \
    "expected a configuration file or a pattern, did you mean 'gosper-gun.rle'?" "$ENGINE" run gosper-gn.rle
refused 'and with a configuration' 3 'not a rule: ' "$ENGINE" run ship.ini --set init.file=nobody.rle --set run.output=out
expect_stderr_hasnt 'takes this rule'
if [ -e "$BUILD/plugins/generations.so" ]; then
    printf 'x = 3, y = 3, rule = 345/2/4\n3A!\n' >wars.rle
    for verb in run check; do
        refused "$verb: a rule of generations" 3 '; generations takes this rule' "$ENGINE" $verb ship.ini \
            --set init.file=wars.rle --set run.output=out
    done
    expect_stderr_has './wars.rle: in its header: rule = 345/2/4: not a rule: '
    expect_status 0 "$ENGINE" check ship.ini --set init.file=wars.rle --set run.plugin=generations
fi
plan
