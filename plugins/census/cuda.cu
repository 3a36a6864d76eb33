/* Batches of soups on a device. Two batches take turns, so that one runs while the host takes the results of the other. */
#include "cuda_ash.cuh"

#include <common/cuda.cuh>

namespace
{

constexpr uint32_t BATCHES = 2;
constexpr int BLOCKS = 8; /* of a multiprocessor */

/* A batch has its own memory. */
struct batch {
    census_job job;
    census_shape *table;
    cudaStream_t stream;
    census_totals *totals_here; /* in host memory that the device writes without waiting */
    uint32_t *counts_here, *left_here;
    census_report *reports_here;
};

} // namespace

struct census_device {
    batch batches[BATCHES];
    unsigned blocks;
    bool is_life;
};

namespace
{

/* The host's copies of what a batch leaves. */
cudaError_t allocate_here(batch &own)
{
    ENGINE_CUDA_TRY(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking));
    ENGINE_CUDA_TRY(cudaMallocHost(&own.totals_here, sizeof *own.totals_here));
    ENGINE_CUDA_TRY(cudaMallocHost(&own.counts_here, CENSUS_SLOTS * sizeof *own.counts_here));
    ENGINE_CUDA_TRY(cudaMallocHost(&own.left_here, CENSUS_BATCH * sizeof *own.left_here));
    return cudaMallocHost(&own.reports_here, CENSUS_REPORTS * sizeof *own.reports_here);
}

template <class T> bool reserve(const engine_host *host, uint64_t count, T **out)
{
    *out = (T *) host->scratch(host, count * sizeof **out, ENGINE_CUDA_MEMORY);
    return *out != nullptr;
}

int open_batch(const engine_call *call, const census_job &model, unsigned blocks, batch &own)
{
    const engine_host *host = call->host;
    const uint64_t words = (uint64_t) blocks * (CENSUS_THREADS / 32) * 2 * ARRAY_WORDS;
    own.job = model;
    if (!reserve(host, CENSUS_BATCH, &own.job.soups) || !reserve(host, words, &own.job.arrays) ||
        !reserve(host, CENSUS_SLOTS, &own.table) || !reserve(host, CENSUS_SLOTS, &own.job.counts) ||
        !reserve(host, CENSUS_BATCH, &own.job.left) || !reserve(host, CENSUS_REPORTS, &own.job.reports) ||
        !reserve(host, 1, &own.job.totals) ||
        !reserve(host, (uint64_t) blocks * (CENSUS_THREADS / 32) * CENSUS_CLUSTERS, &own.job.slots))
        return ENGINE_NO_MEMORY;
    own.job.table = own.table;
    ENGINE_CUDA_CHECK(host, allocate_here(own));
    ENGINE_CUDA_CHECK(host, cudaMemsetAsync(own.table, 0, CENSUS_SLOTS * sizeof *own.table, own.stream));
    ENGINE_CUDA_CHECK(host, cudaMemsetAsync(own.job.arrays, 0, words * sizeof(uint32_t), own.stream));
    return 0;
}

} // namespace

int census_device_open(const engine_call *call, const census_job *model, census_device **device)
{
    int number, processors;
    ENGINE_CUDA_CHECK(call->host, cudaGetDevice(&number));
    ENGINE_CUDA_CHECK(call->host, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, number));
    *device = (census_device *) calloc(1, sizeof **device);
    if (!*device)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory for the census");
    (*device)->blocks = (unsigned) (BLOCKS * processors);
    (*device)->is_life = model->is_life;
    int status = 0;
    for (batch &own : (*device)->batches)
        status = status ? status : open_batch(call, *model, (*device)->blocks, own);
    if (status != 0)
        census_device_close(*device);
    return status;
}

void census_device_close(census_device *device)
{
    for (batch &own : device->batches) {
        if (own.stream) {
            (void) cudaStreamSynchronize(own.stream);
            (void) cudaStreamDestroy(own.stream);
        }
        (void) cudaFreeHost(own.totals_here);
        (void) cudaFreeHost(own.counts_here);
        (void) cudaFreeHost(own.left_here);
        (void) cudaFreeHost(own.reports_here);
    }
    free(device);
}

int census_device_start(census_device *device, const engine_call *call, uint32_t number, uint64_t first, uint32_t count,
                        bool report_gliders, const census_shape *table)
{
    const engine_host *host = call->host;
    batch &own = device->batches[number];
    census_job &job = own.job;
    job.first = first;
    job.count = count;
    job.report_gliders = report_gliders;
    if (table)
        ENGINE_CUDA_CHECK(
            host, cudaMemcpyAsync(own.table, table, CENSUS_SLOTS * sizeof *table, cudaMemcpyHostToDevice, own.stream));
    ENGINE_CUDA_CHECK(host, cudaMemsetAsync(job.totals, 0, sizeof *job.totals, own.stream));
    ENGINE_CUDA_CHECK(host, cudaMemsetAsync(job.counts, 0, CENSUS_SLOTS * sizeof *job.counts, own.stream));
    make_soups<<<engine_cuda_blocks(count, CENSUS_THREADS), CENSUS_THREADS, 0, own.stream>>>(job);
    ENGINE_CUDA_CHECK_LAUNCH(host, make_soups);
    if (device->is_life)
        take_soups<true><<<device->blocks, CENSUS_THREADS, 0, own.stream>>>(job);
    else
        take_soups<false><<<device->blocks, CENSUS_THREADS, 0, own.stream>>>(job);
    ENGINE_CUDA_CHECK_LAUNCH(host, take_soups);
    ENGINE_CUDA_CHECK(
        host, cudaMemcpyAsync(own.totals_here, job.totals, sizeof *job.totals, cudaMemcpyDeviceToHost, own.stream));
    ENGINE_CUDA_CHECK(host, cudaMemcpyAsync(own.counts_here, job.counts, CENSUS_SLOTS * sizeof *job.counts,
                                            cudaMemcpyDeviceToHost, own.stream));
    return 0;
}

int census_device_finish(census_device *device, const engine_call *call, uint32_t number, census_results *results)
{
    const engine_host *host = call->host;
    const batch &own = device->batches[number];
    ENGINE_CUDA_CHECK(host, cudaStreamSynchronize(own.stream));
    census_totals totals = *own.totals_here;
    if (totals.reports > CENSUS_REPORTS)
        totals.reports = CENSUS_REPORTS;
    ENGINE_CUDA_CHECK(host, cudaMemcpyAsync(own.left_here, own.job.left, totals.left * sizeof *own.job.left,
                                            cudaMemcpyDeviceToHost, own.stream));
    ENGINE_CUDA_CHECK(host, cudaMemcpyAsync(own.reports_here, own.job.reports, totals.reports * sizeof *own.job.reports,
                                            cudaMemcpyDeviceToHost, own.stream));
    ENGINE_CUDA_CHECK(host, cudaStreamSynchronize(own.stream));
    *results = {totals, own.counts_here, own.left_here, own.reports_here};
    return 0;
}

int census_device_read(const engine_call *call, char *to, const char *from, uint64_t bytes)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    return 0;
}

int census_device_write(const engine_call *call, char *to, const char *from, uint64_t bytes)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    return 0;
}
