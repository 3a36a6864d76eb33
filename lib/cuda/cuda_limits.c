/* Measures the limits of a CUDA device: the highest rates of copying and computing among several short runs. The host
 * measures the time from launch to completion. A run takes milliseconds, so that the time of the launch does not
 * matter. */
#include "base/machine.h"
#include "cuda/cuda_kernels.h"
#include "cuda/device_cuda.h"

enum { RUNS = 6, COPY_BYTES = 1 << 30, COPY_APART = 34 << 20, COPIES = 8, BLOCKS_EACH = 8 };

/* Measures the seconds of one launch of a limit_… kernel on every multiprocessor. */
static int kernel_seconds(struct cuda *cuda, CUfunction function, uint64_t rounds, double *seconds,
                          struct engine_error *error)
{
    const unsigned grid[3] = {(unsigned) cuda->multiprocessors * BLOCKS_EACH, 1, 1};
    CUdeviceptr nowhere = 0;
    void *arguments[] = {&nowhere, &rounds};
    double begin = machine_clock();
    if (cuda_launch(cuda, function, grid, arguments, error) != 0 || cuda->device.synchronise(&cuda->device, error) != 0)
        return error->status;
    *seconds = machine_clock() - begin;
    return 0;
}

/* Measures the operations per second of a kernel whose threads do LIMIT_VALUES in a round. The runs become longer until
 * the best one is long enough. */
static int best_rate(struct cuda *cuda, CUfunction function, double *best, struct engine_error *error)
{
    static const double long_enough = 5e-3;
    double operations = 0, seconds = 0;
    *best = 0;
    for (uint64_t rounds = 1 << 9; *best == 0 || operations / *best < long_enough; rounds *= 4)
        for (int i = 0; i < RUNS; i++) {
            if (kernel_seconds(cuda, function, rounds, &seconds, error) != 0)
                return error->status;
            operations = (double) cuda->multiprocessors * BLOCKS_EACH * CUDA_BLOCK * LIMIT_VALUES * (double) rounds;
            *best = operations / seconds > *best ? operations / seconds : *best;
        }
    return 0;
}

/* Measures the bytes read and written per second. After memory has been freed, the first copies are slower
 * (docs/lab/engine.md), so a run takes several copies, and there are several runs. The distance between source and target also
 * matters a little. The buffer is halved until it fits. */
static int best_copy(struct cuda *cuda, double *best, struct engine_error *error)
{
    struct device *device = &cuda->device;
    uint64_t bytes = COPY_BYTES;
    void *memory;
    while (device->allocate(device, 2 * bytes + (uint64_t) RUNS * COPY_APART, &memory, error) != 0)
        if ((bytes /= 2) < 1 << 20)
            return error->status;
    int status = device->synchronise(device, error);
    *best = 0;
    for (int i = 0; status == 0 && i < RUNS; i++) {
        const CUdeviceptr from = (CUdeviceptr) (uintptr_t) memory, to = from + bytes + (uint64_t) i * COPY_APART;
        double begin = machine_clock();
        for (int k = 0; status == 0 && k < COPIES; k++)
            status = CUDA_TRY(cuda, error, copy(to, from, bytes, cuda_stream(cuda)));
        if (status == 0)
            status = device->synchronise(device, error);
        double rate = COPIES * 2 * (double) bytes / (machine_clock() - begin);
        *best = rate > *best ? rate : *best;
    }
    device->release(device, memory, 2 * bytes + (uint64_t) RUNS * COPY_APART);
    return status;
}

int cuda_limits(struct device *device, struct engine_limits *limits, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    if (best_copy(cuda, &limits->copy, error) != 0 || best_rate(cuda, cuda->limit_logic, &limits->logic, error) != 0 ||
        best_rate(cuda, cuda->limit_fma, &limits->fma, error) != 0 ||
        best_rate(cuda, cuda->limit_fma64, &limits->fma64, error) != 0)
        return error_prefix(error, "measuring limits of %s: ", device->name);
    return 0;
}
