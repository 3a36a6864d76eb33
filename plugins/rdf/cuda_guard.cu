/* The guard of cuda_fast.h is chosen by trying all that it may be about. */
#include "cuda_guard.h"

/* Block k - 1: the floats around edge k. */
static __global__ void check_around(rdf_bins bins, rdf_fast fast, const float *thresholds, uint32_t *wrong)
{
    const uint32_t edge = blockIdx.x + 1;
    float begin, end;
    rdf_fast_around(fast, edge, thresholds[edge], &begin, &end);
    for (uint32_t bits = __float_as_uint(begin) + threadIdx.x; bits <= __float_as_uint(end); bits += blockDim.x) {
        const float square = __uint_as_float(bits), root = rdf_root_of(square);
        const uint32_t seen = rdf_fast_bits(fast, root);
        const uint32_t slot = rdf_fast_sure(fast, seen) ? (uint32_t) rdf_fast_slot(fast, seen)
                                                        : rdf_fast_settle(fast, seen, square, thresholds);
        if (min(slot, bins.count) != rdf_bin(&bins, square))
            atomicAdd(wrong, 1);
    }
}

static int count_wrong(const engine_host *host, const rdf_solver *solver, uint32_t *wrong)
{
    uint32_t *on_device = &solver->census->lost;
    RDF_CHECK(host, cudaMemset(on_device, 0, sizeof *on_device));
    check_around<<<solver->plan.bins.count, 128>>>(solver->plan.bins, solver->fast, solver->thresholds, on_device);
    RDF_CHECK(host, cudaGetLastError());
    RDF_CHECK(host, cudaMemcpy(wrong, on_device, sizeof *wrong, cudaMemcpyDeviceToHost));
    return 0;
}

int rdf_choose_guard(const engine_host *host, rdf_solver *solver)
{
    for (uint32_t guard = 1; guard <= RDF_GUARD_MAX; guard *= 2) {
        uint32_t wrong = 0;
        solver->fast = rdf_fast_form(&solver->plan.bins, guard);
        const int status = count_wrong(host, solver, &wrong);
        if (status || wrong == 0) {
            host->note(host, "guard", "%u", guard);
            return status;
        }
    }
    return ENGINE_FAIL(host, ENGINE_INTERNAL, "this device's approximate root is off by more than its manual says");
}
