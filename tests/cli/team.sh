#!/bin/bash
# [run] parts of implementations that share their work (ENGINE_TEAMWORK), and of matrices: the files, the metrics, the
# hash and the checkpoints are those of the undivided run. An error in one part, or a wrong call of the service, ends
# all parts with a sentence that names it.
. "$(dirname "$0")/common"
umask 022
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

# go NAME ARGUMENT…: runs $TMP/run.ini into $TMP/NAME.
go() {
    run timeout 60 "$ENGINE" run "$TMP/run.ini" --set "run.output=$TMP/$1" --force --json "${@:2}"
    expect_equal "$1: ${*:2}" "$status" 0
    mv "$TMP/stdout" "$TMP/$1.json"
}

# expect_like_whole WHAT: the hash and the files of the run `parts` are those of the run `whole`.
expect_like_whole() {
    expect_equal "$1: hash" "$(member parts hash)" "$(member whole hash)"
    for file in "$TMP"/whole/*.{npy,csv,dcd,xyz}; do
        [ -e "$file" ] && expect_same "$TMP/parts/$(basename "$file")" "$file"
    done
}

# compare WHAT PARTS ARGUMENT…: the undivided run, and one in each of these numbers of parts.
compare() {
    go whole "${@:3}"
    for parts in $2; do
        go parts --set "run.parts=$parts" "${@:3}"
        expect_like_whole "$1 in $parts parts"
    done
}

# ---- nbody and rdf: few bodies, odd numbers of them, more parts than bodies ----

for count in 1 2 3 17 1000 4097; do
    printf '[run]\nplugin = nbody\nsteps = 4\nthreads = 3\n[particles]\ncount = %s\n[init]\nsource = random\n%b' \
        $count \
        '[output]\nformats = npy\nmetrics_every = 1\n' >"$TMP/run.ini"
    for kind in 'leapfrog float' 'euler double' 'hermite float' 'hermite double'; do
        read -r integrator precision <<<"$kind"
        case $count-$kind in 4097-[eh]* | 1-h* | 2-[eh]* | 3-h*) continue ;; esac
        for impl in cpu-serial cpu; do
            [ $count-$impl = 4097-cpu-serial ] && continue
            compare "nbody/$impl $count $kind" "$([ "$kind" = 'leapfrog float' ] && echo 2 3 5 || echo 4)" \
                --set run.implementation=$impl --set nbody.integrator="$integrator" --set nbody.precision="$precision"
        done
    done
    case $count in 3 | 17 | 1000)
        compare "nbody $count adaptive" 3 --set run.implementation=cpu --set nbody.integrator=hermite \
            --set nbody.time_step=adaptive ;;
    esac
    printf '[run]\nplugin = rdf\nsteps = 2\nthreads = 3\n[particles]\ncount = %s\nbox = 3 4 5\n[init]\nsource = uniform\n%b' \
        $count '[output]\nformats = npy\n' >"$TMP/run.ini"
    for kind in r_max=1 exclude_block=3 r_max=0.2; do
        case $count-$kind in [23]-[er]*[32]) continue ;; esac
        for impl in cpu-serial cpu; do
            [ $count-$impl = 4097-cpu-serial ] && continue
            compare "rdf/$impl $count $kind" "$([ $kind = r_max=1 ] && echo 2 3 5 || echo 4)" \
                --set run.implementation=$impl --set rdf.$kind
        done
    done
done

# ---- pairs: lists are made several times; more parts than blocks of 256 particles ----

printf '[run]\nplugin = pairs\nsteps = 30\nthreads = 3\n[particles]\ncount = 700\n[init]\nsource = fcc\n%b' \
    '[output]\nformats = npy\nmetrics_every = 10\n[pairs]\ntemperature = 1.44\nskin = 0.2\n' >"$TMP/run.ini"
compare 'pairs/cpu' '2 3 5' --set run.implementation=cpu
compare 'pairs/cpu langevin' 3 --set run.implementation=cpu --set pairs.integrator=langevin
compare 'pairs/cpu-serial' '2 5' --set run.implementation=cpu-serial --set run.steps=5
compare 'pairs of two species' 4 --set pairs.species=2 --set 'pairs.composition=4 1' --set 'pairs.epsilon=1 0.5'

for shape in '5 7 1' '1000 37 1' '3 2 5'; do
    read -r columns rows batch <<<"$shape"
    printf '[run]\nplugin = matrix\nsteps = 3\n[matrix]\ncolumns = %s\nrows = %s\nbatch = %s\nelement = float32\n%b' \
        "$columns" "$rows" "$batch" 'operation = mad\n[init]\nsource = random\n[output]\nformats = npy\n' \
        >"$TMP/run.ini"
    for impl in cpu-serial cpu; do
        compare "matrix/$impl $shape" '2 3 5' --set run.implementation=$impl
    done
done
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set run.parts=6
expect_stderr_has \
    'engine: --set: [run] parts = 6: the matrices are cut between their 5 members of the batch; give at most 5'
expect_status 0 "$ENGINE" check "$TMP/run.ini" --set run.parts=5
expect_stdout_has 'parts           5 along z'

# ---- transpose: the parts have rows of each step's matrix, and exchange blocks of them ----

printf '[run]\nplugin = transpose\nsteps = 3\nthreads = 3\n[matrix]\nelement = float32\n%b' \
    '[init]\nsource = random\n[output]\nevery = 1\nformats = npy\n' >"$TMP/run.ini"
for shape in '5 7 1' '7 5 1' '1200 37 1' '37 1200 1' '257 600 1' '6 2 5'; do
    read -r columns rows batch <<<"$shape"
    expect_status 0 "$ENGINE" verify "$TMP/run.ini" --steps 3 --impl cpu-serial,cpu --set matrix.columns="$columns" \
        --set matrix.rows="$rows" --set matrix.batch="$batch" --sweep run.parts=2,3,5 \
        --sweep matrix.element=uint8,int16,float32,float64,complex128
    expect_stdout_has 'transpose in 5 parts against cpu-serial undivided'
done
# Several rounds of exchanges in a step, of which the last one is narrower.
expect_status 0 "$ENGINE" verify "$TMP/run.ini" --steps 2 --impl cpu --set matrix.columns=1100 --set matrix.rows=40000 \
    --set matrix.element=uint8 --set run.parts=2
compare 'transpose 31 x 20' '2 3 20' --set matrix.columns=31 --set matrix.rows=20
compare 'transpose in a batch' '2 4' --set matrix.columns=31 --set matrix.rows=2 --set matrix.batch=4
words=(--set matrix.columns=31 --set matrix.rows=20 --set checkpoint.every=1)
go whole "${words[@]}" --set run.steps=8
go parts "${words[@]}" --set run.steps=5 --set run.parts=3
for next in 4 1; do # from an odd step, and from an even one
    expect_status 0 "$ENGINE" resume "$TMP/parts" --set run.steps=$((next == 1 ? 8 : 6)) --set run.parts=$next --json
    mv "$TMP/stdout" "$TMP/parts.json"
done
expect_like_whole 'transpose, resumed twice'
words=(check "$TMP/run.ini" --set run.parts=3 --set matrix.columns)
expect_status 0 "$ENGINE" "${words[@]}=3" --set matrix.rows=9
expect_stdout_has 'parts           3 along y'
expect_stdout_has 'cpu-in-place: it works in place, which needs a square matrix'
expect_status 2 "$ENGINE" "${words[@]}=9" --set matrix.rows=1
expect_stderr_has 'engine: --set: [run] parts = 3: the matrices are cut between their 1 row; give at most 1'
expect_status 2 "$ENGINE" "${words[@]}=2" --set matrix.rows=9
expect_stderr_has 'the matrices are cut between their 2 rows after each odd step; give at most 2'
expect_status 4 "$ENGINE" "${words[@]}=9" --set matrix.rows=9 --set run.implementation=cpu-in-place
expect_stderr_has 'the implementation does not state that its work can be divided'

# Every frame of a trajectory has another box, of which all parts must know.
for step in 1 2 3; do
    printf '600\nLattice="%s 0 0 0 4 0 0 0 5" Properties=pos:R:3\n' $((2 + step))
    awk -v step=$step 'BEGIN { srand(step); for (i = 0; i < 600; i++) print rand() * 6, rand() * 6, rand() * 6 }'
done >"$TMP/frames.xyz"
printf '[run]\nplugin = rdf\nsteps = 3\n[init]\nfile = %s\n[output]\nevery = 1\nformats = npy\n' "$TMP/frames.xyz" \
    >"$TMP/run.ini"
compare 'rdf of a trajectory' '2 3'

# ---- Checkpoints, an analysis, verify, bench, the summary ----

printf '[run]\nplugin = nbody\nsteps = 30\n[particles]\ncount = 300\n[init]\nsource = plummer\n%b' \
    '[output]\nevery = 10\nformats = npy snapshot\nmetrics_every = 1\n[checkpoint]\nevery = 10\n' >"$TMP/run.ini"
go whole
for next in 1 4; do
    go parts --set run.parts=3 --set run.steps=13
    expect_status 0 "$ENGINE" resume "$TMP/parts" --set run.steps=30 --set run.parts=$next --json
    mv "$TMP/stdout" "$TMP/parts.json"
    expect_equal 'it was resumed' "$(member parts first_step)" 13
    expect_like_whole "resumed in $next parts"
done
for run in parts whole; do
    expect_status 0 "$ENGINE" convert "$TMP/$run/position-0000000030.snapshot" "$TMP/$run.xyz"
done
expect_same "$TMP/parts.xyz" "$TMP/whole.xyz"
go parts --set run.parts=4
expect_like_whole 'written beside snapshots'
expect_equal 'the summary names the parts' "$(member parts parts)" 4
expect_status 0 "$ENGINE" check "$TMP/run.ini" --set run.parts=4 --set run.margin=2
expect_stdout_has 'parts           4 that share the work'
expect_stderr_has '[run] margin: nothing uses this key, because the run is not divided into blocks of a grid'
compare 'an analysis' '3' --set analyse.plugin=rdf --set analyse.every=10 --set rdf.r_max=1 --set run.steps=20
expect_status 0 "$ENGINE" verify "$TMP/run.ini" --set run.parts=3
expect_stdout_has 'nbody in 3 parts against cpu-serial undivided'
expect_status 0 "$ENGINE" bench "$TMP/run.ini" --impl cpu --sweep run.parts=1,3 --repeats 1 --steps 20
expect_stdout_hasnt 'differ'

# ---- Errors ----

read -r -a cc <<<"${CC:-cc}"
expect 'shares compiles' "${cc[@]}" -std=c11 -O2 -fPIC -shared -Iinclude tests/conform/broken/shares.c -lm \
    -o "$TMP/shares.so"
printf '[run]\nplugin = shares\nsteps = 6\nthreads = 6\n[particles]\ncount = 23\n[init]\nsource = random\n' \
    >"$TMP/run.ini"

# wrong HOW PARTS REASON: fails with the reason, and does not hang.
wrong() {
    run timeout 30 "$ENGINE" run "$TMP/run.ini" --plugins "$TMP" --set "run.output=$TMP/none" --force \
        --set shares.how="$1" --set run.parts="$2"
    expect_equal "$1: status" "$status" 4
    expect_stderr_has "$3"
}

for how in right fails; do
    go whole --plugins "$TMP" --set shares.how=$how
    [ $how = right ] || continue
    go parts --plugins "$TMP" --set run.parts=7
    expect_like_whole 'shares in 7 parts, of which 5 have a share'
done
failed="all parts must make the same calls"
wrong fails 2 'part 2 of 2: shares/cpu: advance: part 2 finds wrong levels in step 3'
wrong fails 5 'part 2 of 5: shares/cpu: advance: part 2 finds wrong levels in step 3'
wrong fails-all 3 'part 1 of 3: shares/cpu: advance: all levels are wrong'
expect_stderr_hasnt 'the state is lost'
wrong sizes 3 "part 1 calls reduce with 1 number, and part 2 calls reduce with 2 numbers; $failed"
wrong calls 3 "part 1 calls reduce with 1 number, and part 2 calls gather with 16 bytes in units of 8; $failed"
wrong swaps 3 "part 1 calls reduce with 1 number, and part 2 calls exchange with 16 bytes in units of 8; $failed"
wrong odd-unit 2 'exchange of 12 bytes in units of 8; expected a multiple of the unit'
wrong early 3 "part 2 has returned, and part 1 waits for it in reduce; $failed"
wrong late 3 "part 2 has returned, and part 1 waits for it in reduce; $failed"
wrong ignores 3 "the service 'team': part 2 has returned, and part 1 waits for it in reduce; $failed"
wrong no-unit 3 'gather with units of 0 bytes'
wrong in-create 2 \
    'part 1 of 2: shares/cpu: create: the service '\''team'\'': reduce: only advance and measure can call it'
wrong other-result 2 'advance reported that buffer 0 holds the result of part 1, and buffer 1 that of part 2'
# Which thread comes first is not determined: one may find another of its part waiting.
wrong tasks 2 "shares/cpu: advance: the service 'team': part "
wrong crashes 3 'shares'
plan
