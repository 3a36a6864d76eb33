/* NVIDIA's driver, loaded where it is installed; the engine is built and runs without it.
 *
 * Declares the functions of the CUDA driver API that the engine calls (CUDA 13 toolkit documentation, "CUDA Driver
 * API"), with the binary interface of cuda.h, which machines without the toolkit do not have. */
#ifndef LIB_CUDA_CUDA_DRIVER_H
#define LIB_CUDA_CUDA_DRIVER_H

#include "base/error.h"
#include <stddef.h>

typedef int CUresult; /* 0: success */
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef uint64_t CUdeviceptr;
typedef struct {
    unsigned char bytes[16];
} CUuuid;
typedef struct {
    char reserved[64];
} CUipcMemHandle;

enum {
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
    CU_ERROR_OUT_OF_MEMORY = 2,
    CU_ERROR_NOT_READY = 600,
    CU_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1,
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, /* kHz */
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,      /* kHz */
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37 /* bits */
};

/* Functions of libcuda.so.1: the name of the member, the name of the symbol, the arguments. */
#define CUDA_DRIVER_FUNCTIONS(F) \
    F(init, "cuInit", (unsigned flags)) \
    F(device_count, "cuDeviceGetCount", (int *count)) \
    F(device_get, "cuDeviceGet", (CUdevice * device, int ordinal)) \
    F(device_name, "cuDeviceGetName", (char *name, int bytes, CUdevice device)) \
    F(device_uuid, "cuDeviceGetUuid_v2", (CUuuid * uuid, CUdevice device)) \
    F(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device)) \
    F(context_retain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device)) \
    F(context_set, "cuCtxSetCurrent", (CUcontext context)) \
    F(memory_info, "cuMemGetInfo_v2", (size_t * free, size_t * total)) \
    F(allocate, "cuMemAlloc_v2", (CUdeviceptr * memory, size_t bytes)) \
    F(release, "cuMemFree_v2", (CUdeviceptr memory)) \
    F(allocate_host, "cuMemAllocHost_v2", (void **memory, size_t bytes)) \
    F(release_host, "cuMemFreeHost", (void *memory)) \
    F(upload, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
    F(download, "cuMemcpyDtoHAsync_v2", (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
    F(copy, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
    F(copy_peer, "cuMemcpyPeerAsync", \
      (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream)) \
    F(peer_access, "cuCtxEnablePeerAccess", (CUcontext peer, unsigned flags)) \
    F(address_range, "cuMemGetAddressRange_v2", (CUdeviceptr * base, size_t * bytes, CUdeviceptr memory)) \
    F(ipc_handle, "cuIpcGetMemHandle", (CUipcMemHandle * handle, CUdeviceptr memory)) \
    F(ipc_open, "cuIpcOpenMemHandle_v2", (CUdeviceptr * memory, CUipcMemHandle handle, unsigned flags)) \
    F(ipc_close, "cuIpcCloseMemHandle", (CUdeviceptr memory)) \
    F(fill_bytes, "cuMemsetD8Async", (CUdeviceptr memory, unsigned char byte, size_t bytes, CUstream stream)) \
    F(stream_create, "cuStreamCreate", (CUstream * stream, unsigned flags)) \
    F(stream_destroy, "cuStreamDestroy_v2", (CUstream stream)) \
    F(stream_wait, "cuStreamSynchronize", (CUstream stream)) \
    F(stream_query, "cuStreamQuery", (CUstream stream)) \
    F(event_create, "cuEventCreate", (CUevent * event, unsigned flags)) \
    F(event_destroy, "cuEventDestroy_v2", (CUevent event)) \
    F(event_record, "cuEventRecord", (CUevent event, CUstream stream)) \
    F(event_await, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags)) \
    F(capture_begin, "cuStreamBeginCapture_v2", (CUstream stream, int mode)) \
    F(capture_end, "cuStreamEndCapture", (CUstream stream, CUgraph * graph)) \
    F(graph_instantiate, "cuGraphInstantiateWithFlags", (CUgraphExec * exec, CUgraph graph, unsigned long long flags)) \
    F(graph_launch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream)) \
    F(graph_exec_destroy, "cuGraphExecDestroy", (CUgraphExec exec)) \
    F(graph_destroy, "cuGraphDestroy", (CUgraph graph)) \
    F(module_load, "cuModuleLoadData", (CUmodule * module, const void *image)) \
    F(module_unload, "cuModuleUnload", (CUmodule module)) \
    F(module_function, "cuModuleGetFunction", (CUfunction * function, CUmodule module, const char *name)) \
    F(launch, "cuLaunchKernel", \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments, void **extra)) \
    F(error_name, "cuGetErrorName", (CUresult result, const char **name)) \
    F(error_string, "cuGetErrorString", (CUresult result, const char **text))

struct cuda_driver {
#define CUDA_DRIVER_MEMBER(member, symbol, arguments) CUresult(*member) arguments;
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_MEMBER)
#undef CUDA_DRIVER_MEMBER
};

/* Loads and initialises the driver, which stays loaded. ENGINE_STATUS_DEVICE: there is none, it is too old, or it has
 * no device. */
int cuda_driver_load(struct cuda_driver *driver, struct engine_error *error);

/* Returns 0 for success, else records "CUDA_ERROR_…: text: call" with the place of the call. ENGINE_STATUS_DEVICE. */
int cuda_error(const struct cuda_driver *driver, CUresult result, const char *call, const char *file, int line,
               struct engine_error *error);

/* Calls a function of the driver: 0 for success, else the status of the error that cuda_error recorded. */
#define CUDA_CHECK(driver, error, call) cuda_error((driver), (driver)->call, #call, __FILE__, __LINE__, (error))

#endif
