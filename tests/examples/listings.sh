#!/bin/bash
# Follows the pages of docs/tutorial literally with the installed engine alone. It runs the lines that begin with $ and
# writes the files that the page lists. The other files contain the parts that the page shows of them.
. "$(dirname "$0")/../lib.sh"
pages=()
for page in my-rule flow particles several-fields network analysis; do pages+=("$ROOT/docs/tutorial/$page.md"); done
pages+=("$ROOT/docs/reference/plugin-topics.md") # parts of files that exist
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

expect 'make install' make install PREFIX="$TMP/prefix" BUILD="${BUILD#"$ROOT/"}"
PATH=$TMP/prefix/bin:$PATH
PKG_CONFIG_PATH=$(dirname "$(find "$TMP/prefix" -name engine.pc)")
export PATH PKG_CONFIG_PATH

use_python
PATH=$TMP/bin:$PATH
CFLAGS="${CFLAGS:--O3} $(native_flag)"
export CFLAGS

# Writes each step of the page to a file. Its first line is `type`, `whole FILE` or `part FILE`; the commands or the
# listing follow. A listing is the indented text after a line that ends with "`FILE`, whole:" or "In `FILE`:".
awk -v folder="$TMP" '
    function begin(what) { file = sprintf("%s/step-%03d", folder, ++count); print what >file; blank = "" }
    function end() { if (file) close(file); file = "" }
    /^    / {
        line = substr($0, 5)
        if (next_is) { begin(next_is); next_is = "" }
        else if (!file && line ~ /^\$ /) begin("type")
        if (file) { sub(/^\$ /, "", line); printf "%s%s\n", blank, line >file; blank = "" }
        next
    }
    /^$/ { if (file) blank = blank "\n"; next }
    {
        end()
        next_is = ""
        if (match($0, /`[^`]*`, whole:$/)) next_is = "whole " substr($0, RSTART + 1, RLENGTH - 10)
        else if (match($0, /In `[^`]*`:$/)) next_is = "part " substr($0, RSTART + 4, RLENGTH - 6)
    }' "${pages[@]}"
expect_equal 'the pages have listings' "$(head -qn 1 "$TMP"/step-* | cut -d' ' -f1 | sort | uniq -c | xargs)" \
    '6 part 22 type 17 whole'

# A file of the page is one of the folder that is written there, or of this repository.
path_of() {
    if [[ $1 == plugins/* ]]; then echo "$ROOT/$1"; else echo "$TMP/scratch/$1"; fi
}

umask 022 # files of a plugin may not be writable by others
mkdir "$TMP/scratch"
here=$TMP/scratch
for step in "$TMP"/step-*; do
    read -r what file <"$step"
    sed -i 1d "$step"
    case $what in
    whole) expect "$file, whole" cp "$step" "$(path_of "$file")" ;;
    part)
        expect "$file has: $(head -n 1 "$step")" perl -e '
            local $/;
            open my $listing, "<", $ARGV[0] or die; open my $source, "<", $ARGV[1] or die;
            exit(index(scalar <$source>, scalar <$listing>) < 0);' "$step" "$(path_of "$file")"
        ;;
    type)
        while read -r command; do
            cd "$here" || exit 1
            if [[ $command == cd\ * ]]; then
                here=$(realpath "$here/${command#cd }")
            else
                # Cells of nine floats would take half a minute at all sizes.
                [[ $command != 'engine conform ./flow.so '* ]] || command+=" --set grid.size='70 37'"
                expect_status 0 bash -c "$command"
            fi
        done <"$step"
        cd "$ROOT" || exit 1
        ;;
    esac
done

# What came of it.
expect 'pictures in colour' grep -qa PLTE "$TMP/scratch/cyclic/out/cyclic/cells-0000001000.png"
expect_equal 'the bins of the analysis hold all bodies at 11 moments, but for those far out' \
    "$(awk -F, 'NR > 1 { n += $2 } END { print (n > 10000 && n <= 11000) }' "$TMP/scratch/radii/out/radii/radii.csv")" 1
out=$TMP/scratch/pipe/out/pipe
expect 'the echo between two walls 100 cells apart repeats after 200 steps' \
    cmp "$out/pressure-0000000000.npy" "$out/pressure-0000000200.npy"
expect_not 'but not after 100' cmp "$out/pressure-0000000000.npy" "$out/pressure-0000000100.npy"
cd "$TMP/scratch/pipe" || exit 1
expect_status 1 engine conform ./pipe.so --impl cpu --set grid.size=200
expect_equal 'without --placed, conform finds that a place matters, and nothing else' "$(grep '^not ok' "$TMP/stdout" |
    sed 's/^not ok [0-9]* - //')" 'pipe/cpu: gives the same result everywhere on the torus'
expect_equal 'a rumour on a ring reaches two more nodes in each step' \
    "$(tr '\n' ' ' <"$TMP/scratch/rumour/out/rumour/metrics.csv")" 'step,informed 0,1 5,11 10,21 '
expect_equal 'the clock adds half an hour in each of 10 steps' \
    "$(tr '\n' ' ' <"$TMP/scratch/rumour/out/rumour/rumour.csv")" 'time 5 '
expect_equal 'the table of the analysis has the columns that the page names' \
    "$(head -n 1 "$TMP/scratch/radii/out/radii/radii.csv")" \
    "$(sed -n 's/.*`radii.csv` with the columns `\([a-z,]*\)`.*/\1/p' "$ROOT/docs/tutorial/analysis.md")"
# A disc of diameter D in a flow of speed U sheds a pair of vortices in each D / (0.165 U) steps at a Reynolds number of
# 100 (C. H. K. Williamson, Journal of Fluid Mechanics 206, 1989, 579). Here D is 15 and U is 0.1, and the discs are in a row
# with gaps of 7 D, where the fluid is faster.
expect_equal 'vortices leave the disc with the known period, or one that is up to a fifth shorter' \
    "$(awk -F, '$1 > 3000 { if (last < 0 && $3 >= 0) { end = $1; if (!n++) begin = $1 } last = $3 }
        END { period = n > 1 ? (end - begin) / (n - 1) : 0; print (period > 0.8 * 909 && period < 909) }' \
        "$TMP/scratch/flow/out/flow/metrics.csv")" 1
expect 'a film of them' test -s "$TMP/scratch/flow/out/flow/vorticity.apng"
expect_equal 'the wedge holds the flow up more than the disc, whose mean momentum is 0.099' \
    "$(tail -n 1 "$TMP/scratch/flow/out/wedge/metrics.csv" | awk -F, '{ print ($2 > 0.03 && $2 < 0.09) }')" 1
cd "$TMP/scratch/cyclic" || exit 1
# tools/check-gpu sets it, where there is a GPU.
if [ -n "${TEST_CUDA:-}" ]; then
    expect 'the CUDA side builds' make -B cyclic.so
    expect_status 0 engine verify cyclic.ini --plugins . --impl cuda
    expect 'the CUDA side is bit-equal to the CPU' grep -Eq '^  cuda .*bit-equal' "$TMP/stdout"
    for implementation in cpu cuda; do # one word is all that differs
        expect_status 0 engine run cyclic.ini --plugins . --set run.implementation="$implementation" \
            --set run.output="$implementation"
        expect "$implementation ran" grep -q "\"implementation\": *\"$implementation\"" "$implementation/summary.json"
    done
    expect_equal 'both come to the same state' \
        "$(grep '"hash"' cuda/summary.json)" "$(grep '"hash"' cpu/summary.json)"
fi
sed -i 's/ + (engine_at(near, 0, 1).cells == after)//' cyclic.h
expect_not 'a broken rule fails the test of the page' make test
cd "$ROOT" || exit 1
plan
