#!/bin/bash
# Compares `hashlife` on an unbounded grid with Golly's HashLife, for rules that do not count neighbours: the same cells
# are alive in the same places.
. "$(dirname "$0")/../lib.sh"

[ -e "$BUILD/plugins/life2d-bit.so" ] || skip_all 'life2d-bit was not built'
command -v bgolly >/dev/null || skip_all 'bgolly is not installed (Debian: golly)'
cd "$TMP" || exit 1

# The cells of a macrocell file or of an RLE file, with their place.
cells() {
    "$ENGINE" convert "$1" "$2" --quiet && grep -v '^#C ' "$2"
}

for rule in B2-a/S12 B34e/S23-k B2/S013V B13/S02V B2/S34H B24/S135H \
    MAPL/WoSkOZhlovO4EHcJCNpjFy5aejGjkVpPGkdJ7gIe1gR7QfO6dPazI+Lm6rLLn8+xZtREQaYVdY2o8KqcPPEQ; do
    printf '#CXRLE Pos=-5,-3\nx = 12, y = 6, rule = %s\n' "$rule" >soup.rle
    printf 'b2obob3o2bo$o2b2obobo2bo$2bob2o3b3o$3o2bo2bob2o$bobo3b2obobo$2o3bob2o2bo!\n' >>soup.rle
    rm -rf golly.* ours.rle out
    bgolly -q -q -a HashLife -m 133 -i 133 -o golly.mc soup.rle >log 2>&1
    run "$ENGINE" run soup.rle --quiet --set run.implementation=hashlife --set run.steps=133 --set output.formats=rle
    expect_equal "$rule" "$(cells out/soup/cells-*.rle ours.rle)" "$(cells golly.mc golly.rle || cat log)"
done
plan
