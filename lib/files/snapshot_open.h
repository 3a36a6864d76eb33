/* A snapshot's file that is open for reading: what snapshot_open.c has found out about it. */
#ifndef LIB_FILES_SNAPSHOT_OPEN_H
#define LIB_FILES_SNAPSHOT_OPEN_H

#include "files/snapshot_member.h"
#include "files/snapshot_stream.h"

#include <stdatomic.h>

struct snapshot_file {
    char *path;
    int file;
    struct snapshot_header header;
    struct json_object *json; /* owns the texts of the header, */
    char *config;             /* and this the configuration */
    struct snapshot_stream streams[IO_ARRAYS_MAX];
    struct snapshot_block *blocks;
    uint64_t *begins;       /* offset of every block's member */
    uint64_t count;         /* number of blocks */
    atomic_bool unreadable; /* the system could not read it */
};

/* Reads bytes of the file. ENGINE_STATUS_INPUT. */
int snapshot_read_at(struct snapshot_file *file, uint64_t begin, uint64_t bytes, void *out, struct engine_error *error);

#endif
