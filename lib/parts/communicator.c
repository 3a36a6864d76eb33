#include "parts/communicator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int communicator_all_gather(const struct communicator *comm, const void *own, void *all, uint64_t bytes,
                            struct engine_error *error)
{
    memcpy((char *) all + comm->rank * bytes, own, bytes);
    for (uint32_t other = 0; other < comm->count; other++)
        if (other != comm->rank && (link_receive(comm->link, other, (char *) all + other * bytes, bytes, error) != 0 ||
                                    link_send(comm->link, other, (char *) all + comm->rank * bytes, bytes, error) != 0))
            return error->status;
    return link_wait(comm->link, comm->patience, error);
}

/* How a process has fared. */
struct outcome {
    int32_t status;
    char text[1020];
};

int communicator_agree(const struct communicator *comm, int status, struct engine_error *error)
{
    struct outcome own = {.status = status};
    struct outcome *all = calloc(comm->count, sizeof *all);
    if (!all) {
        link_break(comm->link); /* the others wait for the outcome */
        return error_memory(error, comm->count * sizeof *all, "what other processes say");
    }
    if (status != 0)
        snprintf(own.text, sizeof own.text, "%.1000s", error->text);
    status = communicator_all_gather(comm, &own, all, sizeof own, error);
    for (uint32_t rank = 0; status == 0 && rank < comm->count; rank++)
        if (all[rank].status != 0)
            status =
                error_set(error, all[rank].status, "rank %u: %.*s", rank, (int) sizeof own.text - 1, all[rank].text);
    free(all);
    return status;
}
