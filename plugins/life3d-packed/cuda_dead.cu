/* The kernels of 3D Life for grids with dead edges that are compiled with the plugin. */
#include "cuda_forms.cuh"

cudaError_t packed_set_dead_forms(struct packed_cuda_rule *rule)
{
    return rule->source.form == LIFE_BUILT_IN
               ? packed_set_forms<dead_stream_job, dead_resident_job, rule_default>(rule)
               : packed_set_forms<dead_stream_job, dead_resident_job, rule_numbers>(rule);
}
