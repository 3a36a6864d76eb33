/* The kernels of a rule: those that are compiled with the plugin, or those of the library of a compiled rule. */
#ifndef LIFE3D_PACKED_CUDA_FORMS_CUH
#define LIFE3D_PACKED_CUDA_FORMS_CUH

#include "cuda_stepper.h"

#include "cuda_kernels.cuh"

/* Sets all forms of a rule. The kernels of a compiled rule come from its library, the others from RULE. */
template <class STREAM_JOB, class RESIDENT_JOB, class RULE>
static cudaError_t packed_set_forms(struct packed_cuda_rule *rule)
{
    struct packed_kernel_form *form = rule->stream;
#define STREAM(LEVELS, SEAM, WARPS, RING) \
    ENGINE_CUDA_TRY(life_set_form(form++, \
                                  {(const void *) packed_stream<LEVELS, SEAM, WARPS, RING, STREAM_JOB, RULE>, LEVELS, \
                                   SEAM, WARPS, stream_lane<LEVELS, WARPS, RING, whole_groups>::BYTES}, \
                                  rule->source.library, "packed_stream_" #LEVELS "_" #SEAM));
    PACKED_FOR_STREAM_FORMS(STREAM)
#undef STREAM
    form = rule->resident;
#define RESIDENT(SEAM) \
    ENGINE_CUDA_TRY(life_set_form(form++, \
                                  {(const void *) packed_resident<SEAM, RESIDENT_JOB, RULE>, 0, SEAM, RESIDENT_WARPS, \
                                   rule->device.shared_bytes}, \
                                  rule->source.library, "packed_resident_" #SEAM));
    PACKED_FOR_RESIDENT_FORMS(RESIDENT)
#undef RESIDENT
    return cudaSuccess;
}

/* cuda_dead.cu: the same for grids with dead edges. */
cudaError_t packed_set_dead_forms(struct packed_cuda_rule *rule);

#endif
