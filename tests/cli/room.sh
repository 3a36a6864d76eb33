#!/bin/bash
# The memory and disk space that a run needs: check prints them, and check and run refuse a run that cannot fit.
. "$(dirname "$0")/common"

# 4 steps of 20 x 10 cells, every 2: 3 arrays of 200 bytes, 3 rows of at least "0,0" and a line's end.
run "$ENGINE" check "$TMP/good.ini" --json --set output.every=2
expect_equal 'three outputs' "$(json "$TMP/stdout" '{output_count}')" 3
expect_equal 'the least: arrays and rows' "$(json "$TMP/stdout" '{disk_bytes_least}')" 612
expect_equal 'no checkpoints, no copy for them' "$(json "$TMP/stdout" '{checkpoint_memory_bytes}')" 0
run "$ENGINE" check "$TMP/good.ini" --json --set output.every=3
expect_equal 'the final state besides those that are due' "$(json "$TMP/stdout" '{output_count}')" 3
run "$ENGINE" check "$TMP/good.ini" --set output.formats=
expect_stdout_has ': the metrics, no states'
run "$ENGINE" check "$TMP/good.ini" --json --set output.formats=png
expect_equal 'what is compressed may come to nothing' "$(json "$TMP/stdout" '{disk_bytes_least}')" 4
run "$ENGINE" check "$TMP/good.ini" --json --set checkpoint.every=2 --set run.implementation=cpu-serial
expect_equal 'a checkpoint is a copy of one of the two buffers' \
    "$((2 * $(json "$TMP/stdout" '{checkpoint_memory_bytes}')))" "$(json "$TMP/stdout" '{memory_bytes}')"
run "$ENGINE" check "$TMP/good.ini" --json --set checkpoint.every=2 --set checkpoint.compression=none \
    --set output.formats=png
expect_equal 'what is not compressed is certain: 20 x 10 cells as columns of eight' \
    "$(json "$TMP/stdout" '{disk_bytes_least}')" 44
expect_equal 'the disk is that of the folder above' "$(json "$TMP/stdout" '{disk_bytes_free}' | wc -l)" 1

# Halfway between the memory that is free and what the machine has.
free=$(awk '/^MemTotal/ { all = $2 } /^MemAvailable/ { free = $2 } END { printf "%.0f", (all + free) * 512 }' \
    /proc/meminfo)
size="$((free / 1000 * 8)) 1000"
for verb in check run; do
    run "$ENGINE" $verb "$TMP/good.ini" --set "grid.size=$size" --set "run.output=$TMP/out" --set output.formats=rle
    expect_equal "$verb: more memory than is free: status 5" "$status" 5
    expect_stderr_has 'GB are free; choose a smaller size'
done
expect 'run: no folder is made' test ! -e "$TMP/out"

size="$((free / 1000 * 5)) 1000" # in place: fits alone, and not twice
run "$ENGINE" check "$TMP/good.ini" --set "grid.size=$size" --set output.formats=rle --set run.implementation=cpu
expect_equal 'without checkpoints it fits' "$status" 0
run "$ENGINE" check "$TMP/good.ini" --set "grid.size=$size" --set output.formats=rle --set run.implementation=cpu \
    --set checkpoint.every=1
expect_equal 'and with them too' "$status" 0
expect_stdout_has 'the run waits while a checkpoint is written, because a copy of the state, '

run "$ENGINE" check "$TMP/good.ini" --set run.steps=1000000000000000 --set output.every=1
expect_equal 'check: more files than any disk holds: status 6' "$status" 6
expect_stdout_has 'which may not be enough'
refused 'run: the same' 6 'are free on the disk' "$ENGINE" run "$TMP/good.ini" --set run.steps=1000000000000000 \
    --set output.every=1 --set "run.output=$TMP/out"

# A control group's limit, where one may be made.
group=/sys/fs/cgroup/engine-test-$$ limit=memory.max
[ -e /sys/fs/cgroup/memory ] && group=/sys/fs/cgroup/memory/engine-test-$$ limit=memory.limit_in_bytes
if mkdir "$group" 2>/dev/null && echo 64M 2>/dev/null >"$group/$limit"; then
    run sh -c "echo \$\$ >$group/cgroup.procs; exec '$ENGINE' check '$TMP/good.ini' --set 'grid.size=40000 40000' --set output.formats=rle"
    expect_equal 'a control group of 64 MiB: status 5' "$status" 5
    expect_stderr_has 'MB are free'
else
    skip 'a control group' 'only root may make one'
fi
rmdir "$group" 2>/dev/null
plan
