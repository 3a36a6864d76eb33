/* Memory of the host that several processes share: see struct device. */
#ifndef CORE_MEMORY_HOST_SHARE_H
#define CORE_MEMORY_HOST_SHARE_H

#include "memory/device.h"

void host_identify(struct device *device, char text[40]);
int host_share(struct device *device, uint64_t bytes, void **memory, struct device_handle *handle,
               struct engine_error *error);
void host_unshare(struct device *device, const struct device_handle *handle, void *memory);
int host_attach(struct device *device, const struct device_handle *handle, void **memory, struct engine_error *error);
void host_detach(struct device *device, const struct device_handle *handle, void *memory);
int host_put(struct device *device, const struct device_copy *copies, uint32_t count, struct engine_error *error);
int host_meet(struct device *device, const struct gate *gate, struct engine_error *error);
bool host_is_open(const struct gate *gate);
int host_is_done(struct device *device, bool *done, struct engine_error *error);

#endif
