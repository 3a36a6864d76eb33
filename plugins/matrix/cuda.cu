/* matrix on a GPU: one kernel, a thread for each element, bound by memory. The compiler would fuse a * b + c where it
 * can, so intrinsics say how many times to round. */
#include "matrix.h"

#include <engine/cuda.h>

#include <math.h>

static __device__ float product(float a, float b)
{
    return __fmul_rn(a, b);
}

static __device__ double product(double a, double b)
{
    return __dmul_rn(a, b);
}

static __device__ float sum(float a, float b)
{
    return __fadd_rn(a, b);
}

static __device__ double sum(double a, double b)
{
    return __dadd_rn(a, b);
}

static __device__ float fused(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}

static __device__ double fused(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}

template <class Real> __global__ void take_step(rule rule, uint64_t elements, const Real *a, const Real *b, Real *c)
{
    const uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= elements)
        return;
    const Real result = rule == RULE_ADD   ? sum(a[i], b[i])
                        : rule == RULE_MAD ? sum(product(a[i], b[i]), c[i])
                                           : fused(a[i], b[i], c[i]);
    c[i] = result == result ? result : (Real) NAN;
}

template <class Real> static void launch(const engine_call *call, uint32_t blocks, uint32_t threads)
{
    take_step<<<blocks, threads, 0, engine_cuda_stream(call)>>>(
        matrix_rule(call->plan), matrix_elements(call->plan),
        (const Real *) engine_field_buffer(call, FIELD_A)->origin[0],
        (const Real *) engine_field_buffer(call, FIELD_B)->origin[0],
        (Real *) engine_field_buffer(call, FIELD_C)->origin[0]);
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const uint64_t threads = 256, blocks = engine_divide_up(matrix_elements(call->plan), threads);
    if (blocks > ENGINE_CUDA_BLOCKS_X)
        return ENGINE_FAIL(
            call->host, ENGINE_UNSUPPORTED, "the matrix has %llu elements; expected at most %llu for a GPU",
            (unsigned long long) matrix_elements(call->plan), (unsigned long long) (ENGINE_CUDA_BLOCKS_X * threads));
    for (uint64_t step = 0; step < call->steps; step++) {
        if (engine_field_shape(call->plan, FIELD_C)->type == ENGINE_F32)
            launch<float>(call, (uint32_t) blocks, threads);
        else
            launch<double>(call, (uint32_t) blocks, threads);
        const cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) /* negative: steps before this one have changed the state */
            return ENGINE_CUDA_FAIL(call->host, step ? -ENGINE_DEVICE : ENGINE_DEVICE, error, "launch of take_step");
    }
    return 0;
}
