#!/bin/bash
# The patches of tests/bench/same-bits apply to the sources as they are.
. "$(dirname "$0")/../lib.sh"

# applies PATCH FOLDER: without a fuzz, as tests/bench/same-bits applies it. It changes nothing.
applies() {
    patch --dry-run -s -f --fuzz=0 -p1 -d "$2" -i "$ROOT/$1"
}

for patch in tests/bench/same-bits.d/*.patch; do
    expect "$patch applies" applies "$patch" .
    plugin=$(basename "$patch" .patch)
    expect "tests/bench/same-bits measures $plugin with it" grep -Eq "variant $plugin-free $plugin $plugin\b" tests/bench/same-bits
done

# What it finds
mkdir -p "$TMP/plugins"
cp -r plugins/rdf "$TMP/plugins"
expect 'a copy is right' applies tests/bench/same-bits.d/rdf.patch "$TMP"
sed -i 's/rsqrt_estimate(square), s = /rsqrt_estimate(square), root = /' "$TMP/plugins/rdf/cpu_kernel_vector.h"
expect_not 'a line that a patch names has changed' applies tests/bench/same-bits.d/rdf.patch "$TMP"
plan
