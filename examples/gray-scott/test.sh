#!/bin/sh
# gray-scott: facts that do not come from its code. Prints TAP.
# ENGINE: the engine's program; PLUGINS: the folder of gray-scott.so; ORACLE: the program that `make oracle` builds.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-engine} oracle=${ORACLE:-./oracle}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
count=0 failed=0

# result NAME HOLDS [FOUND]: HOLDS is 0 or 1.
result()
{
    count=$((count + 1))
    if [ "$2" = 1 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1: found $3"
        failed=1
    fi
}

# holds NAME NUMBERS CONDITION: awk's condition on $1, $2, … of the numbers.
holds()
{
    result "$1" "$(echo "$2" | awk "NF && ($3) { ok = 1 } END { print ok + 0 }")" "$2"
}

# go FOLDER [KEY=VALUE]…: leaves files of floats and metrics.csv in $out/FOLDER.
go()
{
    folder=$1
    shift
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run gray-scott.ini --plugins "${PLUGINS:-.}" --quiet --force --set output.formats=npy \
        --set output.every=0 \
        --set grid.size='128 128' --set run.threads=1 --set run.output="$out/$folder" "$@" >/dev/null
}

# last FIELD FOLDER: its last file. metric N FOLDER: column N of the last row of metrics.csv.
last()
{
    find "$out/$2" -name "$1-*.npy" | sort | tail -n 1
}

metric()
{
    tail -n 1 "$out/$2/metrics.csv" | cut -d, -f"$1"
}

echo 1..14

# Against double precision; worms have grown by then.
go start grid.size='96 80' run.steps=0
go worms grid.size='96 80' run.steps=1500
difference=$("$oracle" steps "$(last u start)" "$(last v start)" 1500 0.037 0.06 "$(last u worms)" "$(last v worms)")
holds 'after 1500 steps single precision is 1e-3 or less from double' "$difference" '$1 <= 1e-3'
holds 'while much has happened' "$("$oracle" range "$(last v worms)") $(metric 3 start) $(metric 3 worms)" \
    '$2 > 0.3 && $4 > 2 * $3'
go threads grid.size='96 80' run.steps=1500 run.threads=3
result 'three threads give the same bits' "$(cmp -s "$(last v threads)" "$(last v worms)" && echo 1)" different

# u = 1, v = 0 is a steady state, to the bit; so are both roots of Pearson's (1 - u) F = u v^2, (F + k) v = u v^2.
go empty init.source=defaults run.steps=500
holds 'nothing comes of nothing' "$("$oracle" range "$(last u empty)") $("$oracle" range "$(last v empty)")" \
    '$1 == 1 && $2 == 1 && $3 == 0 && $4 == 0'
u=$(awk 'BEGIN { F = 0.06; k = 0.04; printf "%.9g", (1 - sqrt(1 - 4 * (F + k) * (F + k) / F)) / 2 }')
v=$(awk "BEGIN { print 0.06 / 0.1 * (1 - $u) }")
"$oracle" fill "$u" 128 128 "$out/u.npy"
"$oracle" fill "$v" 128 128 "$out/v.npy"
go blue init.source=arrays init.u="$out/u.npy" init.v="$out/v.npy" run.steps=1000 gray-scott.feed=0.06 \
    gray-scott.kill=0.04
holds 'the other uniform steady state stays' "$("$oracle" range "$(last u blue)") $("$oracle" range "$(last v blue)")" \
    "\$1 > $u - 1e-5 && \$2 < $u + 1e-5 && \$3 > $v - 1e-5 && \$4 < $v + 1e-5"

# Without feed and decay, what u loses v gains.
go closed run.steps=1000 gray-scott.feed=0 gray-scott.kill=0
go closed0 run.steps=0
holds 'u + v is conserved where nothing is fed or removed' \
    "$(metric 2 closed0) $(metric 3 closed0) $(metric 2 closed) $(metric 3 closed)" \
    '($1 + $2 - $3 - $4) ^ 2 < 1e-10 && $4 > 1.5 * $2'

# The same in a dish with walls, through which nothing flows.
go walls grid.edges=mirror run.steps=1000 gray-scott.feed=0 gray-scott.kill=0
holds 'and between mirrored edges too' "$(metric 2 closed0) $(metric 3 closed0) $(metric 2 walls) $(metric 3 walls)" \
    '($1 + $2 - $3 - $4) ^ 2 < 1e-10 && $4 > 1.5 * $2'

# A square without noise keeps its symmetries, to the bit.
go square init.source=square gray-scott.noise=0 run.steps=2000
holds 'a square stays its mirror images' "$("$oracle" mirror "$(last v square)") $("$oracle" range \
    "$(last v square)")" \
    '$1 == 0 && $3 > 0.2'
go noise init.source=square run.steps=0
holds 'noise is 1 % at most' "$("$oracle" range "$(last u noise)")" '$1 >= 0.495 && $1 < 0.4952 && $2 == 1'

# Pearson's regimes, and the multiplication of spots that he and Lee et al. (Nature 369 (1994) 215) describe.
go dies init.source=square run.steps=6000 gray-scott.feed=0.02 gray-scott.kill=0.07
holds 'F = 0.02, k = 0.07: all dies out' "$(metric 2 dies) $(metric 3 dies)" '$1 > 0.9999 && $2 < 1e-6'
go uniform init.source=square run.steps=6000 gray-scott.feed=0.06 gray-scott.kill=0.04
holds 'F = 0.06, k = 0.04: the other steady state takes all' "$("$oracle" range "$(last v uniform)")" \
    "\$1 > $v - 1e-3 && \$2 < $v + 1e-3"
for steps in 1000 4000; do
    go "spots$steps" init.source=square run.steps=$steps gray-scott.feed=0.0367 gray-scott.kill=0.0649
done
holds 'F = 0.0367, k = 0.0649: spots divide' \
    "$("$oracle" spots 0.2 "$(last v spots1000)") $("$oracle" spots 0.2 "$(last v spots4000)")" \
    '$1 >= 1 && $2 >= 2 * $1 && $2 < 60'

# What is unstable is refused.
go refused gray-scott.dt=2 2>"$out/said"
result 'a step that is too long is refused' "$([ $? = 2 ] && grep -q 'unstable' "$out/said" && echo 1)" \
    "$(cat "$out/said")"
"$engine" verify gray-scott.ini --plugins "${PLUGINS:-.}" --set grid.size='100 37' >"$out/said" 2>&1
result 'all implementations agree, whatever the steps of a call' "$([ $? = 0 ] && echo 1)" "$(cat "$out/said")"
exit $failed
