#include "ensemble/dealer.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "config/keys.h"
#include "ensemble/deal.h"
#include "parts/config_pack.h"
#include "parts/link.h"
#include "parts/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Another process. */
struct peer {
    struct report report;
    struct deal deal;
    char *data; /* the results of the report */
    uint64_t room;
    uint64_t out; /* members that were dealt out and have not ended */
    bool reading; /* the results are under way */
    bool left;    /* it has no members, and gets none */
    double heard; /* when its last message came */
};

struct dealer {
    struct ensemble *ensemble;
    struct link *link;
    double polled; /* when dealer_exchange was called last */
    uint32_t count;
    struct peer peers[]; /* from rank 1 on */
};

void dealer_close(struct dealer *dealer)
{
    for (uint32_t i = 0; dealer && i < dealer->count; i++)
        free(dealer->peers[i].data);
    free(dealer);
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

/* What worker_open reads. */
static int describe(const struct ensemble *ensemble, char **text, size_t *bytes, struct engine_error *error)
{
    char checksums[2][40], lock[DEAL_LOCK_TEXT] = "";
    *text = NULL;
    if (deal_checksums(ensemble, checksums, error) != 0)
        return error->status;
    if (ensemble->files)
        deal_lock_text(ensemble->folder, lock);
    FILE *to = open_memstream(text, bytes);
    if (to) {
        fprintf(to, "%s%c%s%c%s%c%s%c%d%c", machine_version(), 0, checksums[0], 0, checksums[1], 0, lock, 0,
                ensemble->resumed, 0);
        config_pack(to, ensemble->config);
    }
    return to && text_stream_close(to, text) ? 0 : error_memory(error, *bytes, "the description of an ensemble");
}

/* Sends the description to all others, and takes their answers. */
static int ask_all(struct dealer *dealer, const char *text, size_t bytes, struct ranks_answer *answers,
                   struct engine_error *error)
{
    const struct ranks_command command = {.kind = RANKS_ENSEMBLE, .bytes = bytes};
    for (uint32_t rank = 1; rank <= dealer->count; rank++)
        if (link_send(dealer->link, rank, &command, sizeof command, error) != 0 ||
            link_send(dealer->link, rank, text, bytes, error) != 0 ||
            link_receive(dealer->link, rank, &answers[rank - 1], sizeof *answers, error) != 0)
            return error->status;
    return link_wait(dealer->link, ensemble_run_key(dealer->ensemble, KEY_RUN_PATIENCE).real, error);
}

static int listen(struct dealer *dealer, uint32_t index, struct engine_error *error)
{
    struct peer *peer = &dealer->peers[index];
    peer->reading = false;
    return link_receive(dealer->link, index + 1, &peer->report, sizeof peer->report, error);
}

/* Lets all others begin, if each has opened the ensemble, and listens to them. */
static int begin(struct dealer *dealer, const struct ranks_answer *answers, struct engine_error *error)
{
    static const struct ranks_command members = {.kind = RANKS_MEMBERS};
    for (uint32_t i = 0; i < dealer->count; i++)
        if (ranks_error(&answers[i], i + 1, error) != 0)
            return error->status;
    for (uint32_t i = 0; i < dealer->count; i++)
        if (link_send(dealer->link, i + 1, &members, sizeof members, error) != 0 || listen(dealer, i, error) != 0)
            return error->status;
    return 0;
}

static int open_others(struct dealer *dealer, struct engine_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    struct ranks_answer *answers = calloc(dealer->count, sizeof *answers);
    int status = answers ? describe(dealer->ensemble, &text, &bytes, error)
                         : error_memory(error, dealer->count * sizeof *answers, "the answers of other ranks");
    if (status == 0)
        status = ask_all(dealer, text, bytes, answers, error);
    if (status == 0)
        status = begin(dealer, answers, error);
    free(answers);
    free(text);
    return status;
}

int dealer_open(struct ensemble *ensemble, struct dealer **out, struct engine_error *error)
{
    const uint32_t count = ensemble_ranks(ensemble) - 1;
    *out = NULL;
    if (count == 0)
        return 0;
    struct dealer *dealer = calloc(1, sizeof *dealer + count * sizeof *dealer->peers);
    if (!dealer)
        return error_memory(error, count * sizeof *dealer->peers, "the processes of an ensemble");
    dealer->ensemble = ensemble;
    dealer->link = link_of_context(ensemble->caller);
    dealer->count = count;
    if (open_others(dealer, error) != 0) {
        dealer_close(dealer);
        return error->status;
    }
    *out = dealer;
    return 0;
}

/* ---- Dealing ---------------------------------------------------------------------------------------------------- */

/* Deals out members: as many as the process wants, but so few that enough remain for all others. */
static void fill(struct dealer *dealer, struct peer *peer)
{
    struct ensemble *ensemble = dealer->ensemble;
    const uint64_t share = (ensemble->count - ensemble->taken) / (2 * (dealer->count + 1)) + 1;
    uint64_t wanted = peer->report.wanted < share ? peer->report.wanted : share, member;
    wanted = wanted < DEAL_MOST ? wanted : DEAL_MOST;
    while (peer->deal.count < wanted && (member = ensemble_take(ensemble)))
        peer->deal.members[peer->deal.count++] = member;
    peer->out += peer->deal.count;
}

/* Answers a report. */
static int answer(struct dealer *dealer, uint32_t index, bool stop, struct engine_error *error)
{
    struct peer *peer = &dealer->peers[index];
    peer->deal.word = stop ? DEAL_STOP : DEAL_GO_ON;
    peer->deal.count = 0;
    peer->out -= peer->report.results + peer->report.dropped;
    if (!stop)
        fill(dealer, peer);
    if (peer->out == 0 && (stop || ensemble_missing(dealer->ensemble, dealer->ensemble->taken) == 0)) {
        peer->deal.word = DEAL_LEAVE;
        peer->left = true;
    }
    if (link_send(dealer->link, index + 1, &peer->deal, sizeof peer->deal, error) != 0)
        return error->status;
    return peer->left ? 0 : listen(dealer, index, error);
}

/* Records the results that have come. After an error, the others are lost; their members stay missing. */
static int record(struct dealer *dealer, const struct peer *peer, struct engine_error *error)
{
    const char *at = peer->data, *const end = at + peer->report.bytes;
    int status = 0;
    while (status == 0 && at < end) {
        struct result result;
        status = parcel_take(&at, end, &result, error);
        if (status == 0) {
            status = ensemble_keep(dealer->ensemble, &result, error);
            result_release(&result);
        }
    }
    return status;
}

/* Begins to receive the results that follow a report. */
static int read_results(struct dealer *dealer, uint32_t index, struct engine_error *error)
{
    struct peer *peer = &dealer->peers[index];
    if (peer->report.bytes > peer->room) {
        char *data = realloc(peer->data, peer->report.bytes);
        if (!data) {
            link_break(dealer->link); /* the results stay unread */
            return error_memory(error, peer->report.bytes, "the results of members");
        }
        peer->data = data;
        peer->room = peer->report.bytes;
    }
    peer->reading = true;
    return link_receive(dealer->link, index + 1, peer->data, peer->report.bytes, error);
}

/* Takes what a process has sent, if it is there. */
static int attend(struct dealer *dealer, uint32_t index, bool stop, double now, struct engine_error *error)
{
    struct peer *peer = &dealer->peers[index];
    const double patience = ensemble_run_key(dealer->ensemble, KEY_RUN_PATIENCE).real;
    if (link_is_pending(dealer->link, index + 1))
        return patience > 0 && now - peer->heard > patience && !peer->left
                   ? link_give_up(dealer->link, index + 1, patience, error)
                   : 0;
    if (peer->left)
        return 0;
    peer->heard = now;
    if (!peer->reading && peer->report.bytes > 0)
        return read_results(dealer, index, error);
    struct engine_error why;
    const int status = peer->reading ? record(dealer, peer, &why) : 0;
    if (answer(dealer, index, stop || status != 0, error) != 0)
        return error->status;
    if (status != 0)
        *error = why;
    return status;
}

int dealer_exchange(struct dealer *dealer, bool stop, bool *over, struct engine_error *error)
{
    const double stopped = 1; /* a process that did nothing for so many seconds was stopped itself */
    const double now = machine_clock();
    int status = link_poll(dealer->link, error);
    for (uint32_t i = 0; i < dealer->count && now - dealer->polled > stopped; i++)
        dealer->peers[i].heard = now;
    dealer->polled = now;
    *over = true;
    for (uint32_t i = 0; status == 0 && i < dealer->count; i++) {
        status = attend(dealer, i, stop, now, error);
        *over = *over && dealer->peers[i].left && !link_is_pending(dealer->link, i + 1);
    }
    *over = status == 0 ? *over : link_is_broken(dealer->link);
    return status;
}
