/* The implementation cuda-triton: loads the kernel that wave.py wrote to wave_ptx.h, and launches it. */
#include "wave.h"
#include "wave_ptx.h"

#include <engine/cuda.h>

struct instance {
    cudaLibrary_t library;
    cudaKernel_t kernel;
};

/* The driver compiles the PTX for the GPU of the run. The last call makes sure that it has done so before the first
 * launch. */
static cudaError_t load(instance *own)
{
    cudaFuncAttributes attributes;
    ENGINE_CUDA_TRY(cudaLibraryLoadData(&own->library, wave_ptx, NULL, NULL, 0, NULL, NULL, 0));
    ENGINE_CUDA_TRY(cudaLibraryGetKernel(&own->kernel, own->library, "wave_step"));
    return cudaFuncGetAttributes(&attributes, (const void *) own->kernel);
}

int triton_create(const engine_call *call, void **self)
{
    instance *own = (instance *) call->host->scratch(call->host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    own->library = NULL;
    const cudaError_t error = load(own);
    if (error != cudaSuccess) {
        triton_destroy(own);
        return ENGINE_CUDA_FAIL(call->host, ENGINE_DEVICE, error, "the kernel of wave.py");
    }
    *self = own;
    return 0;
}

void triton_destroy(void *self)
{
    const instance *own = (const instance *) self;
    if (own->library)
        (void) cudaLibraryUnload(own->library);
}

/* The arguments are those of wave_step. Triton adds pointers to memory for kernels that need more, which this one does
 * not. */
int triton_advance(void *self, engine_call *call)
{
    const instance *own = (const instance *) self;
    engine_cuda_view<float> height = engine_cuda_field<float>(call, HEIGHT, call->current);
    engine_cuda_view<float> velocity = engine_cuda_field<float>(call, VELOCITY, call->current);
    engine_cuda_view<float> next_height = engine_cuda_field<float>(call, HEIGHT, call->result);
    engine_cuda_view<float> next_velocity = engine_cuda_field<float>(call, VELOCITY, call->result);
    rule rule = rule_of(call->plan);
    void *none = NULL;
    void *arguments[] = {&height.origin,
                         &velocity.origin,
                         &next_height.origin,
                         &next_velocity.origin,
                         &height.width,
                         &height.height,
                         &height.pitch,
                         &rule.square,
                         &none,
                         &none};
    const uint64_t programs =
        engine_divide_up((uint64_t) height.width, WAVE_COLUMNS) * engine_divide_up((uint64_t) height.height, WAVE_ROWS);
    ENGINE_CUDA_CHECK(call->host, cudaLaunchKernel((const void *) own->kernel, dim3((unsigned) programs),
                                                   dim3(WAVE_THREADS), arguments, 0, engine_cuda_stream(call)));
    return 0;
}
