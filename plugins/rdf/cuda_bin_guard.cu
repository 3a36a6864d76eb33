/* The guard of cuda_bin.h, chosen by exhaustive test: every float d^2 near every edge of a bin. */
#include "cuda_bin_guard.h"

/* Block k - 1 tests the floats near edge k. */
static __global__ void check_edges(rdf_bins bins, rdf_binning binning, const float *thresholds, uint32_t *wrong)
{
    const uint32_t edge = blockIdx.x + 1;
    float begin, end;
    rdf_uncertain_range(binning, edge, thresholds[edge], &begin, &end);
    for (uint32_t bits = __float_as_uint(begin) + threadIdx.x; bits <= __float_as_uint(end); bits += blockDim.x) {
        const float square = __uint_as_float(bits), root = rdf_root_of(square);
        const uint32_t v = rdf_slot_bits(binning, root);
        const uint32_t slot = rdf_slot_is_certain(binning, v) ? (uint32_t) rdf_slot_of(binning, v)
                                                              : rdf_slot_by_threshold(binning, v, square, thresholds);
        if (min(slot, bins.count) != rdf_bin(&bins, square))
            atomicAdd(wrong, 1);
    }
}

static int count_wrong(const engine_host *host, const rdf_solver *solver, uint32_t *wrong)
{
    uint32_t *on_device = &solver->census->invalid;
    ENGINE_CUDA_CHECK(host, cudaMemset(on_device, 0, sizeof *on_device));
    check_edges<<<solver->plan.bins.count, 128>>>(solver->plan.bins, solver->binning, solver->thresholds, on_device);
    ENGINE_CUDA_CHECK(host, cudaGetLastError());
    ENGINE_CUDA_CHECK(host, cudaMemcpy(wrong, on_device, sizeof *wrong, cudaMemcpyDeviceToHost));
    return 0;
}

int rdf_choose_guard(const engine_host *host, rdf_solver *solver)
{
    for (uint32_t guard = 1; guard <= RDF_GUARD_MAX; guard *= 2) {
        uint32_t wrong = 0;
        solver->binning = rdf_binning_of(&solver->plan.bins, guard);
        const int status = count_wrong(host, solver, &wrong);
        if (status || wrong == 0) {
            host->note(host, "guard", "%u", guard);
            return status;
        }
    }
    return ENGINE_FAIL(host, ENGINE_INTERNAL, "this device's approximate root is off by more than its manual says");
}
