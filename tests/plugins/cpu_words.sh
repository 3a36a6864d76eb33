#!/bin/bash
# `cpu-words` of life2d-bit takes any edges. It agrees with the reference, which golden/edges.sh compares with Golly.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/plugins/life2d-bit.so" ] || skip_all 'life2d-bit was not built'

instructions=plain
grep -q '\bavx2\b' /proc/cpuinfo 2>/dev/null && instructions+=,avx2
grep -q '\bavx512dq\b' /proc/cpuinfo 2>/dev/null && instructions+=,avx512
count=$(tr , '\n' <<<"$instructions" | grep -c .)

printf '[run]\nplugin = life2d-bit\n[grid]\nsize = 1\n[init]\nsource = random\ndensity = 0.4\nseed = 6\n' \
    >"$TMP/soup.ini"
# words WHAT COMPARISONS VERIFY-OPTION…
words() {
    run "$ENGINE" verify "$TMP/soup.ini" --impl cpu-words --steps 12 "${@:3}"
    expect_equal "$1" "$status $(grep -c '^  cpu-words *bit-equal' "$TMP/stdout") $(cat "$TMP/stderr")" "0 $2 "
}

# Around multiples of words and of the words that a row takes at a time.
words 'sizes, edges, rules' 154 --sweep life2d-bit.rule=B3/S23,B0123478/S01234678 \
    --sweep grid.size='1 1,1 9,9 1,3 200,63 64,64 65,65 130,128 3,4095 5,4096 5,4160 35' \
    --sweep grid.edges:grid.edge_value='torus:,dead:,mirror:,fixed:1,twisted:,torus mirror:,twisted torus:'
words 'instructions' $((count * 4)) --sweep "life2d-bit.instructions=$instructions" --set life2d-bit.rule=B01/S23 \
    --sweep grid.size='130 70,4160 9' --sweep grid.edges=mirror,twisted
words 'a sphere' 1 --set grid.size='65 65' --set grid.edges=sphere
words 'parts' 4 --sweep run.parts:run.margin='2:0,3:5' --sweep grid.edges=mirror,'dead torus' --set grid.size='97 61'
words 'batches' 2 --set grid.batch=5 --sweep grid.size='9 70,64 5' --set grid.edges=mirror

for rule in B2-a/S12 B0/S4V; do
    run "$ENGINE" check "$TMP/soup.ini" --set grid.size='64 64' --set run.implementation=cpu-words \
        --set life2d-bit.rule=$rule
    expect_stderr_has "counts neighbours, which does not give the rule $rule; cpu and cpu-serial take any rule"
done
run env CUDA_VISIBLE_DEVICES= "$ENGINE" check "$TMP/soup.ini" --set grid.size='64 64' --set grid.edges=mirror
expect_equal 'without a GPU, auto takes cpu-words' \
    "$(sed -n 's/^implementation *//p' "$TMP/stdout")" 'cpu-words, requested: auto'
plan
