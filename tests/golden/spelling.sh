#!/bin/bash
# The pattern files of a run have the rule as Golly 3.3 spells it: `bgolly -m 0 -o out.rle in.rle` wrote the right column.
. "$(dirname "$0")/common"

# spelled PLUGIN RULE: prints the rule in the RLE file of a run
spelled() {
    printf 'x = 3, y = 1, rule = %s\n3o!\n' "$2" >"$TMP/given.rle"
    printf '[run]\nplugin = %s\nsteps = 0\n[grid]\nsize = 20 20\n[init]\nfile = given.rle\n' "$1" >"$TMP/run.ini"
    "$ENGINE" run "$TMP/run.ini" --force --quiet --set "run.output=$TMP/run" --set output.formats="${3:-rle}" >"$TMP/said" 2>&1 ||
        cat "$TMP/said"
    cat "$TMP/run/cells-0000000000.${3:-rle}" 2>"$TMP/said" | sed -n -E 's/^(x.*rule =|#R) //p; s/^  "rule": "(.*)",/\1/p' |
        sed 's/:T20,20$//'
}

while read -r plugin given golly; do
    expect_equal "$plugin: $given" "$(spelled "$plugin" "$given")" "$golly"
done <<'END'
life2d-bit b3s23 B3/S23
life2d-bit 23/3 B3/S23
life2d-bit S23/B3 B3/S23
life2d-bit B33/S23 B3/S23
life2d-bit 3/ B/S3
life2d-bit b2ai/s B2ai/S
life2d-bit B2c2e/S B2ce/S
life2d-bit B2ceaikn/S12 B2/S12
life2d-bit B3/S2aekci3 B3/S2-n3
life2d-bit B3-cekainyqjr4-c/S23 B4-c/S23
life2d-bit B4-cekainyqjrtwz/S B/S
life2d-bit b2/s34h B2/S34H
life2d-lut b36s125 B36/S125
life2d-bit MAPlmlmlpZpaZaWaZZplmlpaQ MAPlmlmlpZpaZaWaZZplmlpaQ
generations B2/S/3 /2/3
generations b2/s345/4 345/2/4
generations 54/2/3 45/2/3
larger-than-life 5,34,45,34,58 R5,C0,M1,S34..58,B34..45,NM
larger-than-life R5,C2,M1,S34..58,B34..45,NM R5,C0,M1,S34..58,B34..45,NM
larger-than-life R03,C4,M0,S1..4,B3..3,NN R3,C4,M0,S1..4,B3..3,NN
margolus m0;08;4;3;2;5;9;7;1;6;10;11;12;13;14;15 M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15
margolus MS,D15;1;2;3;4;5;6;7;8;9;10;11;12;13;14;0 M15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,0
margolus string-thing M0,1,2,12,4,10,9,7,8,6,5,11,3,13,14,15
END
# Names, in the header and in the configuration. The rules are those of LifeWiki.
while IFS='|' read -r plugin name golly; do
    expect_equal "$plugin: $name" "$(spelled "$plugin" "$name")" "$golly"
done <<'END'
life2d-bit|HighLife|B36/S23
life2d-bit|Conway's Life|B3/S23
life2d-bit|LeapLife|B2n3/S23-q
life2d-bit|seeds|B2/S
life2d-lut|Day & Night|B3678/S34678
life2d-bit|Live Free or Die|B2/S0
life2d-bit|Maze with Mice|B37/S12345
life2d-bit|2x2|B36/S125
life2d-bit|Hexagonal Life|B2/S34H
generations|Brian's Brain|/2/3
generations|Star Wars|345/2/4
END
printf 'x = 3, y = 1\n3o!\n' >"$TMP/given.rle"
expect_status 0 "$ENGINE" check "$TMP/run.ini" --set run.plugin=life2d-bit --set "life2d-bit.rule=Day & Night"
expect_equal 'a name of another family' "$(spelled life2d-bit 'Star Wars' | grep -o "is the name.*")" \
    'is the name of a rule of another family; generations takes this rule'
# Golly 3.3 does not read these, so they stay as they are.
for rule in R3,C2,S2-5,8,B6-8,NN R2,C2,M1,S2..3,B3..3,NX R2,C2,M0,S2-3,5,B3..3,NM; do
    expect_equal "larger-than-life: $rule" "$(spelled larger-than-life "$rule")" "$rule"
done
expect_equal 'macrocells' "$(spelled life2d-bit s23/b3 mc)" B3/S23
plan
