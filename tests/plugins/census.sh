#!/bin/bash
# census: the objects that soups leave, compared with those that apgsearch counts on the same seeds.
. "$(dirname "$0")/../lib.sh"

ROOT=$(cd "$(dirname "$0")/../.." && pwd)

# census FOLDER KEY=VALUE…
census() {
    local folder=$1 sets=()
    shift
    for set in "$@"; do sets+=(--set "$set"); done
    expect_status 0 "$ENGINE" run "$ROOT/configs/census.ini" --quiet --force --set run.steps=1 \
        --set run.output="$TMP/$folder" "${sets[@]}"
}

# table FOLDER: the objects, as a line of census.txt
table() {
    sed -n '/^@CENSUS TABLE/,/^@SAMPLE/p' "$TMP/$1/census.txt" | grep '^[^@]' | grep -v '^xs0_0 ' | tr '\n' ' '
}

while read -r rule symmetry root soups objects; do
    [ "$rule" = '#' ] && continue
    text=${rule#b}
    census soups census.rule="B${text%s*}/S${text#*s}" census.symmetry=$symmetry census.root=$root census.soups=$soups
    expect_equal "$rule $symmetry: $soups soups $root" "$(table soups)" "$objects "
done < <(grep -v '^# \|^# 5' "$(dirname "$0")/census.txt")

# The haul does not depend on who takes the soups.
census one census.soups=120
census two census.soups=40 run.steps=3 run.threads=2 census.instructions=plain
expect_equal 'one step or three, all threads or two, any instructions' "$(<"$TMP/two/census.txt")" \
    "$(<"$TMP/one/census.txt")"
head=$(head -n 7 "$TMP/one/census.txt")
expect_equal 'the head of a haul' "$head" "@VERSION engine-census
@MD5 $(printf l_census | md5sum | cut -d' ' -f1)
@ROOT l_census
@RULE b3s23
@SYMMETRY C1
@NUM_SOUPS 120
@NUM_OBJECTS $(table one | tr ' ' '\n' | grep '^[0-9]*$' | paste -sd+ | bc)"
# number FOLDER CODE: how many of the objects there are
number() {
    table "$1" | tr ' ' '\n' | grep -A1 -x "$2" | tail -n 1
}
read -r code first _ < <(tail -n 1 "$TMP/one/census.txt") # the rarest object
census before census.soups=$first
census with census.soups=$((first + 1))
expect_equal "the first $code is in soup $first" "$(number before "$code") $(number with "$code")" ' 1'

# A haul that is full keeps the objects that came first, and counts the others together.
lines() { sed -n '/^@CENSUS TABLE/,/^@SAMPLE/p' "$TMP/$1/census.txt" | grep '^[^@]' | sort; }
census small census.bytes=1024 census.soups=120
census steps census.bytes=1024 census.soups=8 run.steps=15 run.threads=2
expect_equal 'a full haul does not depend on the steps' "$(<"$TMP/steps/census.txt")" "$(<"$TMP/small/census.txt")"
expect_equal 'all its lines but one are those of a haul with room' \
    "$(lines small | comm -13 <(lines one) - | cut -d' ' -f1)" OTHERS
expect_equal 'it counts as many objects' "$(lines small | cut -d' ' -f2 | paste -sd+ | bc)" \
    "$(sed -n 's/@NUM_OBJECTS //p' "$TMP/one/census.txt")"

# A census that is killed continues from its last checkpoint.
"$ENGINE" run "$ROOT/configs/census.ini" --quiet --set run.output="$TMP/killed" --set run.steps=40 \
    --set census.soups=10 --set checkpoint.seconds=0 --set checkpoint.every=3 --set output.every=0 &
pid=$!
for _ in $(seq 200); do
    ls "$TMP/killed/"checkpoint-* >/dev/null 2>&1 && break
    sleep 0.05
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
expect_status 0 "$ENGINE" resume "$TMP/killed" --quiet
census whole run.steps=40 census.soups=10 output.every=0
expect_equal 'a census that is killed and resumed' "$(<"$TMP/killed/census.txt")" "$(<"$TMP/whole/census.txt")"

# What it refuses.
expect_status 2 "$ENGINE" check "$ROOT/configs/census.ini" --set census.rule=B2-a/S12
expect_stderr_has 'counts eight neighbours'
expect_status 2 "$ENGINE" check "$ROOT/configs/census.ini" --set census.root="two words"
plan
