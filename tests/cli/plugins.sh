#!/bin/bash
# Broken plugins on the command line: the program ends with status 4 and a sentence that names the file. A run that
# fails in the middle leaves the expected files.
. "$(dirname "$0")/common"
bad=$BUILD/tests/bad

# run_with PLUGIN [OPTION]…
run_with() {
    sed "s/life2d-bit/$1/; s/= 4/= 6/" "$TMP/good.ini" >"$TMP/bad.ini"
    local name=$1
    shift
    run "$ENGINE" run "$TMP/bad.ini" --plugins "$bad" --set "run.output=$TMP/$name" "$@"
}

# Those that are refused before anything of theirs runs. NAME TEXT
while read -r name text; do
    [ -e "$bad/$name.so" ] || {
        not_ok "$name was built"
        continue
    }
    run_with "$name"
    expect_equal "$name: status 4" "$status" 4
    expect_stderr_has "$bad/$name.so: "
    expect_stderr_has "$text"
    expect "$name: no folder is made" test ! -e "$TMP/$name"
    expect_status 4 "$ENGINE" describe "$name" --plugins "$bad"
done <<'PLUGINS'
wrong_magic magic
newer_major major
newer_minor minor
short_struct bytes
long_struct bytes
wrong_pointer_size pointer
missing_symbol exports no symbol engine_plugin
function_symbol is not data
name_mismatch name
null_name name
duplicate_param width
bad_default default
zero_item_size 0
PLUGINS

# Those whose implementations cannot run this.
run_with failing_probe
expect_equal 'failing_probe: status 4' "$status" 4
expect_stderr_has failing_probe
run_with no_impl_built
expect_equal 'no_impl_built: status 4' "$status" 4
expect_stderr_has 'not compiled'
run_with short_layout
expect_equal 'short_layout: status 4' "$status" 4
expect_stderr_has "shallower than the field's reach"
for name in failing_probe no_impl_built short_layout; do
    expect "$name: no folder is made" test ! -e "$TMP/$name"
done

run_with failing_create
expect_not 'failing_create: fails' test "$status" = 0
expect_stderr_has failing_create
expect 'failing_create: no folder is made' test ! -e "$TMP/failing_create"

# A plugin of an older minor version with a larger structure is none of these: it runs.
run_with older_minor_larger_struct --quiet
expect_equal 'older_minor_larger_struct runs' "$status" 0

# ---- In the middle of a run: the device failed at the third step. What was due before it is there, whole.
run_with failing_advance --set output.every=1
expect_equal 'failing_advance: status 5, what its code means' "$status" 5
expect_stderr_has 'a bead is stuck at step 3'
expect_stderr_has 'at step 2'
expect_equal 'failing_advance: steps 0 to 2 are there' \
    "$(cd "$TMP/failing_advance" && ls | tr '\n' ' ')" \
    'cells-0000000000.npy cells-0000000001.npy cells-0000000002.npy config.ini '
run_with liar --quiet --set output.every=1 --set run.implementation=cpu
expect_same "$TMP/failing_advance/cells-0000000002.npy" "$TMP/liar/cells-0000000002.npy"
rm -rf "$TMP/failing_advance"
run_with failing_advance --json --quiet
expect_equal 'failing_advance --json: status 5' "$status" 5
expect 'failing_advance --json: nothing on stdout' test ! -s "$TMP/stdout"
expect 'failing_advance --quiet: the error all the same' grep -q 'a bead is stuck' "$TMP/stderr"

run_with losing_advance --set output.every=1
expect_equal 'losing_advance: status 5' "$status" 5
expect_stderr_has 'the beads fell off at step 3'
expect_stderr_has 'the state is lost'
expect 'losing_advance: the lost state is not written' test ! -e "$TMP/losing_advance/cells-0000000003.npy"
expect_same "$TMP/losing_advance/cells-0000000002.npy" "$TMP/liar/cells-0000000002.npy"

# One that crashes takes the process with it: a signal, with sanitizers as without, and what was saved before is there
# and whole.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0 run_with crashing --quiet --set checkpoint.every=1
expect_equal 'crashing: killed by SIGSEGV' "$status" 139
saved=$(cd "$TMP/crashing" && ls checkpoint-*.snapshot | tail -n 1)
step=${saved//[!0-9]/}
expect_status 0 "$ENGINE" convert "$TMP/crashing/$saved" "$TMP/saved.npy" --quiet
expect_same "$TMP/saved.npy" "$TMP/liar/cells-$step.npy"
expect 'crashing: it is of one of the steps before' test "$step" = 0000000001 -o "$step" = 0000000002

# ---- list goes on past them, says why, and that not all is well
expect_status 4 "$ENGINE" list --plugins "$bad"
for word in life2d-bit liar failing_create; do
    expect_stdout_has "$word"
done
for name in wrong_magic newer_major missing_symbol; do
    expect_stderr_has "$bad/$name.so: "
    expect_stdout_hasnt "$name"
done

# ---- Files that others may write are not loaded
if [ "$(id -u)" = 0 ] || [ -w "$TMP" ]; then
    mkdir "$TMP/open" "$TMP/odd"
    cp "$BUILD/plugins/life2d-bit.so" "$TMP/odd/"
    chmod o+w "$TMP/odd/life2d-bit.so"
    refused 'a file that everyone can write to' 4 'everyone can write' "$ENGINE" describe life2d-bit \
        --plugins "$TMP/odd"
    cp "$BUILD/plugins/life2d-bit.so" "$TMP/open/"
    chmod o-w "$TMP/open/life2d-bit.so" && chmod o+w "$TMP/open"
    refused 'a folder that everyone can write to' 4 'everyone can put files' "$ENGINE" describe life2d-bit \
        --plugins "$TMP/open"
fi
mkdir "$TMP/text" && echo 'not a program' >"$TMP/text/life2d-bit.so"
refused 'a text file' 4 "$TMP/text/life2d-bit.so: " "$ENGINE" describe life2d-bit --plugins "$TMP/text"
mkdir "$TMP/none"
refused 'an empty file' 4 "$TMP/none/life2d-bit.so: " \
    sh -c ": >'$TMP/none/life2d-bit.so'; '$ENGINE' describe life2d-bit --plugins '$TMP/none'"

# ---- A configuration that names the folder of its plugin needs no --plugins, whatever the verb.
mkdir -p "$TMP/own/plugins"
cp "$bad/older_minor_larger_struct.so" "$TMP/own/plugins/"
sed 's/life2d-bit/older_minor_larger_struct\nplugins = plugins/' "$TMP/good.ini" >"$TMP/own/own.ini"
expect_status 0 "$ENGINE" check "$TMP/own/own.ini"
expect_stdout_has "($(realpath "$TMP")/own/plugins/older_minor_larger_struct.so)"
expect_status 0 "$ENGINE" verify "$TMP/own/own.ini" --steps 1
expect_status 0 "$ENGINE" bench "$TMP/own/own.ini" --steps 1 --repeats 1
expect_status 0 "$ENGINE" run "$TMP/own/own.ini" --quiet --set "run.output=$TMP/own-run"
expect 'config.ini has the whole path' grep -q "^plugins = $(realpath "$TMP")/own/plugins\$" "$TMP/own-run/config.ini"
expect_status 0 "$ENGINE" resume "$TMP/own-run" --quiet --set run.steps=9
mv "$TMP/own" "$TMP/moved"
expect_status 2 "$ENGINE" resume "$TMP/own-run" --set run.steps=12
expect_stderr_has '[run] plugins: '
expect_stderr_has 'expected a folder of plugins'
expect_status 0 "$ENGINE" resume "$TMP/own-run" --quiet --set run.steps=12 --set "run.plugins=$TMP/moved/plugins"
mkdir "$TMP/first"
cp "$bad/older_minor_larger_struct.so" "$TMP/first/"
expect_status 0 "$ENGINE" check "$TMP/moved/own.ini" --plugins "$TMP/first"
expect_stdout_has "($(realpath "$TMP")/first/older_minor_larger_struct.so)"
plan
