#!/bin/bash
# engine conform --draws finds errors of few configurations, which its fixed sizes do not contain, and makes what fails as
# small as possible. The smallest configurations are known from the conditions in drawn.c. All plugins of this tree keep
# their promises in drawn configurations.
. "$(dirname "$0")/../lib.sh"

export OMP_WAIT_POLICY=passive
read -r -a cc <<<"${CC:-cc}"
sanitize=()
[ -n "${SANITIZE:-}" ] && sanitize=('-fsanitize=address,undefined' -fno-sanitize-recover=all)
expect 'drawn is built' "${cc[@]}" -std=c11 -O2 -Wall -Wextra ${WERROR:+-Werror} "${sanitize[@]}" -fPIC -shared -Iinclude \
    tests/conform/broken/drawn.c -o "$TMP/drawn.so"
drawn() { "$ENGINE" conform "$TMP/drawn.so" --seconds 60 "$@"; }

expect_status 0 drawn --draws 20 --set drawn.how=right --verbose
expect_stdout_has 'drawn: keeps its promises in drawn configurations'
expect_stdout_has '# 20 of 20 configurations were verified, and the plugin refused 0'
expect_equal 'each is told' "$(grep -c 'draw [0-9]*: .*: verified' "$TMP/stderr")" 20

# expect_smallest HOW STATUS KEYS: the fixed sizes do not show the error. The draws do, and the smallest configuration has
# these keys. The command that is printed has this status, and the draw alone gives the same.
expect_smallest() {
    local smallest alone
    expect "$1: the fixed sizes do not show it" drawn --set "drawn.how=$1" --impl cpu
    expect_status 1 drawn --draws 1000 --set "drawn.how=$1"
    expect_equal "$1: one property fails" "$(grep -c '^not ok 2 - drawn/cpu: keeps its promises' "$TMP/stdout")" 1
    smallest=$(sed -n 's/^# smallest: //p' "$TMP/stdout")
    expect_equal "$1: the smallest configuration" "$smallest" \
        "engine verify --plugins $TMP --set run.plugin=drawn --set drawn.how=$1 $3 --steps 1 --impl cpu"
    alone=$(sed -n 's/^# drawn by: engine/"$ENGINE"/p' "$TMP/stdout")
    expect_status "$2" bash -c "${smallest/#engine/exec \"\$ENGINE\"}"
    expect_status 1 bash -c "$alone"
    expect_equal "$1: the draw alone" "$(sed -n 's/^# smallest: //p' "$TMP/stdout")" "$smallest"
}
export ENGINE

expect_smallest width 1 "--set 'grid.size=131 1' --set run.threads=1"
expect_smallest parts 1 "--set 'grid.size=1 3' --set run.threads=1 --set run.parts=3 --set drawn.level=5"
expect_smallest value 1 "--set 'grid.size=1 1' --set run.threads=1 --set drawn.level=17"
expect_smallest edges 1 "--set 'grid.size=1 11' --set run.threads=1 --set grid.edges=dead"
expect_smallest thread 1 "--set 'grid.size=1 1' --set run.threads=5"
expect_smallest square 1 "--set 'grid.size=6 6' --set run.threads=1"
expect_smallest crash 134 "--set 'grid.size=6 6' --set run.threads=1"
expect_smallest digit 1 "--set 'grid.size=1 1' --set run.threads=1 --set drawn.word=7"

# One that hangs is ended. Making it smaller ends after the same time, so the smallest configuration depends on the machine.
expect_status 1 drawn --draws 3 --seconds 2 --set drawn.how=hang
expect_stdout_has 'not ok 2 - drawn'
expect_stdout_has '# did not finish in 2 s; --seconds N gives each property more time'
expect_stdout_has '--draws 1 --seed 1'

# A batch of the reference is compared with single runs. The last universe of more than ten stays as it was.
expect 'universes is built' "${cc[@]}" -std=c11 -O2 -Wall -Wextra ${WERROR:+-Werror} "${sanitize[@]}" -fPIC -shared -Iinclude \
    tests/conform/broken/universes.c -o "$TMP/universes.so"
expect_status 0 "$ENGINE" conform "$TMP/universes.so" --draws 20 --sweep grid.batch=1,2,12 --set universes.how=right
expect_status 1 "$ENGINE" conform "$TMP/universes.so" --draws 20 --sweep grid.batch=1,2,12 --set universes.how=last
expect_stdout_has '# universe 10 of the batch after 1 step: cells (0) is'
expect_stdout_has "# smallest: engine verify --plugins $TMP --set run.plugin=universes --set universes.how=last --set grid.batch=11 --set grid.size=1 --set run.threads=1 --steps 1 --impl cpu"

# Nothing is known about a plugin of which every configuration is refused, and about keys that nobody knows.
expect_status 1 drawn --draws 2 --set drawn.how=right --set run.parts=1000
expect_stdout_has '# 0 of 2 configurations were verified, and the plugin refused 2, the last one: '
expect_status 2 drawn --draws 3 --set drawn.levels=3
expect_status 2 drawn --draws 0
expect_status 2 drawn --draws 3 --sweep drawn.level
run drawn --draws 12 --set drawn.how=right --verbose --json
cp "$TMP/stderr" "$TMP/first"
run drawn --draws 7 --seed 6 --set drawn.how=right --verbose
expect_equal 'the numbers 6 to 12' "$(grep '^draw ' "$TMP/stderr")" "$(grep '^draw ' "$TMP/first" | tail -n 7)"

# Formats: this one is wrong if its files have 21, 53, … particles.
"$ENGINE" new-format tiny "$TMP/tiny" --quiet
tiny() { "${cc[@]}" -std=c11 -O1 -w "${sanitize[@]}" -Iinclude -fPIC -shared "$TMP/tiny/format.c" -o "$TMP/tiny/tiny.format.so"; }
expect 'tiny is built' tiny
expect_status 0 "$ENGINE" conform "$TMP/tiny/tiny.format.so" --draws 40
expect_stdout_has '# 40 of 40 files were written and read, and the format refused 0'
sed -i 's/wide\[0\], wide\[1\], wide\[2\]);/wide[0], wide[1], particles % 32 == 21 ? -1e3 : wide[2]);/' "$TMP/tiny/format.c"
expect 'with an error' tiny
expect_status 0 "$ENGINE" conform "$TMP/tiny/tiny.format.so"
expect_status 1 "$ENGINE" conform "$TMP/tiny/tiny.format.so" --draws 400
expect_stdout_has 'not ok 2 - tiny: what is drawn and written is read again'
expect_stdout_has ', became -1000; the smallest file: particles 21'
alone=$(sed -n 's/^# drawn by: engine/"$ENGINE"/p' "$TMP/stdout")
expect_status 1 bash -c "$alone"
expect_stdout_has '; the smallest file: particles 21'
expect_status 2 "$ENGINE" conform npy --draws 3 --set run.steps=1
for name in npy snapshot vti rle rle3 cells life106 life105 mcl mc xyz lammpstrj dcd png apng; do
    expect_status 0 "$ENGINE" conform $name --draws 50
done

shopt -s nullglob
for format in "$BUILD"/plugins/*.format.so; do
    expect_status 0 "$ENGINE" conform "$format" --draws 50
done
for plugin in "$BUILD"/plugins/*.so; do
    case $plugin in
    *.format.so) continue ;;
    # Forces of few particles and of those that overlap have no bound for their error: plugins/pairs/README.md
    */pairs.so) set=(--sweep particles.count=32,108,256 --set pairs.sigma=1 --sweep pairs.density=0,0.6) ;;
    *) set=() ;;
    esac
    expect_status 0 "$ENGINE" conform "$plugin" --draws 10 --seconds 600 "${set[@]}"
done
plan
