/* NVIDIA's library for messages between GPUs, loaded where it is installed; the engine is built and runs without it.
 *
 * Declares the functions of NCCL that the engine calls (NCCL documentation, "NCCL API", 2.19 and later), with the
 * binary interface of nccl.h, which machines without NCCL do not have. */
#ifndef LIB_PARTS_NCCL_H
#define LIB_PARTS_NCCL_H

#include "base/error.h"
#include <stddef.h>

typedef int ncclResult_t; /* 0: success */
typedef struct ncclComm *ncclComm_t;
typedef struct {
    char internal[128];
} ncclUniqueId;

enum { NCCL_UINT8 = 1, NCCL_UINT64 = 5, NCCL_SUM = 0, NCCL_OLDEST = 21900 };

/* Functions of libnccl.so.2: the name of the member, the name of the symbol, the arguments. `stream` is a CUstream. */
#define NCCL_FUNCTIONS(F) \
    F(get_version, "ncclGetVersion", (int *version)) \
    F(get_id, "ncclGetUniqueId", (ncclUniqueId * id)) \
    F(init, "ncclCommInitRank", (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank)) \
    F(destroy, "ncclCommDestroy", (ncclComm_t comm)) \
    F(abort, "ncclCommAbort", (ncclComm_t comm)) \
    F(async_error, "ncclCommGetAsyncError", (ncclComm_t comm, ncclResult_t * result)) \
    F(group_start, "ncclGroupStart", (void) ) \
    F(group_end, "ncclGroupEnd", (void) ) \
    F(send, "ncclSend", (const void *data, size_t count, int type, int rank, ncclComm_t comm, void *stream)) \
    F(receive, "ncclRecv", (void *data, size_t count, int type, int rank, ncclComm_t comm, void *stream)) \
    F(all_reduce, "ncclAllReduce", \
      (const void *from, void *to, size_t count, int type, int operation, ncclComm_t comm, void *stream))

struct nccl {
#define NCCL_MEMBER(member, symbol, arguments) ncclResult_t(*member) arguments;
    NCCL_FUNCTIONS(NCCL_MEMBER)
#undef NCCL_MEMBER
    const char *(*error_string)(ncclResult_t result);
    int version; /* 22803 is 2.28.3 */
};

/* Loads the library, which stays loaded. ENGINE_STATUS_DEVICE: there is none, or it is too old. */
int nccl_load(struct nccl *nccl, struct engine_error *error);

/* Returns 0 for success, else records "NCCL: text: call". ENGINE_STATUS_DEVICE. */
int nccl_error(const struct nccl *nccl, ncclResult_t result, const char *call, struct engine_error *error);

/* Calls a function of the library: 0 for success, else the status of the error that nccl_error recorded. */
#define NCCL_CHECK(nccl, error, call) nccl_error((nccl), (nccl)->call, #call, (error))

#endif
