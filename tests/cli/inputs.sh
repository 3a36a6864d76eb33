#!/bin/bash
# An error in an input file gives a message with file and line, ends the program with status 3, and leaves no file
# behind.
. "$(dirname "$0")/common"
. "$(dirname "$0")/../npy.sh"
cat >"$TMP/p.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 1
[grid]
size = 20 10
INI
rle=$TMP/p.rle

# bad NAME TEXT CONTENT: a pattern file of that content, as printf writes it
bad() {
    # shellcheck disable=SC2059 # contents have escapes
    printf "$3" >"$rle"
    refused "$1" 3 "$2" "$ENGINE" run "$TMP/p.ini" --set "init.file=$rle" --set "run.output=$TMP/out"
    expect_stderr_has "$rle"
}
header='x = 3, y = 3, rule = B3/S23\n'

printf "${header}bo\$2bo\$3o!\n" >"$rle"
expect_status 0 "$ENGINE" run "$TMP/p.ini" --quiet --set "init.file=$rle" --set "run.output=$TMP/ok"

expect_status 0 "$ENGINE" run "$TMP/p.ini" --quiet --set "init.file=$rle" --set "run.output=$TMP/across" \
    --set init.at='18 -1'
refused 'a pattern across a dead edge' 2 'expected x from 0 to 17' "$ENGINE" run "$TMP/p.ini" --set "init.file=$rle" \
    --set grid.edges='dead torus' --set init.at='18 -1' --set "run.output=$TMP/out"

bad 'a count of 20 digits' "$rle:2: the count" "${header}99999999999999999999o!"
bad 'a count of 0' "$rle:2: the count is 0" "${header}0o!"
bad 'an unknown tag' "$rle:3: 'Z' is not a cell" "${header}bo\$\n2bZ\$3o!"
bad 'an end within a count' "$rle:2: the file ends behind a count" "${header}bo\$2bo\$3"
bad 'a script' "$rle:2: 'e' is not a cell" '#!/bin/sh\nexit 0\n'
bad 'a state that Life has not' "$rle: cell 1 2 of the pattern is 3; field cells takes 0 to 1" "${header}bo\$2bo\$oCo!"
bad 'a header of 10^18 cells' "$rle:1: " 'x = 1000000000000000000, y = 1, rule = B3/S23\no!'
bad 'a header of 20 digits' "$rle:1: " 'x = 99999999999999999999, y = 1\no!'
bad 'a header of letters' "$rle:1: " 'x = three, y = 3\no!'
bad 'a header without size' "$rle:1: " 'rule = B3/S23\no!'
bad 'an unknown rule' 'rule' 'x = 3, y = 3, rule = B3/S9\no!'
bad 'a rule of another family' 'rule' 'x = 3, y = 3, rule = Langtons-Loops\no!'
bad 'a pattern larger than the grid' '21 cells along x' 'x = 21, y = 1, rule = B3/S23\n21o!'
bad 'a pattern higher than the grid' '11 cells along y' 'x = 1, y = 11, rule = B3/S23\no!'
bad 'an unknown bounded grid' "$rle:1: " 'x = 3, y = 3, rule = B3/S23:Q20,10\no!'
bad 'an infinite Klein bottle' "$rle:1: " 'x = 3, y = 3, rule = B3/S23:K0,10\no!'
bad 'bytes' "$rle" '\001\002\003\377'
bad 'nothing' "$rle" ''
bad 'comments alone' "$rle" '#N nothing\n#C at all\n'

# What people post: it is read, with a warning. The glider has the same hash from each file.
odd() { # odd NAME WARNING CONTENT
    # shellcheck disable=SC2059 # contents have escapes
    printf "$3" >"$rle"
    run "$ENGINE" run "$TMP/p.ini" --set "init.file=$rle" --set "run.output=$TMP/odd" --force
    expect_equal "$1 is read" "$status" 0
    expect_same "$TMP/odd/cells-0000000001.npy" "$TMP/ok/cells-0000000001.npy"
    expect_equal "$1 gives one warning" "$(grep -c '' "$TMP/stderr")" 1
    expect_stderr_has "p.rle: $2"
}
glider='bo$2bo$3o!\n'
odd 'a header that is too small' 'the header says 2 x 2, the pattern has 3 x 3 cells' "x = 2, y = 2\n$glider"
odd 'a header of 0' 'the header says 0 x 0, the pattern has 3 x 3 cells' "x = 0, y = 0, rule = B3/S23\n$glider"
odd 'a header of negative size' 'the header says -3 x 3, the pattern has 3 x 3 cells' "x = -3, y = 3\n$glider"
odd 'no header' "there is no header line 'x = <width>, y = <height>, rule = <rule>'" "#C posted\n$glider"
odd 'no end' "the file ends without '!'" "$header${glider/!/}"
odd 'tags of a synthesis' "tags such as 'x', 'y' and 'z' are read as live cells" "${header}bx\$2by\$2zx!"
expect_status 0 "$ENGINE" check "$TMP/p.ini" --set "init.file=$rle"
expect_stderr_has "tags such as 'x', 'y' and 'z' are read as live cells"
printf "    #N Glider\n  ${header}  $glider" >"$rle"
expect_status 0 "$ENGINE" run "$TMP/p.ini" --set "init.file=$rle" --set "run.output=$TMP/odd" --force
expect_equal 'blanks are no matter for a warning' "$(cat "$TMP/stderr")" ''
printf '#CXRLE Pos=10,20 Gen=7\n'"$header$glider" >"$rle"
for verb in check run; do
    expect_status 0 "$ENGINE" $verb "$TMP/p.ini" --set "init.file=$rle" --set "run.output=$TMP/out" \
        --set grid.size='64 64'
    expect_stderr_has 'p.rle: the file states the position 10,20, but not on a grid of this size'
    expect_stderr_has '[init] at = 42 52 is that position'
    expect_stderr_has 'p.rle: this is generation 7 of its pattern; the run counts its steps from 0'
    rm -rf "$TMP/out"
done
expect_status 0 "$ENGINE" check "$TMP/p.ini" --set "init.file=$rle" --set grid.size='64 64' --set init.at='42 52'
expect_stderr_hasnt position
expect_status 0 "$ENGINE" check "$TMP/p.ini" --set "init.file=$rle"
expect_stderr_hasnt 'is that position' # which is outside this grid
printf '#CXRLE Pos=-1,-1\n'"$header$glider" >"$rle"
expect_status 0 "$ENGINE" check "$TMP/p.ini" --set "init.file=$rle" --set grid.size='64 64'
expect_equal 'Golly has this one in the middle, too' "$(cat "$TMP/stderr")" ''

# More cells than any memory, or any patience.
printf 'x = 16777216, y = 16777216, rule = B3/S23:T16777216,16777216\nbo$2bo$3o!' >"$rle"
refused 'a grid of 2^48 cells' 5 'needs 35.2 TB' timeout 5 "$ENGINE" run "$TMP/p.ini" --set "init.file=$rle" \
    --set grid.size='16777216 16777216' --set "run.output=$TMP/out"
refused 'a grid of 2^48 cells to convert' 3 "$rle: the pattern has 16777216 x 16777216 x 1 cells" \
    timeout 5 "$ENGINE" convert "$rle" "$TMP/large.npy"

printf "${header}bo\$2bo\$3o!\n" | gzip >"$TMP/whole.rle.gz"
expect_status 0 "$ENGINE" run "$TMP/p.ini" --quiet --set "init.file=$TMP/whole.rle.gz" --set "run.output=$TMP/gz"
expect_same "$TMP/gz/cells-0000000001.npy" "$TMP/ok/cells-0000000001.npy"
whole=$(stat -c %s "$TMP/whole.rle.gz")
for bytes in 12 20 30 $((whole - 8)) $((whole - 1)); do # in its header, in its cells, before and in its checksum
    head -c $bytes "$TMP/whole.rle.gz" >"$TMP/cut.rle.gz"
    refused "a gzip file cut off after $bytes bytes" 3 "$TMP/cut.rle.gz" "$ENGINE" run "$TMP/p.ini" \
        --set "init.file=$TMP/cut.rle.gz" --set "run.output=$TMP/out"
done
{ printf "${header}bo\$2bo\$3o!\n" && seq 200000; } | gzip >"$TMP/long.rle.gz"
head -c -1000 "$TMP/long.rle.gz" >"$TMP/cut.rle.gz"
refused "a gzip file cut off long after the pattern's end" 3 "$TMP/cut.rle.gz" "$ENGINE" run "$TMP/p.ini" \
    --set "init.file=$TMP/cut.rle.gz" --set "run.output=$TMP/out"
mkdir "$TMP/folder.rle"
refused 'a folder' 3 "$TMP/folder.rle" "$ENGINE" run "$TMP/p.ini" --set "init.file=$TMP/folder.rle" \
    --set "run.output=$TMP/out"
refused 'no file' 3 "$TMP/none.rle" "$ENGINE" run "$TMP/p.ini" --set "init.file=$TMP/none.rle" \
    --set "run.output=$TMP/out"
mkfifo "$TMP/pipe.rle"
refused 'a pipe, without waiting for it' 3 "$TMP/pipe.rle" timeout 5 "$ENGINE" run "$TMP/p.ini" \
    --set "init.file=$TMP/pipe.rle" --set "run.output=$TMP/out"
refused 'a device' 3 /dev/zero timeout 5 "$ENGINE" run "$TMP/p.ini" --set init.file=/dev/zero \
    --set "run.output=$TMP/out"

# Arrays: of another shape, another type, another value, and cut short.
good=$TMP/ok/cells-0000000001.npy
array() {
    refused "$1" 3 "$2" "$ENGINE" run "$TMP/p.ini" --set init.source=arrays --set "init.cells=$3" \
        --set "run.output=$TMP/out"
}
expect_status 0 "$ENGINE" run "$TMP/p.ini" --quiet --set init.source=arrays --set "init.cells=$good" --set run.steps=0 \
    --set "run.output=$TMP/array"
expect_same "$TMP/array/cells-0000000000.npy" "$good"
sed 's/(10, 20)/(20, 10)/' "$good" >"$TMP/turned.npy"
array 'an array of another shape' 'is not an array for field cells' "$TMP/turned.npy"
sed 's/|u1/|i1/' "$good" >"$TMP/signed.npy"
expect_status 0 "$ENGINE" run "$TMP/p.ini" --quiet --set init.source=arrays --set "init.cells=$TMP/signed.npy" \
    --set run.steps=0 --set "run.output=$TMP/signed"
expect_same "$TMP/signed/cells-0000000000.npy" "$good"
{ head -c -1 "$TMP/signed.npy" && printf '\377'; } >"$TMP/minus.npy"
array 'a cell of value -1' 'element 199 does not fit field cells' "$TMP/minus.npy"
sed "s/'|u1', 'fortran_order': False, 'shape': (10, 20)/'<f4', 'fortran_order': False, 'shape': (10, 5) /" "$good" \
    >"$TMP/real.npy"
array 'an array of fractions' 'is not an array for field cells' "$TMP/real.npy"
{ head -c -1 "$good" && printf '\002'; } >"$TMP/two.npy"
array 'a cell of value 2' 'element 199 is not a value of field cells, which takes 0 to 1' "$TMP/two.npy"
# int64, which NumPy makes by default, as an array and as a pattern.
mapfile -t -d ' ' cells < <(numbers "$good" C)
npy "$TMP/int64.npy" '<i8' '10, 20' q "${cells[@]}"
npy "$TMP/float64.npy" '<f8' '10, 20' d "${cells[@]}"
npy "$TMP/far.npy" '<i8' '10, 20' q 256 "${cells[@]:1}"
npy "$TMP/three.npy" '<i8' '10, 20' q 3 "${cells[@]:1}"
for source in init.source=file,init.file init.source=arrays,init.cells; do
    start=(--set "${source%,*}" --set "${source#*,}=$TMP/int64.npy" --set "run.output=$TMP/${source#*,}")
    expect_status 0 "$ENGINE" run "$TMP/p.ini" --quiet --set run.steps=0 "${start[@]}"
    expect_same "$TMP/${source#*,}/cells-0000000000.npy" "$good"
    for file in far:'element 0 does not fit field cells of type uint8' three:'takes 0 to 1' float64:'float64'; do
        refused "${file%%:*} by ${source#*,}" 3 "${file#*:}" "$ENGINE" run "$TMP/p.ini" --set "${source%,*}" \
            --set "${source#*,}=$TMP/${file%%:*}.npy" --set "run.output=$TMP/out"
    done
done
head -c -1 "$good" >"$TMP/short.npy"
array 'an array cut short' "$TMP/short.npy" "$TMP/short.npy"
head -c 20 "$good" >"$TMP/stub.npy"
array 'an array without its header' "$TMP/stub.npy" "$TMP/stub.npy"
sed "s/'fortran_order': False/'fortran_order': True /" "$good" >"$TMP/fortran.npy"
array 'an array in column order' "$TMP/fortran.npy" "$TMP/fortran.npy"
array 'a pattern for an array' "$rle" "$rle"

# ---- Patterns that come with the engine -----------------------------------------------------------------------------

# hash_of CONFIG: the hash of the state at the end of a run.
hash_of() {
    run "$ENGINE" run "$1" --json --force --set "run.output=$TMP/pattern"
    json "$TMP/stdout" hash
}
# listing PAGE CONFIG: writes the first configuration of a page to a file.
listing() { awk '/^    \[run\]/ { on = 1 } on && /^[^ ]/ { exit } on { sub(/^    /, ""); print }' "$1" >"$2"; }
listing README.md "$TMP/readme.ini"
expect_equal 'the first configuration of README.md is that of its picture' "$(hash_of configs/gosper-gun.ini)" \
    "$(hash_of "$TMP/readme.ini")"
expect_status 0 "$ENGINE" run "$TMP/readme.ini" --force --set "run.output=$TMP/pattern"
expect_stderr_has 'readme.ini:10: [init] file: gosper-gun.rle is the pattern of this name that comes with the engine'
listing docs/reference/configuration.md "$TMP/page.ini"
expect_status 0 "$ENGINE" run "$TMP/page.ini" --quiet --set "run.output=$TMP/page"
printf 'x = 3, y = 1, rule = B3/S23\n3o!\n' >"$TMP/gosper-gun.rle"
expect_status 0 "$ENGINE" run "$TMP/readme.ini" --force --set "run.output=$TMP/pattern"
expect_stderr_hasnt 'comes with the engine'
for pattern in acorn.rle patterns/acorn.rle configs/patterns/acorn.rle; do
    expect_status 0 "$ENGINE" check "$pattern"
    expect_stdout_has 'field           cells: unbounded'
done
refused 'a pattern that nobody has' 3 'there is no file' "$ENGINE" check "$TMP/readme.ini" --set init.file=../acorn.rle
plan
