/* The machine's approximate root, and how far it may be trusted. */
#ifndef RDF_CUDA_GUARD_H
#define RDF_CUDA_GUARD_H

#include "cuda_solver.h"

static __device__ inline float rdf_root_of(float square)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    return root;
}

/* Start. Sets solver->fast to the form with the smallest guard that is right for these bins on this device. */
int rdf_choose_guard(const engine_host *host, rdf_solver *solver);

#endif
