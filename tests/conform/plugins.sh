#!/bin/bash
# Every plugin of the build passes engine conform. One plan covers the results of each plugin.
. "$(dirname "$0")/common"

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
