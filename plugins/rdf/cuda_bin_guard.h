/* The hardware's approximate root, and the guard of cuda_bin.h that it needs. */
#ifndef RDF_CUDA_BIN_GUARD_H
#define RDF_CUDA_BIN_GUARD_H

#include "cuda_solver.h"

static __device__ inline float rdf_root_of(float square)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    return root;
}

/* Start. Sets solver->binning to the form with the smallest guard that is right for these bins on this device. */
int rdf_choose_guard(const engine_host *host, rdf_solver *solver);

#endif
