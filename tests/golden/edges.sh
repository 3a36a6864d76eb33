#!/bin/bash
# Bounded grids: soups on each of Golly's surfaces become what Golly makes of them.
. "$(dirname "$0")/common"

# soup WIDTH HEIGHT: writes soup.rle, random cells of this size
soup() {
    printf '[run]\nplugin = life2d-bit\nsteps = 0\n[grid]\nsize = %s %s\n[init]\nsource = random\nseed = 7\n' "$1" \
        "$2" \
        >"$TMP/soup.ini"
    printf 'density = 0.3\n[output]\nformats = rle\n' >>"$TMP/soup.ini"
    "$ENGINE" run "$TMP/soup.ini" --force --quiet --set "run.output=$TMP/soup" >"$TMP/stdout" 2>&1
    cp "$TMP/soup/cells-0000000000.rle" "$TMP/soup.rle"
}

# state PLUGIN IMPLEMENTATION: prints the population of bounded.rle after 100 generations and the CRC
state() {
    printf '[run]\nplugin = %s\nimplementation = %s\nsteps = 100\n[init]\nfile = bounded.rle\n' "$1" \
        "$2" >"$TMP/run.ini"
    "$ENGINE" run "$TMP/run.ini" --force --quiet --set "run.output=$TMP/run" --set output.formats='npy rle' 2>&1
    echo "$(population run 100) $(cksum <"$(at run 100)" | cut -d' ' -f1)"
}

grids=0
while read -r rule suffix result; do
    read -r width height <<<"$(sed -E 's/[A-Z]//; s/[-+*][0-9]*//g; s/,/ /' <<<"$suffix")"
    soup "$width" "${height:-$width}"
    sed -E "s|^(x = .*rule = ).*|\1$rule:$suffix|" "$TMP/soup.rle" >"$TMP/bounded.rle"
    for plugin in life2d-bit life2d-lut; do
        expect_equal "$rule on $suffix: $plugin" "$(state $plugin cpu-serial)" "$result"
        expect "$rule on $suffix: $plugin writes the surface" \
            grep -q "^x = .*$rule:${suffix//\*/\\*}" "$TMP/run/cells-0000000100.rle"
    done
    expect_equal "$rule on $suffix: auto" "$(state life2d-bit auto)" "$result"
    grids=$((grids + 1))
done < <(grep -v '^#' tests/golden/golly-edges.txt)
# A negative shift of the configuration is the shift of the file.
printf '[run]\nplugin = life2d-bit\n[grid]\nsize = 40 30\nedge_shift = 0 -2\n' >"$TMP/shift.ini"
run "$ENGINE" run "$TMP/shift.ini" --force --quiet --set "run.output=$TMP/shift" --set output.formats=rle \
    --set init.source=random --set init.seed=1
expect 'a shift of -2 is written as +28' grep -q ':T40,30+28$' "$TMP/shift/cells-0000000001.rle"
expect_equal 'surfaces compared with Golly' "$grids" 18

# A glider moves a cell along both axes in 4 generations. So it has crossed both edges after 160, and has come back to
# its place, from the reversed edge as its mirror image. The second time around reverses it again.
rows() { tail -c 1600 "$TMP/klein/cells-0000000$1.npy" | od -An -v -t u1 -w40 | tr -d ' '; }
run "$ENGINE" run configs/klein-bottle.ini --force --quiet --set run.output="$TMP/klein" --set output.formats=npy \
    --set output.every=160
expect_equal 'configs/klein-bottle.ini' "$status $(rows 000 | tr -dc 1)" '0 11111'
expect_equal 'after 160 generations, the mirror image' "$(rows 160)" "$(rows 000 | perl -lne 'print scalar reverse')"
expect_equal 'after 320 generations, the first state' "$(rows 320)" "$(rows 000)"
plan
