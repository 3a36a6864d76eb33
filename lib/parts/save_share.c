#include "parts/save_share.h"
#include "files/folder.h"
#include "parts/available.h"
#include "parts/divided.h"
#include "parts/encoding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    MEMORY_SHARE = 64, /* this part of the free memory keeps compressed blocks until their place is known */
    NFS = 0x6969       /* the number of this file system (statfs(2)) */
};

/* ---- The file ------------------------------------------------------------------------------------------------- */

static int open_file(const char *path, int flags, int *file, struct engine_error *error)
{
    *file = (int) TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags));
    return *file >= 0 ? 0 : error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be opened: %s", path, strerror(errno));
}

/* Processes on several hosts write to the same page of the file. A client of NFS may send whole pages, with zeros where
 * another client writes, unless the file is open with O_DSYNC (nfs_can_extend_write of Linux). */
int save_share_open(struct save_share *share, struct state *state, const char *path, bool compressed,
                    struct engine_error *error)
{
    struct statfs about;
    *share = (struct save_share){.state = state};
    share->portion.compression = compressed ? SNAPSHOT_DEFLATE : SNAPSHOT_STORE;
    if (open_file(path, 0, &share->file, error) != 0)
        return error->status;
    if (fstatfs(share->file, &about) != 0 || about.f_type != NFS)
        return 0;
    close(share->file);
    return open_file(path, O_DSYNC, &share->file, error);
}

static void close_field(struct save_share *share)
{
    if (share->open)
        portion_close(&share->portion);
    share->open = false;
    free(share->others);
    share->others = NULL;
}

int save_share_close(struct save_share *share, int status, struct engine_error *error)
{
    close_field(share);
    const int code = status == 0 ? file_sync(share->file) : 0;
    if (code != 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be synchronised to disk: %s", strerror(code));
    if (share->file >= 0 && close(share->file) != 0 && errno != EINTR && status == 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    share->file = -1;
    return status;
}

/* ---- Blocks and cells ------------------------------------------------------------------------------------------ */

static struct engine_file_array array_of(const struct state *state, uint32_t field)
{
    return (struct engine_file_array){.values = state->plan->fields[field].about->values,
                                      .shape = state_geometry(state, field)->shape};
}

/* The first block that begins with this element or a later one. */
static uint64_t block_from(const struct snapshot_stream *stream, const struct engine_file_array *array,
                           uint64_t element)
{
    uint64_t low = 0, high = stream->blocks;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (stream_first_element(stream, array, middle) < element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The stream of a field whose state this engine holds is shorter than an address space. */
struct share save_share_blocks(const struct state *state, uint32_t rank, uint32_t field)
{
    const struct engine_file_array array = array_of(state, field);
    const struct share cells = share_of(state->plan, rank, field, state->step);
    struct snapshot_stream stream;
    stream_of(&array, &stream);
    return (struct share){block_from(&stream, &array, cells.begin), block_from(&stream, &array, cells.end)};
}

/* The cells of other processes that a process needs. */
static struct share needs_of(const struct state *state, uint32_t rank, uint32_t field)
{
    const struct engine_file_array array = array_of(state, field);
    const struct share blocks = save_share_blocks(state, rank, field),
                       own = share_of(state->plan, rank, field, state->step);
    struct snapshot_stream stream;
    stream_of(&array, &stream);
    const uint64_t end = blocks.begin < blocks.end ? stream_elements_end(&stream, &array, blocks.end) : 0;
    return (struct share){own.end, end > own.end ? end : own.end};
}

static struct share both(struct share a, struct share b)
{
    const struct share common = {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
    return common.begin < common.end ? common : (struct share){0, 0};
}

static uint64_t count_of(struct share share)
{
    return share.end - share.begin;
}

/* ---- The exchange of cells -------------------------------------------------------------------------------------- */

/* A message with cells, between this process and another one. */
struct message {
    struct share cells;
    uint8_t *elements, *encoded; /* the same, where they are not encoded as bits */
    uint64_t bytes;
};

static void message_close(struct message *message)
{
    if (message->encoded != message->elements)
        free(message->encoded);
    free(message->elements);
}

static int message_open(const struct save_share *share, struct share cells, struct message *message,
                        struct engine_error *error)
{
    const struct plan *plan = share->state->plan;
    const uint64_t bytes = count_of(cells) * type_bytes(share->array.shape.type);
    *message = (struct message){.cells = cells, .bytes = encoding_bytes(plan, share->field, count_of(cells))};
    message->elements = malloc(bytes);
    message->encoded = encoding_is_bits(plan, share->field) ? malloc(message->bytes) : message->elements;
    return message->elements && message->encoded ? 0 : error_memory(error, bytes, "cells on their way");
}

/* Sends own cells to another process, also after an error, because it waits for them. */
static int send_cells(struct save_share *share, uint32_t to, struct message *message, struct engine_error *error)
{
    const int status = state_read(share->state, share->field, message->cells.begin, count_of(message->cells),
                                  message->elements, error);
    struct engine_error own;
    if (message->encoded != message->elements)
        encoding_pack(message->elements, count_of(message->cells), message->encoded);
    if (link_send(state_ranks(share->state)->link, to, message->encoded, message->bytes, status ? &own : error) != 0)
        return status ? status : error->status;
    return status;
}

/* Puts cells that have come to the others. */
static void keep_cells(struct save_share *share, const struct message *message)
{
    const uint32_t size = type_bytes(share->array.shape.type);
    if (message->encoded != message->elements)
        encoding_unpack(message->encoded, count_of(message->cells), message->elements);
    memcpy((uint8_t *) share->others + (message->cells.begin - share->own.end) * size, message->elements,
           count_of(message->cells) * size);
}

/* Exchanges with process `other` what it needs of this one's cells, or this one of its. Only one of them needs any. */
static int exchange_with(struct save_share *share, uint32_t other, struct engine_error *error)
{
    const struct state *state = share->state;
    struct ranks *ranks = state_ranks(state);
    const uint32_t rank = link_rank(ranks->link);
    const bool sends = other < rank;
    const struct share cells = both(share_of(state->plan, sends ? rank : other, share->field, state->step),
                                    needs_of(state, sends ? other : rank, share->field));
    struct message message;
    struct engine_error waiting;
    if (count_of(cells) == 0)
        return 0;
    int status = message_open(share, cells, &message, error);
    if (status != 0)
        link_break(ranks->link); /* the other one waits */
    else
        status = sends ? send_cells(share, other, &message, error)
                       : link_receive(ranks->link, other, message.encoded, message.bytes, error);
    if (link_wait(ranks->link, ranks->patience, status ? &waiting : error) != 0)
        status = status ? status : error->status;
    if (status == 0 && !sends)
        keep_cells(share, &message);
    message_close(&message);
    return status;
}

/* Each process first sends to those before it, and then waits for those after it. */
static int exchange_cells(struct save_share *share, struct engine_error *error)
{
    const struct share needs = needs_of(share->state, link_rank(state_ranks(share->state)->link), share->field);
    const uint64_t bytes = count_of(needs) * type_bytes(share->array.shape.type);
    int status = 0;
    share->others = malloc(bytes + 1);
    if (!share->others) {
        link_break(state_ranks(share->state)->link); /* the others wait */
        return error_memory(error, bytes, "cells of other ranks");
    }
    for (uint32_t other = 0; other < state_ranks(share->state)->count; other++) {
        struct engine_error own;
        if (other != link_rank(state_ranks(share->state)->link) &&
            exchange_with(share, other, status ? &own : error) != 0 && status == 0)
            status = error->status;
    }
    return status;
}

/* ---- Rounds ----------------------------------------------------------------------------------------------------- */

/* Reads elements of this process, or of those after it. */
static int read_elements(void *self, uint64_t begin, uint64_t count, void *out, const void *in,
                         struct engine_error *error)
{
    const struct save_share *share = self;
    const uint32_t size = type_bytes(share->array.shape.type);
    const uint64_t end = begin + count, own = share->own.end > begin ? share->own.end - begin : 0;
    const uint64_t here = own < count ? own : count;
    (void) in;
    if (here > 0 && state_read(share->state, share->field, begin, here, out, error) != 0)
        return error->status;
    if (here < count)
        memcpy((uint8_t *) out + here * size, (const uint8_t *) share->others + (begin + here - share->own.end) * size,
               (end - begin - here) * size);
    return 0;
}

/* Begins with a field. */
static int begin_field(struct save_share *share, uint32_t field, struct engine_error *error)
{
    const struct state *state = share->state;
    const uint32_t rank = link_rank(state_ranks(state)->link);
    const struct share blocks = save_share_blocks(state, rank, field);
    close_field(share);
    share->field = field;
    share->array = array_of(state, field);
    share->own = share_of(state->plan, rank, field, state->step);
    share->cells =
        (struct snapshot_cells){.geometry = *state_geometry(state, field), .move = read_elements, .self = share};
    share->portion = (struct portion){.field = &share->array,
                                      .cells = &share->cells,
                                      .compression = share->portion.compression,
                                      .threads = state->plan->for_plugin.threads,
                                      .first = blocks.begin,
                                      .count = count_of(blocks),
                                      .room = available_memory() / MEMORY_SHARE};
    const int status = exchange_cells(share, error);
    if (status != 0)
        return status;
    share->open = true;
    return portion_open(&share->portion, error);
}

int save_share_pack(struct save_share *share, uint32_t field, uint64_t round, struct snapshot_block *blocks,
                    struct engine_error *error)
{
    if (round == 0 && begin_field(share, field, error) != 0)
        return error->status;
    return portion_pack(&share->portion, round, blocks, error);
}

int save_share_place(struct save_share *share, uint64_t round, uint64_t offset, struct engine_error *error)
{
    const bool last = (round + 1) * PORTION_ROUND >= share->portion.count;
    if (portion_place(&share->portion, round, share->file, offset, error) != 0)
        return error->status;
    const int code = last ? 0 : file_sync(share->file); /* so that no process is silent for long when it ends */
    return code == 0 ? 0 : error_set(error, ENGINE_STATUS_OUTPUT, "cannot be synchronised to disk: %s", strerror(code));
}
