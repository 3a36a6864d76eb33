#!/bin/bash
# The header of the plugin interface and the helper headers compile alone and without warnings, in every language in
# which plugins are written.
. "$(dirname "$0")/../lib.sh"

CC=${CC:-cc} CXX=${CXX:-g++} NVCC=${NVCC-nvcc}
strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
read -r -a cc <<<"$CC"
read -r -a cxx <<<"$CXX"

printf '%s\n' '#include <engine/plugin.h>' 'int used(const struct engine_plan *plan);' \
    'int used(const struct engine_plan *plan) { return engine_param_choice(plan, 0); }' \
    'void *row(const struct engine_buffer *cells);' \
    'void *row(const struct engine_buffer *cells) { return engine_row(cells, 0, -1, 0); }' >"$TMP/plugin.c"
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

# cuda.h is for C++ alone: under nvcc, and in host code that only calls CUDA.
cat >"$TMP/cuda.cpp" <<'END'
#include <engine/cuda.h>
cudaError_t copy(const engine_call *call, void *to, const void *from, size_t bytes);
cudaError_t copy(const engine_call *call, void *to, const void *from, size_t bytes)
{
    ENGINE_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, engine_cuda_stream(call)));
    return cudaSuccess;
}
int create(const engine_call *call, void **self);
int create(const engine_call *call, void **self)
{
    const engine_cuda_view<const float> u = engine_cuda_field<const float>(call, 0, call->current);
    ENGINE_CUDA_CHECK(call->host, copy(call, *self, u.row(-1), sizeof(float) * engine_divide_up(7, 2)));
    return engine_cuda_grid(u, dim3(64, 4)).x > 1;
}
END
cat "$TMP/cuda.cpp" - >"$TMP/cuda.cu" <<'END'
static __global__ void take_step(engine_cuda_view<const float> now, engine_cuda_view<float> next)
{
    const int64_t x = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
    if (x < next.width)
        next.at(x) = now.at(x - 1);
}
int cuda_advance(void *self, engine_call *call);
int cuda_advance(void *, engine_call *call)
{
    const auto now = engine_cuda_field<const float>(call, 0, call->current);
    const auto next = engine_cuda_field<float>(call, 0, call->result);
    take_step<<<engine_cuda_grid(now, dim3(128)), 128, 0, engine_cuda_stream(call)>>>(now, next);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, take_step);
    return 0;
}
END
if command -v "${NVCC:-none}" >/dev/null; then
    cuda=$(dirname "$(dirname "$(realpath "$(command -v "$NVCC")")")")
    expect 'cuda.h compiles alone as CUDA' "$NVCC" -std=c++17 --Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow \
        -Iinclude -c "$TMP/cuda.cu" -o "$TMP/alone.o"
    expect 'cuda.h compiles alone as C++17' "${cxx[@]}" -std=c++17 "${strict[@]}" -Iinclude -isystem "$cuda/include" \
        -c "$TMP/cuda.cpp" -o "$TMP/alone.o"
else
    skip 'cuda.h compiles alone' 'there is no nvcc'
fi
expect_not 'plugin.h includes no header but stddef.h and stdint.h' \
    sh -c "grep '^ *# *include' include/engine/plugin.h | grep -v -e '<stddef.h>' -e '<stdint.h>'"
plan
