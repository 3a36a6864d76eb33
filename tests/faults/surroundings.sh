#!/bin/bash
# Faults around a run: standard streams that are closed or full, and a folder that is read-only or disappears. The run
# ends with a documented status and gives the reason if a stream can still take it.
. "$(dirname "$0")/common"

cat >"$TMP/run.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 40
[grid]
size = 64 48
[init]
source = random
[output]
every = 10
formats = npy
[checkpoint]
every = 10
INI
engine() { "$ENGINE" run "$TMP/run.ini" --set "run.output=$TMP/$1" "${@:2}"; }

# ---- Standard streams
engine plain --json --quiet >"$TMP/plain.json"
status_of() { "$@"; status=$?; }
for name in stdout stderr both; do
    case $name in
    stdout) status_of engine "closed-$name" --quiet --json >&- 2>"$TMP/stderr" ;;
    stderr) status_of engine "closed-$name" >/dev/null 2>&- ;;
    both) status_of engine "closed-$name" --json >&- 2>&- ;;
    esac
    # Nothing that the run opens takes the number of a stream that is closed, and then what is printed there.
    expect "$name closed: the files are whole" diff -r -x summary.json -x config.ini -x '*.snapshot' "$TMP/plain" \
        "$TMP/closed-$name"
    if [ "$name" = stderr ]; then
        expect_equal "$name closed: done all the same" "$status" 0
    else
        expect_equal "$name closed: what was asked for could not be printed: status 6" "$status" 6
    fi
done
if [ -e /dev/full ]; then
    status_of engine full --json --quiet >/dev/full 2>"$TMP/stderr"
    expect_equal 'stdout full: status 6' "$status" 6
    expect_stderr_has 'standard output: cannot write: No space left'
fi
# A reader that has gone: SIGPIPE ends the program, as it ends others, and the run can be resumed.
(engine pipe --json --quiet; echo $? >"$TMP/pipe.status") | true
expect "a reader that has gone: 141, or 0 where it was quicker" grep -qE '^(141|0)$' "$TMP/pipe.status"
expect_status 0 "$ENGINE" resume "$TMP/pipe" --quiet

# ---- Folders
mkdir "$TMP/mine" && touch "$TMP/file"
run engine file/out
expect_equal 'below a file: status 6' "$status" 6
expect_stderr_has "$TMP/file/out: cannot make this folder: Not a directory"
if [ "$(id -u)" != 0 ]; then
    chmod a-w "$TMP/mine"
    run engine mine/out
    expect_equal 'a folder that may not be written to: status 6' "$status" 6
    expect_stderr_has 'Permission denied'
elif mkdir "$TMP/read-only" && mount -t tmpfs -o ro none "$TMP/read-only" 2>/dev/null; then
    run engine read-only/out
    expect_equal 'a file system that is read only: status 6' "$status" 6
    expect_stderr_has 'Read-only file system'
    run engine read-only
    expect_equal 'and as the folder itself: status 6' "$status" 6
    umount "$TMP/read-only"
else
    skip 'a file system that is read only' 'nothing may be mounted here'
fi

# ---- Limits
(
    ulimit -f 4
    engine limited --quiet --set run.steps=40 --set 'grid.size=200 200' >"$TMP/stdout" 2>"$TMP/stderr"
)
expect_equal 'a file longer than `ulimit -f` allows: status 6' "$?" 6
expect_stderr_has 'cannot be written: File too large'
expect 'and it can be resumed where the limit is gone' "$ENGINE" resume "$TMP/limited" --quiet

# The stacks of 64 threads do not fit. libgomp, which gets no thread, would end the program with status 1.
if ldd "$ENGINE" | grep -q libasan; then
    skip 'no threads' 'the sanitizers need more address space'
else
    (ulimit -v 400000 && engine threads --quiet --set run.threads=64) </dev/null >/dev/null 2>"$TMP/stderr"
    expect_equal 'no threads: status 5' "$?" 5
    expect_stderr_has 'engine: cannot start 64 threads: Resource temporarily unavailable; give a smaller number in [run] threads'
    expect 'no threads: no folder' test ! -e "$TMP/threads"
fi

# A run without end, whose folder is moved and then removed.
"$ENGINE" run "$TMP/run.ini" --set "run.output=$TMP/gone" --set run.steps=10000000 --quiet </dev/null >/dev/null \
    2>"$TMP/stderr" &
for ((i = 0; i < 600; i++)); do
    [ -e "$TMP/gone/cells-0000000010.npy" ] && break
    sleep 0.1
done
mv "$TMP/gone" "$TMP/elsewhere"
mkdir "$TMP/gone"
before=$(ls "$TMP/elsewhere" | wc -l)
for ((i = 0; i < 600 && $(ls "$TMP/elsewhere" | wc -l) <= before; i++)); do
    sleep 0.1
done
expect 'a folder that is moved keeps its files together' test "$(ls "$TMP/elsewhere" | wc -l)" -gt "$before"
expect_equal 'another one in its place stays empty' "$(ls -A "$TMP/gone")" ''
kill -TERM $!
wait $!
expect_equal 'stopped' "$?" 143
expect_stderr_has "$TMP/gone: this folder was moved or removed while the run wrote there"
saved=$(cd "$TMP/elsewhere" && ls checkpoint-*.snapshot | tail -n 1 | tr -dc 0-9)
expect 'what was saved there goes on where it is now' "$ENGINE" resume "$TMP/elsewhere" --quiet \
    --set run.steps=$((10#${saved:-0} + 10))

"$ENGINE" run "$TMP/run.ini" --force --set "run.output=$TMP/gone" --set run.steps=10000000 --quiet </dev/null \
    >/dev/null 2>"$TMP/stderr" &
for ((i = 0; i < 600; i++)); do
    [ -e "$TMP/gone/cells-0000000010.npy" ] && break
    sleep 0.1
done
mv "$TMP/gone" "$TMP/going" # nothing is written there while rm works
while ! rm -rf "$TMP/going" 2>/dev/null; do :; done
wait $!
expect_equal 'a folder that is removed: status 6' "$?" 6
expect_stderr_has "$TMP/gone/"
expect_stderr_hasnt 'is saved; to continue'
plan
