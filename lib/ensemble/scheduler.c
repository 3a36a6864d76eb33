#include "ensemble/scheduler.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "config/keys.h"
#include "ensemble/schedule.h"
#include "parts/config_pack.h"
#include "parts/link.h"
#include "parts/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Another process. */
struct peer {
    struct report report;
    struct schedule schedule;
    char *data; /* the results of the report */
    uint64_t room;
    uint64_t out; /* members that were given out and have not ended */
    bool reading; /* the results are under way */
    bool left;    /* it has no members, and gets none */
    double heard; /* when its last message came */
};

struct scheduler {
    struct ensemble *ensemble;
    struct link *link;
    double polled; /* when scheduler_exchange was called last */
    uint32_t count;
    struct peer peers[]; /* from rank 1 on */
};

void scheduler_close(struct scheduler *scheduler)
{
    for (uint32_t i = 0; scheduler && i < scheduler->count; i++)
        free(scheduler->peers[i].data);
    free(scheduler);
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

/* What worker_open reads. */
static int describe(const struct ensemble *ensemble, char **text, size_t *bytes, struct engine_error *error)
{
    char checksums[2][40], lock[SCHEDULE_LOCK_TEXT] = "";
    *text = NULL;
    if (schedule_checksums(ensemble, checksums, error) != 0)
        return error->status;
    if (ensemble->files)
        schedule_lock_text(ensemble->folder, lock);
    FILE *to = open_memstream(text, bytes);
    if (to) {
        fprintf(to, "%s%c%s%c%s%c%s%c%d%c", machine_version(), 0, checksums[0], 0, checksums[1], 0, lock, 0,
                ensemble->resumed, 0);
        config_pack(to, ensemble->config);
    }
    return to && text_stream_close(to, text) ? 0 : error_memory(error, *bytes, "the description of an ensemble");
}

/* Sends the description to all others, and takes their answers. */
static int ask_all(struct scheduler *scheduler, const char *text, size_t bytes, struct ranks_answer *answers,
                   struct engine_error *error)
{
    const struct ranks_command command = {.kind = RANKS_ENSEMBLE, .bytes = bytes};
    for (uint32_t rank = 1; rank <= scheduler->count; rank++)
        if (link_send(scheduler->link, rank, &command, sizeof command, error) != 0 ||
            link_send(scheduler->link, rank, text, bytes, error) != 0 ||
            link_receive(scheduler->link, rank, &answers[rank - 1], sizeof *answers, error) != 0)
            return error->status;
    return link_wait(scheduler->link, ensemble_run_key(scheduler->ensemble, KEY_RUN_PATIENCE).real, error);
}

static int listen(struct scheduler *scheduler, uint32_t index, struct engine_error *error)
{
    struct peer *peer = &scheduler->peers[index];
    peer->reading = false;
    return link_receive(scheduler->link, index + 1, &peer->report, sizeof peer->report, error);
}

/* Lets all others begin, if each has opened the ensemble, and listens to them. */
static int begin(struct scheduler *scheduler, const struct ranks_answer *answers, struct engine_error *error)
{
    static const struct ranks_command members = {.kind = RANKS_MEMBERS};
    for (uint32_t i = 0; i < scheduler->count; i++)
        if (ranks_error(&answers[i], i + 1, error) != 0)
            return error->status;
    for (uint32_t i = 0; i < scheduler->count; i++)
        if (link_send(scheduler->link, i + 1, &members, sizeof members, error) != 0 || listen(scheduler, i, error) != 0)
            return error->status;
    return 0;
}

static int open_others(struct scheduler *scheduler, struct engine_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    struct ranks_answer *answers = calloc(scheduler->count, sizeof *answers);
    int status = answers ? describe(scheduler->ensemble, &text, &bytes, error)
                         : error_memory(error, scheduler->count * sizeof *answers, "the answers of other ranks");
    if (status == 0)
        status = ask_all(scheduler, text, bytes, answers, error);
    if (status == 0)
        status = begin(scheduler, answers, error);
    free(answers);
    free(text);
    return status;
}

int scheduler_open(struct ensemble *ensemble, struct scheduler **out, struct engine_error *error)
{
    const uint32_t count = ensemble_ranks(ensemble) - 1;
    *out = NULL;
    if (count == 0)
        return 0;
    struct scheduler *scheduler = calloc(1, sizeof *scheduler + count * sizeof *scheduler->peers);
    if (!scheduler)
        return error_memory(error, count * sizeof *scheduler->peers, "the processes of an ensemble");
    scheduler->ensemble = ensemble;
    scheduler->link = link_of_context(ensemble->caller);
    scheduler->count = count;
    if (open_others(scheduler, error) != 0) {
        scheduler_close(scheduler);
        return error->status;
    }
    *out = scheduler;
    return 0;
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */

/* Gives out members: as many as the process wants, but so few that enough remain for all others. */
static void fill(struct scheduler *scheduler, struct peer *peer)
{
    struct ensemble *ensemble = scheduler->ensemble;
    const uint64_t share = (ensemble->count - ensemble->taken) / (2 * (scheduler->count + 1)) + 1;
    uint64_t wanted = peer->report.wanted < share ? peer->report.wanted : share, member;
    wanted = wanted < SCHEDULE_MOST ? wanted : SCHEDULE_MOST;
    while (peer->schedule.count < wanted && (member = ensemble_take(ensemble)))
        peer->schedule.members[peer->schedule.count++] = member;
    peer->out += peer->schedule.count;
}

/* Answers a report. */
static int answer(struct scheduler *scheduler, uint32_t index, bool stop, struct engine_error *error)
{
    struct peer *peer = &scheduler->peers[index];
    peer->schedule.word = stop ? SCHEDULE_STOP : SCHEDULE_GO_ON;
    peer->schedule.count = 0;
    peer->out -= peer->report.results + peer->report.dropped;
    if (!stop)
        fill(scheduler, peer);
    if (peer->out == 0 && (stop || ensemble_missing(scheduler->ensemble, scheduler->ensemble->taken) == 0)) {
        peer->schedule.word = SCHEDULE_LEAVE;
        peer->left = true;
    }
    if (link_send(scheduler->link, index + 1, &peer->schedule, sizeof peer->schedule, error) != 0)
        return error->status;
    return peer->left ? 0 : listen(scheduler, index, error);
}

/* Records the results that have come. After an error, the others are lost; their members stay missing. */
static int record(struct scheduler *scheduler, const struct peer *peer, struct engine_error *error)
{
    const char *at = peer->data, *const end = at + peer->report.bytes;
    int status = 0;
    while (status == 0 && at < end) {
        struct result result;
        status = packed_results_take(&at, end, &result, error);
        if (status == 0) {
            status = ensemble_keep(scheduler->ensemble, &result, error);
            result_release(&result);
        }
    }
    return status;
}

/* Begins to receive the results that follow a report. */
static int read_results(struct scheduler *scheduler, uint32_t index, struct engine_error *error)
{
    struct peer *peer = &scheduler->peers[index];
    if (peer->report.bytes > peer->room) {
        char *data = realloc(peer->data, peer->report.bytes);
        if (!data) {
            link_break(scheduler->link); /* the results stay unread */
            return error_memory(error, peer->report.bytes, "the results of members");
        }
        peer->data = data;
        peer->room = peer->report.bytes;
    }
    peer->reading = true;
    return link_receive(scheduler->link, index + 1, peer->data, peer->report.bytes, error);
}

/* Takes what a process has sent, if it is there. */
static int attend(struct scheduler *scheduler, uint32_t index, bool stop, double now, struct engine_error *error)
{
    struct peer *peer = &scheduler->peers[index];
    const double patience = ensemble_run_key(scheduler->ensemble, KEY_RUN_PATIENCE).real;
    if (link_is_pending(scheduler->link, index + 1))
        return patience > 0 && now - peer->heard > patience && !peer->left
                   ? link_give_up(scheduler->link, index + 1, patience, error)
                   : 0;
    if (peer->left)
        return 0;
    peer->heard = now;
    if (!peer->reading && peer->report.bytes > 0)
        return read_results(scheduler, index, error);
    struct engine_error why;
    const int status = peer->reading ? record(scheduler, peer, &why) : 0;
    if (answer(scheduler, index, stop || status != 0, error) != 0)
        return error->status;
    if (status != 0)
        *error = why;
    return status;
}

int scheduler_exchange(struct scheduler *scheduler, bool stop, bool *over, struct engine_error *error)
{
    const double stopped = 1; /* a process that did nothing for so many seconds was stopped itself */
    const double now = machine_clock();
    int status = link_poll(scheduler->link, error);
    for (uint32_t i = 0; i < scheduler->count && now - scheduler->polled > stopped; i++)
        scheduler->peers[i].heard = now;
    scheduler->polled = now;
    *over = true;
    for (uint32_t i = 0; status == 0 && i < scheduler->count; i++) {
        status = attend(scheduler, i, stop, now, error);
        *over = *over && scheduler->peers[i].left && !link_is_pending(scheduler->link, i + 1);
    }
    *over = status == 0 ? *over : link_is_broken(scheduler->link);
    return status;
}
