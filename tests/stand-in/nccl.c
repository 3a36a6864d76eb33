/* A stand-in for libnccl.so.2, whose start succeeds, fails, or waits without end, as the test says. Messages wait until
 * ncclCommAbort ends them. As in NCCL, ncclCommAbort itself waits until no recording has messages any more. */
#include <string.h>
#include <unistd.h>

typedef struct {
    char internal[128];
} ncclUniqueId;

enum { STARTS, FAILS, WAITS };
int stand_in_how, stand_in_destroyed;
_Atomic int stand_in_recordings, stand_in_aborted;
static int comm_here;

int ncclGetVersion(int *version)
{
    *version = 22803;
    return 0;
}

int ncclGetUniqueId(ncclUniqueId *id)
{
    memset(id, 7, sizeof *id);
    return 0;
}

/* The id comes by value. */
int ncclCommInitRank(void **comm, int ranks, ncclUniqueId id, int rank)
{
    while (stand_in_how == WAITS)
        sleep(1);
    if (stand_in_how == FAILS || id.internal[100] != 7 || ranks != 1 || rank != 0)
        return 2;
    *comm = &comm_here;
    return 0;
}

int ncclCommDestroy(void *comm)
{
    stand_in_destroyed++;
    return comm == &comm_here ? 0 : 3;
}

int ncclCommAbort(void *comm)
{
    stand_in_aborted++;
    while (stand_in_recordings > 0)
        usleep(1000);
    return comm == &comm_here ? 0 : 3;
}

int ncclGroupStart(void)
{
    return 0;
}

int ncclGroupEnd(void)
{
    while (stand_in_aborted == 0)
        usleep(1000);
    return 6;
}

const char *ncclGetErrorString(int result)
{
    return result == 2 ? "unhandled system error" : "?";
}

#define NOT_CALLED(name) \
    int name(void) \
    { \
        return 1; \
    }
NOT_CALLED(ncclCommGetAsyncError)
NOT_CALLED(ncclSend)
NOT_CALLED(ncclRecv)
NOT_CALLED(ncclAllReduce)
