#!/bin/bash
# What engine/neighbours_cpu.h makes of a rule, and what engine/neighbours.cuh makes of it on the host, gives the same
# bits as a plain loop over all pairs: two and three axes, floats and doubles, inputs, outputs, random numbers, begins,
# metrics, lists without room, open space, and boxes that are as small as twice the reach.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
touch "$TMP/empty.ini"

boxes=('1 1 1' '2 1.3 0.9' '0.4 0.4 0.4' '0.55 7 0.4')
for rule in plane space; do
    for implementation in cpu cuda; do
        folder=$BUILD/tests/neighbours
        [ $implementation = cpu ] || folder+=/emulated
        if [ ! -e "$folder/$rule.so" ]; then
            skip "$rule, $implementation" "it was not built: CUDA on the host needs a C++ compiler and no sanitizers"
            continue
        fi
        for box in open "${boxes[@]}"; do
            in_box=()
            [ "$box" = open ] || in_box=(--set "particles.box=$box")
            expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$folder" --set run.plugin="$rule" \
                --set run.threads=2 \
                --set init.source=random --impl $implementation --steps 7 --sweep particles.count=1,2,3,17,130,600 \
                --sweep "$rule.skin=0,0.05" "${in_box[@]}"
            expect_equal "$rule, $implementation, box $box: bit-equal" \
                "$(grep -c "^  $implementation  *bit-equal after 1, 2, 7 steps; 7 calls of one step = one call of 7 steps" "$TMP/stdout")" 12
        done
        # Each part has a share of the lists. Parts may have no particles.
        expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$folder" --set run.plugin="$rule" \
            --set run.threads=2 \
            --set init.source=random --impl $implementation --steps 7 --sweep particles.count=3,600 \
            --sweep run.parts=2,3,7 \
            --set particles.box='2 1.3 0.9'
        expect_equal "$rule, $implementation, in parts: bit-equal" \
            "$(grep -c "^  $implementation  *bit-equal after 1, 2, 7 steps; 7 calls of one step = one call of 7 steps" \
            "$TMP/stdout")" 6
    done
    # In a long box, the parts of a GPU send only the particles near the ends of their shares, and some go to another share.
    [ -e "$BUILD/tests/neighbours/emulated/$rule.so" ] || continue
    long='0.45 0.45 9'
    [ $rule = space ] || long='0.45 12 1'
    expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$BUILD/tests/neighbours/emulated" --set run.plugin=$rule \
        --set run.threads=2 --set init.source=random --impl cuda --steps 15 --set particles.count=400 \
        --sweep run.parts=2,3 --set particles.box="$long"
    expect_equal "$rule, in parts of a long box: bit-equal" \
        "$(grep -c '^  cuda  *bit-equal after 1, 2, 7, 15 steps; 15 calls of one step = one call of 15 steps' "$TMP/stdout")" 2
done

# All particles in one place or one cell, and a few that are far away.
perl -e 'print pack("d<*", map { 1 + 1e-3 * ($_ * 7919 % 101) / 101 } 1 .. 900)' >"$TMP/data"
header() { # SHAPE
    perl -e 'my $head = sprintf "{\x27descr\x27: \x27<f8\x27, \x27fortran_order\x27: False, \x27shape\x27: (%s), }", $ARGV[0];
        printf "\x93NUMPY\1\0%s%-117s\n", pack("v", 118), $head' "$1"
}
{ header '300, 3'; cat "$TMP/data"; } >"$TMP/cell.npy"
perl -e 'print pack("d<*", map { $_ % 30 == 0 ? 1e6 * $_ : $_ % 5 } 1 .. 900)' >"$TMP/data"
{ header '300, 3'; cat "$TMP/data"; } >"$TMP/far.npy"
perl -e 'print pack("d<*", map { $_ > 297 ? 1e16 : 0 } 1 .. 900)' >"$TMP/data"
{ header '300, 3'; cat "$TMP/data"; } >"$TMP/beyond.npy"
for implementation in cpu cuda; do
    folder=$BUILD/tests/neighbours
    [ $implementation = cpu ] || folder+=/emulated
    [ -e "$folder/space.so" ] || continue
    for file in cell far; do
        expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$folder" --set run.plugin=space \
            --impl $implementation \
            --set init.source=arrays --set init.position="$TMP/$file.npy" --set particles.count=300 --steps 7
        expect_stdout_has 'bit-equal after 1, 2, 7 steps'
    done
done

# Metrics are those of the plain loop.
for implementation in plain cpu; do
    expect_status 0 "$ENGINE" run "$TMP/empty.ini" --plugins "$BUILD/tests/neighbours" --set run.plugin=plane \
        --set particles.count=2500 --set init.source=random --set run.steps=9 --set run.implementation=$implementation \
        --set run.threads=2 --set output.metrics_every=1 --set output.every=0 --set run.output="$TMP/$implementation" \
        --quiet
done
expect_equal 'the sums of tally are those of a plain loop' "$(cat "$TMP/cpu/metrics.csv")" \
    "$(cat "$TMP/plain/metrics.csv")"
expect_equal 'for each step' "$(wc -l <"$TMP/cpu/metrics.csv")" 11

# What is refused.
expect_status 2 "$ENGINE" run "$TMP/empty.ini" --plugins "$BUILD/tests/neighbours" --set run.plugin=plane --quiet \
    --set init.source=random --set particles.count=9 --set particles.box='1 0.3 1' --set run.implementation=cpu \
    --set run.output="$TMP/no"
expect_stderr_has 'the edge of the box along y is 0.3; expected at least twice the reach of neighbours, 0.4'
for implementation in cpu cuda; do
    folder=$BUILD/tests/neighbours
    [ $implementation = cpu ] || folder+=/emulated
    [ -e "$folder/plane.so" ] || continue
    lose=("$ENGINE" run "$TMP/empty.ini" --plugins "$folder" --quiet --force --set particles.count=300
        --set run.implementation=$implementation --set run.output="$TMP/lost" --set run.steps=9)
    expect_status 2 "${lose[@]}" --set run.plugin=plane --set init.source=random --set plane.speed=1e20
    expect_stderr_has 'step 0: particle 0: its position is no longer a number below 1e15'
    expect_status 2 "${lose[@]}" --set run.plugin=plane --set init.source=random --set plane.speed=1e14 --set run.parts=3 \
        --set run.steps=90 --set output.metrics_every=0
    expect_stderr_has "part 1 of 3: plane/$implementation: advance: step 6: particle 116: its position is no longer a number"
    expect_status 2 "${lose[@]}" --set run.plugin=space --set init.source=arrays --set init.position="$TMP/beyond.npy"
    expect_stderr_has 'particle 99: its position is not a number below 1e15'
done
plan
