/* Functions of a CUDA driver without a device, whose device memory is host memory. cuda/device_cuda.c is included before. */
#ifndef TESTS_UNIT_FAKE_DRIVER_H
#define TESTS_UNIT_FAKE_DRIVER_H

static uint64_t crossed; /* bytes, between host and device */

static CUresult fake_upload(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    (void) stream;
    crossed += bytes;
    memcpy((void *) (uintptr_t) to, from, bytes);
    return 0;
}

static CUresult fake_download(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void) stream;
    crossed += bytes;
    memcpy(to, (const void *) (uintptr_t) from, bytes);
    return 0;
}

static CUresult fake_wait(CUstream stream)
{
    (void) stream;
    return 0;
}

static CUresult fake_context(CUcontext context)
{
    (void) context;
    return 0;
}

#endif
