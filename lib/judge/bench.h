/* Times implementations side by side.
 *
 * Every repeat of every row starts from the same initial state, in a new instance, so that nothing helps it that another
 * repeat has learnt. Repeats of the rows take turns, so that a disturbance of the machine affects all of them. The state
 * at the end of a repeat is hashed. Exact implementations must have the same hash at the same step of the same problem:
 * a row that differs has an error in place of its numbers. */
#ifndef LIB_JUDGE_BENCH_H
#define LIB_JUDGE_BENCH_H

#include "ensemble/sweep.h"
#include "files/statistics.h"

enum { BENCH_LIMITS_MAX = 32 };

/* The runs of a row whose last states are compared. All of them are timed alike: a run of a few steps, the repeats, and a
 * run of as many steps as a repeat of a slower row. */
enum { BENCH_EARLY, BENCH_REPEATS, BENCH_SLOWER, BENCH_HASHES };

/* The state of a row at a step. */
struct bench_hash {
    uint64_t step; /* 0: none */
    char text[ENGINE_HASH_SIZE];
};

/* One implementation with one combination of swept values. */
struct bench_row {
    char impl[128]; /* "cuda", or "plugin:cuda" if it was named so */
    uint64_t combination;
    bool reference, exact;
    char problem[512]; /* swept values that change results: rows of the same problem must have the same hash */

    bool refused; /* the row stands for a combination that cannot be configured, and not for an implementation */
    bool absent;  /* of a ladder: this machine or this build cannot run the implementation; the text has the reason */
    const char *removes; /* of a ladder: what it removes, compared with the row before */
    int status;          /* of an error; ENGINE_STATUS_UNVERIFIED for a hash that differs; 0 */
    char text[512];

    struct engine_run_info run;
    double exchange_per_step; /* seconds of a divided row in which it only exchanges margins */
    uint64_t steps;           /* of one repeat */
    double *seconds;          /* of each repeat, in the order they were run */
    struct statistics time;
    char unit[64]; /* of work; run.work_unit does not live as long */
    struct engine_cost cost;
    struct bench_hash hashes[BENCH_HASHES];
    struct bench_hash seen; /* of another row after the steps of a repeat; its run was not timed */
    uint32_t witness;       /* that row */
    char notes[512];        /* choices the implementation made: "instructions=avx512 …" */
    double skipped;         /* share of the work that was not done; NaN: not known */
    double delivery;        /* isolated: seconds of a repeat in which state and hash were handed over */
    char verdict[160];      /* isolated: what the judge found about the end of the repeats; "": see `confirmed` */
    char mark[160];         /* isolated: what readers should know besides; "": nothing */

    /* After bench_finish: */
    double effective;   /* units of work a second, by the median */
    double rate;        /* the same without the work that was skipped; NaN: not known */
    const char *limit;  /* "copy", "logic", …: the one that the rate is closest to; NULL: not known */
    double share;       /* of that limit */
    double most;        /* the rate at that limit; NaN: not known */
    double speedup;     /* over the problem's first row that ran: the median of the repeats' ratios */
    double efficiency;  /* of a device, compared with those of the first row that ran */
    bool right;         /* other rows are compared with its hash */
    uint64_t confirmed; /* the last step at which another exact row had the same hash; 0: none */
};

/* The limits of the device of a run, with its threads. */
struct bench_limits {
    struct engine_run_info run;
    struct engine_limits limits;
};

struct bench {
    struct engine_context *context;
    const struct engine_trial *trial; /* how implementations are isolated */
    uint64_t draw;                    /* isolated: the number from which everything follows that is drawn; 0: not */
    uint32_t repeats;
    uint64_t steps; /* of one repeat; 0: [run] steps if a sweep sets it, else as many as take half a second */
    const struct sweeps *sweeps;
    char *const *removes;  /* a ladder: a text for each name of bench_combination; NULL: none */
    char subject[256];     /* "life2d-bit, cells 512 x 512"; "…, cells, sweep of grid.size" where sizes differ */
    uint32_t subject_head; /* bytes of the subject before the size */
    uint32_t count, capacity;
    struct bench_row *rows;
    uint32_t limits_count;
    struct bench_limits limits[BENCH_LIMITS_MAX];
    double *spare; /* one number for each repeat */
};

/* The caller sets context, trial, draw, repeats, steps and sweeps first. What they point to outlives the bench. */

/* Does an implementation declare its cost? */
static inline bool bench_is_counted(const struct engine_cost *cost)
{
    return cost->operations > 0 || cost->bytes > 0;
}

/* The time that a repeat takes if the bench chooses its steps. */
static const double bench_repeat = 0.5;

/* Adds and measures the rows of one combination. Plugins that can leave out work whose result they know are told not to,
 * unless the configuration says something else. names: as candidate_open takes them; count 0: all that can run on this
 * machine. An error of a row is kept in the row. ENGINE_STATUS_DEVICE where there is no memory for rows. */
int bench_combination(struct bench *bench, struct engine_config *config, uint64_t combination, char *const *names,
                      uint32_t count, struct engine_error *error);

/* The run of a row. */
struct candidate {
    struct engine_run *run;
    struct engine_kept *kept; /* its initial state */
};

/* The rows of one combination, for bench_combination. */
struct round {
    struct bench *bench;
    const struct engine_config *config;
    struct bench_row *rows;
    struct candidate *candidates; /* bench_measure opens and closes them */
    uint32_t count;
    uint64_t steps; /* of a repeat; 0: each row has its own number */
    uint64_t bytes; /* of the host's memory that the rows have */
};

/* Adds the rows of a combination, and measures nothing. If it cannot be planned, adds a row with the error, and
 * round->count is 0. */
int bench_find_rows(struct bench *bench, struct engine_config *config, uint64_t combination, char *const *names,
                    uint32_t count, struct round *round, struct engine_error *error);

/* Sets the subject to a text with a size, of which the first `head` bytes are before the size. */
void bench_set_subject(struct bench *bench, const char *text, uint32_t head);

/* Tells the plugin of a row, or that of the configuration if the row names none, to leave out no work. */
int bench_compute_all(const struct bench *bench, struct engine_config *config, const char *row,
                      struct engine_error *error);

/* Adds a row. NULL: there is no memory. */
struct bench_row *bench_add_row(struct bench *bench, const char *impl, uint64_t combination,
                                struct engine_error *error);

/* Runs all rows, and keeps their times, notes and hashes. An error of a row is kept in the row. */
int bench_measure(struct round *round, struct engine_error *error);

/* Opens the run of a row and describes the row; after the last repeat, adds what only then is known. An error is kept in
 * the row. */
void bench_open_row(const struct bench *bench, const struct engine_config *config, struct bench_row *row,
                    struct candidate *candidate);
void bench_end_row(struct bench_row *row, struct candidate *candidate);
void bench_close_candidate(struct candidate *candidate);

/* Finds a number of steps, a multiple of the preferred one, that takes about `seconds`. take(user, steps) returns how
 * long such a number takes, or less than 0 after an error. */
uint64_t bench_find_steps(double (*take)(void *user, uint64_t steps), void *user, uint32_t preferred, double seconds);

void bench_fail_row(struct bench_row *row, const struct engine_error *error);

/* Adds a row with an error, for a combination that cannot be configured. */
int bench_refuse(struct bench *bench, uint64_t combination, const struct engine_error *why, struct engine_error *error);

/* Compares hashes and computes rates, shares and speed-ups, after all rows are measured. */
void bench_finish(struct bench *bench);

/* The limits that were measured for the row's device; NULL: none. */
const struct bench_limits *bench_find_limits(const struct bench *bench, const struct bench_row *row);

/* Could no combination be configured? Returns the error of the first one, or 0. */
int bench_check_any(const struct bench *bench, struct engine_error *error);

/* ENGINE_STATUS_UNVERIFIED where hashes differ; the status of the first error where no row ran; else 0. */
int bench_status(const struct bench *bench);

void bench_release(struct bench *bench);

#endif
