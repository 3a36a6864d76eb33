/* The players of a contest: processes of rows and of the reference, the questions that they are asked, and the verdicts
 * on their answers. */
#ifndef LIB_JUDGE_PLAYERS_H
#define LIB_JUDGE_PLAYERS_H

#include "judge/bench.h"
#include "judge/judged.h"

struct player {
    struct judged judged;
    struct wire_about about;
    char hash[ENGINE_HASH_SIZE]; /* of the last run */
    void *result;                /* of the last run, if it is compared by numbers */
    double error;                /* the largest of its numbers at the ends of repeats */
    bool drifted;                /* at the end of one of them it was too large */
};

struct contest {
    struct bench *bench;
    const struct engine_config *config;
    uint64_t combination;
    uint64_t given_steps; /* of a repeat; 0: each row has its own number */
    uint32_t count;
    struct bench_row *rows;
    struct player *players; /* of the rows */
    struct player reference;
    double reference_step; /* seconds */
    void *problem;         /* the state that a run begins with */
    uint64_t problem_bytes, result_bytes;
    uint64_t bytes; /* of the host's memory that the processes have */
    uint64_t drawn; /* how many numbers were drawn for states */
    char first[ENGINE_HASH_SIZE];
    bool known; /* the state does not depend on its seed */
};

/* Purposes of numbers that are drawn. */
enum { DRAW_OWN_SEED = 1, DRAW_STATE, DRAW_EXTRA, DRAW_FEW };

/* A number that follows from the bench's number, a purpose, and a count. */
uint64_t contest_draw(const struct bench *bench, uint64_t purpose, uint64_t count);

/* Starts a process. `heard`: its messages are passed on. player_open also opens a row or, for the name "", the reference
 * in it, which sends no messages. */
int contest_start(const struct contest *contest, struct judged *judged, bool heard, struct engine_error *error);
int player_open(const struct contest *contest, struct player *player, uint64_t seed, const char *name,
                struct engine_error *error);
void player_close(struct player *player);

/* Reports what is being done with a row. */
void contest_tell(const struct contest *contest, const char *who, const char *what);

/* Makes the next state, in a process of the reference that then ends. */
int contest_ask(struct contest *contest, struct engine_error *error);

/* Lets a player take steps from the last state. player->hash is then its answer. */
int player_run(const struct contest *contest, struct player *player, struct judged_run *taken, uint64_t steps,
               struct engine_error *error);

/* Keeps the error of a row, and ends its process. */
void contest_fail(struct contest *contest, uint32_t i, const struct engine_error *error);

/* Are bits of a row compared, or numbers? */
bool contest_compares_bits(const struct contest *contest, const struct bench_row *row);

/* Lets the reference take the steps of a row's last run, and compares. `few`: so few that numbers cannot drift apart.
 * ENGINE_STATUS_UNVERIFIED where the row is wrong. */
int contest_compare(struct contest *contest, uint32_t i, uint64_t steps, bool few, struct engine_error *error);

/* Refuses work on more threads than the row has. ENGINE_STATUS_UNVERIFIED. */
int contest_check_threads(const struct contest *contest, uint32_t i, const struct judged_run *taken,
                          struct engine_error *error);

#endif
