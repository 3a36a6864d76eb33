#!/bin/bash
# Snapshots on the command line: their notes, the same results on every implementation that continues from one, and the
# files that are refused.
. "$(dirname "$0")/common"

# A member of the header, by a path as `json` takes it.
header() {
    zcat <"$1" 2>/dev/null | perl -0777 -ne 'print $1 if /^engine snapshot 1\n(\{.*?\n\})\n/s' >"$TMP/header.json"
    json "$TMP/header.json" "$2"
}

run_json() {
    run "$ENGINE" run "$@" --json --quiet
    cp "$TMP/stdout" "$TMP/run.json"
}

hash_of() { json "$TMP/run.json" '{hash}'; }

# ---- A snapshot's own words ------------------------------------------------------------------------------------------

cat >"$TMP/soup.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 40
[grid]
size = 130 77
[init]
source = random
seed = 7
[output]
every = 20
formats = snapshot npy
INI
run_json "$TMP/soup.ini" --set "run.output=$TMP/soup" --set init.density=0.4
last=$TMP/soup/cells-0000000040
expect_equal 'a file at each output' "$(cd "$TMP/soup" && echo *.snapshot)" \
    'cells-0000000000.snapshot cells-0000000020.snapshot cells-0000000040.snapshot'
expect 'zcat reads it without a complaint' sh \
    -c "zcat <'$last.snapshot' >'$TMP/text' 2>'$TMP/said' && ! [ -s '$TMP/said' ]"
expect_equal 'its first line' "$(head -n 1 "$TMP/text" | tr -d '\0')" 'engine snapshot 1'
expect_equal 'the plugin' "$(header "$last.snapshot" '{plugin}')" life2d-bit
expect_equal 'the step' "$(header "$last.snapshot" '{step}')" 40
expect_equal 'the seed' "$(header "$last.snapshot" '{seed}')" 7
expect_equal 'the rule' "$(header "$last.snapshot" '{rule}')" B3/S23
expect_equal 'the extent' "$(header "$last.snapshot" '{fields}[0]{extent}')" $'130\n77'
expect_equal 'the hash is the one of the run' "$(grep -a -o '^hash .*\|[^ ]hash [0-9a-f]\{32\}$' "$TMP/text" \
    | tail -c 33)" "$(hash_of)"
expect 'the configuration has what --set said' grep -qx 'density = 0.4' <(header "$last.snapshot" '{config}')

run "$BUILD/tests/bench/snapshot" "$last.snapshot" 1
expect_equal 'what measures the parts of a snapshot comes to its end' "$status" 0
expect_stdout_has 'inflate and CRC-32'

# Without the engine: the cells, by the words of docs/reference/snapshot.md.
perl -0777 -e '
    open my $file, "<:raw", $ARGV[0] or die; my $text = <$file>;
    $text =~ /^engine snapshot 1\n\{.*?\n\}\n/s or die; my @columns = unpack("C*", substr($text, $+[0], 130 * 10));
    print pack("C*", map { my $y = $_; map { $columns[int($y / 8) * 130 + $_] >> $y % 8 & 1 } 0 .. 129 } 0 .. 76);
' "$TMP/text" >"$TMP/cells.raw"
tail -c 10010 "$last.npy" >"$TMP/npy.raw"
expect_same "$TMP/cells.raw" "$TMP/npy.raw"

# ---- The same configuration again ------------------------------------------------------------------------------------

mkdir "$TMP/elsewhere"
cp configs/patterns/glider.rle "$TMP/elsewhere"
printf '[run]\nplugin = life2d-bit\nsteps = 12\n[grid]\nsize = 40 30\n[init]\nfile = glider.rle ; beside\n[output]\nformats = snapshot\n' \
    >"$TMP/elsewhere/a.ini"
run_json "$TMP/elsewhere/a.ini" --set "run.output=$TMP/a"
first=$(hash_of)
header "$TMP/a/cells-0000000012.snapshot" '{config}' >"$TMP/again.ini"
run_json "$TMP/again.ini" --force
expect_equal 'the configuration in a snapshot gives the same run again, from another folder' "$(hash_of)" "$first"
expect 'and the very same snapshot' test "$(header "$TMP/a/cells-0000000012.snapshot" '{config}')" \
    = "$(cat "$TMP/again.ini")"
expect 'it has the rule of the pattern' grep -qx 'rule = B3/S23' "$TMP/again.ini"

run_json "$TMP/good.ini" --set "run.output=$TMP/it;s a #name" --set output.formats=snapshot
header "$TMP/it;s a #name/cells-0000000004.snapshot" '{config}' >"$TMP/quoted.ini"
expect 'what a comment would cut off is in quotes' grep -qx "output = \"$TMP/it;s a #name\"" "$TMP/quoted.ini"
expect_status 0 "$ENGINE" check "$TMP/quoted.ini" --quiet
run "$ENGINE" run "$TMP/good.ini" --set "run.output=$TMP/\"it's\"" --set output.formats=snapshot
expect_equal 'quotes of both kinds are refused' "$status" 2
expect_stderr_has 'it contains both kinds of quotes'

# ---- From a snapshot, on every implementation ------------------------------------------------------------------------

run_json "$TMP/soup.ini" --set "run.output=$TMP/whole" --set init.density=0.4 --set run.steps=60
whole=$(hash_of)
go_on() {
    run_json "$TMP/go-on.ini" --set "run.plugin=$1" --set "run.implementation=$2" --set "run.output=$TMP/on-$1-$2"
    expect_equal "20 steps from a snapshot, $1/$2" "$(hash_of)" "$whole"
}
printf '[run]\nsteps = 20\n[init]\nfile = %s\n' "$last.snapshot" >"$TMP/go-on.ini"
for implementation in cpu cpu-serial; do
    go_on life2d-bit $implementation
    go_on life2d-lut $implementation
done

# Particles: three fields, two of them states, from double to the same bits.
cat >"$TMP/bodies.ini" <<'INI'
[run]
plugin = nbody
steps = 8
[particles]
count = 100
[init]
source = plummer
[output]
every = 4
formats = snapshot
[nbody]
dt = 0.01
INI
run_json "$TMP/bodies.ini" --set "run.output=$TMP/bodies"
whole=$(hash_of)
expect_equal 'all fields in one file' "$(header "$TMP/bodies/position-0000000004.snapshot" '{fields}[2]{name}')" mass
expect_equal 'one file at each output' "$(find "$TMP/bodies" -name '*.snapshot' | wc -l)" 3
sed -e 's/steps = 8/steps = 4/' -e "s|source = plummer|file = $TMP/bodies/position-0000000004.snapshot|" -e '/count/d' \
    "$TMP/bodies.ini" >"$TMP/half.ini"
run_json "$TMP/half.ini" --set "run.output=$TMP/half"
expect_equal 'bodies go on from a snapshot' "$(hash_of)" "$whole"

# ---- Converting ------------------------------------------------------------------------------------------------------

for format in npy rle; do
    expect_status 0 "$ENGINE" convert "$last.snapshot" "$TMP/out.$format"
done
expect_same "$TMP/out.npy" "$last.npy"
expect_status 0 "$ENGINE" convert "$TMP/out.rle" "$TMP/back.snapshot"
expect_status 0 "$ENGINE" convert "$TMP/back.snapshot" "$TMP/back.npy"
expect_same "$TMP/back.npy" "$last.npy"
expect_equal 'the rule goes along' "$(header "$TMP/back.snapshot" '{rule}')" B3/S23
expect_status 0 "$ENGINE" convert "$TMP/bodies/position-0000000004.snapshot" "$TMP/bodies.xyz"
expect_status 0 "$ENGINE" convert "$TMP/bodies.xyz" "$TMP/bodies.snapshot"
expect_equal 'fields keep their names' "$(header "$TMP/bodies.snapshot" '{fields}[2]{name}')" velocity

# ---- What is wrong ---------------------------------------------------------------------------------------------------

head -c 300 "$last.snapshot" >"$TMP/cut.snapshot"
refused 'a file that is cut short' 3 'cut short or damaged' "$ENGINE" convert "$TMP/cut.snapshot" "$TMP/x.npy"
refused 'a run from it' 3 "$TMP/cut.snapshot: " "$ENGINE" run "$TMP/go-on.ini" --set run.plugin=life2d-bit \
    --set "init.file=$TMP/cut.snapshot" --set "run.output=$TMP/out"
cp "$last.snapshot" "$TMP/flip.snapshot"
at=$(($(stat -c %s "$last.snapshot") - 400)) # in the only block, which tells what kind of file it is, too
printf '\125' | dd of="$TMP/flip.snapshot" bs=1 seek=$at conv=notrunc status=none
refused 'a damaged block' 3 'flip.snapshot: the gzip data is damaged' "$ENGINE" convert "$TMP/flip.snapshot" \
    "$TMP/x.npy"
refused 'another grid than the run has' 3 'the pattern has 130 cells along x' "$ENGINE" run "$TMP/go-on.ini" \
    --set run.plugin=life2d-bit --set grid.size='20 20' --set "run.output=$TMP/out"
mkdir "$TMP/folder.snapshot"
expect_status 6 "$ENGINE" convert "$last.npy" "$TMP/folder.snapshot" --force
expect_not 'no temporary file is left' sh -c "find '$TMP' -name '.tmp*' | grep -q ."

plan
