/* The file of a snapshot: a readable header, and the fields of a run in compressed blocks. Several threads write and
 * read a file at the same time. docs/reference/snapshot.md describes its bytes. */
#ifndef LIB_FILES_SNAPSHOT_FILE_H
#define LIB_FILES_SNAPSHOT_FILE_H

#include "base/hash.h"
#include "files/format.h"
#include "memory/layout.h"

/* The header of a snapshot. Texts that are not known are "". */
struct snapshot_header {
    const char *engine; /* version of the engine that wrote it */
    const char *host;   /* name of the machine */
    const char *device; /* the processor or the GPU that computed the state */
    const char *plugin, *plugin_version, *implementation;
    const char *rule;   /* of a cellular automaton, in the notation of pattern files */
    const char *config; /* the whole configuration, as the text of an .ini file */
    const char *extra;  /* a text of the caller */
    uint64_t step, seed;
    double box[6];        /* of particles, as in struct engine_file_frame */
    char hash[HASH_TEXT]; /* XXH3-128 of the canonical arrays of all states and outputs */
    uint32_t count;
    struct engine_file_array fields[IO_ARRAYS_MAX];
    uint32_t roles[IO_ARRAYS_MAX]; /* ENGINE_STATE … */
};

struct snapshot_block; /* files/snapshot_member.h */

/* A field in host memory. Or, where `memory` is NULL, a field that is moved piece by piece, so that no memory need hold
 * it: `move` copies elements [begin, begin + count) of its canonical array out of the field where `out` is not NULL,
 * and else into it. The thread that writes or reads the file calls it. Or, where `write` is not NULL, a field that
 * several processes write: `write` sees to it that all blocks of the field are in the file, the first one at `offset`,
 * and describes them. */
struct snapshot_cells {
    struct geometry geometry; /* of `memory` */
    void *memory;             /* geometry.bytes of it */
    int (*move)(void *self, uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error);
    int (*write)(void *self, uint64_t offset, struct snapshot_block *blocks, struct engine_error *error);
    void *self;
};

/* Writes an empty file, which stays open, from the cells of every field, all of the same kind, and fills in
 * header->hash if the cells are in memory; otherwise the caller knows the hash. Errors come without the file's name.
 * ENGINE_STATUS_OUTPUT. */
int snapshot_file_write(int file, struct snapshot_header *header, const struct snapshot_cells *cells,
                        enum snapshot_compression compression, uint32_t threads, struct engine_error *error);

struct snapshot_file; /* open for reading */

/* Opens a file, and reads and checks its header and index. ENGINE_STATUS_INPUT. */
int snapshot_file_open(const char *path, struct snapshot_file **file, struct engine_error *error);

/* The same for a file that is open for reading. The function takes ownership of the descriptor, even if it returns an
 * error. `path` is for messages. *unreadable: the error is that the system could not read the file. */
int snapshot_file_take(int descriptor, const char *path, struct snapshot_file **file, bool *unreadable,
                       struct engine_error *error);
void snapshot_file_close(struct snapshot_file *file);

/* Returns the header, which lives as long as the file is open. */
const struct snapshot_header *snapshot_file_header(const struct snapshot_file *file);

/* Reads a field into cells of its shape and type, and checks every block. ENGINE_STATUS_INPUT. */
int snapshot_file_read(struct snapshot_file *file, uint32_t field, const struct snapshot_cells *cells, uint32_t threads,
                       struct engine_error *error);

/* The same for the blocks that hold elements [begin, end) of the field, and perhaps some before and after them. */
int snapshot_file_read_range(struct snapshot_file *file, uint32_t field, uint64_t begin, uint64_t end,
                             const struct snapshot_cells *cells, uint32_t threads, struct engine_error *error);

/* Returns the number of the field of that name; -1: there is none. */
int snapshot_file_field(const struct snapshot_file *file, const char *name);

/* Has the system failed to read the file? Otherwise an ENGINE_STATUS_INPUT means that the bytes of the file are wrong.
 */
bool snapshot_file_is_unreadable(const struct snapshot_file *file);

#endif
