#include "parts/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int crew_tell(const struct crew *crew, const void *own, void *all, uint64_t bytes, struct engine_error *error)
{
    memcpy((char *) all + crew->rank * bytes, own, bytes);
    for (uint32_t other = 0; other < crew->count; other++)
        if (other != crew->rank && (link_receive(crew->link, other, (char *) all + other * bytes, bytes, error) != 0 ||
                                    link_send(crew->link, other, (char *) all + crew->rank * bytes, bytes, error) != 0))
            return error->status;
    return link_wait(crew->link, crew->patience, error);
}

/* How a process has fared. */
struct verdict {
    int32_t status;
    char text[1020];
};

int crew_agree(const struct crew *crew, int status, struct engine_error *error)
{
    struct verdict own = {.status = status};
    struct verdict *all = calloc(crew->count, sizeof *all);
    if (!all) {
        link_break(crew->link); /* the others wait for the verdict */
        return error_memory(error, crew->count * sizeof *all, "what other processes say");
    }
    if (status != 0)
        snprintf(own.text, sizeof own.text, "%.1000s", error->text);
    status = crew_tell(crew, &own, all, sizeof own, error);
    for (uint32_t rank = 0; status == 0 && rank < crew->count; rank++)
        if (all[rank].status != 0)
            status =
                error_set(error, all[rank].status, "rank %u: %.*s", rank, (int) sizeof own.text - 1, all[rank].text);
    free(all);
    return status;
}
