/* Opening snapshots. The sizes in header and index are compared with the size of the file before memory is taken for
 * them. */
#include "files/snapshot_open.h"
#include "base/xxh.h"
#include "files/bytes.h"
#include "files/snapshot_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMBER_MAX = 2 * SNAPSHOT_BLOCK };

/* ---- Bytes -------------------------------------------------------------------------------------------------- */

static int damaged(const struct snapshot_file *file, const char *what, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: %s: the file is cut short or damaged; use an older one, or create it again", file->path,
                     what);
}

static int unreadable(struct snapshot_file *file, struct engine_error *error)
{
    atomic_store(&file->unreadable, true);
    return error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read: %s", file->path, strerror(errno));
}

int snapshot_read_at(struct snapshot_file *file, uint64_t begin, uint64_t bytes, void *out, struct engine_error *error)
{
    if (bytes_read(file->file, out, bytes, begin))
        return 0;
    return errno != 0 ? unreadable(file, error) : damaged(file, "its end is missing", error);
}

/* Reads the text of a member as a string, which the caller frees. */
static int read_text(struct snapshot_file *file, uint64_t begin, uint64_t bytes, uint64_t check, uint64_t most,
                     char **text, uint64_t *length, const char *what, struct engine_error *error)
{
    *text = NULL;
    *length = 0;
    if (bytes > member_bound(most))
        return damaged(file, what, error);
    struct inflate_state *inflater = malloc(sizeof *inflater);
    uint8_t *member = malloc(bytes + 1); /* malloc(0) may return NULL */
    int status =
        inflater && member ? snapshot_read_at(file, begin, bytes, member, error) : error_memory(error, bytes, what);
    if (status == 0 && XXH3_64bits(member, bytes) != check)
        status = damaged(file, what, error);
    *length = status == 0 ? member_content(member, bytes) : 0;
    if (status == 0 && (*length > most || *length > bytes * SNAPSHOT_EXPANSION))
        status = damaged(file, what, error);
    if (status == 0 && !(*text = calloc(1, *length + 1)))
        status = error_memory(error, *length, what);
    if (status == 0 && !member_unpack(inflater, member, bytes, *text, *length))
        status = damaged(file, what, error);
    free(member);
    free(inflater);
    return status;
}

/* ---- End, header, index ------------------------------------------------------------------------------------- */

static int read_end(struct snapshot_file *file, uint64_t *file_bytes, struct snapshot_end *end,
                    struct engine_error *error)
{
    struct stat info;
    uint8_t bytes[SNAPSHOT_END_BYTES];
    if (TEMP_FAILURE_RETRY(fstat(file->file, &info)) != 0)
        return unreadable(file, error);
    if (!S_ISREG(info.st_mode))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is not a regular file, expected a snapshot", file->path);
    *file_bytes = (uint64_t) info.st_size;
    if (*file_bytes < SNAPSHOT_END_BYTES)
        return damaged(file, "its end is missing", error);
    const uint64_t begin = *file_bytes - SNAPSHOT_END_BYTES;
    if (snapshot_read_at(file, begin, SNAPSHOT_END_BYTES, bytes, error) != 0)
        return error->status;
    if (!end_parse(bytes, end) || end->index_begin > begin || end->index_bytes != begin - end->index_begin ||
        end->header_bytes > end->index_begin)
        return damaged(file, "its last bytes are not the end of a snapshot", error);
    return 0;
}

static int read_header(struct snapshot_file *file, const struct snapshot_end *end, struct engine_error *error)
{
    char *text;
    uint64_t length;
    int status = read_text(file, 0, end->header_bytes, end->header_check, SNAPSHOT_HEADER_MAX, &text, &length,
                           "its header cannot be read", error);
    if (status == 0 && snapshot_header_parse(text, length, &file->header, &file->json, &file->config, error) != 0)
        status = error->status == ENGINE_STATUS_INPUT ? error_prefix(error, "%s: ", file->path) : error->status;
    free(text);
    return status;
}

/* Counts the blocks of the fields. A file of this size cannot hold more than SNAPSHOT_EXPANSION times its bytes. */
static int count_blocks(struct snapshot_file *file, uint64_t file_bytes, struct engine_error *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < file->header.count; i++) {
        const struct engine_file_array *field = &file->header.fields[i];
        if (!stream_of(field, &file->streams[i]) || file->streams[i].bytes / SNAPSHOT_EXPANSION > file_bytes ||
            (total += file->streams[i].bytes) / SNAPSHOT_EXPANSION > file_bytes)
            return error_set(
                error, ENGINE_STATUS_INPUT,
                "%s: states %llu x %llu x %llu elements of field %s, more than a file of %llu bytes can hold",
                file->path, (unsigned long long) field->shape.extent[0], (unsigned long long) field->shape.extent[1],
                (unsigned long long) field->shape.extent[2], field->name, (unsigned long long) file_bytes);
        file->count += file->streams[i].blocks;
    }
    return 0;
}

/* Finds the offset of every block's member. The members fill the file from the header to the index. */
static int place_blocks(struct snapshot_file *file, const struct snapshot_end *end, struct engine_error *error)
{
    uint64_t begin = end->header_bytes;
    for (uint64_t i = 0; i < file->count && begin <= end->index_begin; i++) {
        file->begins[i] = begin;
        begin += file->blocks[i].bytes;
        if (file->blocks[i].bytes > MEMBER_MAX)
            return damaged(file, "its index states a block that is too long", error);
    }
    return begin == end->index_begin ? 0 : damaged(file, "its index does not match its length", error);
}

static int read_index(struct snapshot_file *file, const struct snapshot_end *end, struct engine_error *error)
{
    char *text;
    uint64_t length;
    const uint64_t wanted = INDEX_HASH + file->count * INDEX_LINE;
    int status = read_text(file, end->index_begin, end->index_bytes, end->index_check, wanted, &text, &length,
                           "its index cannot be read", error);
    if (status == 0 && length != wanted)
        status = damaged(file, "its index does not have a line for each block", error);
    if (status == 0) {
        file->blocks = calloc(file->count, sizeof *file->blocks);
        file->begins = calloc(file->count, sizeof *file->begins);
        if (!file->blocks || !file->begins)
            status = error_memory(error, file->count * sizeof *file->blocks, "a snapshot's index");
    }
    if (status == 0 && !index_parse(text, file->header.hash, file->blocks, file->count))
        status = damaged(file, "its index is not valid", error);
    free(text);
    return status == 0 ? place_blocks(file, end, error) : status;
}

static int read_parts(struct snapshot_file *file, struct engine_error *error)
{
    struct snapshot_end end = {0};
    uint64_t bytes = 0;
    if (read_end(file, &bytes, &end, error) != 0 || read_header(file, &end, error) != 0 ||
        count_blocks(file, bytes, error) != 0)
        return error->status;
    return read_index(file, &end, error);
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

int snapshot_file_take(int descriptor, const char *path, struct snapshot_file **out, bool *is_unreadable,
                       struct engine_error *error)
{
    struct snapshot_file *file = calloc(1, sizeof *file);
    *out = NULL;
    *is_unreadable = false;
    if (!file || !(file->path = strdup(path))) {
        free(file);
        close(descriptor);
        return error_memory(error, sizeof *file, "reading a snapshot");
    }
    file->file = descriptor;
    const int status = read_parts(file, error);
    if (status != 0) {
        *is_unreadable = snapshot_file_is_unreadable(file);
        snapshot_file_close(file);
        return status;
    }
    *out = file;
    return 0;
}

int snapshot_file_open(const char *path, struct snapshot_file **file, struct engine_error *error)
{
    bool ignored;
    const int descriptor =
        (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)); /* a pipe would wait */
    *file = NULL;
    return descriptor < 0 ? error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno))
                          : snapshot_file_take(descriptor, path, file, &ignored, error);
}

void snapshot_file_close(struct snapshot_file *file)
{
    if (!file)
        return;
    close(file->file);
    json_object_put(file->json);
    free(file->config);
    free(file->blocks);
    free(file->begins);
    free(file->path);
    free(file);
}

const struct snapshot_header *snapshot_file_header(const struct snapshot_file *file)
{
    return &file->header;
}

int snapshot_file_field(const struct snapshot_file *file, const char *name)
{
    for (uint32_t i = 0; i < file->header.count; i++)
        if (strcmp(file->header.fields[i].name, name) == 0)
            return (int) i;
    return -1;
}

bool snapshot_file_is_unreadable(const struct snapshot_file *file)
{
    return atomic_load(&file->unreadable);
}
