#include "parts/load.h"
#include "parts/shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 1 << 26 }; /* bytes of the file's stream that a process reads between two answers, about */

/* ---- A share ---------------------------------------------------------------------------------------------------- */

/* The elements that are written to the state. */
struct wanted {
    struct state *state;
    uint32_t field;
    struct share share;
};

/* Blocks also hold elements of other processes. */
static int write_wanted(void *self, uint64_t begin, uint64_t count, void *out, const void *in,
                        struct engine_error *error)
{
    const struct wanted *wanted = self;
    const uint32_t size = type_bytes(state_geometry(wanted->state, wanted->field)->shape.type);
    const uint64_t from = begin > wanted->share.begin ? begin : wanted->share.begin;
    const uint64_t end = begin + count < wanted->share.end ? begin + count : wanted->share.end;
    (void) out;
    return from < end ? state_write(wanted->state, wanted->field, from, end - from,
                                    (const uint8_t *) in + (from - begin) * size, error)
                      : 0;
}

/* The elements of a round of a process. */
static struct share round_of(const struct state *state, uint32_t rank, uint32_t field, uint64_t round)
{
    const struct share all = share_of(state->plan, rank, field, state->step);
    const uint64_t each =
        (uint64_t) ROUND * 8 /
        (state->plan->fields[field].about->values == 2 ? 1 : 8 * type_bytes(state_geometry(state, field)->shape.type));
    const uint64_t begin = all.begin + round * each;
    if (begin >= all.end)
        return (struct share){all.end, all.end};
    return (struct share){begin, all.end - begin < each ? all.end : begin + each};
}

static int read_round(struct state *state, struct snapshot_file *file, uint32_t field, uint64_t round,
                      struct engine_error *error)
{
    struct wanted wanted = {state, field, round_of(state, link_rank(state_ranks(state)->link), field, round)};
    const struct snapshot_cells cells = {.move = write_wanted, .self = &wanted};
    const int found = snapshot_file_field(file, state->plan->fields[field].about->name);
    if (found < 0 || wanted.share.begin == wanted.share.end)
        return 0;
    return snapshot_file_read_range(file, (uint32_t) found, wanted.share.begin, wanted.share.end, &cells,
                                    state->plan->for_plugin.threads, error);
}

/* ---- Process 0 -------------------------------------------------------------------------------------------------- */

/* The others open the file if it is the same one: its state has the same hash. The texts are the hash and the path. */
static int open_all(struct state *state, const struct snapshot_file *file, const char *path, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    char *whole = realpath(path, NULL), *texts = NULL;
    const int bytes = asprintf(&texts, "%s%s", snapshot_file_header(file)->hash, whole ? whole : path) + 1;
    free(whole);
    if (bytes == 0)
        return error_memory(error, strlen(path), "reading a snapshot");
    const int status = ranks_do(ranks, (struct ranks_command){.kind = RANKS_LOAD_OPEN, .step = state->step}, texts,
                                (uint64_t) bytes, NULL, NULL, error);
    free(texts);
    return status;
}

/* A round of a field, of all processes. */
struct round {
    struct state *state;
    struct snapshot_file *file;
    struct ranks_command command;
};

static int load_own(void *argument, struct engine_error *error)
{
    const struct round *round = argument;
    return read_round(round->state, round->file, round->command.field, round->command.begin, error);
}

static bool has_round(const struct state *state, uint32_t field, uint64_t round)
{
    for (uint32_t rank = 0; rank < state_ranks(state)->count; rank++) {
        const struct share share = round_of(state, rank, field, round);
        if (share.begin < share.end)
            return true;
    }
    return false;
}

static int load_all(struct state *state, struct snapshot_file *file, struct engine_error *error)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        struct round round = {state, file, {.kind = RANKS_LOAD, .step = state->step, .field = i}};
        for (; plan_is_saved(&state->plan->fields[i]) && has_round(state, i, round.command.begin);
             round.command.begin++)
            if (ranks_do(state_ranks(state), round.command, NULL, 0, load_own, &round, error) != 0)
                return error->status;
    }
    return 0;
}

int load_fields(struct state *state, struct snapshot_file *file, const char *path, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    struct engine_error ignored;
    int status = open_all(state, file, path, error);
    if (status == 0)
        status = load_all(state, file, error);
    if (link_is_broken(ranks->link))
        return status;
    const int closed = ranks_do(ranks, (struct ranks_command){.kind = RANKS_LOAD_CLOSE, .step = state->step}, NULL, 0,
                                NULL, NULL, status ? &ignored : error);
    return status ? status : closed;
}

/* ---- Another process -------------------------------------------------------------------------------------------- */

static int open_same(const char *path, const char *hash, struct snapshot_file **file, struct engine_error *error)
{
    if (snapshot_file_open(path, file, error) != 0)
        return error->status;
    if (strncmp(snapshot_file_header(*file)->hash, hash, HASH_TEXT - 1) == 0)
        return 0;
    snapshot_file_close(*file);
    *file = NULL;
    return error_set(error, ENGINE_STATUS_INPUT, "%s: is another file than on rank 0", path);
}

int load_serve(struct snapshot_file **file, struct state *state, const struct ranks_command *command, const char *texts,
               struct engine_error *error)
{
    if (command->kind == RANKS_LOAD_OPEN)
        return open_same(texts + HASH_TEXT - 1, texts, file, error);
    if (command->kind == RANKS_LOAD)
        return read_round(state, *file, command->field, command->begin, error);
    snapshot_file_close(*file);
    *file = NULL;
    return 0;
}
