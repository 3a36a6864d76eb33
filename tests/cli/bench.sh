#!/bin/bash
# engine bench: the contents of its tables, not the speed of anything.
# shellcheck disable=SC2016 # perl has variables too
. "$(dirname "$0")/../lib.sh"

export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
gun=configs/gosper-gun.ini
bad=$BUILD/tests/bad
short=(--repeats 3 --steps 4)

# $1: plugin of tests/bad, $2: lines of its configuration
config() {
    printf '[run]\nplugin = %s\nthreads = 2\n%b' "$1" "$2" >"$TMP/$1.ini"
}

# $1: name, $2: perl expression about $r, what stdout holds
json() {
    if perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>); exit !do {'"$2"'};' <"$TMP/stdout"; then ok "$1"; else
        not_ok "$1" "$2" "$(head -n 60 "$TMP/stdout")"
    fi
}

expect_status 0 "$ENGINE" bench --help
expect_stdout_has 'usage: engine bench CONFIG'

# The table, with what has to be known to read it.
expect_status 0 "$ENGINE" bench $gun "${short[@]}"
expect_stdout_has "command  engine bench $gun --repeats 3 --steps 4"
expect_stdout_has 'subject  life2d-bit, cells 256 x 192'
for line in engine machine date limits; do
    expect "a line about $line" grep -q "^$line  *[^ ]" "$TMP/stdout"
done
expect 'a row for each implementation' test "$(grep -c '^| cpu' "$TMP/stdout")" -ge 2
expect_stdout_has 'hash equal at step 5'
expect 'columns are as wide as each other' test \
    "$(grep '^|' "$TMP/stdout" | sed 's/|[^|]*|$//' | awk '{ print length }' | sort -u | wc -l)" = 1
expect_equal 'nothing on stderr' "$(cat "$TMP/stderr")" ''

# Every repeat starts from the initial state, so its end is that of a run: of a first step, which is not timed, and the
# steps of a repeat. A new instance takes them, in two calls.
expect_status 0 "$ENGINE" run $gun --set run.steps=5 --set "run.output=$TMP/gun" --json
hash=$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{hash}' "$TMP/stdout")
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --json --impl cpu,cpu-serial
json 'the states of all repeats are those of a run' '!grep { $_->{hash} ne "'"$hash"'" || $_->{hash_step} != 5 } @{$r->{rows}}'
config lazy '[particles]\ncount = 100\n[init]\nsource = random\n[lazy]\ncalls = 0\n'
expect_status 0 "$ENGINE" bench "$TMP/lazy.ini" --plugins "$BUILD/tests/cheats" --repeats 3 --impl lazy --json
json 'nothing is left of an instance' '$r->{rows}[0]{notes} eq "calls=2"'

# Without --steps it finds out how many: with exact implementations that differ much in speed, too.
expect_status 0 "$ENGINE" bench $gun --repeats 1 --set grid.size='64 64' --json
json 'every row has steps and a check' \
    '@{$r->{rows}} >= 2 && !grep { $_->{error} || $_->{steps} < 1 || $_->{confirmed_step} < 1 } @{$r->{rows}}'

# CSV: as many fields in every row as in the header.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --csv --impl cpu,cpu-serial,cpu
expect_equal 'the header' "$(head -n 1 "$TMP/stdout")" "implementation,threads,steps,repeats,seconds_median,seconds_min,\
seconds_q1,seconds_q3,seconds_max,rate,rate_unit,limit,share,speedup,hash,hash_step,confirmed_step,error,effective,skipped"
expect_equal 'the rows, in the order asked for' "$(sed 1d "$TMP/stdout" | cut -d, -f1 | paste -sd' ')" 'cpu cpu-serial cpu'
expect_equal 'as many fields everywhere' "$(awk -F, '{ print NF }' "$TMP/stdout" | sort -u)" 20
expect_equal 'the first row is as fast as itself' "$(sed -n 2p "$TMP/stdout" | cut -d, -f14)" 1
expect_equal 'one hash' "$(sed 1d "$TMP/stdout" | cut -d, -f15 | sort -u | wc -l)" 1
expect_stderr_has 'machine'

# JSON.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --json --impl cpu --sweep run.threads=1,2 \
    --sweep life2d-bit.steps_per_pass=1,3,8
json 'six combinations, the last sweep fastest' \
    'join(" ", map { $_->{swept}{"run.threads"} . "/" . $_->{swept}{"life2d-bit.steps_per_pass"} } @{$r->{rows}}) eq
     "1/1 1/3 1/8 2/1 2/3 2/8"'
json 'tuning is no other problem: all have one hash, and are held against each other' \
    '!grep { $_->{hash} ne $r->{rows}[0]{hash} || $_->{confirmed_step} != 5 } @{$r->{rows}}'
json 'each has as many times as repeats' '!grep { @{$_->{seconds}} != 3 } @{$r->{rows}}'
json 'shares are of limits that were measured' \
    '@{$r->{limits}} == 2 && !grep { !$_->{share} || !$_->{limit} } @{$r->{rows}}'

# Cells that were skipped are no work that a limit allows.
printf '[run]\nplugin = life2d-bit\nthreads = 1\n[grid]\nsize = 512 512\n[init]\nsource = defaults\n' >"$TMP/dead.ini"
bench=(bench "$TMP/dead.ini" --repeats 1 --steps 480 --impl cpu --sweep life2d-bit.settled=no,yes)
expect_status 0 "$ENGINE" "${bench[@]}" --json="$TMP/dead.json" --csv="$TMP/dead.csv" --plot "$TMP/rings.svg"
mv "$TMP/stdout" "$TMP/dead.table"
cp "$TMP/dead.json" "$TMP/stdout"
json 'a rate with skipped cells has no share' \
    'my ($no, $yes) = @{$r->{rows}}; $yes->{notes} =~ /settled=9/ && $no->{share} > 0 && !defined $yes->{share} && !$yes->{limit}'
expect_equal 'nor in CSV' "$(tail -n 1 "$TMP/dead.csv" | cut -d, -f13,14)" ','
expect 'nor in the table' grep -Eq '^\| cpu .*\| yes .*updates/s \| +- \|' "$TMP/dead.table"

# A rate counts the updates that were made. The rate with skipped cells stands beside it.
json 'the share that the plugin notes is not in the rate' \
    'my ($no, $yes) = @{$r->{rows}}; my ($percent) = $yes->{notes} =~ /settled=([\d.]+) %/;
     !exists $no->{effective} && !exists $no->{skipped} && abs(100 * $yes->{skipped} - $percent) < 1e-6 &&
     abs($yes->{rate} / $yes->{effective} - (1 - $percent / 100)) < 1e-6 &&
     abs($yes->{effective} * $yes->{seconds_median} / (512 * 512 * 480) - 1) < 1e-6'
expect_equal 'a dot for each rate, and a ring for the one with skipped cells' \
    "$(grep -c '<circle' "$TMP/rings.svg") $(grep -c 'fill="none" stroke="#.*/>' <(grep '<circle' "$TMP/rings.svg"))" '3 1'
expect 'the table says how much was skipped' grep -Eq '^\| cpu .*\| yes .*updates/s, 9[0-9.]* % skipped \|' "$TMP/dead.table"
expect_equal 'a column of CSV is empty where nothing was skipped' \
    "$(cut -d, -f20,21 "$TMP/dead.csv" | sed 's/[0-9.e+]\{2,\}/N/g' | paste -sd' ')" 'effective,skipped , N,N'

# Unless somebody asks for it, plugins skip nothing: of the configuration, or of a row.
computes='!grep { $_->{error} || exists $_->{effective} || $_->{notes} =~ /settled/ } @{$r->{rows}}'
dead=(bench "$TMP/dead.ini" --repeats 1 --steps 480 --json --impl)
expect_status 0 "$ENGINE" "${dead[@]}" cpu
json 'a bench computes everything' "$computes"
expect_status 0 "$ENGINE" "${dead[@]}" life2d-bit:cpu --set run.plugin=life2d-lut
json 'also with a plugin that a row names' "$computes"
expect_status 0 "$ENGINE" "${dead[@]}" cpu --set life2d-bit.settled=auto
json 'unless the user wants it to skip' '$r->{rows}[0]{effective} > 0'

# hashlife does not know how much it has computed.
hashlife=(bench "$TMP/dead.ini" --repeats 1 --steps 480 --impl hashlife)
expect_status 0 "$ENGINE" "${hashlife[@]}" --json
json 'a rate that is not known' '!exists $r->{rows}[0]{rate} && $r->{rows}[0]{effective} > 0 && !exists $r->{rows}[0]{skipped}'
expect_status 0 "$ENGINE" "${hashlife[@]}"
expect 'the table marks the other one' grep -Eq '\| +- \|.*updates/s, an unknown share skipped \|' "$TMP/stdout"
expect_status 0 "$ENGINE" "${hashlife[@]}" --csv
expect_equal 'CSV has no rate' "$(sed -n 2p "$TMP/stdout" | cut -d, -f10,11,20)" ',cell updates/s,'

# A row whose repeats differ by more than a factor of two is marked. Repeats of one small step often do.
expect_status 0 "$ENGINE" bench $gun --repeats 9 --steps 1 --json="$TMP/noise.json" --impl cpu,cpu-serial \
    --sweep grid.size='40 40,48 48,64 64,80 80,96 96'
expect_equal 'noisy rows are marked' "$(awk '/^\| cpu/ { print /%, noisy \|/ ? 1 : 0 }' "$TMP/stdout" | paste -sd' ')" \
    "$(perl -MJSON::PP -MList::Util=min,max -0777 -ne 'print join " ", map { max(@{$_->{seconds}}) > 2 * min(@{$_->{seconds}}) ? 1 : 0 }
        @{decode_json($_)->{rows}}' "$TMP/noise.json")"
cp "$TMP/noise.json" "$TMP/stdout"
json 'also in JSON' '!grep { my @s = sort { $a <=> $b } @{$_->{seconds}}; ($s[-1] > 2 * $s[0]) != $_->{noisy} } @{$r->{rows}}'

# An implementation on one thread says so, and its limits are those of one thread.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --json --set run.threads=2 --impl cpu-serial,cpu
json 'cpu-serial has one thread' 'join(" ", map { $_->{threads} } @{$r->{rows}}) eq "1 2"'

# The sizes of a matrix are its rows and columns.
expect_status 0 "$ENGINE" bench configs/transpose.ini "${short[@]}" --impl cpu
expect_stdout_has 'subject  transpose, matrix 1000 x 700'

# Keys of [run] that change no result are no other problem.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --json --impl cpu --sweep run.patience=10,20 \
    --sweep run.transport=auto,host
json 'the hashes are held against each other' '@{$r->{rows}} == 4 && !grep { $_->{confirmed_step} != 5 } @{$r->{rows}}'

# Another size is another problem.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --json --impl cpu --sweep grid.size='64 64,128 64'
json 'no hash to be held against' '!grep { $_->{confirmed_step} } @{$r->{rows}}'

# Keys that move together, run.steps among them: the steps of a repeat. Speed-ups are over the first row of the size.
expect_status 0 "$ENGINE" bench $gun --repeats 2 --json --impl cpu-serial,cpu \
    --sweep grid.size:run.steps='64 64:6, 128 64:4'
json 'as many steps as go with the size' \
    'join(" ", map { $_->{swept}{"grid.size:run.steps"} . "/" . $_->{steps} } @{$r->{rows}}) eq
     "64 64:6/6 64 64:6/6 128 64:4/4 128 64:4/4"'
json 'the first row of each size is as fast as itself' \
    '$r->{rows}[0]{speedup} == 1 && $r->{rows}[2]{speedup} == 1 && $r->{rows}[3]{speedup} != 1'
json 'sizes are not compared' 'join(" ", map { $_->{confirmed_step} } @{$r->{rows}}) eq "7 7 5 5"'
expect_status 0 "$ENGINE" bench $gun --repeats 1 --steps 3 --impl cpu --sweep run.steps=5,7 --json
json '--steps counts' '!grep { $_->{steps} != 3 } @{$r->{rows}}'

# Implementations of other plugins: held against each other, whatever else one of them sweeps for itself.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --impl life2d-lut:cpu-serial,cpu-serial,life2d-bit:cpu,life2d-lut:auto \
    --set life2d-lut.rule=B3/S23 --json --sweep life2d-bit.steps_per_pass=1,8
json 'named as they were asked for' \
    'join(" ", map { $_->{implementation} } @{$r->{rows}}[0..2]) eq "life2d-lut:cpu-serial cpu-serial life2d-bit:cpu" &&
     $r->{rows}[3]{implementation} =~ /^life2d-lut:[a-z-]+$/ && $r->{rows}[3]{implementation} ne "life2d-lut:auto"'
json 'one hash' '!grep { $_->{hash} ne $r->{rows}[0]{hash} || $_->{confirmed_step} != 5 } @{$r->{rows}}'
json 'no plugin in the subject' '$r->{subject} eq "cells 256 x 192"'
expect_status 1 "$ENGINE" bench $gun "${short[@]}" --impl cpu,life2d-lut:cpu --set life2d-lut.rule=B36/S23
expect 'another rule is another state' grep -q '^| life2d-lut:cpu .*error: its state' "$TMP/stdout"
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --impl cpu,no-such:cpu
expect 'a plugin that is none' grep -q '^| no-such:cpu .*error: .*no-such' "$TMP/stdout"

# [bench] in the configuration; options take the place of its keys.
section() {
    { cat $gun; printf '\n[bench]\n%b' "$1"; } >"$TMP/section.ini"
    sed -i "s,file = ,file = $ROOT/configs/," "$TMP/section.ini"
}
section 'impl = cpu-serial, life2d-lut:cpu\nsweep = grid.size:run.steps = 256 192:2, 300 200:3\nrepeats = 2\n'
expect_status 0 "$ENGINE" bench "$TMP/section.ini" --csv
expect_equal 'what the section says' "$(cut -d, -f1-5 "$TMP/stdout" | tr '\n' ' ')" "implementation,grid.size:run.steps,\
threads,steps,repeats cpu-serial,256 192:2,1,2,2 life2d-lut:cpu,256 192:2,$(nproc),2,2 cpu-serial,300 200:3,1,3,2 \
life2d-lut:cpu,300 200:3,$(nproc),3,2 "
expect_status 0 "$ENGINE" bench "$TMP/section.ini" --csv --impl cpu --sweep run.threads=1 --set bench.repeats=1 --steps 4
expect_equal 'what options say instead' "$(sed 1d "$TMP/stdout" | cut -d, -f1-5)" cpu,1,1,4,1
expect_status 0 "$ENGINE" check "$TMP/section.ini"
for wrong in 'imp = cpu' 'repeats = 0' 'impl = cpu,,cpu' 'sweep = threads' 'sweep = grid.size:run.steps=64 64' \
    'sweep = run.threads=1:2'; do
    section "$wrong\n"
    expect_status 2 "$ENGINE" bench "$TMP/section.ini"
done
expect_status 2 "$ENGINE" check "$TMP/section.ini" --set bench.repeats=x

# What cannot run is an error in its row, and no number.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --impl cpu,gpu --sweep life2d-bit.steps_per_pass=8,9999
expect 'a value out of range, for one' grep -q '^| -  *| 9999 .* - | error: .*steps_per_pass' "$TMP/stdout"
expect 'a name that is none, for another' grep -q '^| gpu .* - | error: .*has no implementation' "$TMP/stdout"
expect 'and one row that ran' grep -q '^| cpu .*| nothing to compare its hash with |' "$TMP/stdout"
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --csv --quiet --impl cpu,gpu
expect 'the error is the last field' grep -q "^gpu,,,,,.*has no implementation 'gpu'" "$TMP/stdout"
expect_status 2 "$ENGINE" bench $gun "${short[@]}" --sweep life2d-bit.no_such_key=1,2
expect_stderr_has 'engine: --set life2d-bit.no_such_key: unknown key'
expect_stderr_has 'no_such_key'
expect 'no table where nothing can be configured' test ! -s "$TMP/stdout"
expect_status 2 "$ENGINE" bench $gun "${short[@]}" --set life2d-bit.rule=B9/S
expect_stderr_has 'engine: --set: [life2d-bit] rule = B9/S'
expect 'nor without a sweep' test ! -s "$TMP/stdout"
config failing_advance '[grid]\nsize = 30 20\n'
expect_status 5 "$ENGINE" bench "$TMP/failing_advance.ini" --plugins "$bad" "${short[@]}" --json
json 'a call that fails gives no number' '@{$r->{rows}} == 1 && $r->{rows}[0]{error} && !exists $r->{rows}[0]{rate}'

# States that differ: no number for the liar, with and without --steps.
config liar '[grid]\nsize = 30 20\n[init]\nsource = random\n'
for how in "${short[*]}" '--repeats 1'; do
    # shellcheck disable=SC2086 # words
    expect_status 1 "$ENGINE" bench "$TMP/liar.ini" --plugins "$bad" $how --json
    json "the liar has none ($how)" '$r->{rows}[1]{implementation} eq "cpu-wrong" && !exists $r->{rows}[1]{rate} &&
         $r->{rows}[1]{error} =~ /hash/ && $r->{rows}[0]{rate}'
    expect_stderr_has 'cpu-wrong: its state after'
done
expect_status 1 "$ENGINE" bench "$TMP/liar.ini" --plugins "$bad" "${short[@]}" --impl cpu-wrong,cpu
expect 'the reference is right, wherever it stands' grep -q '^| cpu-wrong .*error: its state' "$TMP/stdout"

# Those that are not exact are not compared by hash.
config loose '[particles]\ncount = 50\n'
expect_status 0 "$ENGINE" bench "$TMP/loose.ini" --plugins "$bad" "${short[@]}" --impl cpu,cpu-near
expect_stdout_has 'not exact: see verify'
expect 'the work of particles is particle updates' grep -q 'particle updates/s' "$TMP/stdout"
expect_status 0 "$ENGINE" bench "$TMP/loose.ini" --plugins "$bad" "${short[@]}"
expect_stdout_hasnt '| cuda'
expect 'what refuses the configuration says why' grep -q '^| cpu-refuses .*1000 particles' "$TMP/stdout"

# What this machine or this build cannot run at all is named once, and has no rows.
if ! [ -e /dev/nvidiactl ]; then
    expect_status 0 "$ENGINE" bench $gun "${short[@]}" --impl cpu,cuda,life2d-lut:cuda --sweep run.threads=1,2 --csv \
        --plot "$TMP/absent.svg"
    expect_equal 'rows of those that are there' "$(cut -d, -f1,2 "$TMP/stdout" | tail -n +2 | xargs)" 'cpu,1 cpu,2'
    for name in cuda life2d-lut:cuda; do
        expect_equal "a line for $name" "$(grep -c "^engine: $name is not available: " "$TMP/stderr")" 1
    done
    expect_not 'the plot does not show them' grep -q '>[a-z0-9:-]*cuda' "$TMP/absent.svg"
    run "$ENGINE" bench $gun "${short[@]}" --impl cuda --csv
    expect 'alone it is an error' grep -q '^cuda,,,,' "$TMP/stdout"
fi
# The subject has no size that is swept.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --impl cpu --sweep grid.size='64 64,80 70' --plot "$TMP/sizes.svg"
expect_stdout_has 'subject  life2d-bit, cells, sweep of grid.size'
expect 'nor has the title of the plot' grep -q '>life2d-bit, cells, sweep of grid.size<' "$TMP/sizes.svg"
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --impl cpu --sweep run.threads=1,2
expect_stdout_has 'subject  life2d-bit, cells 256 x 192'

# Files beside the table: the same numbers, and a drawing with a dot for each row that ran.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --quiet --impl cpu,gpu,cpu-serial --sweep life2d-bit.steps_per_pass=1,8,9999 \
    --csv="$TMP/rows.csv" --json="$TMP/rows.json" --plot "$TMP/rows.svg"
expect_stdout_has '| cpu '
expect_equal '--csv=FILE: a header, six rows, and one for what cannot be configured' "$(wc -l <"$TMP/rows.csv")" 8
expect_equal '--json=FILE: the same rates' "$(perl -MJSON::PP -0777 -ne 'printf "%.9g\n", $_->{rate} for grep { !$_->{error} } @{decode_json($_)->{rows}}' "$TMP/rows.json")" \
    "$(perl -MText::ParseWords -ne '@f = parse_line(",", 0, $_); print "$f[10]\n" if $. > 1 && $f[2] ne ""' "$TMP/rows.csv")"
expect 'a plot is whole' sh -c "head -c 4 '$TMP/rows.svg' | grep -q '<svg' && tail -n 1 '$TMP/rows.svg' | grep -q '</svg>'"
expect_equal 'a dot for each row that ran' "$(grep -c '<circle' "$TMP/rows.svg")" 4
expect 'no dot where a row failed, but its error' grep -q '>gpu, 1: error: ' "$TMP/rows.svg"
expect_equal 'no entity is broken' "$(grep -cE '&[^a-z]|& ' "$TMP/rows.svg")" 0
# If rows are divided, a second panel has their efficiencies: a dot for each row. The first one has 100 %, and lies on
# the line of this tick; text is 4 pixels lower than its line.
expect_status 0 "$ENGINE" bench $gun "${short[@]}" --quiet --impl cpu,cpu-serial --sweep run.parts=1,2,9999 \
    --plot "$TMP/parts.svg" --json="$TMP/parts.json"
expect_equal 'two dots for each row that ran' "$(grep -c '<circle' "$TMP/parts.svg")" 8
expect_equal 'a divided bench: the efficiency' "$(grep -c 'efficiency, %' "$TMP/parts.svg") $(grep -c 'efficiency, %' "$TMP/rows.svg")" '1 0'
expect_equal 'the first row has 100 %' "$(perl -ne '
    push @dots, $1 if /<circle cx="[\d.]+" cy="([\d.]+)"/; $line = $1 - 4 if m{<text x="[\d.]+" y="([\d.]+)"[^>]*>100</text>};
    END { printf "%.2f", $dots[4] - $line }' "$TMP/parts.svg")" 0.00
run "$ENGINE" bench $gun --csv="$TMP/no-such-folder/rows.csv" --plot "$TMP/left.svg"
expect_equal 'a file that cannot be written: status 6, before anything is measured' "$status $(wc -l <"$TMP/stdout")" '6 0'
expect_stderr_has 'no-such-folder/rows.csv: cannot be written'
if [ -e /dev/full ]; then expect_status 6 "$ENGINE" bench $gun "${short[@]}" --impl cpu --plot /dev/full; fi

# Several sweeps in [bench].
section 'impl = cpu\nsweep = run.threads=1,2 and life2d-bit.steps_per_pass=1,8,16\nrepeats = 1\nsteps = 3\n'
expect_status 0 "$ENGINE" bench "$TMP/section.ini" --csv --quiet
expect_equal 'sweeps with "and" between them: every combination' "$(cut -d, -f2,3 "$TMP/stdout" | tail -n +2 | tr '\n' ' ')" \
    '1,1 1,8 1,16 2,1 2,8 2,16 '

# Every table of a text can be configured on this machine: a row for each implementation and value, or its error.
for config in configs/bench/*.ini configs/ladder/*.ini; do
    run "$ENGINE" bench "$config" --csv --quiet --repeats 1 --steps 1 --impl no-such-implementation
    expect_equal "$config: its sweep is one" "$(tail -n +2 "$TMP/stdout" | grep -cv 'no-such-implementation')" 0
    expect "$config: has rows" test "$(wc -l <"$TMP/stdout")" -gt 1
    expect_stderr_hasnt 'unknown key'
done

# Usage.
expect_status 2 "$ENGINE" bench
expect_status 2 "$ENGINE" bench "$TMP/no-such.ini"
for wrong in --repeats=0 --steps=x --sweep=run.threads --sweep=threads=1 --sweep=run.threads=1,,2 --impl= \
    --sweep=run.implementation=cpu; do
    expect_status 2 "$ENGINE" bench $gun "$wrong"
done
plan
