#!/bin/bash
# The implementations `cpu` of Life wrap the grid themselves. With dead edges they agree with the references, whose
# ghosts the engine fills; tests/golden/edges.sh compares those with Golly.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
for plugin in life2d-bit life2d-lut life3d-naive life3d-shared life3d-packed; do
    [ -e "$BUILD/plugins/$plugin.so" ] || skip_all "$plugin was not built"
done

instructions=plain
grep -q '\bavx2\b' /proc/cpuinfo 2>/dev/null && instructions+=,avx2
grep -q '\bavx512dq\b' /proc/cpuinfo 2>/dev/null && instructions+=,avx512

# dead PLUGIN STEPS WHAT COMPARISONS VERIFY-OPTION…: after 1, 2, 7 and STEPS steps, `cpu` has the bits of the reference,
# and a call of STEPS steps does what so many calls do
dead() {
    printf '[run]\nplugin = %s\n[grid]\nsize = 1\n[init]\nsource = random\ndensity = 0.4\nseed = 6\n' \
        "$1" >"$TMP/soup.ini"
    run "$ENGINE" verify "$TMP/soup.ini" --impl cpu --steps "$2" "${@:5}"
    expect_equal "$1, $3" "$status $(grep -c ' bit-equal .* = one call of ' "$TMP/stdout") $(cat "$TMP/stderr")" "0 $4 "
}

flat='grid.edges=dead,torus dead,dead torus'
solid='grid.edges=dead,torus dead torus,dead torus dead,torus torus dead'
count=$(tr , '\n' <<<"$instructions" | grep -c .)

# One cell, one row, one column; around multiples of words and vectors; several rows in a vector, and fewer cells than
# lanes. B01/S23 has cells born beyond the edges, if the implementation lets them.
dead life2d-bit 40 'sizes' 72 --sweep "$flat" --sweep life2d-bit.rule=B3/S23,B01/S23 \
    --sweep grid.size='1 1,1 9,9 1,3 200,63 64,64 65,65 130,300 131,513 48,1000 7,1030 36,4096 64'
dead life2d-bit 20 'rules' 30 --sweep "$flat" --sweep grid.size='77 30,512 32' \
    --sweep life2d-bit.rule=B1357/S1357,B36/S23,B0123478/S01234678,B2-a/S12,B0/S4V
dead life2d-bit 20 'instructions, steps of a pass, threads' $((count * 36)) --sweep "$flat" \
    --set life2d-bit.rule=B01/S23 \
    --sweep grid.size='65 130,512 96,2048 32' --sweep "life2d-bit.instructions=$instructions" \
    --sweep life2d-bit.steps_per_pass=1,16 --sweep run.threads=1,3
dead life2d-bit 9 'batches' $((count * 42)) --sweep "$flat" --set grid.batch=11 --sweep life2d-bit.rule=B3/S23,B01/S23 \
    --sweep grid.size='1 1,1 5,64 64,60 20,65 33,128 16,200 7' --sweep "life2d-bit.instructions=$instructions"
dead life2d-bit 9 'batches of universes that share no vectors' 6 --sweep "$flat" --set grid.batch=3 \
    --set grid.size='70 19' --sweep life2d-bit.rule=B2-a/S12,B0/S4V
dead life2d-lut 9 'tables in memory' 42 --sweep "$flat" --sweep life2d-lut.table=4x4,6x3 --set run.threads=3 \
    --set life2d-lut.rule=B01/S23 --sweep grid.size='1 1,5 1,1 5,64 64,63 21,65 33,1025 7'
grep -q avx512_vbmi2 /proc/cpuinfo 2>/dev/null &&
    dead life2d-lut 9 'sums' 21 --sweep "$flat" --set life2d-lut.table=sums --set run.threads=3 \
        --set life2d-lut.rule=B01/S23 --sweep grid.size='1 1,5 1,1 5,512 64,63 21,513 33,1025 7'
for plugin in life3d-naive life3d-shared; do
    dead $plugin 9 'sizes' 48 --sweep "$solid" --sweep $plugin.rule=B6/S5..7,B0..3/S4 \
        --sweep grid.size='1 1 1,1 1 5,5 2 1,63 20 3,1025 3 3,20 70 40'
done
dead life3d-packed 20 'sizes' 72 --sweep "$solid" --sweep life3d-packed.rule=B6/S5..7,B0..3/S4 \
    --sweep grid.size='1 1 1,1 1 5,5 2 1,63 20 3,64 6 4,65 7 3,127 9 9,128 33 5,20 70 40'
dead life3d-packed 20 'instructions, steps of a pass, strips and slabs' $((count * 32)) --sweep "$solid" \
    --set life3d-packed.rule=B0..3/S4 --sweep grid.size='64 41 4,70 33 25' \
    --sweep "life3d-packed.instructions=$instructions" \
    --sweep life3d-packed.steps_per_pass=1,16 --sweep life3d-packed.strips:life3d-packed.slabs='1:1,3:2'

# The parts of a divided run have the edges of the whole.
for plugin in life2d-bit life2d-lut; do
    dead $plugin 20 'parts' 4 --set grid.edges='dead torus' --sweep grid.size='97 61,64 128' \
        --sweep run.parts:run.margin='2:0,3:5' --set $plugin.rule=B01/S23
done
for plugin in life3d-naive life3d-shared life3d-packed; do
    dead $plugin 20 'parts' 4 --sweep grid.edges='dead dead torus,torus dead torus' --set grid.size='97 20 30' \
        --sweep run.parts:run.margin='2:0,3:5' --set $plugin.rule=B0..3/S4
done

run env CUDA_VISIBLE_DEVICES= "$ENGINE" check "$TMP/soup.ini" --set run.plugin=life2d-bit \
    --set grid.size='64 64' --set grid.edges=dead
expect_equal 'without a GPU, auto takes cpu' "$(sed -n 's/^implementation *//p' "$TMP/stdout")" 'cpu, requested: auto'
plan
