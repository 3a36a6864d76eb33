#!/bin/bash
# engine verify: promises that hold, promises that do not, and implementations that cannot run.
# shellcheck disable=SC2016 # perl has variables too
. "$(dirname "$0")/../lib.sh"

gun=configs/gosper-gun.ini
bad=$BUILD/tests/bad

# $1: plugin of tests/bad, $2: lines of its configuration
config() {
    printf '[run]\nplugin = %s\nthreads = 2\n%b' "$1" "$2" >"$TMP/$1.ini"
}

# $1: name, $2: perl expression about $r, what stdout holds
json() {
    if perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>); exit !do {'"$2"'};' <"$TMP/stdout"; then ok \
        "$1"; else
        not_ok "$1" "$2" "$(head -n 40 "$TMP/stdout")"
    fi
}

# What holds.
expect_status 0 "$ENGINE" verify --help
expect_stdout_has 'usage: engine verify [CONFIG]'
expect_status 0 "$ENGINE" verify --set run.plugin=life2d-bit --set grid.size='5 3' --set init.source=random --impl cpu
expect_stdout_has 'life2d-bit against cpu-serial: cells 5 x 3'
expect_status 2 "$ENGINE" verify
expect_stderr_has 'plugin'
expect_status 0 "$ENGINE" verify $gun
expect_stdout_has 'cpu            bit-equal after 1, 2, 7, 100 steps; 100 calls of one step = one call of 100 steps'
expect_stdout_has 'the reference'
expect_status 0 "$ENGINE" verify $gun --impl cpu --steps 5 --set grid.size='77 41' --json
expect_equal 'nothing on stderr' "$(cat "$TMP/stderr")" ''

json 'one implementation was asked for' '@$r == 1 && $r->[0]{implementation} eq "cpu" && $r->[0]{verdict} eq "holds"'
json 'steps 1, 2 and 5, and 5 x 1' 'join(",", map { $_->{steps} } @{$r->[0]{checks}}) eq "1,2,5,5"'
json 'all cells were compared' '!grep { $_->{elements} != 77 * 41 || $_->{differing} } @{$r->[0]{checks}}'

# Several configurations in one go: every combination, each named; one that breaks its promise or is none spoils the
# status.
expect_status 0 "$ENGINE" verify $gun --impl cpu --steps 2 --sweep grid.size='77 41,64 40' \
    --sweep life2d-bit.rule=B3/S23,B36/S23
expect_equal 'each combination by its values' \
    "$(grep -c '^life2d-bit against cpu-serial: cells .*, life2d-bit.rule=B3' "$TMP/stdout")" 4
expect_stdout_has 'cells 64 x 40, grid.size=64 40, life2d-bit.rule=B36/S23'
expect_status 0 "$ENGINE" verify $gun --impl cpu --steps 2 \
    --sweep grid.size:life2d-bit.rule='77 41:B3/S23,64 40:B36/S23' --json
json 'values that move together' \
    '@$r == 2 && $r->[1]{swept}{"grid.size:life2d-bit.rule"} eq "64 40:B36/S23" && $r->[1]{checks}[0]{elements} == 64 * 40'
expect_status 2 "$ENGINE" verify $gun --impl cpu --steps 2 --sweep grid.size='77 41,64 x,64 40'
expect_equal 'the others are tried' "$(grep -c 'bit-equal after 1, 2 steps' "$TMP/stdout")" 2
expect_stderr_has "grid.size=64 x: "

# An implementation that claims to be exact and gets the last cell wrong.
config liar '[grid]\nsize = 30 20\n[init]\nsource = random\n'
expect_status 1 "$ENGINE" verify "$TMP/liar.ini" --plugins "$bad"
expect_stdout_has 'cpu-wrong      BROKEN: after 1 step cells (x 29, y 19) is'
expect_stdout_has '1 of 600 differ'
expect_stdout_has 'cpu            the reference'
expect_status 1 "$ENGINE" verify "$TMP/liar.ini" --plugins "$bad" --json
json 'the honest one holds' '$r->[0]{verdict} eq "holds" && $r->[0]{reference}'
json 'the liar is broken, and where' \
    '$r->[1]{verdict} eq "broken" && $r->[1]{checks}[0]{first} eq "(x 29, y 19)" && $r->[1]{checks}[0]{differing} == 1'
expect_status 0 "$ENGINE" verify "$TMP/liar.ini" --plugins "$bad" --impl cpu
expect_status 1 "$ENGINE" verify "$TMP/liar.ini" --plugins "$bad" --sweep run.threads=x,1,y

# Tolerances: errors of 1e-4 and of 1e-2 on values of 1, where 1e-3 is promised.
config loose '[particles]\ncount = 50\n'
expect_status 0 "$ENGINE" verify "$TMP/loose.ini" --plugins "$bad" --impl cpu-near --json
json 'its error is measured' \
    'my $e = $r->[0]{checks}[0]; abs($e->{error_max} - 1e-4) < 1e-6 && abs($e->{error_rms} - 1e-4 / sqrt(50)) < 1e-6 &&
     $e->{error_median} == 0'
expect_status 1 "$ENGINE" verify "$TMP/loose.ini" --plugins "$bad" --impl cpu-near,cpu-far
expect_stdout_has 'cpu-near       within its tolerance of 0.001'
expect_stdout_has 'cpu-far        BROKEN: after 1 step value (0) is'
expect_stdout_has 'the error is 0.01, the tolerance 0.001'

# What cannot be tried says why; that is an error only where it was asked for by name.
expect_status 1 "$ENGINE" verify "$TMP/loose.ini" --plugins "$bad"
expect_stdout_has 'cpu-refuses    not usable: it takes 1000 particles, not 50'
expect_stdout_has 'cuda           not usable: not compiled into this build'
expect_status 4 "$ENGINE" verify "$TMP/loose.ini" --plugins "$bad" --impl cpu-refuses
expect_status 4 "$ENGINE" verify "$TMP/loose.ini" --plugins "$bad" --impl cpu-fails
expect_stdout_has 'failed:'
expect_stdout_has 'it gave up at step 2'

# Usage.
expect_status 2 "$ENGINE" verify
expect_status 2 "$ENGINE" verify $gun --impl cpuu
expect_stderr_has "did you mean 'cpu'?"
expect_status 2 "$ENGINE" verify $gun --impl cpu,,cpu
expect_stderr_has '--impl: expected names'
expect_status 2 "$ENGINE" verify $gun --steps 0
expect_status 2 "$ENGINE" verify "$TMP/no-such.ini"

# verify and bench write no files, so formats of another plugin do not matter.
expect_status 2 "$ENGINE" check $gun --set output.formats=xyz
expect_stderr_has 'xyz cannot hold any field of life2d-bit'
expect_status 0 "$ENGINE" verify $gun --steps 1 --set output.formats=xyz
expect_status 0 "$ENGINE" bench $gun --steps 1 --repeats 1 --impl cpu --set output.formats=xyz

# Sizes as people write them: x and y of a grid, rows and columns of a matrix; one of a thing, and several things.
expect_status 0 "$ENGINE" verify configs/matrix.ini --impl cpu --steps 1
expect_stdout_has 'matrix against cpu-serial: c 600 x 500'
expect_stdout_has '1 call of one step = one call of 1 step'
expect_status 0 "$ENGINE" verify configs/matrix.ini --impl cpu --set matrix.batch=3 --steps 1
expect_stdout_has 'matrix against cpu-serial: c 3 x 600 x 500'
expect_status 0 "$ENGINE" check configs/transpose.ini
expect_stdout_has 'matrix: 1000 x 700 float32, 2 buffers of'
plan
