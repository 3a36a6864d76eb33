#!/bin/bash
# An error in a configuration gives a message with file and line, ends the program with status 2, and leaves no file
# behind.
. "$(dirname "$0")/common"
ini=$TMP/c.ini

# bad NAME PLACE TEXT SED: the good configuration, changed by a sed script
bad() {
    sed -e "$4" "$TMP/good.ini" >"$ini"
    refused "$1" 2 "$3" "$ENGINE" run "$ini" --set "run.output=$TMP/out"
    expect_stderr_has "$2"
}

expect_status 0 "$ENGINE" run "$TMP/good.ini" --quiet --set "run.output=$TMP/out"
rm -rf "$TMP/out"

# Numbers
bad 'a number and letters' "$ini:3: " 'steps = 12abc: expected a whole number and nothing after it' 's/= 4/= 12abc/'
bad 'a leading zero' "$ini:3: " 'leading zeros' 's/= 4/= 010/'
bad 'a number of 20 digits' "$ini:3: " 'out of range' 's/= 4/= 99999999999999999999/'
bad 'a negative number of steps' "$ini:3: " 'out of range' 's/= 4/= -1/'
bad 'an exponent' "$ini:3: " 'expected a whole number' 's/= 4/= 1e3/'
bad 'a fraction' "$ini:3: " 'expected a whole number' 's/= 4/= 2.5/'
bad 'hexadecimal' "$ini:3: " 'not hexadecimal' 's/= 4/= 0x10/'
bad 'a plus' "$ini:3: " "without '+'" 's/= 4/= +4/'
bad 'no number at all' "$ini:3: " 'expected a whole number' 's/= 4/=/'
bad 'two numbers' "$ini:3: " 'nothing after it' 's/= 4/= 4 5/'
bad 'nan' "$ini:8: " 'density = nan: expected a finite number' 's/= 0.5/= nan/'
bad 'infinity' "$ini:8: " 'finite' 's/= 0.5/= inf/'
bad 'a real number out of range' "$ini:8: " 'out of range, expected 0 to 1' 's/= 0.5/= 1.5/'
bad 'a real number and letters' "$ini:8: " 'nothing after it' 's/= 0.5/= 0.5x/'
bad 'a decimal comma' "$ini:8: " 'nothing after it' 's/= 0.5/= 0,5/'

# Sizes
bad 'a size of one number' "$ini:5: " '[grid] size has 1 number' 's/20 10/20/'
bad 'a size of three' "$ini:5: " '[grid] size has 3 numbers' 's/20 10/20 10 5/'
bad 'a size of four' "$ini:5: " 'is not a size' 's/20 10/1 2 3 4/'
bad 'a size of 00' "$ini:5: " 'is not a size' 's/20 10/00 10/'
bad 'a size of zero' "$ini:5: " 'an unbounded grid starts from a pattern' 's/20 10/0 10/'
bad 'a negative size' "$ini:5: " 'is not a size' 's/20 10/20 -10/'
bad 'a size with an x' "$ini:5: " 'is not a size' 's/20 10/20x10/'
bad 'a size with a leading zero' "$ini:5: " 'is not a size' 's/20 10/020 10/'
bad 'a size of 2^64' "$ini:5: " 'is not a size' 's/20 10/18446744073709551616 1/'
bad 'a product of 2^64' "$ini" 'too large' 's/20 10/4294967296 4294967296/'
bad 'no size' "$ini" '[grid] size is missing' '/size/d'

# Keys and sections
bad 'an unknown key' "$ini:3: " "unknown key 'stepps' in [run], did you mean 'steps'?" 's/steps/stepps/'
bad 'an unknown section' "$ini:4: " "unknown section [gird], did you mean 'grid'?" 's/grid/gird/'
bad 'an empty unknown section' "$ini:9: " 'unknown section [grids]' '$a [grids]'
bad 'a key twice' "$ini:4: " "key 'steps' in [run] is given twice, first in line 3" '3a steps = 5'
bad 'a key twice, in two parts of a section' "$ini:10: " "given twice, first in line 3" '$a [run]\nsteps = 5'
bad 'a key in capitals twice' "$ini:4: " 'given twice' '3a STEPS = 5'
bad 'a key before any section' "$ini:1: " 'before the first [section]' '1i steps = 4'
bad 'a line that is nothing' "$ini:4: " 'not a configuration line' '3a whatever'
bad 'a section that is not closed' "$ini:4: " 'not closed' 's/\[grid\]/[grid/'
bad 'no plugin' "$ini" '[run] plugin is missing' '/plugin/d'
bad 'an unknown parameter of the plugin' "$ini:10: " "did you mean 'rule'?" '$a [life2d-bit]\nrul = B3/S23'
bad 'a word that is no choice' "$ini:10: " 'expected one of auto' '$a [life2d-bit]\ninstructions = avx1024'

# Words
bad 'an unknown implementation' "$ini:3: " "no implementation 'cpu-seriall', did you mean 'cpu-serial'?" \
    '2a implementation = cpu-seriall'
bad 'an unknown source' "$ini:7: " "'randm' is unknown, did you mean 'random'?" 's/random/randm/'
bad 'a source without its file' "$ini:7: " 'needs [init] file' 's/random/file/'
bad 'a file and another source' "$ini:7: " 'cannot be used with [init] file' '$a file = x.rle'
bad 'a place that is none' "$ini:9: " 'is not a position' '$a at = middle'
bad 'a place of numbers that are none' "$ini:9: " 'is not a position' '$a at = 1x 2'
bad 'an array without source = arrays' "$ini" 'source = arrays' '$a cells = c.npy'
bad 'an unknown format' "$ini:10: " "'jpg' is not a format that can be written" '$a [output]\nformats = jpg'
bad 'the ending of a format' "$ini:10: " 'the format of .lif files is life105' '$a [output]\nformats = lif'
bad 'a format that is only read' "$ini:10: " "'tipsy' is not a format that can be written; \`engine help formats\`" \
    '$a [output]\nformats = tipsy'
bad 'a range of one number' "$ini:10: " "'0.4' is not a range" '$a [output]\nrange = 0.4'
bad 'a range of nothing' "$ini:10: " 'is not a range' '$a [output]\nrange = 2 2'
bad 'colours that are none' "$ini:10: " 'expected one of grey' '$a [output]\ncolours = rainbow'
for key in 'slice = 3' 'view = slice' 'axis = x' 'bounds = 2' 'pixels = 64' 'component = 0'; do
    bad "two axes and $key" "$ini:10: " 'nothing uses this key, because life2d-bit writes no' "\$a [output]\\n$key"
done
bad 'a field that is none' "$ini:10: " "'cell' is not a state or an output, did you mean 'cells'?" \
    '$a [output]\nfields = cell'
bad 'arrays without a file' "$ini:7: " 'no key of [init] names one; add one, as in cells = cells.npy' \
    's/random/arrays/;/density/d'
bad 'frames of random cells' "$ini:9: " '[init] frames can be used only with plugins that read particles' \
    '$a frames = 1:'
bad 'frames of a pattern' "$ini:8: " '[init] frames can be used only with' \
    "s|source = random|file = $ROOT/configs/patterns/glider.rle|;s/density.*/frames = 0:1/"
bad 'a third coordinate of two axes' "$ini:8: " '[init] at: 3 numbers; field cells has 2 axes' \
    "s|source = random|file = $ROOT/configs/patterns/glider.rle|;s/density.*/at = 1 2 3/"
bad 'a format twice' "$ini:10: " 'twice' '$a [output]\nformats = npy png npy'
for rule in B9/S23 B3S23x B3/S3/4 23 B/S9 'B3 S23' 3/23/2 B5/S23V B7/S23H B2-q/S12 MAPAA; do
    bad "the rule $rule" "$ini:10: " 'rule = ' "\$a [life2d-bit]\\nrule = $rule"
done

# Keys that nothing uses: an error in [init] and [analyse], and a warning elsewhere, because one file may have the
# sections of several plugins
bad 'a seed without a source' "$ini:7: " \
    '[init] seed: nothing uses this key, because only source = random and generators use it; give [init] source' \
    's/source = random/seed = 2/;/density/d'
bad 'a density without a source' "$ini:7: " '[init] density: nothing uses this key' '/source/d'
bad 'a seed for zeros' "$ini:9: " '[init] seed: nothing uses this key' \
    's/random/defaults/;s/density = 0.5//;$a seed = 2'
bad 'a place for random cells' "$ini:9: " '[init] at: nothing uses this key, because only a pattern' '$a at = 1 1'
bad 'a first step to analyse, and no others' "$ini:12: " \
    '[analyse] from: nothing uses this key, because only the final state is analysed if [analyse] every is missing' \
    's/life2d-bit/nbody/;s/density.*//;$a [particles]\ncount = 3\n[analyse]\nfrom = 2\nplugin = rdf\n[rdf]\nr_max = 1'
for verb in verify bench; do
    sed 's/source = random/seed = 2/;/density/d' "$TMP/good.ini" >"$ini"
    expect_status 2 "$ENGINE" $verb "$ini"
    expect_stderr_has '[init] seed: nothing uses this key'
done
expect_status 0 "$ENGINE" check "$TMP/good.ini" --set init.source=defaults
expect_stderr_hasnt 'nothing uses'
printf '[particles]\ncount = 3\n[output]\nformats = rle\nscale = 2\n' | cat "$TMP/good.ini" - >"$ini"
expect_status 0 "$ENGINE" check "$ini"
expect_stderr_has "$ini:10: [particles] count: nothing uses this key, because the plugin has no particles"
expect_stderr_has "$ini:13: [output] scale: nothing uses this key, because no picture is among the formats"
sed -i 's/rle/png/' "$ini"
expect_status 0 "$ENGINE" check "$ini" --set run.plugin=life2d-lut --set output.formats=npy
expect 'a key that an option has made useless gives no warning' test ! -s "$TMP/stderr"

# An initial state that nothing gives
sed '/^\[init/,$d' "$TMP/good.ini" >"$ini"
for command in "run $ini --set run.output=$TMP/zeros" "verify $ini" "bench $ini --steps 1 --repeats 1"; do
    # shellcheck disable=SC2086 # words
    expect_status 0 "$ENGINE" $command
    expect_stderr_has "$ini: [init] source is missing, so every value starts as 0"
done
expect_status 0 "$ENGINE" check "$ini"
expect_stdout_has 'start           every value is 0, because [init] source is missing'
expect_status 0 "$ENGINE" run "$ini" --quiet --set "run.output=$TMP/asked" --set init.source=defaults
expect 'zeros that are asked for give no warning' test ! -s "$TMP/stderr"

# A key that an option has made useless is not in the configuration that repeats the run.
printf 'x = 3, y = 1\n3o!\n' >"$TMP/blinker.rle"
expect_status 0 "$ENGINE" run "$TMP/good.ini" --quiet --set "run.output=$TMP/swapped" --set init.source=file \
    --set "init.file=$TMP/blinker.rle" --set init.at='1 1'
expect_status 0 "$ENGINE" run "$TMP/swapped/config.ini" --quiet --set "run.output=$TMP/again"
expect_status 0 "$ENGINE" resume "$TMP/swapped" --quiet --set run.steps=6

# Plugins: not the configuration's fault that one is not there, but it says where it was asked for
sed 's/life2d-bit/life2d-bt/' "$TMP/good.ini" >"$ini"
refused 'an unknown plugin' 4 "$ini:2: " "$ENGINE" run "$ini" --set "run.output=$TMP/out"
expect_stderr_has "did you mean 'life2d-bit'?"
sed 's/life2d-bit/..\/plugins\/life2d-bit/' "$TMP/good.ini" >"$ini"
refused 'a path for a plugin' 4 'never a path' "$ENGINE" run "$ini" --set "run.output=$TMP/out"
refused 'no CUDA here, and no silent fallback' 4 'life2d-bit/cuda cannot run this: ' env CUDA_VISIBLE_DEVICES= \
    "$ENGINE" run \
    "$TMP/good.ini" --set run.implementation=cuda --set "run.output=$TMP/out"

# Files that are no configuration
{ cat "$TMP/good.ini" && printf 'density = 0.\0005\n'; } >"$ini"
refused 'a NUL' 2 "$ini:9: NUL byte" "$ENGINE" run "$ini" --set "run.output=$TMP/out"
{ cat "$TMP/good.ini" && printf '; %01000000d\n' 0; } >"$ini"
refused 'a line of a megabyte' 2 "$ini:9: line is longer than" "$ENGINE" run "$ini" --set "run.output=$TMP/out"
{ cat "$TMP/good.ini" && printf 'file = a\033b\n'; } >"$ini"
refused 'a control character' 2 "$ini:9: control character 0x1b" "$ENGINE" run "$ini" --set "run.output=$TMP/out"
head -c 100000 /dev/zero >"$ini"
refused 'zeros' 2 "$ini:1: NUL byte" "$ENGINE" run "$ini" --set "run.output=$TMP/out"
: >"$ini"
refused 'an empty file' 2 '[run] plugin is missing' "$ENGINE" run "$ini" --set "run.output=$TMP/out"
refused 'a folder' 2 "$TMP: this is a folder" "$ENGINE" run "$TMP"
refused 'no file' 2 "$TMP/none.ini: no such file" "$ENGINE" run "$TMP/none.ini"
refused 'a device' 2 'not a regular file' "$ENGINE" run /dev/null
mkfifo "$TMP/pipe"
refused 'a pipe, without waiting for it' 2 'not a regular file' timeout 5 "$ENGINE" run "$TMP/pipe"
sed 's/$/\r/' "$TMP/good.ini" >"$ini"
expect_status 0 "$ENGINE" run "$ini" --quiet --set "run.output=$TMP/crlf"

# --set
set_bad() {
    refused "--set $1" 2 "$2" "$ENGINE" run "$TMP/good.ini" --set "run.output=$TMP/out" --set "$1"
}
set_bad steps=3 'expected section.key=value'
set_bad run.steps 'expected section.key=value'
set_bad run.steps=12abc '--set: [run] steps = 12abc: '
set_bad run.stepz=3 "did you mean 'steps'?"
set_bad rnu.steps=3 "unknown section [rnu], did you mean 'run'?"
set_bad grid.size=00 '--set: [grid] size: '
set_bad life2d-bit.rule=B9/S '--set: [life2d-bit] rule = B9/S: '
set_bad '=3' 'expected section.key=value'
refused '--set alone' 2 'needs a value' "$ENGINE" run "$TMP/good.ini" --set
refused 'an unknown option' 2 "did you mean '--set'?" "$ENGINE" run "$TMP/good.ini" --sett x
refused 'an option of another verb' 2 'unknown option' "$ENGINE" run "$TMP/good.ini" --scale 2
refused 'a word too many' 2 'one word too many' "$ENGINE" run "$TMP/good.ini" more
refused 'no configuration' 2 'missing' "$ENGINE" run

# The last one counts, and the file is overridden: 3 steps of an empty 7 x 5 grid.
expect_status 0 "$ENGINE" run "$TMP/good.ini" --json --quiet --set "run.output=$TMP/set" --set run.steps=2 \
    --set run.steps=3 --set 'grid.size=7 5' --set init.density=0
expect_equal '--set takes the place of the file, the last one counts' "$(json "$TMP/stdout" '{steps}')" 3
expect_equal 'in other sections too' "$(json "$TMP/stdout" '{metrics}{population}')" 0
expect 'and the grid has 5 rows of 7' grep -qaF "'shape': (5, 7)" "$TMP/set/cells-0000000003.npy"
plan
