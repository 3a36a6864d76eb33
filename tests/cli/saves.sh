#!/bin/bash
# Snapshots and checkpoints that all processes of a run write into one file: their bytes are those that one process
# writes, they resume in any number of processes, and a failure of any process leaves the checkpoint before it whole.
. "$(dirname "$0")/common"
. "$(dirname "$0")/processes"
. "$(dirname "$0")/shared_runs"
read -r -a cc <<<"${CC:-cc}"

# content FOLDER: the text and the cells of its snapshots, and the sizes and checksums of their compressed blocks,
# without the lines of the configuration that differ between the runs.
content() {
    zcat "$TMP/$1"/*.snapshot | LC_ALL=C sed -E '/^  *"(output|parts|threads) = /d'
}

# expect_bytes N ARGUMENT…: N processes write the snapshots of the run `whole`.
expect_bytes() {
    go ranks "$1" "${@:2}"
    expect "$1 processes write the bytes of one" cmp -s <(content whole) <(content ranks)
    expect_equal 'and find its hash' "$(member ranks hash)" "$(member whole hash)"
    expect 'process 0 does not write alone' sh -c "! grep -q 'alone' '$TMP/stderr'"
}

# snapshots PLUGIN SIZE LINES ARGUMENT…: a run with snapshots of the first state and of the state after a step.
snapshots() {
    printf '[run]\nplugin = %s\nsteps = 1\nthreads = 1\n[grid]\nsize = %s\n[init]\n%b' "$1" "$2" \
        "$3\n[output]\nevery = 1\nformats = snapshot\n" >"$TMP/run.ini"
    go whole 0 "${@:4}"
}

# ---- The same bytes -----------------------------------------------------------------------------------------------

# Blocks of whole bands of eight rows: several of one process, one of several processes, one in all.
snapshots life2d-bit '4001 6007' 'source = random'
expect_bytes 2
expect_bytes 4
expect_bytes 2 --set run.parts=5 --set run.threads=3
snapshots life2d-bit '67 13' 'source = random'
expect_bytes 3
# Bands that are longer than a block: two processes need the same rows.
snapshots life2d-bit '1050001 27' 'source = random'
expect_bytes 3
# Blocks of several planes, whose last bands have fewer rows.
snapshots life3d-packed '611 403 37' 'source = random'
expect_bytes 2 --set run.threads=2
expect_bytes 3
# Universes.
snapshots life2d-bit '301 203' 'source = random' --set grid.batch=149
expect_bytes 3 --set grid.batch=149
# Numbers, and more blocks than a round has.
expect 'gray-scott compiles' "${cc[@]}" -std=c11 -O2 -ffp-contract=off -fvisibility=hidden -fPIC -shared -Iinclude \
    examples/gray-scott/plugin.c -lm -o "$TMP/gray-scott.so"
snapshots gray-scott '4100 4200' 'source = square' --plugins "$TMP"
expect_bytes 2 --plugins "$TMP"
# Matrices, whose rows and columns swap in each step: the processes have rows of the present matrix.
matrix=(--set matrix.columns=1301 --set matrix.rows=701 --set matrix.element=complex64)
printf '[run]\nplugin = transpose\nsteps = 1\nthreads = 1\n[init]\nsource = random\n%b' \
    '[output]\nevery = 1\nformats = snapshot\n[checkpoint]\nevery = 1\n' >"$TMP/run.ini"
go whole 0 "${matrix[@]}"
expect_bytes 2 "${matrix[@]}"
expect_bytes 3 "${matrix[@]}"
# They resume in other numbers of processes, from an odd step and from an even one.
go whole 0 "${matrix[@]}" --set run.steps=4
for next in '2 2' '4 4'; do
    read -r processes steps <<<"$next"
    expect_status 0 mpi "$processes" resume "$TMP/ranks" --set "run.steps=$steps" --json
done
mv "$TMP/stdout" "$TMP/ranks.json"
expect_equal 'transpose, resumed twice' "$(member ranks first_step) $(member ranks hash)" "2 $(member whole hash)"

# ---- Checkpoints --------------------------------------------------------------------------------------------------

# They resume in any number of processes. Compression does not matter.
for compression in deflate none; do
    printf '[run]\nplugin = life2d-bit\nsteps = 8\nthreads = 1\n[grid]\nsize = 3001 2999\n[init]\nsource = random\n%b' \
        "[output]\nformats = npy\n[checkpoint]\nevery = 4\ncompression = $compression\n" >"$TMP/run.ini"
    [ $compression = none ] || go whole 0
    for next in $([ $compression = none ] && echo 4 || echo 0 2); do
        go ranks 3 --set run.steps=4
        launch=("$ENGINE")
        [ $next = 0 ] || launch=(mpi $next)
        expect_status 0 "${launch[@]}" resume "$TMP/ranks" --set run.steps=8 --json
        mv "$TMP/stdout" "$TMP/ranks.json"
        expect_equal "3 processes, then $next: it was resumed" "$(member ranks first_step)" 4
        expect 'process 0 does not read alone' sh -c "! grep -q 'alone' '$TMP/stderr'"
        expect_equal 'and ends with the hash of one process' "$(member ranks hash)" "$(member whole hash)"
    done
done

# A damaged block of process 1: the run goes on from the checkpoint before.
perl -e 'open my $f, "+<", $ARGV[0] or die; seek $f, int(0.97 * -s $f), 0; print $f "damaged"' \
    "$TMP/ranks/checkpoint-0000000008.snapshot"
expect_status 0 mpi 2 resume "$TMP/ranks" --set run.steps=9 --json
mv "$TMP/stdout" "$TMP/ranks.json"
expect_stderr_has 'rank 1: '
expect_stderr_has 'of field cells is damaged'
expect 'the damaged checkpoint is kept' test -e "$TMP/ranks/damaged-checkpoint-0000000008.snapshot"
go nine 0 --set run.steps=9
expect_equal 'it goes on from the checkpoint before' "$(member ranks first_step) $(member ranks hash)" \
    "4 $(member nine hash)"

# Another process that does not reach the folder: process 0 writes alone, and says why.
hidden=(unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$TMP/ranks")
together() {
    each "$ENGINE" "${words[@]}" : "${hidden[@]}" "$ENGINE" "${words[@]}"
}
mkdir -p "$TMP/ranks"
if "${hidden[@]}" true 2>/dev/null; then
    words=(run "$TMP/run.ini" --set "run.output=$TMP/ranks" --force --json)
    expect_status 0 together
    mv "$TMP/stdout" "$TMP/ranks.json"
    expect_stderr_has 'rank 1: '
    expect_stderr_has 'cannot be opened: No such file or directory; so process 0 alone writes the snapshots'
    expect_equal 'it says so once' "$(grep -c 'alone writes' "$TMP/stderr")" 1
    expect_equal 'the hash of one process' "$(member ranks hash)" "$(member whole hash)"
    words=(resume "$TMP/ranks" --set run.steps=9)
    expect_status 0 together
    expect_stderr_has 'so process 0 alone reads the snapshot'
else
    skip 'a folder that another process does not reach' 'only root may mount'
fi

# ---- Failures -----------------------------------------------------------------------------------------------------

# Dead cells in the first half, which process 0 has, and random ones in the other: the blocks of process 1 are long.
perl -e 'srand 1;
    print "\x93NUMPY\x01\x00", pack("v", 118);
    printf "%-117s\n", "{\x27descr\x27: \x27|u1\x27, \x27fortran_order\x27: False, \x27shape\x27: (4096, 4096), }";
    $row = join("", map { chr(rand() < 0.3) } 1 .. 4095);
    print "\0" x (4096 * 2048), $row x 2048, "\0" x 2048' >"$TMP/half.npy"
cat >"$TMP/long.ini" <<INI
[run]
plugin = life2d-bit
steps = 1000000000
threads = 1
[init]
source = arrays
cells = half.npy
[grid]
size = 4096 4096
[output]
formats =
[checkpoint]
seconds = 0.2
INI

# A process is killed while all write a checkpoint.
begin 2 0
for ((i = 0; i < 3000; i++)); do
    compgen -G "$TMP/long/.tmp.*" >/dev/null && break
    sleep 0.01
done
kill -KILL "$(<"$TMP/pid.1")"
finish
expect_equal 'a killed process: mpirun ends by itself' "$((status != 0 && status != 124))" 1
expect 'and all others end' gone
expect_goes_on 3 2

# Process 1 does not reach the folder, then reaches it, and then does not reach it again: process 0 writes alone as long
# as this lasts, and says so each time that it begins.
cat >"$TMP/hide" <<'SH'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$@"
mount -t tmpfs none "$OUTPUT"
(
    exec >/dev/null 2>&1
    timeout 30 sh -c 'until [ -e "$OUTPUT.shown" ]; do sleep 0.02; done' && umount -l "$OUTPUT"
    timeout 30 sh -c 'until [ -e "$OUTPUT.hidden" ]; do sleep 0.02; done' && mount -t tmpfs none "$OUTPUT"
) &
exec "$@"
SH
# alone N: waits until process 0 has said N times that it writes alone.
alone() {
    for ((i = 0; i < 600; i++)); do
        [ "$(grep -c 'so process 0 alone writes' "$TMP/stderr")" = "$1" ] && return
        sleep 0.05
    done
    return 1
}
if unshare -m true 2>/dev/null; then
    rm -rf "$TMP/long" && mkdir "$TMP/long"
    export OUTPUT=$TMP/long
    launch 2 0 unshare -m bash "$TMP/hide" "$ENGINE" run "$TMP/long.ini" --set "run.output=$TMP/long"
    expect 'process 0 writes alone' alone 1
    touch "$OUTPUT.shown"
    first=$(ls "$OUTPUT")
    for ((i = 0, n = 0; i < 600 && n < 3; i++)); do
        [ "$(ls "$OUTPUT")" = "$first" ] || { first=$(ls "$OUTPUT") && n=$((n + 1)); }
        sleep 0.05
    done
    expect_equal 'it says so once' "$(grep -c 'alone writes' "$TMP/stderr")" 1
    touch "$OUTPUT.hidden"
    expect 'all wrote together in between, and then process 0 alone again' alone 2
    kill -TERM "$(<"$TMP/pid.0")"
    finish
    expect_goes_on 2 2
else
    skip 'a folder that another process reaches at times' 'only root may mount'
fi

# The disk becomes full for process 1: the place that is left is enough for process 0.
mkdir "$TMP/long-disk" && rm -rf "$TMP/long"
if mount -t tmpfs -o size=16m none "$TMP/long-disk" 2>/dev/null; then
    trap 'umount "$TMP/long-disk"; rm -rf "$TMP"' EXIT
    mkdir "$TMP/long-disk/long" && ln -s "$TMP/long-disk/long" "$TMP/long"
    launch 2 0 "$ENGINE" run "$TMP/long.ini" --set "run.output=$TMP/long"
    for ((i = 0; i < 600; i++)); do
        compgen -G "$TMP/long/checkpoint-*.snapshot" >/dev/null && break
        sleep 0.05
    done
    kill -STOP $(cat "$TMP"/pid.?)
    cat /dev/zero >"$TMP/long-disk/filler" 2>/dev/null
    truncate -s -100k "$TMP/long-disk/filler"
    kill -CONT $(cat "$TMP"/pid.?)
    finish
    expect_equal 'a full disk: status 6' "$status" 6
    expect_stderr_has ': rank 1: cannot be written: No space left on device'
    expect_equal 'one process says so' "$(grep -c 'No space left' "$TMP/stderr")" 1
    expect 'all processes end' gone
    rm "$TMP/long-disk/filler"
    expect_goes_on 2 2
else
    skip 'a full disk' 'only root may mount a small disk'
fi
plan
