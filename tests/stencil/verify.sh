#!/bin/bash
# What engine/stencil_cpu.h makes of a rule gives the same bits as a plain serial loop that shares no code with it: one
# to three axes, reaches of 1 to 3, stars and squares, several members of several types, inputs, random numbers and
# bits.
. "$(dirname "$0")/../lib.sh"
. tests/stencil/common
shopt -s nullglob
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
touch "$TMP/empty.ini"

rules=0 emulated=0
for plugin in "$BUILD"/tests/stencil/*.so; do
    rule=$(basename "$plugin" .so)
    sizes=$(stencil_sizes "$rule")
    expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$BUILD/tests/stencil" --set run.plugin="$rule" \
        --set init.source=noise --steps 7 --impl cpu --sweep run.threads=1,3 --sweep grid.size="$sizes"
    expect_equal "$rule: bit-equal for each number of threads and each size" \
        "$(grep -c '^  cpu  *bit-equal after 1, 2, 7 steps; 7 calls of one step = one call of 7 steps' "$TMP/stdout")" \
        $((2 * $(tr ',' '\n' <<<"$sizes" | wc -l)))
    rules=$((rules + 1))
done
expect_equal 'all rules' "$rules" "$(sed -n '/^STENCILS :=/,/[^\\]$/p' mk/tests.mk | grep -o '[a-z]*-[0-9]\|mixed' \
    | wc -l)"

# Grids that are no torus: the plain loop finds the neighbours by itself.
edges_of() {
    case $1 in
    line-* | bitline-* | near-1) echo 'dead:,mirror:,fixed:1' ;;
    cube-* | star-* | bitcube-* | heavy-3 | echo-3 | near-3 | near-5) echo 'dead:,mirror:,torus dead fixed:1' ;;
    *) echo 'dead:,mirror:,torus dead:,fixed mirror:1' ;;
    esac
}
for folder in stencil stencil/emulated; do
    implementation=cpu
    [ $folder = stencil ] || implementation=cuda
    for plugin in "$BUILD/tests/$folder"/*.so; do
        rule=$(basename "$plugin" .so)
        sizes=$(stencil_sizes "$rule" | cut -d, -f 1,2,5,7)
        if [ $implementation = cuda ]; then sizes=${sizes%,*}; else sizes+=$(wide_sizes "$rule"); fi
        edges=$(edges_of "$rule")
        expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$BUILD/tests/$folder" --set run.plugin="$rule" \
            --set run.threads=2 --set init.source=noise --steps 3 --impl $implementation \
            --sweep "grid.edges:grid.edge_value=$edges" --sweep grid.size="$sizes"
        expect_equal "$rule, $implementation: bit-equal with edges that are no torus" \
            "$(grep -c "^  $implementation  *bit-equal after 1, 2, 3 steps" "$TMP/stdout")" \
            $(($(tr ',' '\n' <<<"$edges" | wc -l) * $(tr ',' '\n' <<<"$sizes" | wc -l)))
    done
done

expect_status 0 "$ENGINE" describe box-1 --plugins "$BUILD/tests/stencil"
expect 'describe says which edges are fast' grep -q 'fast with dead, fixed and mirror edges' "$TMP/stdout"
expect_status 0 "$ENGINE" check "$TMP/empty.ini" --plugins "$BUILD/tests/stencil" --set run.plugin=box-1 \
    --set run.implementation=cpu --set grid.size='64 64' --set grid.edges='mirror dead'
expect_not 'a call takes any number of steps with these edges' grep -q 'in a call' "$TMP/stdout"

# The parts of a divided run equal the undivided plain loop: places, random numbers and inputs too.
for plugin in "$BUILD"/tests/stencil/*.so; do
    rule=$(basename "$plugin" .so)
    case $rule in
    line-* | bitline-* | near-1 | totals-* | halves-*) continue ;;
    cube-* | star-* | bitcube-* | heavy-3 | echo-3 | near-3 | near-5) sizes='5 3 7,33 7 5,65 4 31' ;;
    *) sizes='7 5,65 33,130 4,5 100' ;;
    esac
    expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$BUILD/tests/stencil" --set run.plugin="$rule" \
        --set run.threads=2 --set init.source=noise --steps 7 --impl cpu --sweep run.parts:run.margin='2:0,3:3,4:10' \
        --sweep grid.size="$sizes"
    expect_equal "$rule: bit-equal in parts" "$(grep -c '^  cpu  *bit-equal after 1, 2, 7 steps' "$TMP/stdout")" \
        $((3 * $(tr ',' '\n' <<<"$sizes" | wc -l)))
done
expect_status 4 "$ENGINE" verify "$TMP/empty.ini" --plugins "$BUILD/tests/stencil" --set run.plugin=line-2 --impl cpu \
    --set grid.size=9 --set run.parts=2
expect_stdout_has 'does not state that its work can be divided'

# What engine/stencil.cuh makes of a rule, on the host (emulated.cpp). Volumes take long, so they take fewer steps; but
# echo takes several in a pass.
for plugin in "$BUILD"/tests/stencil/emulated/*.so; do
    rule=$(basename "$plugin" .so)
    sizes=$(stencil_sizes "$rule" | cut -d, -f 1-5)$(banded_sizes "$rule")
    case $rule in
    cube-* | star-* | bitcube-* | heavy-3 | near-3 | near-5) steps=3 ;;
    *) steps=7 ;;
    esac
    expect_status 0 "$ENGINE" verify "$TMP/empty.ini" --plugins "$BUILD/tests/stencil/emulated" \
        --set run.plugin="$rule" \
        --set init.source=noise --steps $steps --impl cuda --sweep grid.size="$sizes"
    expect_equal "$rule, CUDA on the host: bit-equal for each size" \
        "$(grep -c "^  cuda  *bit-equal after 1, 2, $steps" "$TMP/stdout")" "$(tr ',' '\n' <<<"$sizes" | wc -l)"
    emulated=$((emulated + 1))
done
if [ -n "${SANITIZE:-}" ]; then
    skip 'CUDA implementations on the host' 'sanitizers do not know the stacks of coroutines'
elif [ "$emulated" = 0 ] && ! command -v ${CXX:-g++} >/dev/null; then
    skip 'CUDA implementations on the host' 'there is no C++ compiler'
else
    expect_equal 'CUDA implementations on the host' "$emulated" \
        "$(sed -n '/^EMULATED  *:=/,/[^\\]$/p' mk/tests.mk | grep -o '[a-z]*-[0-9]\|mixed' | wc -l)"
fi

# A rule that depends on the number of the step has no periods.
expect_status 2 "$ENGINE" check "$TMP/empty.ini" --plugins "$BUILD/tests/stencil" --set run.plugin=near-2 \
    --set run.implementation=cpu --set grid.size='64 64' --set run.until=repeats
expect_stderr_has 'the steps of near-2/cpu depend on their number'

# Metrics: integers, so every order of additions gives the same sums.
for implementation in plain cpu; do
    expect_status 0 "$ENGINE" run "$TMP/empty.ini" --plugins "$BUILD/tests/stencil" --set run.plugin=box-1 \
        --set grid.size='71 53' --set init.source=noise --set run.steps=9 --set run.implementation=$implementation \
        --set run.threads=3 --set output.metrics_every=1 --set output.every=0 --set run.output="$TMP/$implementation" \
        --quiet
done
expect_equal 'the sums of tally are those of a plain loop' "$(cat "$TMP/cpu/metrics.csv")" \
    "$(cat "$TMP/plain/metrics.csv")"
expect_status 0 "$ENGINE" run "$TMP/empty.ini" --plugins "$BUILD/tests/stencil" --set run.plugin=box-1 \
    --set grid.size='71 53' --set init.source=noise --set run.steps=9 --set run.implementation=cpu --set run.parts=5 \
    --set output.metrics_every=1 --set output.every=0 --set run.output="$TMP/parts" --quiet
expect_equal 'and those of five parts' "$(cat "$TMP/parts/metrics.csv")" "$(cat "$TMP/plain/metrics.csv")"
expect_equal 'for each step' "$(wc -l <"$TMP/cpu/metrics.csv")" 11
plan
