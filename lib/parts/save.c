#include "parts/save.h"
#include "base/context.h"
#include "parts/divided.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct saving {
    struct save_share share;
    char path[PATH_MAX]; /* of the file, as other processes understand it */
    bool compressed;
    struct share *blocks; /* of the present field, of each process */
    uint64_t *places;     /* where the next block of each process belongs */
};

static struct ranks *ranks_of(const struct saving *saving)
{
    return state_ranks(saving->share.state);
}

static void free_saving(struct saving *saving)
{
    free(saving->blocks);
    free(saving->places);
    free(saving);
}

/* ---- Opening and closing --------------------------------------------------------------------------------------- */

static struct saving *new_saving(struct state *state, struct engine_error *error)
{
    const uint32_t ranks = state_ranks(state)->count;
    struct saving *saving = calloc(1, sizeof *saving);
    if (saving) {
        saving->share = (struct save_share){.state = state, .file = -1};
        saving->blocks = calloc(ranks, sizeof *saving->blocks);
        saving->places = calloc(ranks, sizeof *saving->places);
        if (saving->blocks && saving->places)
            return saving;
        free_saving(saving);
    }
    error_memory(error, ranks * sizeof *saving->places, "a snapshot");
    return NULL;
}

static void find_path(struct saving *saving, const struct folder *folder, const char *name)
{
    char *whole = realpath(folder->path, NULL);
    snprintf(saving->path, sizeof saving->path, "%s/%s", whole ? whole : folder->path, name);
    free(whole);
}

static int open_own(void *argument, struct engine_error *error)
{
    struct saving *saving = argument;
    return save_share_open(&saving->share, saving->share.state, saving->path, saving->compressed, error);
}

int save_open(struct state *state, const struct folder *folder, const char *name, bool compressed, struct saving **out,
              struct engine_error *error)
{
    const struct ranks_command command = {.kind = RANKS_SAVE_OPEN, .begin = compressed};
    *out = NULL;
    struct saving *saving = new_saving(state, error);
    if (!saving)
        return error->status;
    saving->compressed = compressed;
    find_path(saving, folder, name);
    if (ranks_do(state_ranks(state), command, saving->path, strlen(saving->path) + 1, open_own, saving, error) == 0) {
        state_ranks(state)->apart = false;
        *out = saving;
        return 0;
    }
    save_close(saving, error->status, error);
    if (link_is_broken(state_ranks(state)->link))
        return error->status;
    if (!state_ranks(state)->apart)
        context_message(state->plan->context, ENGINE_LOG_INFO,
                        "%s; so process 0 alone writes the snapshots and checkpoints until all processes reach the "
                        "folder [run] output",
                        error->text);
    state_ranks(state)->apart = true;
    return 0;
}

int save_file(const struct saving *saving)
{
    return saving->share.file;
}

static int close_own(void *argument, struct engine_error *error)
{
    struct saving *saving = argument;
    return save_share_close(&saving->share, 0, error);
}

/* After an error, and where the others cannot be told, this process alone closes its file. */
int save_close(struct saving *saving, int status, struct engine_error *error)
{
    struct ranks *ranks = ranks_of(saving);
    struct engine_error ignored = {.status = 0}, *const own = status == 0 ? error : &ignored;
    const struct ranks_command command = {.kind = RANKS_SAVE_CLOSE, .count = status == 0};
    int closed = link_check(ranks->link, own);
    if (closed == 0)
        closed = ranks_do(ranks, command, NULL, 0, status == 0 ? close_own : NULL, saving, own);
    save_share_close(&saving->share, ENGINE_STATUS_OUTPUT, &ignored);
    free_saving(saving);
    return status != 0 ? status : closed;
}

/* ---- Fields ---------------------------------------------------------------------------------------------------- */

/* The blocks of a process in a round. */
static uint64_t count_of(const struct saving *saving, uint32_t rank, uint64_t round)
{
    return portion_round(saving->blocks[rank].end - saving->blocks[rank].begin, round);
}

static struct snapshot_block *first_of(const struct saving *saving, uint32_t rank, uint64_t round,
                                       struct snapshot_block *blocks)
{
    return blocks + saving->blocks[rank].begin + round * PORTION_ROUND;
}

/* The rounds of the process that has most blocks. Each has one: they exchange cells in it. */
static uint64_t rounds_of(const struct saving *saving)
{
    uint64_t rounds = 1;
    for (uint32_t rank = 0; rank < ranks_of(saving)->count; rank++)
        while (count_of(saving, rank, rounds) > 0)
            rounds++;
    return rounds;
}

/* Other processes send the descriptions, also after an error. */
static int receive_blocks(const struct saving *saving, uint64_t round, struct snapshot_block *blocks,
                          struct engine_error *error)
{
    struct ranks *ranks = ranks_of(saving);
    for (uint32_t rank = 1; rank < ranks->count; rank++)
        if (count_of(saving, rank, round) > 0 &&
            link_receive(ranks->link, rank, first_of(saving, rank, round, blocks),
                         count_of(saving, rank, round) * sizeof *blocks, error) != 0)
            return error->status;
    return link_wait(ranks->link, ranks->patience, error);
}

/* A round of blocks, of all processes. */
struct round {
    struct saving *saving;
    uint32_t field;
    uint64_t number;
    struct snapshot_block *blocks;
};

static int pack_own(void *argument, struct engine_error *error)
{
    const struct round *round = argument;
    return save_share_pack(&round->saving->share, round->field, round->number,
                           first_of(round->saving, 0, round->number, round->blocks), error);
}

static int pack_round(struct round *round, struct engine_error *error)
{
    struct ranks *ranks = ranks_of(round->saving);
    const struct ranks_command command = {.kind = RANKS_SAVE_PACK,
                                          .field = round->field,
                                          .step = round->saving->share.state->step,
                                          .begin = round->number};
    struct engine_error ignored;
    const int status = ranks_do(ranks, command, NULL, 0, pack_own, round, error);
    if (link_is_broken(ranks->link))
        return status;
    const int received = receive_blocks(round->saving, round->number, round->blocks, status ? &ignored : error);
    return status ? status : received;
}

static int place_own(void *argument, struct engine_error *error)
{
    const struct round *round = argument;
    return save_share_place(&round->saving->share, round->number, round->saving->places[0], error);
}

/* All processes get the places of all. */
static int place_round(struct round *round, struct engine_error *error)
{
    struct saving *saving = round->saving;
    struct ranks *ranks = ranks_of(saving);
    const struct ranks_command command = {
        .kind = RANKS_SAVE_PLACE, .step = saving->share.state->step, .begin = round->number};
    if (ranks_do(ranks, command, saving->places, ranks->count * sizeof *saving->places, place_own, round, error) != 0)
        return error->status;
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        for (uint64_t i = 0; i < count_of(saving, rank, round->number); i++)
            saving->places[rank] += first_of(saving, rank, round->number, round->blocks)[i].bytes;
    return 0;
}

int save_field(struct saving *saving, uint32_t field, uint64_t offset, struct snapshot_block *blocks,
               struct engine_error *error)
{
    for (uint32_t rank = 0; rank < ranks_of(saving)->count; rank++)
        saving->blocks[rank] = save_share_blocks(saving->share.state, rank, field);
    const uint64_t rounds = rounds_of(saving);
    struct round round = {.saving = saving, .field = field, .blocks = blocks};
    for (round.number = 0; round.number < rounds; round.number++)
        if (pack_round(&round, error) != 0)
            return error->status;
    for (uint32_t rank = 0; rank < ranks_of(saving)->count; rank++) {
        saving->places[rank] = offset;
        for (uint64_t i = saving->blocks[rank].begin; i < saving->blocks[rank].end; i++)
            offset += blocks[i].bytes;
    }
    for (round.number = 0; round.number < rounds; round.number++)
        if (place_round(&round, error) != 0)
            return error->status;
    return 0;
}
