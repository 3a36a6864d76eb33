#!/bin/sh
# Checks facts about the rule @NAME@ that do not come from its code, and prints TAP.
# ENGINE is the program `engine`; PLUGINS is the folder of @NAME@.so.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-@ENGINE@}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# population STEPS SIZE: prints the number of live cells after so many steps from one cell.
population()
{
    "$engine" run @NAME@.ini --plugins "${PLUGINS:-.}" --json --quiet --force --set run.output="$out" \
        --set run.steps="$1" --set grid.size="$2" | sed -n 's/.*"population": *\([0-9]*\).*/\1/p'
}

# expect NUMBER STEPS SIZE WHY: checks the number of live cells after so many steps from one cell.
expect()
{
    count=$((count + 1))
    found=$(population "$2" "$3")
    if [ "$found" = "$1" ]; then
        echo "ok $count - $4"
    else
        echo "not ok $count - $4: expected $1, found $found"
        failed=1
    fi
}

count=0 failed=0
echo 1..4
expect 8 1 '50 50' 'one cell has eight neighbours'
expect 8 16 '50 50' 'after 2^n steps there are eight copies of the pattern'
expect 24 3 '50 50' 'step 3: eight rings of eight cells, two apart; cells where two rings overlap cancel'
expect 0 1 '1 1' 'on a torus of one cell the cell is its own neighbour eight times: even'
exit $failed
