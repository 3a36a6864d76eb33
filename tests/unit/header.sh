#!/bin/bash
# The plugin interface compiles alone, without a warning, in every language that plugins are written in, and so does what
# stands beside it.
. "$(dirname "$0")/../lib.sh"

CC=${CC:-cc} CXX=${CXX:-g++} NVCC=${NVCC-nvcc}
strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
read -r -a cc <<<"$CC"
read -r -a cxx <<<"$CXX"

printf '%s\n' '#include <engine/plugin.h>' 'int used(const struct engine_plan *plan);' \
    'int used(const struct engine_plan *plan) { return (int) engine_param_value(plan, 0)->integer; }' >"$TMP/plugin.c"
printf '%s\n' '#include <engine/random.h>' 'void used(uint32_t words[4]);' \
    'void used(uint32_t words[4]) { engine_random_block(1, 2, 3, words); }' >"$TMP/random.c"
for header in plugin random; do
    cp "$TMP/$header.c" "$TMP/$header.cpp"
    cp "$TMP/$header.c" "$TMP/$header.cu"
done

# $1: what it is compiled as; $2: its ending; then the command.
compiles() {
    local name=$1 ending=$2 header
    shift 2
    for header in plugin random; do
        if ! command -v "${1:-none}" >/dev/null; then
            skip "$header.h compiles alone as $name" "there is no ${1:-nvcc}"
        else
            expect "$header.h compiles alone as $name" "$@" -Iinclude -c "$TMP/$header.$ending" -o "$TMP/alone.o"
        fi
    done
}

compiles C11 c "${cc[@]}" -std=c11 "${strict[@]}"
compiles C17 c "${cc[@]}" -std=c17 "${strict[@]}"
compiles C++17 cpp "${cxx[@]}" -std=c++17 "${strict[@]}"
compiles CUDA cu "$NVCC" -std=c++17 --Werror all-warnings -Xcompiler -Wall,-Wextra
expect_not 'plugin.h includes no header but stddef.h and stdint.h' \
    sh -c "grep '# *include' include/engine/plugin.h | grep -v -e '<stddef.h>' -e '<stdint.h>'"
plan
