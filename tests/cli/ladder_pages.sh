#!/bin/bash
# The pages of docs/kernels have the rungs of the ladders, what they remove and their counted costs, as the engine prints
# them. What was measured is not compared.
. "$(dirname "$0")/../lib.sh"

export ENGINE OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

# A page is of a whole ladder. Counts on a GPU may depend on the size, so that a smaller one will do only without a GPU.
declare -A small=([life2d]='grid.size=1024 1024' [life3d]='grid.size=64 64 64' [nbody]='particles.count=1024'
    [transpose]='matrix.rows=512' [rdf]='particles.count=2000')
check() {
    local settings=()
    [ -e /dev/nvidiactl ] || settings=(--set "${small[$1]}")
    run tools/make-ladders --check "${settings[@]}" "${@:2}" "$1"
}

for config in configs/ladder/*.ini; do
    name=$(basename "$config" .ini)
    check "$name"
    expect_equal "docs/kernels/$name.md" "$status $(cat "$TMP/stdout" "$TMP/stderr")" '0 '
    # Each first kernel that the page names is a function of its file.
    while read -r function file; do
        expect "$file has $function" grep -q "\b$function(" "$file"
    done < <(sed -n 's/^| .* | `\([a-z0-9_]*\)`.* in `\([^`]*\)` |$/\1 \2/p' "docs/kernels/$name.md")
done
expect 'kernels are named' test "$results" -gt 15

# ---- What it finds
# changed NAME PATTERN TEXT: a page in which a pattern of sed has this text instead.
changed() {
    sed "s/$2/$3/" "docs/kernels/$1.md" >"$TMP/$1.md"
    expect_not "$1.md changes" cmp -s "docs/kernels/$1.md" "$TMP/$1.md"
    check "$1" --pages "$TMP"
    expect_equal "$1.md is wrong" "$status" 1
}
changed transpose '^| cpu | idle' '| cpu | no idle'
expect_stdout_has "transpose.md: cpu: the page says 'no idle cores"
changed life3d '0.656 logic' '0.7 logic'
expect_stdout_has "life3d.md: life3d-packed:cpu: the page says '0.7 logic operations, 0.0156 bytes', and the engine '0.656"
changed nbody '^| cuda-text | most' '| cuda-text | some'
expect_stdout_has "nbody.md: cuda-text: the page says 'some loads"
changed nbody '^| cuda-text | .*' ''
expect_stdout_has 'nbody.md: its rungs are cpu-serial, cpu, cuda-basic, cuda-shared, cuda; the engine has cpu-serial, cpu, cuda-basic, cuda-text'
changed rdf '<!-- end of the ladder' '<!-- the end'
expect_stdout_has 'rdf.md: its marks are missing'

# A page that the tool writes is right.
mkdir "$TMP/pages"
sed '/^| cpu/d' docs/kernels/transpose.md >"$TMP/pages/transpose.md"
run tools/make-ladders --pages "$TMP/pages" --set matrix.rows=512 transpose
expect_equal 'it is written' "$status" 0
check transpose --pages "$TMP/pages"
expect_equal 'and right' "$status $(cat "$TMP/stdout")" '0 '
plan
