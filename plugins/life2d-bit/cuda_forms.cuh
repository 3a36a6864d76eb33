/* The kernels of a rule: those that are compiled with the plugin, or those of the library of a compiled rule. */
#ifndef LIFE2D_CUDA_FORMS_CUH
#define LIFE2D_CUDA_FORMS_CUH

#include "cuda_stepper.h"

#include "cuda_batch_kernels.cuh"
#include "cuda_kernels.cuh"

/* The arguments of the kernels of a torus, and of a grid with dead edges. */
struct life2d_torus_jobs {
    typedef stream_job stream;
    typedef resident_job resident;
    typedef batch_job batch;
    typedef batch_block_job batch_block;
};
template <int X> struct life2d_dead_jobs { /* X: along x; else along y alone */
    typedef dead_stream_job<X> stream;
    typedef dead_resident_job<X> resident;
    typedef dead_batch_job<X> batch;
    typedef dead_batch_block_job<X> batch_block;
};

/* Sets all forms of a rule but those of a batch. */
template <class JOBS, class RULE> static cudaError_t life2d_set_forms(struct life2d_cuda_rule *rule)
{
    struct life2d_kernel_form *form = rule->stream;
#define STREAM(LEVELS, WARPS, BLOCKS, RING) \
    ENGINE_CUDA_TRY( \
        life_set_form(form++, \
                      {(const void *) life2d_stream<LEVELS, WARPS, BLOCKS, RING, typename JOBS::stream, RULE>, LEVELS, \
                       WARPS, BLOCKS, WARPS * stream_ring<RING>::BYTES}, \
                      rule->source.library, "life2d_stream_" #LEVELS));
    LIFE2D_FOR_STREAM_FORMS(STREAM)
#undef STREAM
    form = rule->resident;
#define RESIDENT(ROWS, WARPS) \
    ENGINE_CUDA_TRY(life_set_form(form++, \
                                  {(const void *) life2d_resident<ROWS, WARPS, typename JOBS::resident, RULE>, ROWS, \
                                   WARPS, 1, strip_edges<WARPS>::BYTES}, \
                                  rule->source.library, "life2d_resident_" #ROWS));
    LIFE2D_FOR_RESIDENT_FORMS(RESIDENT)
#undef RESIDENT
    return cudaSuccess;
}

/* Sets the forms of a batch. */
template <class JOBS, class RULE> static cudaError_t life2d_set_batch_forms(struct life2d_cuda_rule *rule)
{
    struct life2d_kernel_form *form = rule->batch;
#define REGISTERS(WORDS, WARPS, BLOCKS) \
    ENGINE_CUDA_TRY(life_set_form( \
        form++, \
        {(const void *) life2d_batch<WORDS, WARPS, BLOCKS, typename JOBS::batch, RULE>, WORDS, WARPS, BLOCKS, 0}, \
        rule->source.library, "life2d_batch_" #WORDS));
    LIFE2D_FOR_BATCH_FORMS(REGISTERS)
#undef REGISTERS
    return life_set_form(form,
                         {(const void *) life2d_batch_block<typename JOBS::batch_block, RULE>, 0,
                          BATCH_BLOCK_THREADS / 32, 1, BATCH_MOST_SHARED},
                         rule->source.library, "life2d_batch_in_block");
}

/* cuda_dead.cu: the same for grids with dead edges, and the forms of a batch of them. */
cudaError_t life2d_set_dead_forms(struct life2d_cuda_rule *rule);
cudaError_t life2d_set_dead_batch_forms(struct life2d_cuda_rule *rule);

#endif
