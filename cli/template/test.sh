#!/bin/sh
# Checks the facts of facts.sh and prints TAP.
# ENGINE is the program `engine`; PLUGINS is the folder of @NAME@.so.
cd "$(dirname "$0")" || exit 1
engine=${ENGINE:-@ENGINE@}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# metric NAME [KEY=VALUE]…: runs the configuration with these settings and prints a metric of the last state.
metric()
{
    metric=$1
    shift
    for setting; do
        shift
        set -- "$@" --set "$setting"
    done
    "$engine" run @NAME@.ini --plugins "${PLUGINS:-.}" --json --quiet --force --set run.output="$out" \
        --set output.every=0 "$@" | sed -n "s/.*\"$metric\": *\([-+.0-9e]*\).*/\1/p"
}

# expect FACT WANTED TOLERANCE METRIC [KEY=VALUE]…: checks a metric of the last state.
expect()
{
    fact=$1 wanted=$2 tolerance=$3
    shift 3
    count=$((count + 1))
    found=$(metric "$@")
    if awk "BEGIN { d = ($found) - ($wanted); exit !(d <= $tolerance && -d <= $tolerance) }" 2>/dev/null; then
        echo "ok $count - $fact"
    else
        echo "not ok $count - $fact: expected $wanted, found ${found:-nothing}"
        failed=1
    fi
}

count=0 failed=0
. ./facts.sh
echo "1..$count"
exit $failed
