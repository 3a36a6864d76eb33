#!/bin/bash
# examples/embed builds in the same way as its reader would build it: from a copy elsewhere, with only the installed
# files and `pkg-config --cflags --libs engine`. The test links it with the shared library and with the static one.
. "$(dirname "$0")/../lib.sh"

expect 'make install' make -s -o all PREFIX="$TMP/usr" BUILD="${BUILD#"$ROOT/"}" install
cp -r examples/embed "$TMP/embed"
cd "$TMP/embed" || exit 1
export PKG_CONFIG_PATH=$TMP/usr/lib/pkgconfig

read -r -a cc <<<"${CC:-cc}"
flags=(-O2 -Wall -Wextra -Wpedantic ${SANITIZE:+-fsanitize=address,undefined})
expect 'it builds' make CC="${CC:-cc}" CFLAGS="${flags[*]}"
expect_status 0 ./embed
expect_stdout_has 'stands at step 768 with 5 cells'
expect_stdout_has 'the glider is back where it began'
expect_stdout_has 'a second run from the snapshot agrees'
expect_equal 'the library prints nothing' "$(cat "$TMP/stderr")" ''
expect 'it needs the shared library' sh -c 'ldd embed | grep -q "libengine.so.*=> .*/usr/lib/libengine.so"'

# shellcheck disable=SC2046 # words are meant
expect 'it links with the static library' "${cc[@]}" -std=c11 "${flags[@]}" -I"$TMP/usr/include" embed.c \
    "$TMP/usr/lib/libengine.a" \
    $(pkg-config --static --libs-only-l engine | sed 's/-lengine//') -fopenmp -o static
cp -r "$TMP/usr/lib/engine/plugins" plugins # beside the program
expect_status 0 ./static
expect_stdout_has 'the glider is back where it began'

# The library exports only names that begin with engine_. engine.h and the headers
# that it includes declare all of them.
exported=$(nm -D --defined-only "$TMP/usr/lib/libengine.so" | awk '$2 ~ /[A-Z]/ {print $3}')
expect_equal 'every exported symbol begins with engine_' "$(grep -v '^engine_' <<<"$exported")" ''
expect 'there are some' test "$(wc -l <<<"$exported")" -gt 40
declared=$(sed -n 's/.*\b\(engine_[a-z_]*\)(.*/\1/p' "$TMP"/usr/include/engine/*.h | sort -u)
expect_equal 'each is declared in a header' "$(comm -13 <(echo "$declared") <(sort <<<"$exported"))" ''
plan
