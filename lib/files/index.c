/* The index of a series: a head, a line per member, a tail. A .pvd file is one.
 *
 * Writing the whole index at every output would take time that grows with the square of the number of outputs.
 * Appending in place would leave half a file to a reader or a kill at that moment. So there are two files: the index at
 * its path, and a spare file with a temporary name, which is one output behind. The missing members are written over
 * the tail of the spare file, and then the two files exchange their names at once (renameat2, Linux 3.15). Where the
 * file system cannot do that, the spare file replaces the index, and the next spare file is written from the beginning.
 *
 * A program that has opened the index reads it unchanged until the second output after that. */
#include "files/index.h"
#include "base/text.h"
#include "files/bytes.h"
#include "files/replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct io_index {
    const struct engine_file_index *text;
    const struct folder *folder;
    char *name;
    struct io_member *members;
    uint64_t count, capacity;
    struct listing {
        int file; /* -1: there is no file */
        uint64_t listed, bytes;
        char name[REPLACE_NAME]; /* of the spare file */
    } shown, spare;
};

struct io_index *io_index_open(const struct io_format *format, const struct folder *folder, const char *name,
                               struct engine_error *error)
{
    struct io_index *index = calloc(1, sizeof *index);
    if (index != NULL) {
        *index = (struct io_index){.text = format->about->index, .folder = folder, .name = strdup(name)};
        index->shown.file = index->spare.file = -1;
    }
    if (index != NULL && index->name != NULL)
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

static void give_up(const struct io_index *index, struct listing *spare)
{
    struct engine_error ignored; /* io_index_write has reported an error */
    if (spare->file < 0)
        return;
    folder_remove(index->folder, spare->name, &ignored);
    close(spare->file);
    *spare = (struct listing){.file = -1};
}

/* The text that the spare file lacks, from its tail on. */
static char *missing_text(const struct io_index *index, size_t *bytes)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, bytes);
    if (to == NULL)
        return NULL;
    if (index->spare.bytes == 0)
        fputs(index->text->head, to);
    for (uint64_t i = index->spare.listed; i < index->count; i++)
        fprintf(to, "%s%llu%s%s%s", index->text->part[0], (unsigned long long) index->members[i].step,
                index->text->part[1], index->members[i].file, index->text->part[2]);
    fputs(index->text->tail, to);
    return text_stream_close(to, &text) ? text : NULL;
}

/* Writes the members that the spare file lacks. */
static int write_spare(struct io_index *index, struct engine_error *error)
{
    struct listing *spare = &index->spare;
    struct replacement new;
    if (spare->file < 0) {
        if (replace_begin(index->folder, index->name, &new, error) != 0)
            return error->status;
        spare->file = new.file;
        memcpy(spare->name, new.temporary, sizeof spare->name);
    }
    size_t bytes = 0;
    const uint64_t at = spare->bytes == 0 ? 0 : spare->bytes - strlen(index->text->tail);
    char *text = missing_text(index, &bytes);
    int status = text != NULL ? 0 : error_memory(error, bytes, "the index of a series");
    if (status == 0 && !bytes_write_at(spare->file, text, bytes, at))
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    free(text);
    spare->bytes = at + bytes;
    spare->listed = index->count;
    return status;
}

/* Gives the spare file the name of the index. The old index becomes the spare file, unless this was the last output. */
static int exchange_names(struct io_index *index, bool last, struct engine_error *error)
{
    const int folder = index->folder->file;
    const bool exchanged =
        !last && index->shown.file >= 0 &&
        TEMP_FAILURE_RETRY(renameat2(folder, index->spare.name, folder, index->name, RENAME_EXCHANGE)) == 0;
    if (!exchanged && TEMP_FAILURE_RETRY(renameat(folder, index->spare.name, folder, index->name)) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be renamed to its final name: %s", strerror(errno));
    const struct listing shown = index->spare;
    index->spare = index->shown;
    memcpy(index->spare.name, shown.name, sizeof shown.name);
    index->shown = shown;
    if (!exchanged && index->spare.file >= 0)
        close(index->spare.file);
    if (!exchanged)
        index->spare = (struct listing){.file = -1};
    return 0;
}

static int write_and_exchange(struct io_index *index, bool last, struct engine_error *error)
{
    if (write_spare(index, error) == 0 && exchange_names(index, last, error) == 0)
        return 0;
    give_up(index, &index->spare);
    return error->status;
}

int io_index_write(struct io_index *index, bool last, struct engine_error *error)
{
    const bool reused = index->spare.file >= 0; /* somebody may have removed it meanwhile */
    if (write_and_exchange(index, last, error) == 0 || (reused && write_and_exchange(index, last, error) == 0))
        return 0;
    return error_prefix(error, "%s/%s: ", index->folder->path, index->name);
}

const char *io_index_name(const struct io_index *index)
{
    return index->name;
}

void io_index_close(struct io_index *index)
{
    if (index == NULL)
        return;
    give_up(index, &index->spare);
    if (index->shown.file >= 0)
        close(index->shown.file);
    free(index->members);
    free(index->name);
    free(index);
}
