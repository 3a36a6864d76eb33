#!/bin/bash
# The plugin interface compiles alone, without a warning, in every language that plugins are written in.
. "$(dirname "$0")/../lib.sh"

CC=${CC:-cc} CXX=${CXX:-g++} NVCC=${NVCC-nvcc}
strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
read -r -a cc <<<"$CC"
read -r -a cxx <<<"$CXX"

printf '%s\n' '#include <engine/plugin.h>' 'int used(const struct engine_plan *plan);' \
    'int used(const struct engine_plan *plan) { return (int) engine_param_value(plan, 0)->integer; }' >"$TMP/alone.c"
cp "$TMP/alone.c" "$TMP/alone.cpp"
cp "$TMP/alone.c" "$TMP/alone.cu"

# $1: what it is compiled as; then the command.
compiles() {
    local name=$1
    shift
    if ! command -v "${1:-none}" >/dev/null; then
        skip "plugin.h compiles alone as $name" "there is no ${1:-nvcc}"
        return
    fi
    expect "plugin.h compiles alone as $name" "$@" -Iinclude -o "$TMP/alone.o"
}

compiles C11 "${cc[@]}" -std=c11 "${strict[@]}" -c "$TMP/alone.c"
compiles C17 "${cc[@]}" -std=c17 "${strict[@]}" -c "$TMP/alone.c"
compiles C++17 "${cxx[@]}" -std=c++17 "${strict[@]}" -c "$TMP/alone.cpp"
compiles CUDA "$NVCC" -std=c++17 --Werror all-warnings -Xcompiler -Wall,-Wextra -c "$TMP/alone.cu"
expect_not 'plugin.h includes no header but stddef.h and stdint.h' \
    sh -c "grep '# *include' include/engine/plugin.h | grep -v -e '<stddef.h>' -e '<stdint.h>'"
plan
