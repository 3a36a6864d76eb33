#!/bin/bash
# Given a program in which one call for memory, a file or a folder fails, when it runs, then it ends with a documented
# status and one sentence that gives the reason, and the files that it leaves are complete; or it does not need the call
# and succeeds.
. "$(dirname "$0")/common"
ldd "$ENGINE" | grep -q libasan && skip_all 'the sanitizers and the shim both put themselves before malloc'

# Which errors a kind of call may meet; `full`, `short` and `kill` are the shim's.
calls=(alloc thread open read write close fsync rename mkdir unlink truncate stat list lock)
declare -A hows=([alloc]=ENOMEM [thread]=EAGAIN [open]='EMFILE EACCES kill' [read]='EIO short'
    [write]='ENOSPC full short EIO kill' [close]=EIO [fsync]='EIO kill' [rename]='ENOSPC kill' [mkdir]='EACCES kill'
    [unlink]='EIO kill' [truncate]='EIO kill' [stat]=EIO [list]=EIO [lock]=ENOLCK)

# Runs that write every format that their fields allow.
configure cells life2d-bit 'rle npy png vti' \
    'hash_every = 1\n[grid]\nsize = 40 24\n[init]\nsource = random\n[checkpoint]\nevery = 1\nkeep = 3\n'
configure volume life3d-packed 'rle3 npy png vti snapshot' '[grid]\nsize = 12 10 8\n[init]\nsource = random\n'
configure particles nbody 'npy xyz lammpstrj vti png csv svg' '[particles]\ncount = 40\n[init]\nsource = plummer\n'\
'[analyse]\nplugin = rdf\n[rdf]\nbins = 8\nr_max = 2\n[checkpoint]\nevery = 2\n'

configure trajectories nbody 'gsd xtc trr gro pdb dcd nc' '[particles]\ncount = 40\n[init]\nsource = plummer\n'
configure hdf5 nbody 'h5md vtkhdf' '[particles]\ncount = 40\n[init]\nsource = plummer\n'

# all_memory NAME ARGUMENT…: the pieces of memory that a run takes beyond a check. The short form tries the first piece
# that the same functions ask for, in this run and in those before it, and every 16th. A sample of all pieces missed files
# that lacked their notes or their heads, and a drawing that gave a wrong reason.
: >"$TMP/met"
all_memory() {
    local name=$1 checked numbers
    shift
    whole "$name: check" check "$@"
    checked=$(count alloc)
    whole "$name" run "$@" --quiet
    numbers=$(awk -v checked="$checked" 'FILENAME == ARGV[1] { met[$0]++; next }
        FNR > checked && met[$0]++ % 16 == 0 { print FNR }' "$TMP/met" "$TMP/callers" | paste -sd ,)
    tail -n +$((checked + 1)) "$TMP/callers" >>"$TMP/met"
    AFTER=$checked MOST=$(count alloc) NUMBERS=$numbers every "$name" alloc ENOMEM run "${@//HERE/"$TMP/here"}" --quiet
}

once=(--set run.steps=0 --set checkpoint.every=0 --set run.output=HERE)
all_memory 'one pattern' "$TMP/cells.ini" "${once[@]}" --set output.formats=rle
all_memory 'one array' "$TMP/cells.ini" "${once[@]}" --set output.formats=vti
all_memory 'one film' "$TMP/cells.ini" "${once[@]}" --set output.formats=apng
all_memory 'one drawing' "$TMP/particles.ini" "${once[@]}" --set output.formats=svg
expect 'the pieces of memory have hundreds of callers' test "$(sort -u "$TMP/met" | wc -l)" -gt 400

for name in cells volume particles trajectories; do
    try_all "$name" run "$TMP/$name.ini" --set run.output=HERE --json --quiet
done
try_all convert convert tests/faults/glider.rle HERE/glider.vti --quiet
try_all check check "$TMP/cells.ini" --json
try_all list list --json
try_all describe describe nbody
"$ENGINE" run "$TMP/cells.ini" --quiet --set "run.output=$TMP/recorded" --set output.formats=snapshot
# An audit reads a summary, and json-c crashes if it gets no memory for a key. An error is never taken for a difference.
export BEFORE=$TMP/recorded XDG_STATE_HOME=$TMP/state
audit=(audit HERE --all --impl cpu-serial --seed 7 --json)
whole audit "${audit[@]}"
for call in thread:EAGAIN open:EMFILE read:EIO read:short close:EIO stat:EIO list:EIO; do
    [ "$(count "${call%:*}")" = 0 ] || every audit "${call%:*}" "${call#*:}" "${audit[@]//HERE/"$TMP/here"}"
done
unset BEFORE
try_all verify verify "$TMP/cells.ini" --steps 4 --impl cpu --json

# libhdf5 crashes if it gets no memory. Every write of its files is tried: the one of the close is another one.
if [ -e "$BUILD/plugins/h5md.format.so" ]; then
    calls=("${calls[@]:1}")
    try_all hdf5 run "$TMP/hdf5.ini" "${once[@]}" --quiet
    MOST=$(count write)
    for how in ENOSPC full; do
        every 'hdf5, all' write "$how" run "$TMP/hdf5.ini" "${once[@]//HERE/"$TMP/here"}" --quiet
    done
else
    skip 'hdf5' 'built without libhdf5; tools/setup --tests installs libhdf5-dev'
fi
echo "# $tried faults"
plan
