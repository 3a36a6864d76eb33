/* engine/ensemble.h - ensembles: what `engine run` does with [ensemble]. engine.h includes this header.
 *
 * An ensemble has a member for each combination of the values that [ensemble] sweep lists. A member is a run; members
 * are numbered from 1. The library opens the members and collects their results. The caller executes the members, one
 * after the other or several at the same time. Each of its threads has a context of its own:
 *
 *     engine_ensemble_open(ensemble, 0, &error);
 *     for (uint64_t member = 0; (member = engine_ensemble_missing(ensemble, member));) {
 *         int failed = engine_ensemble_member(ensemble, member, context, &run, &why) ||
 *                      engine_run_execute(run, NULL, &result, &why);
 *         engine_ensemble_record(ensemble, member, run, failed ? &why : NULL, &error);
 *         engine_run_close(run);
 *     }
 *     engine_ensemble_finish(ensemble, &error);
 */
#ifndef ENGINE_ENSEMBLE_H
#define ENGINE_ENSEMBLE_H

#include <engine/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the sweeps of the configuration and plans the first member that can be planned. *ensemble is NULL, without an
 * error, if the configuration has no [ensemble] sweep. It allocates no buffer and writes no file. Close the ensemble
 * before the context; the configuration may be closed before. ENGINE_STATUS_USAGE; the errors of engine_run_plan. */
ENGINE_EXPORT int engine_ensemble_plan(const struct engine_config *config, struct engine_ensemble **ensemble,
                                       struct engine_error *error);

/* Opens the ensemble of a folder again, and locks the folder. Members that are done stay so; all others are missing.
 * `assignments` can change only keys that change no result (docs/reference/ensembles.md). *ensemble is NULL, without an
 * error, if the folder is that of a single run. */
ENGINE_EXPORT int engine_ensemble_resume(struct engine_context *context, const char *folder,
                                         const char *const *assignments, uint32_t count,
                                         struct engine_ensemble **ensemble, struct engine_error *error);
ENGINE_EXPORT void engine_ensemble_close(struct engine_ensemble *ensemble);

struct engine_ensemble_info {
    uint32_t size;      /* the caller sets sizeof(struct engine_ensemble_info) */
    uint32_t at_once;   /* members that should run at the same time: [ensemble] at_once, or the engine's choice */
    uint64_t members;   /* their number */
    uint64_t found;     /* how many were done when the ensemble was resumed */
    const char *folder; /* lives as long as the ensemble */
    int signal;         /* as engine_run_signal */
    uint32_t ranks;     /* processes that share the members, this one included */

    uint64_t done, failed;          /* members that engine_ensemble_record or _exchange has added to the tables */
    uint64_t first_failed;          /* the lowest number of those that failed, or 0 */
    const struct engine_error *why; /* its error, or NULL; valid until the next member is added */
    uint32_t together;              /* members of one batch, see engine_batch_open; at_once is the number of batches */
};

ENGINE_EXPORT void engine_ensemble_about(const struct engine_ensemble *ensemble, struct engine_ensemble_info *info);

/* Describes the plan of a member and that of the ensemble, as `engine check` does. form: ENGINE_TEXT, ENGINE_JSON. */
ENGINE_EXPORT int engine_ensemble_print_plan(struct engine_ensemble *ensemble, int form, char **text,
                                             struct engine_error *error);

/* Returns an error if the members that run at the same time do not fit into memory, or if the files of all members do
 * not fit on the disk. engine_ensemble_open checks this, too. ENGINE_STATUS_DEVICE, ENGINE_STATUS_OUTPUT. */
ENGINE_EXPORT int engine_ensemble_check_room(const struct engine_ensemble *ensemble, struct engine_error *error);

/* Makes and locks the folder of [run] output, and begins its tables. flags: ENGINE_RUN_FORCE. Call this function
 * once, and not after engine_ensemble_resume. ENGINE_STATUS_OUTPUT, ENGINE_STATUS_DEVICE, ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_ensemble_open(struct engine_ensemble *ensemble, uint32_t flags, struct engine_error *error);

/* Returns the first member after `member` that is not done, or 0. A member stays missing until it is recorded. All are
 * missing before engine_ensemble_open. */
ENGINE_EXPORT uint64_t engine_ensemble_missing(const struct engine_ensemble *ensemble, uint64_t member);

/* Returns the next member that this process shall execute, or 0 if there is none. It returns each member once. *more: 1
 * if engine_ensemble_exchange may bring members later. One thread at a time may call this function. */
ENGINE_EXPORT uint64_t engine_ensemble_take(struct engine_ensemble *ensemble, int *more);

/* Shares the members with the other processes of the context's transport. Each process takes members with
 * engine_ensemble_take, and calls this function about every millisecond in the thread of the context, at least four
 * times a second and at no time when another thread calls engine_ensemble_take or engine_ensemble_record. The function
 * returns at once, except in its first call in process 0, in which the other processes open the ensemble: make this
 * call after engine_ensemble_open or engine_ensemble_resume, before the first member is taken. It adds the results of
 * all other processes to the tables of process 0.
 *
 * *stop: process 0 sets it to end all members soon; another process gets 1 when process 0 has done so. *over: 1 when no
 * members are left to share, and after an error, if the processes cannot reach each other any more. Otherwise continue
 * after an error, in process 0 with *stop 1. Without a transport, *over is 1.
 * ENGINE_STATUS_DEVICE, ENGINE_STATUS_OUTPUT, ENGINE_STATUS_PLUGIN. */
ENGINE_EXPORT int engine_ensemble_exchange(struct engine_ensemble *ensemble, int *stop, int *over,
                                           struct engine_error *error);

/* Opens the run of a member in a context, which may be another one than that of the ensemble: several threads may call
 * this function at the same time, each with its own context, also while another thread calls engine_ensemble_record.
 * engine_run_execute then runs it. The run writes files only if [output] every or formats, or [checkpoint] every or
 * seconds, asks for them. ENGINE_STATUS_USAGE: there is no such member; the errors of engine_run_plan. */
ENGINE_EXPORT int engine_ensemble_member(const struct engine_ensemble *ensemble, uint64_t member,
                                         struct engine_context *context, struct engine_run **run,
                                         struct engine_error *error);

/* Adds a member to the tables in the folder: its executed run, or, if `why` is not NULL, the reason why it failed;
 * `run` may then be NULL. One thread at a time may call it. A member that is done is not recorded again.
 * ENGINE_STATUS_OUTPUT; ENGINE_STATUS_USAGE: the ensemble has no tables or was finished, the member cannot be recorded,
 * the run is not that of a member, was not executed, or the members exchange: then call engine_batch_open. */
ENGINE_EXPORT int engine_ensemble_record(struct engine_ensemble *ensemble, uint64_t member,
                                         const struct engine_run *run, const struct engine_error *why,
                                         struct engine_error *error);

/* Members that run together. If the plugin can compute many universes in a call, a batch has a run whose universes are
 * members that differ in [init] seed and density alone. A member that ends leaves its place to the next one. All others
 * are executed as runs of their own, one after the other. With [ensemble] exchange, all members run in one batch. Each
 * thread has a batch of its own, and calls these functions in a loop, here in a program of one thread:
 *
 *     do {
 *         while (engine_batch_room(batch) > 0 && (member = engine_ensemble_take(ensemble, &more)))
 *             engine_batch_add(batch, member);
 *         engine_batch_advance(batch);
 *     } while (engine_batch_record(batch, &error) > 0);
 *
 * The context may be another one than that of the ensemble. Close the batch before both. ENGINE_STATUS_DEVICE. */
struct engine_batch;
ENGINE_EXPORT int engine_batch_open(struct engine_ensemble *ensemble, struct engine_context *context,
                                    struct engine_batch **batch, struct engine_error *error);
ENGINE_EXPORT void engine_batch_close(struct engine_batch *batch);

/* The number of members for which there is room: engine_ensemble_info.together, or 1, if the batch has none. */
ENGINE_EXPORT uint64_t engine_batch_room(const struct engine_batch *batch);

/* Adds a member, which engine_ensemble_take or _missing has returned. There is room for it. */
ENGINE_EXPORT void engine_batch_add(struct engine_batch *batch, uint64_t member);

/* The member whose own run is executed now, so that the hook `message` can name it; 0: none. */
ENGINE_EXPORT uint64_t engine_batch_member(const struct engine_batch *batch);

/* Takes steps until a member has ended. If the stop hook of the context asks to stop, all members end. */
ENGINE_EXPORT void engine_batch_advance(struct engine_batch *batch);

/* Adds the members that have ended to the tables, as engine_ensemble_record does. It returns how many they are: 0 after
 * engine_batch_advance only if the batch has no members. After an error it returns -1, and they stay missing. */
ENGINE_EXPORT int64_t engine_batch_record(struct engine_batch *batch, struct engine_error *error);

/* Sorts the tables by member, writes ensemble.json, and synchronises all to disk. No member is recorded afterwards.
 * ENGINE_STATUS_OUTPUT; ENGINE_STATUS_USAGE: the ensemble has no tables, because it was not opened. */
ENGINE_EXPORT int engine_ensemble_finish(struct engine_ensemble *ensemble, struct engine_error *error);

/* Prints the results of the members that have ended. form: ENGINE_TEXT, ENGINE_JSON (the text of ensemble.json).
 * ENGINE_STATUS_USAGE: the ensemble has no tables, because it was not opened. */
ENGINE_EXPORT int engine_ensemble_print(const struct engine_ensemble *ensemble, int form, char **text,
                                        struct engine_error *error);

#ifdef __cplusplus
}
#endif

#endif
