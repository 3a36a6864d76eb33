#!/bin/bash
# Runs of several hosts under mpirun. The hosts are network namespaces of this machine, each with a name and an address
# of its own. One bridge joins them, so a host can be cut off. Processes find each other by TCP alone, and mpirun starts
# them through an agent in the place of ssh.
. "$(dirname "$0")/common"
umask 022
. "$(dirname "$0")/processes"
. "$(dirname "$0")/shared_runs"
read -r -a cc <<<"${CC:-cc}"

[ "$(id -u)" = 0 ] || skip_all 'only root may make network namespaces'
command -v ip unshare >/dev/null || skip_all 'there is no ip or no unshare; tools/setup --tests installs iproute2'

# ---- Hosts --------------------------------------------------------------------------------------------------------

tag=engine-$$
hosts=(one two three)

remove_hosts() {
    for host in "${hosts[@]}"; do
        ip netns pids "$tag-$host" 2>/dev/null | xargs -r kill -KILL
        ip netns delete "$tag-$host"
    done
    ip netns delete "$tag-bridge"
} 2>/dev/null
trap 'remove_hosts; rm -rf "$TMP"' EXIT

make_hosts() {
    local n=0
    ip netns add "$tag-bridge" && ip -n "$tag-bridge" link add bridge type bridge &&
        ip -n "$tag-bridge" link set bridge up || return 1
    for host in "${hosts[@]}"; do
        n=$((n + 1))
        ip netns add "$tag-$host" &&
            ip link add wire netns "$tag-$host" type veth peer name "to-$host" netns "$tag-bridge" &&
            ip -n "$tag-bridge" link set "to-$host" master bridge up && ip -n "$tag-$host" link set lo up &&
            ip -n "$tag-$host" address add "10.87.0.$n/24" dev wire && ip -n "$tag-$host" link set wire up || return 1
        echo "10.87.0.$n $host" >>"$TMP/addresses"
        echo "$host slots=1" >>"$TMP/slots"
    done
}
[ -e /etc/hosts ] || skip_all 'there is no file /etc/hosts, in whose place each host sees its own'
if ! said=$(make_hosts 2>&1); then skip_all "the system does not allow network namespaces: ${said//$'\n'/; }"; fi

# on HOST COMMAND…: a command on that host. $TMP/prepare.HOST, if there is one, first changes what files the host has.
echo "$tag" >"$TMP/tag"
cat >"$TMP/on" <<'END'
#!/bin/bash
folder=$(dirname "$0")
exec ip netns exec "$(<"$folder/tag")-$1" unshare --uts bash -c '
    hostname "$1" && mount --bind "$0/addresses" /etc/hosts || exit 1
    [ ! -e "$0/prepare.$1" ] || . "$0/prepare.$1"
    exec "${@:2}"' "$folder" "$@"
END
# Open MPI gives its agent a host and a line for a shell.
printf '#!/bin/bash\nhost=$1; shift; exec "%s/on" "$host" sh -c "$*"\n' "$TMP" >"$TMP/agent"
mkdir "$TMP/path"
printf '#!/bin/bash\nexec "%s/on" one "%s" "$@"\n' "$TMP" "$(command -v mpirun)" >"$TMP/path/mpirun"
chmod +x "$TMP/on" "$TMP/agent" "$TMP/path/mpirun"
PATH=$TMP/path:$PATH
export OMPI_MCA_plm_rsh_agent=$TMP/agent OMPI_MCA_orte_default_hostfile=$TMP/slots
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=wire OMPI_MCA_oob_tcp_if_include=wire
# The same for mpirun of Open MPI 5, which would start all processes on one host.
export PRTE_MCA_plm_ssh_agent=$TMP/agent PRTE_MCA_prte_default_hostfile=$TMP/slots PRTE_MCA_prte_if_include=wire
export PRTE_MCA_rmaps_default_mapping_policy=node

expect_status 0 timeout -k 5 60 mpirun -n 3 hostname
expect_equal 'each process has a host of its own' "$(sort "$TMP/stdout" | tr '\n' ' ')" 'one three two '

# ---- The same bits ------------------------------------------------------------------------------------------------

# expect_like_whole NAME: the files, the metrics and the hash are those of the run `whole`; one result.
expect_like_whole() {
    local wrong=()
    [ "$(member "$1" hash)" = "$(member whole hash)" ] || wrong+=("hash $(member "$1" hash)")
    for file in "$TMP"/whole/*.{npy,csv}; do
        [ ! -e "$file" ] || cmp -s "$TMP/$1/${file##*/}" "$file" || wrong+=("${file##*/} differs")
    done
    if [ ${#wrong[@]} = 0 ]; then ok "$1 is like one process"; else not_ok "$1 is like one process" "${wrong[@]}"; fi
}

configure life2d-bit '67 31'
go whole 0
go ranks 3
expect_like_whole ranks
expect_equal 'the summary names the processes' "$(member ranks ranks) $(member ranks transport)" '3 host'

printf '[run]\nplugin = nbody\nsteps = 3\nthreads = 1\n[particles]\ncount = 50\n[init]\nsource = plummer\n%b' \
    '[output]\nmetrics_every = 1\nformats = npy\n' >"$TMP/run.ini"
go whole 0
go ranks 3
expect_like_whole ranks

printf '[run]\nplugin = rdf\nsteps = 2\nthreads = 1\n[particles]\ncount = 500\nbox = 3 4 5\n[init]\nsource = uniform\n%b' \
    '[output]\nformats = npy\n[rdf]\nr_max = 1\n' >"$TMP/run.ini"
go whole 0
go ranks 2
expect_like_whole ranks

printf '[run]\nplugin = transpose\nsteps = 3\nthreads = 1\n[matrix]\ncolumns = 301\nrows = 70\nelement = float64\n%b' \
    '[init]\nsource = random\n[output]\nformats = npy\n' >"$TMP/run.ini"
go whole 0
go ranks 3
expect_like_whole ranks

# The hosts share the members of an ensemble.
configure life2d-bit '20 12'
members=(run "$TMP/run.ini" --sweep init.seed=1..6 --force --set)
expect_status 0 "$ENGINE" "${members[@]}" "run.output=$TMP/alone"
expect_status 0 mpi 3 "${members[@]}" "run.output=$TMP/shared"
expect_same "$TMP/shared/metrics.csv" "$TMP/alone/metrics.csv"

# ---- Failures -----------------------------------------------------------------------------------------------------

cat >"$TMP/long.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 1000000000
threads = 1
[grid]
size = 320 130
[init]
source = random
[checkpoint]
seconds = 0.2
signal = USR1
INI

# expect_goes_on N: the run in $TMP/long goes on on N hosts from its last checkpoint, and has the bits of a whole run.
expect_goes_on() {
    local step
    step=$(basename "$(printf '%s\n' "$TMP"/long/checkpoint-*.snapshot | tail -n 1)" .snapshot)
    step=$((10#${step#checkpoint-} + 100))
    expect_status 0 mpi "$1" resume "$TMP/long" --set "run.steps=$step" --json
    cp "$TMP/stdout" "$TMP/resumed.json"
    expect_status 0 "$ENGINE" run "$TMP/long.ini" --set "run.output=$TMP/other" --force --json --set "run.steps=$step"
    expect_equal 'the bits of a whole run' "$(json "$TMP/resumed.json" '{hash}')" "$(json "$TMP/stdout" '{hash}')"
}

begin 3 3
interrupt
[ -z "$told" ] || expect_stderr_has 'engine: stopped by signal 15; step'
expect 'all processes end after SIGTERM' gone
expect_goes_on 2

begin 2 0
kill -USR1 "$(pgrep -P "$job")"
finish
expect_equal 'the signal of [checkpoint] stops all' "$status" 138
expect_goes_on 3

begin 3 0
kill -KILL "$(<"$TMP/pid.1")"
finish
expect_equal 'a killed process: mpirun ends by itself' "$((status != 0 && status != 124))" 1
expect 'a killed process: all others end' gone
expect_goes_on 2

expect_stopped 3 1

# A cable is pulled: nothing arrives any more, and no connection ends. mpirun notices that by itself if it asks often
# enough (docs/explain/scaling.md).
keepalive=({OMPI,PRTE}_MCA_oob_tcp_keepalive_{time=2,intvl=1,probes=2})
export "${keepalive[@]}"
begin 3 0
ip -n "$tag-bridge" link set to-two down
finish
expect_equal 'a host without network: mpirun ends by itself' "$((status != 137 && status != 124))" 1
[ -z "$told" ] || expect_equal 'and not with success' "$((status != 0))" 1 # Open MPI 5: 0
expect 'all processes end, also on that host' gone
ip -n "$tag-bridge" link set to-two up
sleep 2 # until the bridge forwards again
expect_goes_on 2

# Otherwise [run] patience finds it, and the state is saved. The first process ends, but mpirun waits for the host.
export -n "${keepalive[@]%=*}"
unset "${keepalive[@]%=*}"
begin 3 0 --set run.patience=2
ip -n "$tag-bridge" link set to-two down
for ((i = 0; i < 200; i++)); do
    grep -q 'is saved' "$TMP/stderr" && break
    sleep 0.1
done
expect_stderr_has 'rank 1 has not answered for 2 seconds; look at the process there, or '
expect_stderr_has 'is saved; to continue: engine resume'
kill -KILL "$(pgrep -P "$job")"
ip -n "$tag-bridge" link set to-two up
finish
expect 'all processes end when the network is back' gone
expect_goes_on 3

# ---- Hosts that differ --------------------------------------------------------------------------------------------

# expect_refused STATUS SENTENCE: the run ends at its start, and one process says so.
configure life2d-bit '30 20'
expect_refused() {
    expect_status "$1" mpi 3 run "$TMP/run.ini" --set "run.output=$TMP/none" --force "${@:3}"
    expect_stderr_has "$2"
    expect_equal 'one process says so' "$(grep -c '^engine: rank' "$TMP/stderr")" 1
}
mkdir "$TMP/empty"
echo "mount --bind '$TMP/empty' '$BUILD/plugins'" >"$TMP/prepare.two"
expect_refused 4 "rank 1: unknown plugin 'life2d-bit'"
cp "$BUILD/plugins/life2d-bit.so" "$TMP/life2d-bit.so"
printf 'x' >>"$TMP/life2d-bit.so"
echo "mount --bind '$TMP/life2d-bit.so' '$BUILD/plugins/life2d-bit.so'" >"$TMP/prepare.two"
expect_refused 4 'rank 1: the checksum of the plugin life2d-bit is '
version=$("$ENGINE" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
perl -pe "s/(?<![0-9.])\Q$version\E(?![0-9])/${version%?}7/g" "$ENGINE" >"$TMP/engine"
chmod +x "$TMP/engine"
echo "mount --bind '$TMP/engine' '$ENGINE'" >"$TMP/prepare.two"
expect_refused 4 "rank 1: the version of the engine is "
expect_stderr_has 'start the same program on all hosts'
rm "$TMP/prepare.two"

# A host lacks what the implementation needs, such as a GPU.
cat >"$TMP/picky.c" <<'C'
#define ENGINE_MINOR 5
#include <engine/plugin.h>
#include <string.h>
#include <unistd.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self, (void) call;
    return ENGINE_OK;
}
static int probe(const struct engine_host *host, const struct engine_plan *plan)
{
    char name[64] = "";
    (void) plan;
    gethostname(name, sizeof name - 1);
    return strcmp(name, "three") == 0 ? ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "this host has no such device") : 0;
}
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = 2, .reach = {1, 1, 0}}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_DIVISIBLE),
     .probe = probe, .advance = advance}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("picky", "1", ""), .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls)};
C
expect 'the plugin compiles' "${cc[@]}" -std=c11 -D_GNU_SOURCE -fPIC -shared -Iinclude "$TMP/picky.c" -o "$TMP/picky.so"
configure picky '9 9'
expect_refused 4 'rank 2: ' --plugins "$TMP"
expect_stderr_has 'this host has no such device'
plan
