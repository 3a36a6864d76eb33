#!/bin/bash
# [analyse]: a plugin that reads the run's particles where they lie.
. "$(dirname "$0")/common"
. "$(dirname "$0")/census"

# x of the three: 0 .5 1 1.5 2, 1 1 1 1 1, 3 2.5 2 1.5 1. The second is of another species.
cat >"$TMP/three.xyz" <<'XYZ'
3
Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:velo:R:3
A 0 0 0 1 0 0
B 1 0 0 0 0 0
A 3 0 0 -1 0 0
XYZ
sed -i 's/^steps.*/steps = 4/' "$TMP/drift.ini"
start=(--set "init.file=$TMP/three.xyz")
look=(--set analyse.plugin=census)

drift alone "${start[@]}" --json
hash=$(json hash)

# Steps 0, 2 and 4. A file written at a step holds that step.
drift two "${start[@]}" "${look[@]}" --set analyse.every=2 --set output.every=2 --json
expect_equal 'counts of steps 0, 2, 4' "$(numbers "$TMP/two/counts-0000000004.npy" Q)" '1 0 2 3 2 0 1 0'
expect_equal 'counts of steps 0, 2' "$(numbers "$TMP/two/counts-0000000002.npy" Q)" '1 0 1 2 1 0 1 0'
expect_equal 'counts of step 0' "$(numbers "$TMP/two/counts-0000000000.npy" Q)" '1 0 0 1 0 0 1 0'
expect_equal 'three frames, with species, in the box' "$(numbers "$TMP/two/frames-0000000004.npy" d)" '3 3 27'
expect_equal 'the summary counts them' "$(json frames)" 3
expect_stdout_has 'counts-0000000004.npy'
expect_same "$TMP/two/position-0000000004.npy" "$TMP/alone/position-0000000004.npy"
expect_equal 'the hash of the run stays' "$(grep -o '"hash":"[0-9a-f]*"' "$TMP/stdout" | head -n 1)" \
    "\"hash\":\"$hash\""
expect_equal 'metrics of the analysis' "$(tail -n 1 "$TMP/two/census-metrics.csv")" '4,4'
expect_equal 'a row for each output' "$(wc -l <"$TMP/two/census-metrics.csv")" 4
expect 'metrics of the run' test -s "$TMP/two/metrics.csv"

drift from "${start[@]}" "${look[@]}" --set analyse.every=2 --set analyse.from=1
expect_equal 'from step 1: steps 1 and 3' "$(numbers "$TMP/from/counts-0000000004.npy" Q)" '1 0 2 2 1 0 0 0'
drift late "${start[@]}" "${look[@]}" --set analyse.every=2 --set analyse.from=9
expect_equal 'from a step that is not reached: none' "$(numbers "$TMP/late/frames-0000000004.npy" d)" '0 0 0'
drift final "${start[@]}" "${look[@]}"
expect_equal 'every = 0: the final state' "$(numbers "$TMP/final/counts-0000000004.npy" Q)" '0 0 1 1 1 0 0 0'
drift all "${start[@]}" "${look[@]}" --set analyse.every=1 --set output.every=3
expect_equal 'an output between, named by its step' "$(numbers "$TMP/all/frames-0000000003.npy" d)" '4 4 36'

# The frames of a run, analysed there or afterwards, are the same.
drift there "${start[@]}" "${look[@]}" --set analyse.every=1 --set output.every=1 --set 'output.formats=npy xyz' --json
hash=$(json hash)
cat "$TMP"/there/position-*.xyz >"$TMP/frames.xyz"
expect_status 0 "$ENGINE" run "$TMP/drift.ini" --quiet --json --set run.plugin=census --set run.steps=5 \
    --set "run.output=$TMP/afterwards" --set "init.file=$TMP/frames.xyz"
expect_equal 'five frames there and afterwards' "$(json hash)" "$hash"
expect_same "$TMP/afterwards/counts-0000000005.npy" "$TMP/there/counts-0000000004.npy"

# A state of two buffers: the one that holds it is looked at, whichever that is.
"${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude -DNAME='"turns"' -DROLE=ENGINE_STATE -DIN_PLACE=0 \
    tests/particles/drift.c \
    -o "$TMP/turns.so"
drift turns "${start[@]}" "${look[@]}" --set run.plugin=turns --set analyse.every=1 --set output.every=1 --json
expect_equal 'the same from two buffers' "$(json hash)" "$hash"

# A table of the bins, and a drawing.
drift table "${start[@]}" "${look[@]}" --set analyse.every=2 --set 'output.formats=npy csv svg' --set output.every=1
expect_equal 'census.csv' "$(tr '\n' ' ' <"$TMP/table/census.csv")" \
    'x,mean_0,mean_1,count_0,count_1 0.5,0.3333333333333333,0,1,0 1.5,0.6666666666666666,1,2,3 2.5,0.6666666666666666,0,2,0 3.5,0.3333333333333333,0,1,0 '
expect_equal 'bins of another number' "$(tr '\n' ' ' <"$TMP/table/census-frames.csv")" 'frames 3 3 27 '
expect 'the drawing is whole' grep -q '^</svg>' "$TMP/table/census.svg"
expect_not 'no temporary files' compgen -G "$TMP/table/.tmp*"

# What the plan says.
expect_status 0 "$ENGINE" check "$TMP/drift.ini" "${start[@]}" "${look[@]}" --set analyse.every=3
expect_stdout_has 'analysis        2 frames, every 3 steps from 0 on'
expect_stdout_has 'position: 3 float32 of 3 components of the run, read without a copy'
expect_stdout_has 'cuda: not compiled into this build'
expect_status 0 "$ENGINE" check "$TMP/drift.ini" --json "${start[@]}" "${look[@]}" --set analyse.every=1
expect_equal 'frames in the plan' "$(json frames)" 5
drift slow "${start[@]}" "${look[@]}" --set analyse.implementation=slow --json
expect_equal 'an implementation by name' "$(json implementation)" slow

# verify and bench are about the run's own plugin.
expect_status 0 "$ENGINE" verify "$TMP/drift.ini" "${start[@]}" "${look[@]}"

# Inputs of another type are converted for each frame; the counts are those of step 0, 2 and 4 above. Such an input has
# memory of its own, so the analysis chooses the layout.
two=(--set analyse.every=2 --set output.every=2)
census double -DTYPE=ENGINE_F64 -DELEMENT=double '-DLAYOUT=out->planar=1'
drift to_double "${start[@]}" --set analyse.plugin=double "${two[@]}"
drift to_single "${start[@]}" "${look[@]}" --set drift.precision=double "${two[@]}"
drift unseen "${start[@]}" --set drift.precision=double
for name in to_double to_single; do
    for step in 0 2 4; do
        expect_same "$TMP/$name/counts-000000000$step.npy" "$TMP/two/counts-000000000$step.npy"
    done
done
expect_same "$TMP/to_single/census-metrics.csv" "$TMP/two/census-metrics.csv"
expect_same "$TMP/to_single/position-0000000004.npy" "$TMP/unseen/position-0000000004.npy"
expect_status 0 "$ENGINE" check "$TMP/drift.ini" "${start[@]}" "${look[@]}" --set drift.precision=double
expect_stdout_has \
    'position: 3 float32 of 3 components, converted from float64 of the run for each frame, with a buffer of 36 B'
expect_status 0 "$ENGINE" check "$TMP/drift.ini" "${start[@]}" "${look[@]}" --set drift.precision=double --json
expect_stdout_has '"position":"float64"'
expect_status 0 "$ENGINE" check "$TMP/drift.ini" "${start[@]}" "${look[@]}" --json
expect_stdout_hasnt '"position":"float'

# Particles in a plane have 0 as the third component: the counts are those above. 100000 particles take several pieces.
"${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude -DNAME='"plane"' -DROLE=ENGINE_STATE -DCOMPONENTS=2 \
    tests/particles/drift.c -o "$TMP/plane.so"
npy "$TMP/place.npy" '<f8' '3, 2' d 0 0 1 0 3 0 && npy "$TMP/speed.npy" '<f8' '3, 2' d 1 0 0 0 -1 0
npy "$TMP/kinds.npy" '|u1' '3,' C 0 1 0
plane=(--set run.plugin=plane --set init.source=arrays --set init.position="$TMP/place.npy" --set particles.box='9 9 0')
drift plane "${plane[@]}" --set init.velocity="$TMP/speed.npy" --set init.species="$TMP/kinds.npy" "${look[@]}" "${two[@]}"
for step in 0 2 4; do
    expect_same "$TMP/plane/counts-000000000$step.npy" "$TMP/two/counts-000000000$step.npy"
done
expect_status 0 "$ENGINE" check "$TMP/drift.ini" "${plane[@]}" "${look[@]}"
expect_stdout_has 'position: 3 float32 of 3 components, converted from float32 of the run for each frame'
if [ -e "$BUILD/plugins/rdf.so" ]; then
    npy "$TMP/square.npy" '<f8' '4, 2' d 0 0 1 0 3 0 1 2
    drift pairs "${plane[@]}" --set init.position="$TMP/square.npy" --set particles.count=4 --set analyse.plugin=rdf \
        --set rdf.bins=8 --set rdf.r_max=4 --set rdf.geometry=plane --set run.steps=0
    expect_equal 'rdf of particles in a plane: 1, 2, 2, sqrt 5, sqrt 8, 3' \
        "$(numbers "$TMP/pairs/counts-0000000000.npy" Q)" '0 0 1 0 3 1 1 0'
fi
drift many "${plane[@]}" --set init.source=random --set init.position= --set particles.count=100000 "${look[@]}" \
    --set particles.box='3 3 0' --set run.steps=0
expect_equal 'all of many particles are there' "$(numbers "$TMP/many/counts-0000000000.npy" Q | perl -ane 'print eval join "+", @F')" \
    100000

# A resumed run converts them again. A checkpoint does not contain them.
drift first "${start[@]}" "${look[@]}" --set drift.precision=double "${two[@]}" --set checkpoint.every=2 \
    --set run.steps=2
expect_status 0 "$ENGINE" resume "$TMP/first" --quiet --set run.steps=4
expect_same "$TMP/first/counts-0000000004.npy" "$TMP/two/counts-0000000004.npy"

# A number that the analysis cannot hold.
sed 's/^A 3 0 0/A 1e300 0 0/' "$TMP/three.xyz" >"$TMP/far.xyz"
run "$ENGINE" run "$TMP/drift.ini" --quiet --set "run.output=$TMP/far" --set "init.file=$TMP/far.xyz" \
    "${look[@]}" --set drift.precision=double
expect_equal 'a position beyond float32: status 3' "$status" 3
expect_stderr_has 'element 6 of field position does not fit float32, which census reads'

# Layouts: an analysis takes them as they are.
census planar '-DLAYOUT=out->planar=1'
refused 'another layout than the run has' 4 'layout of field position: it is bound to that of drift/cpu' "${start[@]}" \
    --set analyse.plugin=planar
census left '-DLAYOUT=return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "only planes")'
refused 'a layout that the analysis refuses' 4 'left: no implementation can run this; slow: layout: only planes' \
    "${start[@]}" --set analyse.plugin=left

# What cannot be bound.
census place '-DINPUT="place"'
refused 'no field of that name' 2 \
    'place reads the field place of the run, but drift has only position velocity mass species' \
    "${start[@]}" --set analyse.plugin=place
census whole -DTYPE=ENGINE_I32
refused 'a type to which real numbers are not converted' 2 \
    'whole reads position as int32 of 3 components; that of drift is float32 of 3' "${start[@]}" \
    --set analyse.plugin=whole
census flat -DCOMPONENTS=2
refused 'other components' 2 'flat reads position as float32 of 2 components' "${start[@]}" --set analyse.plugin=flat
census bins -DKIND=ENGINE_BINS
refused 'another kind' 2 'bins reads position as bins; that of drift is particles' "${start[@]}" \
    --set analyse.plugin=bins
refused 'a plugin that is none' 4 "unknown plugin 'cencus', did you mean 'census'?" "${start[@]}" \
    --set analyse.plugin=cencus
refused 'a plugin that writes the same fields' 2 'drift and drift both write a field position' "${start[@]}" \
    --set analyse.plugin=drift
refused 'no plugin' 2 '[analyse] plugin: this key is missing' "${start[@]}" --set analyse.every=2
refused 'memory that the run has not' 4 'census/cuda cannot run this' "${start[@]}" "${look[@]}" \
    --set analyse.implementation=cuda
refused 'an implementation that is none' 2 \
    "[analyse] implementation: census has no implementation 'cpx', did you mean 'cpu'?" \
    "${start[@]}" "${look[@]}" --set analyse.implementation=cpx
refused 'a format that neither can write' 2 'rle cannot hold any field of' "${start[@]}" "${look[@]}" \
    --set output.formats=rle
refused 'a table without an analysis' 2 'csv cannot hold any field of drift' "${start[@]}" --set output.formats=csv
refused 'an unknown key' 2 "did you mean 'every'" "${start[@]}" "${look[@]}" --set analyse.evry=2

plan
