/* transpose on a GPU: what each kernel adds over the one before. docs/lab/transpose.md has the rates. The first two are
 * those of the GPU seminar of Jurek and Tóth (docs/explain/source-texts.md):
 *
 *   cuda-naive
 *       Reads along rows and writes along columns: every element that is written is a sector of 32 bytes of its own.
 *   cuda-tiled
 *       A tile of 16 x 16 in shared memory, so that both go along rows, 64 bytes at a time. An access is one element:
 *       too few bytes are in flight.
 *   cuda
 *       Tiles with rows of 256 bytes, 16 bytes an access both ways, and two to eight loads in flight in each thread.
 *       Consecutive blocks write side by side. Rows start at multiples of 256 bytes and are an odd multiple of that
 *       apart (transpose_layout): no access straddles two lines, and odd sizes are about as good as round ones.
 *   cuda-in-place
 *       A tile and its mirror image; half the memory.
 *
 * Short rows (an array of n x 3) are dense. A kernel of their own reads and writes them as if they were one row. */
#include "cuda_kernels.cuh"

#include <common/cuda.cuh>

/* Fewer tiles of 64 KiB than this are few for a GPU (measured with 132 multiprocessors). */
constexpr uint64_t FEW_TILES = 2048;

/* ---- Tiles -------------------------------------------------------------------------------------------------- */

using transpose_kernel = void (*)(transpose_grid);

/* A kernel, and how it divides a matrix into tiles. */
struct method {
    transpose_kernel kernel;
    dim3 threads;
    uint32_t shared_bytes;
    uint32_t rows, columns; /* of a tile */
    bool folded;            /* only tiles on and right of the diagonal, folded into a rectangle */
};

template <uint32_t BYTES, int SIDE> static method element_method(bool tiled)
{
    return {tiled ? transpose_tiled<BYTES, SIDE> : transpose_naive<BYTES>, dim3(SIDE, SIDE), 0, SIDE, SIDE, false};
}

template <uint32_t BYTES> static method element_method(const engine_plan *plan, bool tiled)
{
    switch (engine_param_choice(plan, TRANSPOSE_TILE)) {
    case 0:
        return element_method<BYTES, 8>(tiled);
    case 1:
        return element_method<BYTES, 16>(tiled);
    default:
        return element_method<BYTES, 32>(tiled);
    }
}

/* Tiles with the whole shorter side, and as much of the longer one as fits. */
template <uint32_t BYTES> static method short_method(const transpose_pass &pass)
{
    const uint64_t elements = TRANSPOSE_SHORT_BYTES / BYTES;
    method made = {transpose_short<BYTES>, dim3(TRANSPOSE_SHORT_THREADS), 0, 0, 0, false};
    const bool wide = pass.columns > pass.rows;
    const uint64_t across = wide ? pass.rows : pass.columns, fit = elements / across,
                   along = wide ? pass.columns : pass.rows;
    made.rows = (uint32_t) (wide ? across : fit < along ? fit : along);
    made.columns = (uint32_t) (wide ? fit < along ? fit : along : across);
    made.shared_bytes = made.rows * (made.columns | 1) * BYTES;
    return made;
}

/* Tiles of ROWS x COLUMNS elements. */
template <uint32_t BYTES, int ROWS, int COLUMNS, int THREADS> static method lines_method()
{
    return {
        transpose_lines<BYTES, ROWS, COLUMNS, THREADS>, dim3(THREADS), ROWS * COLUMNS * BYTES, ROWS, COLUMNS, false};
}

/* Rows of 256 bytes are best, and 512 threads if an element has at most 4 bytes (measured). Elements of one byte then
 * have a tile of 64 KiB. If few such tiles make the matrix, the last of them leave many multiprocessors idle, and
 * smaller tiles are better. */
template <uint32_t BYTES> static method best_method(const transpose_pass &pass)
{
    if (!pass.lines)
        return short_method<BYTES>(pass);
    if constexpr (BYTES == 1) {
        const uint64_t tiles = divide_up(pass.rows, 256) * divide_up(pass.columns, 256) * pass.batch;
        return tiles < FEW_TILES ? lines_method<1, 128, 256, 512>() : lines_method<1, 256, 256, 512>();
    }
    constexpr int side = BYTES <= 8 ? 256 / BYTES : 32, threads = BYTES >= 8 ? 256 : 512;
    return lines_method<BYTES, side, side, threads>();
}

/* The same for a pair of square tiles. */
template <uint32_t BYTES> static method in_place_method(const transpose_pass &pass)
{
    constexpr int side = BYTES == 1 ? 128 : BYTES <= 4 ? 64 : 32;
    if (!pass.lines)
        return {transpose_short_in_place<BYTES>, dim3(16, 16), 0, 16, 16, false};
    return {transpose_lines_in_place<BYTES, side, 256>, dim3(256), 2 * side * side * BYTES, side, side, true};
}

enum variant { NAIVE, TILED, BEST, IN_PLACE };

template <uint32_t BYTES> static method method_of(const engine_plan *plan, const transpose_pass &pass, variant variant)
{
    return variant == BEST       ? best_method<BYTES>(pass)
           : variant == IN_PLACE ? in_place_method<BYTES>(pass)
                                 : element_method<BYTES>(plan, variant == TILED);
}

static method method_of(const engine_plan *plan, const transpose_pass &pass, variant variant)
{
    switch (pass.element) {
    case 1:
        return method_of<1>(plan, pass, variant);
    case 2:
        return method_of<2>(plan, pass, variant);
    case 4:
        return method_of<4>(plan, pass, variant);
    case 8:
        return method_of<8>(plan, pass, variant);
    default:
        return method_of<16>(plan, pass, variant);
    }
}

static transpose_grid grid_of(const transpose_pass &pass, const method &method)
{
    const uint64_t down = divide_up(pass.rows, method.rows), across = divide_up(pass.columns, method.columns);
    if (method.folded) /* an odd number across, and half of the square; see unfold */
        return {pass, method.rows, method.columns, down / 2 + 1, across | 1};
    return {pass, method.rows, method.columns, down, across};
}

/* ---- Calls -------------------------------------------------------------------------------------------------- */

static int take_step(const engine_call *call, const transpose_pass &pass, variant variant)
{
    const method method = method_of(call->plan, pass, variant);
    const transpose_grid grid = grid_of(pass, method);
    const uint64_t blocks = grid.down * grid.across * pass.batch;
    if (blocks > ENGINE_CUDA_BLOCKS_X)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "the matrix has %llu tiles; expected at most %llu for a GPU",
                           (unsigned long long) blocks, (unsigned long long) ENGINE_CUDA_BLOCKS_X);
    method.kernel<<<(uint32_t) blocks, method.threads, method.shared_bytes, engine_cuda_stream(call)>>>(grid);
    ENGINE_CUDA_CHECK(call->host, cudaGetLastError());
    return 0;
}

/* In place both buffers are the same, and transpose_next changes nothing. */
static int take_steps(const engine_call *call, variant variant)
{
    transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++, transpose_next(&pass)) {
        const int status = take_step(call, pass, variant);
        if (status)
            return step == 0 ? status : -status;
    }
    return 0;
}

static int advance(engine_call *call, variant variant)
{
    const int status = take_steps(call, variant);
    if (status == 0)
        call->result = call->steps % 2 ? 1 - call->current : call->current;
    return status;
}

/* ---- Parts -------------------------------------------------------------------------------------------------- */

/* Bytes that a part of a divided run receives at a time. */
constexpr uint64_t ROUND_BYTES = 256 << 20;

static int copy_rows(const engine_call *call, const transpose_copy *copy)
{
    ENGINE_CUDA_CHECK(call->host, cudaMemcpy2DAsync(copy->to, copy->to_row, copy->from, copy->from_row, copy->bytes,
                                                    copy->rows, cudaMemcpyDeviceToDevice, engine_cuda_stream(call)));
    return 0;
}

static int turn(void *self, const engine_call *call, const transpose_pass *pass)
{
    return take_step(call, *pass, *(const variant *) self);
}

static int create_parts(const engine_call *call, void **self)
{
    const engine_host *host = call->host;
    transpose_parts *parts = (transpose_parts *) host->scratch(host, sizeof *parts, ENGINE_HOST_MEMORY);
    if (!parts)
        return ENGINE_NO_MEMORY;
    *parts = {nullptr, nullptr, ROUND_BYTES, copy_rows, turn};
    *self = parts;
    return transpose_parts_create(call, ENGINE_CUDA_MEMORY, parts);
}

static int advance(void *self, engine_call *call, variant variant)
{
    return transpose_has_parts(call->plan) ? transpose_parts_advance((const transpose_parts *) self, &variant, call)
                                           : advance(call, variant);
}

/* ---- Implementations ---------------------------------------------------------------------------------------- */

int transpose_cuda_basic_create(const engine_call *call, void **self)
{
    return transpose_has_parts(call->plan) ? create_parts(call, self) : 0;
}

int transpose_cuda_naive_advance(void *self, engine_call *call)
{
    return advance(self, call, NAIVE);
}

int transpose_cuda_tiled_advance(void *self, engine_call *call)
{
    return advance(self, call, TILED);
}

/* Bytes of shared memory that any kernel may have; more must be asked for. */
constexpr uint32_t SHARED_DEFAULT = 48 << 10;

static int prepare(const engine_call *call, const transpose_pass &pass)
{
    const method method = method_of(call->plan, pass, BEST);
    if (method.shared_bytes > SHARED_DEFAULT)
        ENGINE_CUDA_CHECK(call->host, cudaFuncSetAttribute(method.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                           (int) method.shared_bytes));
    return 0;
}

/* All steps have the same kernel, or in parts one of two. Smaller rounds, the last ones, need no more shared memory. */
int transpose_cuda_create(const engine_call *call, void **self)
{
    transpose_pass pass = transpose_first(call);
    if (!transpose_has_parts(call->plan))
        return prepare(call, pass);
    int status = create_parts(call, self);
    for (int step = 0; step < 2 && status == 0; step++, transpose_next(&pass))
        status = prepare(call, transpose_parts_pass((const transpose_parts *) *self, call->plan, &pass));
    return status;
}

int transpose_cuda_advance(void *self, engine_call *call)
{
    return advance(self, call, BEST);
}

int transpose_cuda_in_place_advance(void *self, engine_call *call)
{
    (void) self;
    return take_steps(call, IN_PLACE);
}
