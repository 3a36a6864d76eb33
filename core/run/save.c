#include "run/save.h"
#include "base/context.h"
#include "run/divided.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct saving {
    struct save_share share;
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

/* Gives the path of a file in a folder that other processes understand. */
static void find_path(const struct folder *folder, const char *name, char path[PATH_MAX])
{
    char *whole = realpath(folder->path, NULL);
    snprintf(path, PATH_MAX, "%s/%s", whole ? whole : folder->path, name);
    free(whole);
}

/* Lets all processes open the file, this one too. */
static int open_all(struct saving *saving, struct state *state, const char *path, bool compressed,
                    struct engine_error *error)
{
    struct ranks *ranks = state_ranks(state);
    const uint64_t bytes = strlen(path) + 1;
    if (ranks_tell(ranks, (struct ranks_command){.kind = RANKS_SAVE_OPEN, .begin = compressed, .count = bytes},
                   error) != 0)
        return error->status;
    for (uint32_t rank = 1; rank < ranks->count; rank++)
        if (link_send(ranks->link, rank, path, bytes, error) != 0)
            return error->status;
    return ranks_finish(ranks, save_share_open(&saving->share, state, path, compressed, error), NULL, error);
}

int save_open(struct state *state, const struct folder *folder, const char *name, bool compressed, struct saving **out,
              struct engine_error *error)
{
    char path[PATH_MAX];
    *out = NULL;
    struct saving *saving = new_saving(state, error);
    if (!saving)
        return error->status;
    find_path(folder, name, path);
    if (open_all(saving, state, path, compressed, error) == 0) {
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

int save_close(struct saving *saving, int status, struct engine_error *error)
{
    struct ranks *ranks = ranks_of(saving);
    struct engine_error ignored = {.status = 0}, *const own = status == 0 ? error : &ignored;
    const struct ranks_command command = {.kind = RANKS_SAVE_CLOSE, .count = status == 0};
    int told = link_check(ranks->link, own);
    if (told == 0)
        told = ranks_tell(ranks, command, own);
    const int closed = save_share_close(&saving->share, status != 0 ? status : told, own);
    if (told == 0)
        told = ranks_finish(ranks, status == 0 ? closed : 0, NULL, own);
    free_saving(saving);
    return status != 0 ? status : told;
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

static int pack_round(struct saving *saving, uint32_t field, uint64_t round, struct snapshot_block *blocks,
                      struct engine_error *error)
{
    struct ranks *ranks = ranks_of(saving);
    const struct ranks_command command = {
        .kind = RANKS_SAVE_PACK, .field = field, .step = saving->share.state->step, .begin = round};
    struct engine_error ignored;
    if (ranks_tell(ranks, command, error) != 0)
        return error->status;
    int status = save_share_pack(&saving->share, field, round, first_of(saving, 0, round, blocks), error);
    status = ranks_finish(ranks, status, NULL, error);
    if (link_is_broken(ranks->link))
        return status;
    const int received = receive_blocks(saving, round, blocks, status ? &ignored : error);
    return status ? status : received;
}

/* Sends each process the place of its blocks. */
static int send_places(const struct saving *saving, struct engine_error *error)
{
    const struct ranks *ranks = ranks_of(saving);
    for (uint32_t rank = 1; rank < ranks->count; rank++)
        if (link_send(ranks->link, rank, &saving->places[rank], sizeof *saving->places, error) != 0)
            return error->status;
    return 0;
}

static int place_round(struct saving *saving, uint64_t round, const struct snapshot_block *blocks,
                       struct engine_error *error)
{
    struct ranks *ranks = ranks_of(saving);
    const struct ranks_command command = {.kind = RANKS_SAVE_PLACE, .step = saving->share.state->step, .begin = round};
    if (ranks_tell(ranks, command, error) != 0 || send_places(saving, error) != 0)
        return error->status;
    const int status = save_share_place(&saving->share, round, saving->places[0], error);
    if (ranks_finish(ranks, status, NULL, error) != 0)
        return error->status;
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        for (uint64_t i = 0; i < count_of(saving, rank, round); i++)
            saving->places[rank] += blocks[saving->blocks[rank].begin + round * PORTION_ROUND + i].bytes;
    return 0;
}

int save_field(struct saving *saving, uint32_t field, uint64_t offset, struct snapshot_block *blocks,
               struct engine_error *error)
{
    for (uint32_t rank = 0; rank < ranks_of(saving)->count; rank++)
        saving->blocks[rank] = save_share_blocks(saving->share.state, rank, field);
    const uint64_t rounds = rounds_of(saving);
    for (uint64_t round = 0; round < rounds; round++)
        if (pack_round(saving, field, round, blocks, error) != 0)
            return error->status;
    for (uint32_t rank = 0; rank < ranks_of(saving)->count; rank++) {
        saving->places[rank] = offset;
        for (uint64_t i = saving->blocks[rank].begin; i < saving->blocks[rank].end; i++)
            offset += blocks[i].bytes;
    }
    for (uint64_t round = 0; round < rounds; round++)
        if (place_round(saving, round, blocks, error) != 0)
            return error->status;
    return 0;
}
