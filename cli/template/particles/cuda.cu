/* @NAME@ on a GPU, with one thread for each particle. */
#include "@NAME@.h"

#include <engine/cuda.h>

static const unsigned THREADS = 256; /* in a block */

static __global__ void advance_all(rule rule, particles now, particles then, uint64_t count, uint64_t steps)
{
    const uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        take_steps(&rule, now, then, i, steps);
}

/* One block: each thread adds up its particles, and the threads are added in pairs. */
static __global__ void add_up(rule rule, particles now, uint64_t count, double *sums)
{
    __shared__ double all[THREADS][METRICS];
    double *own = all[threadIdx.x];
    for (int k = 0; k < METRICS; k++)
        own[k] = 0;
    for (uint64_t i = threadIdx.x; i < count; i += THREADS)
        tally(&rule, now.position + 3 * i, now.velocity + 3 * i, own);
    for (unsigned apart = THREADS / 2; apart > 0; apart /= 2) {
        __syncthreads();
        for (int k = 0; k < METRICS && threadIdx.x < apart; k++)
            own[k] += all[threadIdx.x + apart][k];
    }
    for (int k = 0; k < METRICS && threadIdx.x == 0; k++)
        sums[k] = own[k];
}

/* Memory for the sums of cuda_measure. The engine frees it at the end of the run. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, METRICS * sizeof(double), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const uint64_t count = engine_field_shape(call->plan, POSITION)->extent[0];
    advance_all<<<engine_cuda_blocks(count, THREADS), THREADS, 0, engine_cuda_stream(call)>>>(
        rule_of(call->plan), particles_of(call, call->current), particles_of(call, call->result), count, call->steps);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, advance_all);
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const uint64_t count = engine_field_shape(call->plan, POSITION)->extent[0];
    add_up<<<1, THREADS, 0, stream>>>(rule_of(call->plan), particles_of(call, call->current), count, (double *) self);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, add_up);
    ENGINE_CUDA_CHECK(call->host,
                      cudaMemcpyAsync(values, self, METRICS * sizeof(double), cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    return 0;
}
