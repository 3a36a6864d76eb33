#include "ensemble/worker.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "config/keys.h"
#include "ensemble/deal.h"
#include "parts/config_pack.h"
#include "parts/link.h"
#include "parts/ranks.h"

#include <stdlib.h>
#include <string.h>

/* Seconds between two reports: without a reason, and with results alone. Members that are dealt out in advance last for
 * about the third; so nobody waits for a member that takes long, and lies in the queue of another process. */
static const double HEARTBEAT = 0.25, RESULTS = 0.02, AHEAD = 0.1;

struct worker {
    struct ensemble *ensemble;
    struct link *link;
    struct report report;
    struct deal deal;                     /* its answer */
    struct parcel sending;                /* its results */
    uint64_t queue[DEAL_MOST], next, end; /* members that have not begun: queue[next] to queue[end - 1] */
    uint64_t waiting;                     /* threads that found none since the last answer */
    uint64_t dropped;                     /* members since the last report */
    double sent;                          /* when the report was sent, or the ensemble was opened */
    double polled;                        /* when worker_exchange was called last */
    bool asked;                           /* the report has no answer yet */
    bool over;
};

void worker_close(struct worker *worker)
{
    if (worker)
        free(worker->sending.data);
    free(worker);
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static int check_plugins(const struct ensemble *ensemble, const char *const theirs[2], struct engine_error *error)
{
    static const char *const what[] = {"the checksum of the plugin", "the checksum of the plugin of the analysis"};
    char own[2][40];
    if (deal_checksums(ensemble, own, error) != 0)
        return error->status;
    for (int p = 0; p < 2; p++)
        if (ranks_check_same(what[p], theirs[p], own[p], "install the same file on all hosts", error) != 0)
            return error->status;
    return 0;
}

/* Members write files into folders of the ensemble's folder. Is it the one of process 0? */
static int check_folder(const struct ensemble *ensemble, const char *theirs, struct engine_error *error)
{
    const char *path = engine_run_folder(ensemble->first);
    char own[DEAL_LOCK_TEXT] = "";
    struct engine_error ignored;
    struct folder *folder;
    if (!ensemble->files || !*theirs)
        return 0;
    if (folder_open(path, &folder, &ignored) == 0) {
        deal_lock_text(folder, own);
        folder_close(folder);
    }
    return strcmp(own, theirs) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_OUTPUT,
                           "%s: this process does not see the folder of rank 0 there, and the members write files; "
                           "name a folder that all hosts share, or give no [output] every and formats and no "
                           "[checkpoint]",
                           path);
}

static int open_ensemble(struct ensemble *ensemble, struct engine_context *context, const char *at, const char *end,
                         struct engine_error *error)
{
    struct engine_config *config = NULL;
    const char *const version = text_take(&at), *const plugin = text_take(&at), *const analysis = text_take(&at);
    const char *const lock = text_take(&at), *const resumed = text_take(&at);
    int status = ranks_check_same("the version of the engine", version, machine_version(),
                                  "start the same program on all hosts", error);
    if (status == 0)
        status = config_unpack(context, at, (uint64_t) (end - at), &config, error);
    if (status == 0)
        status = ensemble_plan(ensemble, config, error);
    engine_config_close(config);
    ensemble->resumed = *resumed == '1';
    ensemble->elsewhere = true;
    if (status != 0 || check_plugins(ensemble, (const char *const[]){plugin, analysis}, error) != 0 ||
        ensemble_check_room(ensemble, error) != 0)
        return error->status;
    return check_folder(ensemble, lock, error);
}

int worker_open(struct ensemble *ensemble, struct engine_context *context, const char *texts, uint64_t bytes,
                struct worker **out, struct engine_error *error)
{
    *out = NULL;
    *ensemble = (struct ensemble){.caller = context, .context = context};
    if (open_ensemble(ensemble, context, texts, texts + bytes, error) != 0)
        return error->status;
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return error_memory(error, sizeof *worker, "a process of an ensemble");
    worker->ensemble = ensemble;
    worker->link = link_of_context(context);
    worker->sent = machine_clock() - HEARTBEAT; /* the first report goes at once */
    worker->waiting = ensemble->at_once;
    *out = worker;
    return 0;
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */

uint64_t worker_take(struct worker *worker)
{
    if (worker->next < worker->end)
        return worker->queue[worker->next++];
    worker->waiting++;
    return 0;
}

/* How many members this process wants: one for each thread that waits, and so many that members that end quickly do not
 * have to wait for the next answer. */
static uint64_t wanted(const struct worker *worker, double seconds)
{
    const uint64_t queued = worker->end - worker->next;
    const double ahead = (double) worker->ensemble->parcel.results / seconds * AHEAD;
    const uint64_t all = worker->waiting + (ahead < DEAL_MOST ? (uint64_t) ahead : DEAL_MOST);
    const uint64_t most = all < DEAL_MOST ? all : DEAL_MOST;
    return most > queued ? most - queued : 0;
}

/* Sends a report, and begins to receive its answer. */
static int ask(struct worker *worker, double now, struct engine_error *error)
{
    const double seconds = now - worker->sent > 1e-4 ? now - worker->sent : 1e-4;
    struct parcel *results = &worker->ensemble->parcel, before = worker->sending;
    worker->report = (struct report){results->bytes, results->results, wanted(worker, seconds), worker->dropped};
    worker->sending = *results;
    *results = (struct parcel){.data = before.data, .room = before.room};
    worker->dropped = 0;
    worker->sent = now;
    worker->asked = true;
    if (link_send(worker->link, 0, &worker->report, sizeof worker->report, error) != 0 ||
        (worker->sending.bytes > 0 &&
         link_send(worker->link, 0, worker->sending.data, worker->sending.bytes, error) != 0))
        return error->status;
    return link_receive(worker->link, 0, &worker->deal, sizeof worker->deal, error);
}

/* Takes the answer: puts its members behind those of the queue, or empties the queue. */
static void take_answer(struct worker *worker, bool *stop)
{
    const uint64_t queued = worker->end - worker->next;
    worker->asked = false;
    memmove(worker->queue, worker->queue + worker->next, queued * sizeof *worker->queue);
    memcpy(worker->queue + queued, worker->deal.members, worker->deal.count * sizeof *worker->queue);
    worker->next = 0;
    worker->end = queued + worker->deal.count;
    worker->over = worker->deal.word == DEAL_LEAVE;
    if (worker->deal.count > 0)
        worker->waiting = 0;
    if (worker->deal.word == DEAL_GO_ON)
        return;
    *stop = true;
    worker->dropped += worker->end;
    worker->end = 0;
}

/* Is it time for a report? Threads that wait ask at once, unless the last answer had no members. */
static bool is_due(const struct worker *worker, double now)
{
    const double since = now - worker->sent;
    const bool waits = worker->waiting > 0 && worker->next == worker->end;
    return since >= HEARTBEAT || (waits && worker->deal.count > 0) ||
           (since >= RESULTS && (waits || worker->ensemble->parcel.results > 0));
}

int worker_exchange(struct worker *worker, bool *stop, bool *over, struct engine_error *error)
{
    const double stopped = 1; /* a process that did nothing for so many seconds was stopped itself */
    const double patience = 1.25 * ensemble_run_key(worker->ensemble, KEY_RUN_PATIENCE).real + 1, now = machine_clock();
    *stop = false;
    *over = true; /* after an error */
    if (link_poll(worker->link, error) != 0)
        return error->status;
    worker->sent = worker->asked && now - worker->polled > stopped ? now : worker->sent;
    worker->polled = now;
    if (worker->asked && !link_is_pending(worker->link, 0))
        take_answer(worker, stop);
    else if (worker->asked && patience > 1 && now - worker->sent > patience)
        return link_give_up(worker->link, 0, patience, error);
    if (!worker->asked && !worker->over && is_due(worker, now) && ask(worker, now, error) != 0)
        return error->status;
    *over = worker->over;
    return 0;
}
