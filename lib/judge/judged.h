/* A process in which an implementation runs, as the judge sees it. Each function that waits for an answer keeps the
 * limits: a process that crashes, ends, hangs or takes too much memory gives an error. Between two questions the process
 * is stopped, so that it cannot work then, nor take processors from others. */
#ifndef LIB_JUDGE_JUDGED_H
#define LIB_JUDGE_JUDGED_H

#include "ensemble/sweep.h"
#include "judge/wire.h"

struct judged {
    struct engine_context *context;
    bool heard; /* the context gets the messages of the process */
    int socket; /* -1: there is no process */
    int64_t process;
    uint32_t seconds;        /* for each answer */
    double deadline, looked; /* when it must have answered, and when its memory was looked at */
    uint64_t memory;         /* most resident bytes */
};

/* Starts a process and gives it the configuration of a combination. After an error there is no process. */
int judged_start(struct judged *judged, bool heard, const struct engine_trial *trial,
                 const struct engine_config *config, const struct sweeps *sweeps, uint64_t combination,
                 struct engine_error *error);

/* Asks a question with `bytes` of data. *answer has *answer_bytes bytes and a zero after them; the caller frees it. */
int judged_ask(struct judged *judged, enum wire_kind kind, const void *data, uint64_t bytes, char **answer,
               uint64_t *answer_bytes, struct engine_error *error);

/* Asks a question whose answer has exactly `bytes` bytes. */
int judged_fetch(struct judged *judged, enum wire_kind kind, void *out, uint64_t bytes, struct engine_error *error);

/* Opens a row of that name. Checks what can be checked of *about. seed: of the initial state, or "". */
int judged_open(struct judged *judged, const char *seed, const char *name, struct wire_about *about,
                struct engine_error *error);

/* One run. The clock and the processor's time begin before the process gets steps and state, and end when its hash is
 * here. */
struct judged_run {
    uint64_t steps;
    const void *problem;
    uint64_t problem_bytes;
    double seconds, processor_seconds;
    char hash[ENGINE_HASH_SIZE];
};

int judged_run(struct judged *judged, struct judged_run *run, struct engine_error *error);

/* Ends the process, at once. */
void judged_close(struct judged *judged);

#endif
