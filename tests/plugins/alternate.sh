#!/bin/bash
# Rules that take turns. Golly takes one rule at a time, so bgolly takes single steps here, each with the rule of the step.
. "$(dirname "$0")/../lib.sh"

[ -e "$BUILD/plugins/alternate.so" ] || skip_all 'alternate was not built'
cd "$TMP" || exit 1

# soup RULE SUFFIX: writes soup.rle, a pattern of 12 x 6 cells on the grid of the suffix
soup() {
    printf '#CXRLE Pos=-5,-3\nx = 12, y = 6, rule = %s%s\n' "$1" "$2" >soup.rle
    printf 'b2obob3o2bo$o2b2obobo2bo$2bob2o3b3o$3o2bo2bob2o$bobo3b2obobo$2o3bob2o2bo!\n' >>soup.rle
}

# cells FILE: the places of its live cells
cells() {
    sed 's/^#R .*/#R B3\/S23/; s/rule = .*/rule = B3\/S23/' "$1" >"plain.${1##*.}"
    "$ENGINE" convert "plain.${1##*.}" cells.life --quiet --force && grep -v "^#" cells.life | sort
}

# go STEPS [OPTION]…: runs soup.rle; the state of step n is out/soup/cells-000000000n.rle
go() {
    run "$ENGINE" run soup.rle --quiet --force --set run.steps="$1" --set output.every=1 --set output.formats=rle "${@:2}"
    [ "$status" = 0 ] || cat stderr
}

# turns RULES SUFFIX: compares eight steps of each implementation with those of bgolly
turns() {
    local IFS='|' step
    local -a rules
    read -ra rules <<<"$1"
    soup "${rules[0]}" "$2"
    bgolly -q -q -a HashLife -m 0 -o golly-0.mc soup.rle >log 2>&1 || cat log
    for step in 0 1 2 3 4 5 6 7; do
        sed "/^#G/d; s/^#R .*/#R ${rules[step % ${#rules[@]}]/\//\\/}$2/" golly-$step.mc >one.mc
        bgolly -q -q -a HashLife -m 1 -i 1 -o golly-$((step + 1)).mc one.mc >log 2>&1 || cat log
    done
    soup "$1" "$2"
    for implementation in cpu-serial cpu; do
        go 8 --set run.implementation=$implementation
        for step in 1 2 3 8; do
            expect_equal "$1 $2: $implementation, step $step" "$(cells out/soup/cells-000000000$step.rle)" \
                "$(cells golly-$step.mc)"
        done
    done
}

if command -v bgolly >/dev/null; then
    turns 'B3/S23|B36/S125' ''
    turns 'B2-a/S12|B3/S23|B34e/S23-k' ''
    turns 'B2/S34H|B3/S23' ':T30,20'
    turns 'B24/S|B35/S' ':T37,29'
    turns 'B1/S1V|B3/S23|B2/S0|B36/S23' ':P25,13'
else
    skip 'steps of bgolly' 'bgolly is not installed (Debian: golly)'
fi

# ---- Phases: the number of the step chooses the rule, wherever a call, a round or a process begins. The steps of
# life2d-bit, of one rule each, are the reference, also for B0.

# hash RULES SUFFIX STEPS [OPTION]…: of the state after a run
hash() {
    soup "$1" "$2"
    run timeout 60 "$ENGINE" run soup.rle --quiet --force --json --set run.steps="$3" --set run.output=run "${@:4}"
    sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' stdout
}
# one_by_one RULES SUFFIX: the hashes after 5, 6 and 13 steps, each of them a run of life2d-bit
one_by_one() {
    local IFS='|' step
    local -a rules
    read -ra rules <<<"$1"
    soup B3/S23 "$2"
    for step in {0..12}; do
        sed -i "s/rule = [^:]*/rule = ${rules[step % ${#rules[@]}]/\//\\/}/" soup.rle
        run "$ENGINE" run soup.rle --quiet --force --json --set run.steps=1 --set run.output=one \
            --set output.formats=rle
        cp one/cells-0000000001.rle soup.rle
        case $step in 4 | 5 | 12) sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' stdout ;; esac
    done
}
for rules in 'B3/S23|B36/S125' 'B02/S1|B3/S23|B1e/S0' 'B3/S23|B0/S8'; do
    for suffix in :T61,37 :T1,1 :P64,5; do
        expect_equal "$rules$suffix: single steps of life2d-bit" "$(one_by_one "$rules" $suffix)" \
            "$(for steps in 5 6 13; do hash "$rules" $suffix $steps; done)"
    done
done

# A tile that a round leaves as it is changes in the next one, by another rule.
printf 'x = 2, y = 2, rule = B3/S23|B3/S|B2/S0\n2o$2o!\n' >block.rle
for every in 1 2 4 5 7; do
    run "$ENGINE" run block.rle --quiet --force --set run.steps=14 --set run.output=block --set output.metrics_every=$every
    expect_equal "a still life of the first rule, looks every $every steps" "$(tail -n 1 block/metrics.csv)" 14,0
done
printf '[run]\nplugin = alternate\nsteps = 83\noutput = tiles\n[grid]\nsize = 256 192\n[init]\nsource = random\n' >tiles.ini
printf 'density = 0.1\nseed = 5\n' >>tiles.ini
# in_tiles SIDE RULES EVERY: the hash and the population of a soup; side 0 is an array
in_tiles() {
    run "$ENGINE" run tiles.ini --quiet --force --json --set tiles.side="$1" --set alternate.rule="$2" \
        --set output.metrics_every="$3"
    grep -E '"hash"|"population":[0-9]' stdout
}
for rules in 'B3/S23|B36/S23' 'B3/S23|B3/S23|B36/S125' 'B3/S23|B1e/S0|B01/S2'; do
    for every in 1 3 40; do
        expect_equal "$rules in tiles, looks every $every steps" "$(in_tiles 64 "$rules" $every)" \
            "$(in_tiles 0 "$rules" $every)"
    done
done

# ---- Checkpoints: the phase is that of the step
soup 'B3/S23|B36/S125|B2/S0' :T61,37
run "$ENGINE" run soup.rle --quiet --force --set run.steps=4 --set run.output=halves
expect_status 0 "$ENGINE" resume halves --set run.steps=9 --json
expect_equal 'a run that goes on at step 4' "$(sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' "$TMP/stdout")" \
    "$(hash 'B3/S23|B36/S125|B2/S0' :T61,37 9)"

# ---- What is refused: a state that comes again in another phase is no period
soup 'B3/S23|B36/S125' ''
for until in repeats unchanged settled; do
    expect_status 2 "$ENGINE" run soup.rle --force --set run.steps=9 --set run.until=$until
    expect_stderr_has 'depend on their number, so a state that was seen before does not repeat'
done
expect_status 3 "$ENGINE" identify soup.rle
expect_stderr_has 'steps of alternate/cpu depend on their number'
# refused RULES REASON
refused() {
    printf '[run]\nplugin = alternate\nsteps = 1\n[grid]\nsize = 9 9\n[alternate]\nrule = %s\n' "$1" >rule.ini
    expect_status 2 "$ENGINE" check rule.ini
    expect_stderr_has "$2"
}
refused B3/S23 'expected two or more rules with | between them'
refused 'B3/S23|' 'not a rule: it ends too early'
refused 'B3/S23|B9/S' "not a rule: '9', character 2"
refused 'B3/S23|W110' 'rules with W cannot take turns'
refused "$(printf 'B3/S23|%.0s' {1..60})B3/S23" 'expected fewer than 400 characters'
soup 'B3/S23|B36/S23' ''
expect_status 3 "$ENGINE" run soup.rle --force --set run.plugin=life2d-bit
expect_stderr_has 'alternate takes this rule'

# ---- Files have the rules as Golly spells each of them. Universes of a batch share words for rules that count
soup 'Life|b36s125|B2i3/S' ''
run "$ENGINE" run soup.rle --quiet --force --set run.steps=3 --set output.formats=rle
expect_equal 'the rules of a file' "$(grep -o '^x.*rule = .*' out/soup/cells-0000000003.rle)" 'x = 15, y = 8, rule = B3/S23|B36/S125|B2i3/S'
for rules in 'B3/S23|B36/S125' 'B36/S125|B2-a/S12' 'B2-a/S12|B3/S23'; do
    printf '[run]\nplugin = alternate\nsteps = 7\n[grid]\nbatch = 11\n[init]\nsource = random\n[alternate]\n' >batch.ini
    printf 'rule = %s\n' "$rules" >>batch.ini
    expect_status 0 "$ENGINE" verify batch.ini --sweep grid.size='64 64,37 5,1 1,257 30' --sweep grid.edges=torus,dead
done
plan
