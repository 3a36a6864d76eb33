#include "run/divided.h"
#include "run/save.h"

#include <stdlib.h>

static int receive(struct ranks *ranks, void *data, uint64_t bytes, struct engine_error *error)
{
    return link_receive(ranks->link, 0, data, bytes, error) != 0 ? error->status : link_wait(ranks->link, 0, error);
}

/* The path follows the command. */
static int open_here(struct save_share **share, struct state *state, const struct ranks_command *command,
                     struct engine_error *error)
{
    struct engine_error why;
    char *path = malloc(command->count);
    *share = calloc(1, sizeof **share);
    if (!path || !*share) {
        free(path);
        free(*share);
        *share = NULL;
        link_break(state_ranks(state)->link); /* the path stays unread */
        return error_memory(error, command->count, "a snapshot");
    }
    (*share)->file = -1;
    int status = receive(state_ranks(state), path, command->count, error);
    if (status == 0) {
        status = save_share_open(*share, state, path, command->begin != 0, &why);
        status = ranks_reply(state_ranks(state), status, &why, NULL, 0, error);
    }
    free(path);
    return status;
}

static int pack_here(struct save_share *share, const struct ranks_command *command, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(share->state);
    struct engine_error why;
    struct snapshot_block blocks[PORTION_ROUND] = {{0}};
    const struct share all = save_share_blocks(share->state, link_rank(ranks->link), command->field);
    const int status = save_share_pack(share, command->field, command->begin, blocks, &why);
    return ranks_reply(ranks, status, &why, blocks, portion_round(all.end - all.begin, command->begin) * sizeof *blocks,
                       error);
}

/* The places of all processes follow the command. */
static int place_here(struct save_share *share, const struct ranks_command *command, struct engine_error *error)
{
    struct ranks *ranks = state_ranks(share->state);
    struct engine_error why;
    uint64_t *places = malloc(command->count);
    if (!places) {
        link_break(ranks->link); /* they stay unread */
        return error_memory(error, command->count, "the places of blocks");
    }
    int status = receive(ranks, places, command->count, error);
    if (status == 0) {
        status = save_share_place(share, command->begin, places[link_rank(ranks->link)], &why);
        status = ranks_reply(ranks, status, &why, NULL, 0, error);
    }
    free(places);
    return status;
}

static int close_here(struct save_share **share, const struct ranks_command *command, struct engine_error *error)
{
    struct ranks *ranks = state_ranks((*share)->state);
    struct engine_error why;
    const int status = save_share_close(*share, command->count ? 0 : ENGINE_STATUS_OUTPUT, &why);
    free(*share);
    *share = NULL;
    return ranks_reply(ranks, command->count ? status : 0, &why, NULL, 0, error);
}

int save_serve(struct save_share **share, struct state *state, const struct ranks_command *command,
               struct engine_error *error)
{
    switch (command->kind) {
    case RANKS_SAVE_OPEN:
        return open_here(share, state, command, error);
    case RANKS_SAVE_PACK:
        return pack_here(*share, command, error);
    case RANKS_SAVE_PLACE:
        return place_here(*share, command, error);
    default:
        return close_here(share, command, error);
    }
}

void save_drop(struct save_share *share)
{
    struct engine_error ignored;
    if (!share)
        return;
    save_share_close(share, ENGINE_STATUS_OUTPUT, &ignored);
    free(share);
}
