/* The index of a series: a head, a line per member, a tail. A .pvd file is one.
 *
 * Writing the whole index at every output would take time that grows with the square of the number of outputs.
 * Appending in place would leave half a file to a reader or a kill at that moment. So there are two files: the index at
 * its path, and a spare file with a temporary name, which is one output behind. The missing members are written over
 * the tail of the spare file, and then the two files exchange their names at once (renameat2, Linux 3.15). Where the
 * file system cannot do that, the spare file replaces the index, and the next spare file is written from the beginning.
 *
 * A program that has opened the index reads it unchanged until the second output after that. */
#include "io/index.h"
#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct io_index {
    const struct io_index_text *text;
    char *path, *spare;
    struct io_member *members;
    uint64_t count, capacity;
    uint64_t listed, spare_listed; /* members in the index and in the spare file; 0: the file does not exist */
};

struct io_index *io_index_open(const struct io_format *format, const char *path, struct engine_error *error)
{
    struct io_index *index = calloc(1, sizeof *index);
    if (index != NULL) {
        index->text = format->index;
        index->path = strdup(path);
        index->spare = io_temporary_path(path, error);
    }
    if (index != NULL && index->path != NULL && index->spare != NULL)
        return index;
    error_memory(error, sizeof *index, "the index of a series");
    io_index_close(index);
    return NULL;
}

int io_index_add(struct io_index *index, const struct io_member *member, struct engine_error *error)
{
    if (index->count == index->capacity) {
        const uint64_t capacity = index->capacity != 0 ? 2 * index->capacity : 16;
        struct io_member *members = realloc(index->members, capacity * sizeof *members);
        if (members == NULL)
            return error_memory(error, capacity * sizeof *members, "the index of a series");
        index->members = members;
        index->capacity = capacity;
    }
    index->members[index->count++] = *member;
    return 0;
}

/* Opens the spare file at the place of the next member: over the tail, or after a new head. */
static FILE *open_spare(struct io_index *index)
{
    FILE *file = NULL;
    errno = 0;
    if (index->spare_listed != 0)
        file = fopen(index->spare, "r+e");
    if (file != NULL && fseeko(file, -(off_t) strlen(index->text->tail), SEEK_END) == 0)
        return file;
    if (file != NULL)
        fclose(file);
    index->spare_listed = 0;
    file = fopen(index->spare, "we");
    if (file != NULL)
        fputs(index->text->head, file);
    return file;
}

/* Writes the members that the spare file lacks. */
static int write_spare(struct io_index *index, struct engine_error *error)
{
    FILE *file = open_spare(index);
    if (file == NULL)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be created: %s", index->path, strerror(errno));
    errno = 0;
    for (uint64_t i = index->spare_listed; i < index->count; i++)
        index->text->put(file, &index->members[i]);
    fputs(index->text->tail, file);
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed)
        return 0;
    return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be written: %s", index->path, strerror(errno));
}

/* Gives the spare file the path of the index. The old index becomes the spare file, unless this was the last output. */
static int exchange_names(struct io_index *index, bool last, struct engine_error *error)
{
    const bool exchanged =
        !last && index->listed != 0 && renameat2(AT_FDCWD, index->spare, AT_FDCWD, index->path, RENAME_EXCHANGE) == 0;
    if (!exchanged && rename(index->spare, index->path) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be renamed to its final name: %s", index->path,
                         strerror(errno));
    index->spare_listed = exchanged ? index->listed : 0;
    index->listed = index->count;
    return 0;
}

int io_index_write(struct io_index *index, bool last, struct engine_error *error)
{
    if (io_check_can_replace(index->path, error) != 0)
        return error->status;
    if (write_spare(index, error) == 0 && exchange_names(index, last, error) == 0)
        return 0;
    unlink(index->spare);
    index->spare_listed = 0;
    return error->status;
}

const char *io_index_path(const struct io_index *index)
{
    return index->path;
}

void io_index_close(struct io_index *index)
{
    if (index == NULL)
        return;
    if (index->spare_listed != 0)
        unlink(index->spare);
    free(index->members);
    free(index->spare);
    free(index->path);
    free(index);
}
