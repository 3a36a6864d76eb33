/* transpose on a GPU. What each kernel adds over the one before. GB/s read and written, floats, 16384 x 16384, median,
 * and the share of what cudaMemcpy of as many bytes reaches (NVIDIA H200, CUDA 13.0, 2026-11-22; 4250).
 *
 *   cuda-naive                                                                                        1230   29 %
 *       Reads along rows, writes along columns: every element written is a sector of 32 bytes of its own.
 *   cuda-tiled                                                                                        1550   37 %
 *       The seminar's kernel: through a tile of 16 x 16 in shared memory, written along rows, 64 bytes at a time. An
 *       access an element and thread: too few bytes on their way.
 *   cuda                                                                                              4130   97 %
 *       64 x 64, 16 bytes an access both ways, four of them a thread under way before the first is used. Rows of a tile
 *       are 256 bytes: with 128 (32 x 32) it is 86 %. Blocks that run together write side by side. Rows start at whole
 *       pairs of lines, by the layout, an odd number of them apart: no access straddles two, and round sizes are as
 *       good as others (10007 x 4099 100 %); a power of two apart, 8 bytes have 94 % and 16 bytes 92 %.
 *       By size of element: 1 byte 95 %, 2 bytes 98 %, 8 bytes 96 %, 16 bytes (8192 x 8192) 97 %. Tiles of 128 x 128
 *       single bytes 91 to 95 %; of 256 x 256, by 256 or 1024 threads, 87 and 78 %.
 *   cuda-in-place                                                                                     3850   91 %
 *       A tile and its mirror image; half the memory.
 *
 * Short rows (an array of n x 3) are dense, and moved by a kernel that reads and writes them as if they were one. */
#include "cuda_kernels.cuh"

#define TRANSPOSE_CHECK(host, call) \
    do { \
        const cudaError_t transpose_error = (call); \
        if (transpose_error != cudaSuccess) \
            return ENGINE_FAIL(host, ENGINE_DEVICE, "%s: %s: %s", #call, cudaGetErrorName(transpose_error), \
                               cudaGetErrorString(transpose_error)); \
    } while (0)

/* ---- Tiles -------------------------------------------------------------------------------------------------- */

using transpose_kernel = void (*)(transpose_grid);

/* How a matrix is cut, and who moves a piece. */
struct method {
    transpose_kernel kernel;
    dim3 threads;
    uint32_t shared_bytes;
    uint32_t rows, columns; /* of a tile */
    bool folded;            /* only tiles on and right of the diagonal */
};

template <uint32_t BYTES, int SIDE> static method element_method(bool tiled)
{
    return {tiled ? transpose_tiled<BYTES, SIDE> : transpose_naive<BYTES>, dim3(SIDE, SIDE), 0, SIDE, SIDE, false};
}

template <uint32_t BYTES> static method element_method(const engine_plan *plan, bool tiled)
{
    switch (engine_param_value(plan, TRANSPOSE_TILE)->integer) {
    case 0:
        return element_method<BYTES, 8>(tiled);
    case 1:
        return element_method<BYTES, 16>(tiled);
    default:
        return element_method<BYTES, 32>(tiled);
    }
}

/* The shorter side whole, and of the longer one as much as fills the tile; an odd pitch takes a column more. */
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

/* Squares of SIDE x SIDE elements, by a kernel that keeps `tiles` of them. */
template <uint32_t BYTES, int SIDE> static method lines_method(transpose_kernel kernel, int threads, uint32_t tiles)
{
    return {kernel, dim3(threads), tiles * SIDE * SIDE * BYTES, SIDE, SIDE, tiles > 1};
}

/* Measured: rows of 256 bytes are best. Of single bytes that makes a tile of 64 KB, which 512 threads move best. */
template <uint32_t BYTES> static method best_method(const transpose_pass &pass)
{
    if (!pass.lines)
        return short_method<BYTES>(pass);
    constexpr int side = BYTES <= 8 ? 256 / BYTES : 32, threads = BYTES == 1 ? 512 : 256;
    return lines_method<BYTES, side>(transpose_lines<BYTES, side, threads>, threads, 1);
}

template <uint32_t BYTES> static method in_place_method(const transpose_pass &pass)
{
    constexpr int side = BYTES == 1 ? 128 : BYTES <= 4 ? 64 : 32;
    return pass.lines ? lines_method<BYTES, side>(transpose_lines_in_place<BYTES, side, 256>, 256, 2)
                      : method{transpose_short_in_place<BYTES>, dim3(16, 16), 0, 16, 16, false};
}

enum way { NAIVE, TILED, BEST, IN_PLACE };

template <uint32_t BYTES> static method method_of(const engine_plan *plan, const transpose_pass &pass, way way)
{
    return way == BEST       ? best_method<BYTES>(pass)
           : way == IN_PLACE ? in_place_method<BYTES>(pass)
                             : element_method<BYTES>(plan, way == TILED);
}

static method method_of(const engine_plan *plan, const transpose_pass &pass, way way)
{
    switch (pass.element) {
    case 1:
        return method_of<1>(plan, pass, way);
    case 2:
        return method_of<2>(plan, pass, way);
    case 4:
        return method_of<4>(plan, pass, way);
    case 8:
        return method_of<8>(plan, pass, way);
    default:
        return method_of<16>(plan, pass, way);
    }
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static transpose_grid cut(const transpose_pass &pass, const method &method)
{
    const uint64_t down = divide_up(pass.rows, method.rows), across = divide_up(pass.columns, method.columns);
    if (method.folded) /* `across` odd, and as many rows of tiles as make up half the square */
        return {pass, method.rows, method.columns, down / 2 + 1, across | 1};
    return {pass, method.rows, method.columns, down, across};
}

/* ---- Calls -------------------------------------------------------------------------------------------------- */

static int take_step(const engine_call *call, const transpose_pass &pass, way way)
{
    const method method = method_of(call->plan, pass, way);
    const transpose_grid grid = cut(pass, method);
    const uint64_t blocks = grid.down * grid.across * pass.batch;
    if (blocks > INT32_MAX)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "%llu tiles: one launch takes 2147483647",
                           (unsigned long long) blocks);
    method.kernel<<<(uint32_t) blocks, method.threads, method.shared_bytes, (cudaStream_t) call->stream>>>(grid);
    TRANSPOSE_CHECK(call->host, cudaGetLastError());
    return 0;
}

static int advance(engine_call *call, way way)
{
    transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++, transpose_next(&pass)) {
        const int status = take_step(call, pass, way);
        if (status)
            return step == 0 ? status : -status;
    }
    call->result = call->steps % 2 ? 1 - call->current : call->current;
    return 0;
}

int transpose_cuda_naive_advance(void *self, engine_call *call)
{
    (void) self;
    return advance(call, NAIVE);
}

int transpose_cuda_tiled_advance(void *self, engine_call *call)
{
    (void) self;
    return advance(call, TILED);
}

/* Bytes of shared memory that a kernel may have unasked. */
constexpr uint32_t SHARED_UNASKED = 48 << 10;

/* All steps have the same kernel. */
int transpose_cuda_create(const engine_call *call, void **self)
{
    (void) self;
    const method method = method_of(call->plan, transpose_first(call), BEST);
    if (method.shared_bytes > SHARED_UNASKED)
        TRANSPOSE_CHECK(call->host, cudaFuncSetAttribute(method.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                         (int) method.shared_bytes));
    return 0;
}

int transpose_cuda_advance(void *self, engine_call *call)
{
    (void) self;
    return advance(call, BEST);
}

int transpose_cuda_in_place_advance(void *self, engine_call *call)
{
    (void) self;
    const transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++) {
        const int status = take_step(call, pass, IN_PLACE);
        if (status)
            return step == 0 ? status : -status;
    }
    return 0;
}
