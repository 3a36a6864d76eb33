#!/bin/bash
# Matrices from files: the files state rows, columns, batches and element type, and the outputs are arrays again.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/npy.sh"

cat >"$TMP/turn.ini" <<'INI'
[run]
plugin = transpose
[init]
file = in.npy
INI

# turn STEP OPTION…: a run, and what it wrote at that step.
turn() {
    step=$1
    shift
    expect_status 0 "$ENGINE" run "$TMP/turn.ini" --quiet --force --set run.output="$TMP/out" --set run.steps="$step" \
        "$@"
    out=$TMP/out/matrix-$(printf %010d "$step").npy
}

# The shape that a .npy file's header states.
shape() {
    head -c 200 "$1" | grep -ao "'shape': ([^)]*)"
}

npy "$TMP/in.npy" '<i4' '2, 3' l 1 2 3 4 5 6
turn 1
expect_equal 'two rows of three turned' "$(numbers "$out" l)" '1 4 2 5 3 6'
expect_equal 'they are three rows of two' "$(shape "$out")" "'shape': (3, 2)"
turn 2
expect_equal "$step steps: as it was" "$(numbers "$out" l)" "1 2 3 4 5 6"
turn 0
expect_equal "$step steps: as it was" "$(numbers "$out" l)" "1 2 3 4 5 6"
turn 1 --set matrix.element=float64
expect_equal 'as double precision' "$(numbers "$out" d)" '1 4 2 5 3 6'

npy "$TMP/in.npy" '<c16' '2, 2' d 1 2 3 4 5 6 7 8
turn 1
expect_equal 'complex numbers stay together' "$(numbers "$out" d)" '1 2 5 6 3 4 7 8'
npy "$TMP/in.npy" '|u1' '2, 1, 3' C 1 2 3 4 5 6
turn 1
expect_equal 'two matrices of one row' "$(numbers "$out" C)" '1 2 3 4 5 6'
expect_equal 'are two of one column' "$(shape "$out")" "'shape': (2, 3, 1)"
npy "$TMP/in.npy" '|u1' '4,' C 1 2 3 4
turn 1
expect_equal 'an array of one axis is a row' "$(shape "$out")" "'shape': (4, 1)"
turn 3 --set run.implementation=cpu-serial
expect_equal 'any odd number of steps' "$(numbers "$out" C)" '1 2 3 4'

# refused STATUS TEXT OPTION…
refused() {
    expect_status "$1" "$ENGINE" run "$TMP/turn.ini" --set run.output="$TMP/no" "${@:3}"
    expect_stderr_has "$2"
}

npy "$TMP/in.npy" '<f4' '2, 3' f 1 2 3 4 5 6
refused 3 'it is float32 (2, 3), expected float32 (3, 2)' --set matrix.rows=3 --set matrix.columns=2
refused 3 'it is float32 (2, 3), expected float32 (5, 2, 3)' --set matrix.batch=5
refused 3 'it is float32 (2, 3), expected int32 (2, 3)' --set matrix.element=int32
refused 2 "'int33' is not an element type" --set matrix.element=int33
refused 4 'works in place, which needs a square matrix; this matrix has 2 rows and 3 columns' \
    --set run.implementation=cpu-in-place
no_file=(--set init.file= --set init.source=random)
refused 2 '[matrix] rows is missing' "${no_file[@]}"
refused 2 '[matrix] columns is missing' "${no_file[@]}" --set matrix.rows=3
refused 2 '[matrix] element is missing' "${no_file[@]}" --set matrix.rows=3 --set matrix.columns=3
refused 2 "unknown key 'row' in [matrix]" "${no_file[@]}" --set matrix.row=3
refused 2 'is too large' "${no_file[@]}" --set matrix.rows=1000000000000000 --set matrix.columns=1000000000000000 \
    --set matrix.element=uint8

# Random elements: every value of an integer type, and both parts of complex numbers.
turn 0 "${no_file[@]}" --set matrix.rows=100 --set matrix.columns=100 --set matrix.element=uint8
expect_equal 'bytes take every value' "$(numbers "$out" C | tr ' ' '\n' | sort -u | wc -l)" 256
turn 0 "${no_file[@]}" --set matrix.rows=1 --set matrix.columns=100 --set matrix.element=complex128
expect_equal '200 different numbers' "$(numbers "$out" d | tr ' ' '\n' | sort -u | wc -l)" 200
turn 0 "${no_file[@]}" --set matrix.rows=1 --set matrix.columns=100 --set matrix.element=uint64
expect_equal '100 numbers with high bits' "$(bits "$out" 8 | tr ' ' '\n' | cut -c1-4 | sort -u | wc -l | sed \
    's/9.\|100/many/')" many

# Another size is another problem: its hash is not held against those of the sizes before.
expect_status 0 "$ENGINE" bench configs/bench/transpose.ini --impl cpu-serial,cpu --steps 1 --repeats 1 --csv
expect_equal 'rows of the table' "$(wc -l <"$TMP/stdout")" 9

# The two inputs and the state of matrix, in files of two types; the first that is given states shape and element.
cat >"$TMP/mad.ini" <<'INI'
[run]
plugin = matrix
output = mad
[init]
source = arrays
a = a.npy
b = b.npy
[matrix]
operation = mad
INI
npy "$TMP/a.npy" '<f8' '2, 2' d 1 2 3 4
npy "$TMP/b.npy" '<i4' '2, 2' l 10 20 30 40
expect_status 0 "$ENGINE" run "$TMP/mad.ini" --quiet --set run.output="$TMP/mad" --set run.steps=2
expect_equal 'c, from nothing, after two steps' "$(numbers "$TMP/mad/c-0000000002.npy" d)" '20 80 180 320'
expect_status 0 "$ENGINE" check "$TMP/mad.ini"
expect_stdout_has "a from $TMP/a.npy"
npy "$TMP/b.npy" '<f8' '2, 3' d 1 2 3 4 5 6
expect_status 3 "$ENGINE" run "$TMP/mad.ini" --set run.output="$TMP/no"
expect_stderr_has 'is not an array for field b: it is float64 (2, 3), expected float64 (2, 2)'
plan
