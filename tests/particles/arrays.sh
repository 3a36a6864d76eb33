#!/bin/bash
# Particles from arrays, one file for each field: their number, the conversion of types, and the files that are refused.
. "$(dirname "$0")/common"
arrays=(--set init.source=arrays)

# Two particles, the number of which only the arrays say; what is not given is at its default.
npy "$TMP/p4.npy" '<f4' '2, 3' f 0 1 2 10 11 12
npy "$TMP/v4.npy" '<f4' '2, 3' f 1 0 0 0 0 -2
drift f4 "${arrays[@]}" --set "init.position=$TMP/p4.npy" --set "init.velocity=$TMP/v4.npy"
expect_equal 'position after two steps of 0.5' "$(numbers "$TMP/f4/position-0000000002.npy" f)" '1 1 2 10 11 10'
expect_equal 'velocity stays' "$(numbers "$TMP/f4/velocity-0000000002.npy" f)" '1 0 0 0 0 -2'
expect_equal 'two particles' "$(metric f4 particles)" 2
expect_equal 'mass 1 each' "$(metric f4 mass)" 2
drift rest "${arrays[@]}" --set "init.position=$TMP/p4.npy"
expect_equal 'at rest without velocities' "$(numbers "$TMP/rest/position-0000000002.npy" f)" '0 1 2 10 11 12'

# Other types become the field's: double, integers, and single where the field is double.
npy "$TMP/p8.npy" '<f8' '2, 3' d 0 1 2 10 11 12
npy "$TMP/vi.npy" '<i8' '2, 3' q 1 0 0 0 0 -2
drift f8 "${arrays[@]}" --set "init.position=$TMP/p8.npy" --set "init.velocity=$TMP/vi.npy"
expect_same "$TMP/f8/position-0000000002.npy" "$TMP/f4/position-0000000002.npy"
drift double "${arrays[@]}" --set "init.position=$TMP/p4.npy" --set "init.velocity=$TMP/v4.npy" \
    --set drift.precision=double
expect_equal 'in double precision' "$(numbers "$TMP/double/position-0000000002.npy" d)" '1 1 2 10 11 10'

# Components alone in an axis, and one number a particle with or without an axis.
npy "$TMP/m1.npy" '<f8' '2,' d 0.5 0.25
npy "$TMP/m2.npy" '<f8' '2, 1' d 0.5 0.25
npy "$TMP/species.npy" '<i8' '2,' q 3 1
for mass in m1 m2; do
    drift $mass "${arrays[@]}" --set "init.position=$TMP/p4.npy" --set "init.mass=$TMP/$mass.npy" \
        --set "init.species=$TMP/species.npy"
    expect_equal "$mass: masses" "$(metric $mass mass)" 0.75
    expect_equal "$mass: species" "$(metric $mass species)" 4
done
npy "$TMP/one.npy" '<f4' '1, 3' f 1 2 3
drift one "${arrays[@]}" --set "init.position=$TMP/one.npy"
expect_equal 'one particle' "$(metric one particles)" 1

# A single array as [init] file goes to the first state.
drift file --set "init.file=$TMP/p8.npy"
expect_same "$TMP/file/position-0000000002.npy" "$TMP/rest/position-0000000002.npy"

expect_status 0 "$ENGINE" check "$TMP/drift.ini" --set "init.file=$TMP/p8.npy"
expect_stdout_has "position from $TMP/p8.npy"
expect_stdout_hasnt 'velocity from'

# The box is the configuration's.
drift box --set "init.file=$TMP/p8.npy" --set 'particles.box=4 5 6 0 0.5 0'
expect_equal 'box' "$(metric box length_x) $(metric box length_z) $(metric box tilt_xz)" '4 6 0.5'

refused 'a box beyond double precision' 2 "[particles] box: '4 5 6 0 1e999 0' is not a box" \
    --set "init.file=$TMP/p8.npy" \
    --set 'particles.box=4 5 6 0 1e999 0'
refused 'no particles at all' 2 '[particles] count is missing'
refused 'another number than the configuration says' 3 'contains 2 particles' --set "init.file=$TMP/p8.npy" \
    --set particles.count=3
refused 'arrays of different lengths' 3 'float32 (1, 3), expected float32 (2, 3)' "${arrays[@]}" \
    --set "init.position=$TMP/p4.npy" --set "init.velocity=$TMP/one.npy"
npy "$TMP/p2.npy" '<f4' '3, 2' f 0 1 2 10 11 12
refused 'two components' 3 "$TMP/p2.npy: this is not an array for field position" --set "init.file=$TMP/p2.npy"
npy "$TMP/turned.npy" '<f4' '3, 2' f 0 1 2 10 11 12
refused 'an array turned round' 3 'is not an array for field' --set "init.file=$TMP/turned.npy"
npy "$TMP/huge.npy" '<f8' '2, 3' d 0 1 2 1e300 11 12
refused 'a number beyond single precision' 3 'element 3 does not fit field position of type float32' \
    --set "init.file=$TMP/huge.npy"
drift wide --set "init.file=$TMP/huge.npy" --set drift.precision=double
npy "$TMP/nan.npy" '<f8' '2, 3' d 0 1 2 3 nan 12
refused 'no number' 3 'element 4 of field position is infinite or not a number' --set "init.file=$TMP/nan.npy"
npy "$TMP/inf.npy" '<f4' '2, 3' f 0 1 2 3 4 inf
refused 'infinity' 3 'element 5 of field position is infinite' --set "init.file=$TMP/inf.npy"
npy "$TMP/negative.npy" '<i8' '2,' q 3 -1
refused 'a negative species' 3 'element 1 does not fit field species' "${arrays[@]}" \
    --set "init.position=$TMP/p4.npy" --set "init.species=$TMP/negative.npy"
npy "$TMP/four.npy" '<i8' '2,' q 4 1
refused 'a species too many' 3 'element 0 is not a value of field species, which takes 0 to 3' "${arrays[@]}" \
    --set "init.position=$TMP/p4.npy" --set "init.species=$TMP/four.npy"
npy "$TMP/fraction.npy" '<f4' '2,' f 1 1
refused 'fractions for species' 3 'is not an array for field species: it is float32 (2,), expected uint8 (2,)' \
    "${arrays[@]}" \
    --set "init.position=$TMP/p4.npy" --set "init.species=$TMP/fraction.npy"
printf 'x = 3, y = 1, rule = B3/S23\n3o!\n' >"$TMP/p.rle"
refused 'a pattern' 3 'is a pattern of cells; field position of drift starts from particles' \
    --set "init.file=$TMP/p.rle"
plan
