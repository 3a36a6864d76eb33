/* Which particles form a molecule, and the weights with which its centre is their mean. */
#ifndef LIB_FILES_MOLECULES_H
#define LIB_FILES_MOLECULES_H

#include "files/frames.h"

struct molecules {
    uint64_t particles;      /* of a frame; some may be in no molecule */
    uint64_t count, members; /* members of all molecules */
    uint64_t *first;         /* the first member of each molecule, and the number of members behind the last */
    uint64_t *member;        /* numbers of particles */
    uint64_t rooms[2];       /* for how many numbers `first` and `member` have memory */
    double *weight;          /* of each particle of a frame */
};

/* Reads what [frames] says of the molecules of a document. The caller calls molecules_clear also after an error.
 * ENGINE_STATUS_INPUT, ENGINE_STATUS_USAGE. */
int molecules_read(const struct plan *plan, const struct frames_settings *settings, const char *path,
                   struct io_document *document, struct molecules *molecules, struct engine_error *error);
void molecules_clear(struct molecules *molecules);

#endif
