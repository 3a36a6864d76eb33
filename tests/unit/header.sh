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
printf '%s\n' '#include <engine/half.h>' 'float used(float value);' \
    'float used(float value) { return engine_float_of_half(engine_half_of_float(value)); }' >"$TMP/half.c"
printf '%s\n' '#include <engine/format.h>' 'unsigned used(const struct engine_file_format *format);' \
    'unsigned used(const struct engine_file_format *format) { return format->flags & ENGINE_FORMAT_GROWS; }' \
    >"$TMP/format.c"
printf '%s\n' '#include <engine/format_text.h>' \
    'int used(const struct engine_file *file, struct engine_lines *lines);' \
    'int used(const struct engine_file *file, struct engine_lines *lines)' \
    '{ int found; double real; int64_t integer; char word[8];' \
    '  if (engine_lines_next(file, lines, &found) || !engine_word_real(lines->text, &real)) return 1;' \
    '  if (!engine_word_integer(engine_columns(lines->text, 0, 7, word), &integer)) return 2;' \
    '  return engine_put_text(file, "%s", word); }' >"$TMP/format_text.c"
printf '%s\n' '#include <engine/format_cell.h>' 'int used(struct engine_file_frame *frame, const double vectors[9]);' \
    'int used(struct engine_file_frame *frame, const double vectors[9])' \
    '{ struct engine_cell cell; double at[3] = {1, 2, 3};' \
    '  if (!engine_cell_take(&cell, vectors, NULL)) return 1;' \
    '  engine_cell_place(&cell, at, frame); engine_cell_turn(&cell, ENGINE_F64, 1, at); return at[0] > 0; }' \
    >"$TMP/format_cell.c"
for header in plugin random half format format_text format_cell; do
    cp "$TMP/$header.c" "$TMP/$header.cpp"
    cp "$TMP/$header.c" "$TMP/$header.cu"
done

# $1: what it is compiled as; $2: its ending; then the command.
compiles() {
    local name=$1 ending=$2 header
    shift 2
    for header in plugin random format format_text format_cell; do
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
# nvcc takes seconds for a file, so it compiles all of them as one: each alone is compiled by g++. It does not optimise the
# code, because nobody runs it.
unoptimised=(-Xcicc -O0 -Xptxas -O0)
if command -v "${NVCC:-none}" >/dev/null; then
    cat "$TMP"/{plugin,random,format,format_text,format_cell}.c |
        awk '/^#include/ { number++ } { gsub(/used/, "used_" number); print }' >"$TMP/all.cu"
    expect 'the headers compile as CUDA' "$NVCC" -std=c++17 "${unoptimised[@]}" --Werror all-warnings \
        -Xcompiler -Wall,-Wextra -Iinclude -c "$TMP/all.cu" -o "$TMP/alone.o"
else
    skip 'the headers compile as CUDA' 'there is no nvcc'
fi

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
    expect 'cuda.h compiles alone as CUDA' "$NVCC" -std=c++17 "${unoptimised[@]}" --Werror all-warnings \
        -Xcompiler -Wall,-Wextra,-Wshadow -Iinclude -c "$TMP/cuda.cu" -o "$TMP/alone.o"
    expect 'cuda.h compiles alone as C++17' "${cxx[@]}" -std=c++17 "${strict[@]}" -Iinclude -isystem "$cuda/include" \
        -c "$TMP/cuda.cpp" -o "$TMP/alone.o"
else
    skip 'cuda.h compiles alone' 'there is no nvcc'
fi
# The stencil headers: a rule of bits, and one with everything that bits do not have.
cat >"$TMP/bits.c" <<'END'
#define STENCIL_AXES 2
#define STENCIL_REACH 1
#define STENCIL_CELL(member) member(engine_states, cells)
#define STENCIL_BITS 2
#define NEXT engine_if(engine_at(near, -1, 1).cells < 2, 1, (cell->cells > 1) + (engine_at(near, 1, 0).cells == 2))
END
cat >"$TMP/floats.c" <<'END'
#define STENCIL_AXES 3
#define STENCIL_REACH 2
#define STENCIL_STAR
#define STENCIL_CELL(member) member(float, cells) member(double, slow)
#define STENCIL_INPUTS(member) member(uint8_t, wall)
#define STENCIL_RANDOM
#define STENCIL_OPERATIONS 2
#define STENCIL_REFERENCE 0
#define NEXT near->input.wall ? 0 : engine_at(near, -2, 0, 0).cells + (float) near->step
END
cat >"$TMP/rule" <<'END'
#define STENCIL_SUMS 1
#include <engine/stencil.h>
struct rule {
    double share;
};
static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {1 / (double) plan->threads};
    return rule;
}
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    (void) rule;
    cell->cells = NEXT;
}
ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[0] += rule->share * (double) cell->cells;
}
END
for rule in bits floats; do
    cat "$TMP/rule" >>"$TMP/$rule.c"
    printf '%s\n' '#include <engine/stencil.cuh>' | cat "$TMP/$rule.c" - >"$TMP/$rule.cu"
    printf '%s\n' '#include <engine/stencil_cpu.h>' >>"$TMP/$rule.c"
    cp "$TMP/$rule.c" "$TMP/$rule.cpp"
    for standard in c11 c17; do
        expect "the stencil headers compile as $standard: $rule" "${cc[@]}" -std=$standard "${strict[@]}" -Iinclude \
            -c "$TMP/$rule.c" -o "$TMP/alone.o"
    done
    expect "the stencil headers compile as C++17: $rule" "${cxx[@]}" -std=c++17 "${strict[@]}" -Iinclude \
        -c "$TMP/$rule.cpp" -o "$TMP/alone.o"
    if command -v clang >/dev/null; then
        expect "the stencil headers compile with clang: $rule" clang -std=c11 "${strict[@]}" -Iinclude \
            -c "$TMP/$rule.c" -o "$TMP/alone.o"
    else
        skip "the stencil headers compile with clang: $rule" 'there is no clang'
    fi
    if command -v "${NVCC:-none}" >/dev/null; then
        expect "the stencil headers compile as CUDA: $rule" "$NVCC" -std=c++17 "${unoptimised[@]}" \
            --Werror all-warnings -Xcompiler -Wall,-Wextra -Iinclude -c "$TMP/$rule.cu" -o "$TMP/alone.o"
    else
        skip "the stencil headers compile as CUDA: $rule" 'there is no nvcc'
    fi
done
# What CUDA refuses, a machine without nvcc refuses too.
sed -e 's/^#define STENCIL_BITS 2/&\n#define STENCIL_RANDOM/' "$TMP/bits.c" >"$TMP/both.c"
run "${cc[@]}" -std=c11 -Iinclude -c "$TMP/both.c" -o "$TMP/alone.o"
expect_equal 'bits with random numbers are refused' "$status" 1
expect_stderr_has 'STENCIL_BITS is 1 to 8, and such a rule has no inputs, outputs, totals, random numbers or number of the step'
sed -e 's/#define NEXT .*/#define NEXT near->x == 0/' "$TMP/bits.c" >"$TMP/place.c"
run "${cc[@]}" -std=c11 -Iinclude -c "$TMP/place.c" -o "$TMP/alone.o"
expect_equal 'bits without the place along x' "$status" 1
sed -e '/^#define STENCIL_REACH/d' "$TMP/bits.c" >"$TMP/without.c"
run "${cc[@]}" -std=c11 -Iinclude -c "$TMP/without.c" -o "$TMP/alone.o"
expect_stderr_has 'define STENCIL_AXES, STENCIL_REACH and STENCIL_CELL'

# The headers of capabilities: each compiles alone, for who asks for the newest version and for who asks for nothing.
capabilities=(batch bench edges files layout parts pictures queue)
for header in "${capabilities[@]}"; do
    for minor in 0 12; do
        printf '%s\n' "#define ENGINE_MINOR $minor" "#include <engine/$header.h>" 'int used;' >"$TMP/capability.c"
        cp "$TMP/capability.c" "$TMP/capability.cpp"
        expect "$header.h compiles alone as C11, ENGINE_MINOR $minor" "${cc[@]}" -std=c11 "${strict[@]}" -Iinclude \
            -c "$TMP/capability.c" -o "$TMP/alone.o"
        expect "$header.h compiles alone as C++17, ENGINE_MINOR $minor" "${cxx[@]}" -std=c++17 "${strict[@]}" -Iinclude \
            -c "$TMP/capability.cpp" -o "$TMP/alone.o"
    done
done
for header in engine judge; do
    printf '%s\n' "#include <engine/$header.h>" 'struct engine_run *run; struct engine_bench *bench;' >"$TMP/library.c"
    cp "$TMP/library.c" "$TMP/library.cpp"
    expect "$header.h compiles alone as C11" "${cc[@]}" -std=c11 "${strict[@]}" -Iinclude -c "$TMP/library.c" \
        -o "$TMP/alone.o"
    expect "$header.h compiles alone as C++17" "${cxx[@]}" -std=c++17 "${strict[@]}" -Wno-shadow -Iinclude \
        -c "$TMP/library.cpp" -o "$TMP/alone.o" # a structure and a function may have one name
done
for rule in bits floats; do
    sed '1i #define ENGINE_MINOR 12' "$TMP/$rule.c" >"$TMP/newest.c"
    expect "the stencil headers include what they use: $rule" "${cc[@]}" -std=c11 "${strict[@]}" -Iinclude \
        -c "$TMP/newest.c" -o "$TMP/alone.o"
done
{
    echo '#define ENGINE_MINOR 12'
    sed 's/@NAME@/rule/g' cli/template/particles/rule.h
    echo '#include <engine/neighbours_cpu.h>'
} >"$TMP/newest.c"
expect 'the headers of neighbours include what they use' "${cc[@]}" -std=c11 "${strict[@]}" -Iinclude -c "$TMP/newest.c" \
    -o "$TMP/alone.o"
printf '%s\n' '#define ENGINE_MINOR 12' '#include <engine/plugin.h>' '#include <engine/retired.h>' \
    'unsigned used = ENGINE_SUBBOX | ENGINE_EXACT;' >"$TMP/retired.c"
expect 'names that no plugin needs are in a header of their own' "${cc[@]}" -std=c11 "${strict[@]}" -Iinclude \
    -c "$TMP/retired.c" -o "$TMP/alone.o"
sed -i '/retired/d' "$TMP/retired.c"
expect_not 'who asks for 1.12 does not see them' "${cc[@]}" -std=c11 "${strict[@]}" -Iinclude \
    -c "$TMP/retired.c" -o "$TMP/alone.o"

# A flag of one header and a flag of another may stand in one expression: in C++20, enumerations of two kinds may not.
if "${cxx[@]}" -std=c++20 -x c++ -fsyntax-only /dev/null 2>/dev/null; then
    printf '%s\n' '#include <engine/plugin.h>' 'unsigned used = ENGINE_EXACT | ENGINE_DIVISIBLE | ENGINE_DEAD_EDGES;' \
        >"$TMP/flags.cpp"
    expect 'flags of several headers in C++20' "${cxx[@]}" -std=c++20 "${strict[@]}" -Iinclude -c "$TMP/flags.cpp" \
        -o "$TMP/alone.o"
else
    skip 'flags of several headers in C++20' "$CXX does not know C++20"
fi

for header in plugin base access retired "${capabilities[@]}"; do
    expect_not "$header.h includes no header but stddef.h, stdint.h and those of the interface" \
        sh -c "grep '^ *# *include' include/engine/$header.h |
            grep -v -e '<stddef.h>' -e '<stdint.h>' -e '<engine/[a-z]*.h>'"
done
expect 'plugin.h has at most 450 lines' test "$(wc -l <include/engine/plugin.h)" -le 450
plan
