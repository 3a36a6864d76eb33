/* The kernels of 2D Life for grids with dead edges that are compiled with the plugin. */
#include "cuda_forms.cuh"

template <class JOBS> static cudaError_t set_forms(struct life2d_cuda_rule *rule)
{
    return rule->source.form == LIFE_BUILT_IN ? life2d_set_forms<JOBS, rule_life>(rule)
                                              : life2d_set_forms<JOBS, rule_numbers>(rule);
}

cudaError_t life2d_set_dead_forms(struct life2d_cuda_rule *rule)
{
    return rule->dead & LIFE_DEAD_X ? set_forms<life2d_dead_jobs<1>>(rule) : set_forms<life2d_dead_jobs<0>>(rule);
}

template <class JOBS> static cudaError_t set_batch_forms(struct life2d_cuda_rule *rule)
{
    return rule->source.form == LIFE_BUILT_IN ? life2d_set_batch_forms<JOBS, rule_life>(rule)
                                              : life2d_set_batch_forms<JOBS, rule_numbers>(rule);
}

cudaError_t life2d_set_dead_batch_forms(struct life2d_cuda_rule *rule)
{
    return rule->dead & LIFE_DEAD_X ? set_batch_forms<life2d_dead_jobs<1>>(rule)
                                    : set_batch_forms<life2d_dead_jobs<0>>(rule);
}
