/* team-mpi.so: a struct engine_transport on MPI. This is the only file that includes mpi.h; the engine opens the module
 * with dlopen, because the libraries of different MPIs share no binary interface. */
#include <engine/transport.h>

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { TAG = 1, NOTICE = 2, NUMBERS = 256 };

struct mpi {
    struct engine_transport table;
    MPI_Comm comm;
    char name[128], reason[MPI_MAX_ERROR_STRING + 1];
    uint8_t numbers[NUMBERS]; /* 0, 1, …: what notices are sent from, whose end nobody waits for */
};

static void *begun(struct mpi *mpi, MPI_Request *request, int code)
{
    int length = 0;
    if (code == MPI_SUCCESS)
        return request;
    if (MPI_Error_string(code, mpi->reason, &length) != MPI_SUCCESS)
        snprintf(mpi->reason, sizeof mpi->reason, "MPI error %d", code);
    free(request);
    return NULL;
}

static MPI_Request *new_request(struct mpi *mpi)
{
    MPI_Request *request = malloc(sizeof *request);
    if (!request)
        snprintf(mpi->reason, sizeof mpi->reason, "there is no memory for a message");
    return request;
}

static void *mpi_send(void *self, uint32_t to, const void *data, uint64_t bytes)
{
    struct mpi *mpi = self;
    MPI_Request *request = new_request(mpi);
    return request ? begun(mpi, request, MPI_Isend(data, (int) bytes, MPI_BYTE, (int) to, TAG, mpi->comm, request))
                   : NULL;
}

static void *mpi_receive(void *self, uint32_t from, void *data, uint64_t bytes)
{
    struct mpi *mpi = self;
    MPI_Request *request = new_request(mpi);
    return request ? begun(mpi, request, MPI_Irecv(data, (int) bytes, MPI_BYTE, (int) from, TAG, mpi->comm, request))
                   : NULL;
}

static int mpi_test(void *self, void *request)
{
    struct mpi *mpi = self;
    int done = 0;
    const int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS && !begun(mpi, request, code))
        return -1;
    if (done)
        free(request);
    return done != 0;
}

static const char *mpi_reason(void *self)
{
    struct mpi *mpi = self;
    return mpi->reason;
}

static void mpi_abort(void *self, int status)
{
    struct mpi *mpi = self;
    MPI_Abort(mpi->comm, status);
    abort();
}

static void mpi_close(void *self)
{
    struct mpi *mpi = self;
    MPI_Comm_free(&mpi->comm);
    MPI_Finalize();
}

static int mpi_notify(void *self, uint32_t to, uint32_t number)
{
    struct mpi *mpi = self;
    MPI_Request request;
    if (number >= NUMBERS ||
        MPI_Isend(&mpi->numbers[number], 1, MPI_BYTE, (int) to, NOTICE, mpi->comm, &request) != MPI_SUCCESS)
        return -1;
    return MPI_Request_free(&request) == MPI_SUCCESS ? 0 : -1;
}

static int mpi_notice(void *self, uint32_t *from, uint32_t *number)
{
    struct mpi *mpi = self;
    MPI_Status status;
    uint8_t byte;
    int found = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, NOTICE, mpi->comm, &found, &status) != MPI_SUCCESS)
        return -1;
    if (!found)
        return 0;
    if (MPI_Recv(&byte, 1, MPI_BYTE, status.MPI_SOURCE, NOTICE, mpi->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return -1;
    *from = (uint32_t) status.MPI_SOURCE;
    *number = byte;
    return 1;
}

/* Finds the processors of this process: those that it may run on, or its share of them if the processes of this host
 * may run on the same ones. *host_rank gets the number of this process among those of its host. */
static uint32_t count_processors(uint32_t *host_rank)
{
    unsigned char own[sizeof(cpu_set_t)], all[sizeof(cpu_set_t)];
    cpu_set_t set;
    MPI_Comm host;
    int ranks = 1, rank = 0;
    CPU_ZERO(&set);
    const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
    memcpy(own, &set, sizeof own);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &ranks);
    MPI_Comm_rank(host, &rank);
    *host_rank = (uint32_t) rank;
    MPI_Allreduce(own, all, sizeof all, MPI_UNSIGNED_CHAR, MPI_BOR, host);
    MPI_Comm_free(&host);
    if (!known)
        return 0;
    const uint32_t here = (uint32_t) CPU_COUNT(&set);
    memcpy(&set, all, sizeof set);
    const uint32_t share = (uint32_t) CPU_COUNT(&set) / (uint32_t) ranks;
    const uint32_t least = here < share ? here : share;
    return least > 0 ? least : 1;
}

/* The first line of MPI's own text, up to the first comma: "Open MPI v4.1.4". */
static void find_name(char name[128])
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    snprintf(name, 128, "%.*s", (int) strcspn(text, ",\n"), text);
}

EXPORT const struct engine_transport *engine_transport_open(char reason[256]);

const struct engine_transport *engine_transport_open(char reason[256])
{
    struct mpi *mpi = calloc(1, sizeof *mpi);
    int provided = 0, rank = 0, ranks = 1;
    if (!mpi) {
        snprintf(reason, 256, "there is no memory for it");
        return NULL;
    }
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
        snprintf(reason, 256, "MPI does not start");
        free(mpi);
        return NULL;
    }
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->comm, &rank);
    MPI_Comm_size(mpi->comm, &ranks);
    find_name(mpi->name);
    uint32_t host_rank;
    const uint32_t processors = count_processors(&host_rank);
    mpi->table = (struct engine_transport){.size = sizeof mpi->table,
                                           .major = ENGINE_TRANSPORT_MAJOR,
                                           .rank = (uint32_t) rank,
                                           .ranks = (uint32_t) ranks,
                                           .processors = processors,
                                           .host_rank = host_rank,
                                           .name = mpi->name,
                                           .self = mpi,
                                           .send = mpi_send,
                                           .receive = mpi_receive,
                                           .test = mpi_test,
                                           .reason = mpi_reason,
                                           .abort = mpi_abort,
                                           .close = mpi_close,
                                           .notify = mpi_notify,
                                           .notice = mpi_notice};
    for (int i = 0; i < NUMBERS; i++)
        mpi->numbers[i] = (uint8_t) i;
    return &mpi->table;
}
