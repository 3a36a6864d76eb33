#include "parts/sharing.h"

const struct sharing *sharing_of(const struct device *device)
{
    static const struct sharing *const kinds[] = {
        [ENGINE_HOST_MEMORY] = &host_sharing, [ENGINE_CUDA_MEMORY] = &cuda_sharing};
    return kinds[device->memory];
}
