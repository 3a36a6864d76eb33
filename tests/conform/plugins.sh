#!/bin/bash
# Every plugin of the build passes engine conform. One plan covers the results of each plugin.
BUILD=${BUILD:-build} ENGINE=${ENGINE:-${BUILD:-build}/engine}
cd "$(dirname "$0")/../.." || exit 1
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
failed=0

# The time is for a build with sanitizers: the reference of rdf then takes minutes for a skewed box.
conform() {
    "$ENGINE" conform "$@" --seconds 600 || failed=1
}

shopt -s nullglob
plugins=("$BUILD"/plugins/*.so)
[ ${#plugins[@]} -gt 0 ] || {
    echo '1..0 # SKIP no plugin was built'
    exit 0
}
for plugin in "${plugins[@]}"; do
    conform "$plugin"
done
exit $failed
