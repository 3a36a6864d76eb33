#include "judge/contest.h"
#include "base/error.h"
#include "base/text.h"
#include "judge/candidate.h"
#include "judge/players.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The share of the time limit of an answer that the reference may take, for each row, to follow all its repeats. */
static const double follow_share = 0.5;
/* A repeat takes at least so many times as long as handing over its state and its hash, or so long. */
static const double delivery_shares = 100, shortest_repeat = 0.05, longest_repeat = 10;
/* If a step of a run that was compared takes this many times as long as one of a repeat, the row is marked. That run is
 * short, so handing over counts: it may take longer than the least that was measured. */
static const double suspicious = 2, delivery_spread = 1.5;

/* ---- Numbers of steps ----------------------------------------------------------------------------------------- */

/* Adds less than one percent. */
static uint64_t with_extra(const struct bench *bench, uint64_t steps)
{
    return steps < 100 ? steps : steps + contest_draw(bench, DRAW_EXTRA, 0) % (steps / 100);
}

/* For bench_find_steps. */
struct search {
    struct contest *contest;
    struct player *player;
    double delivery; /* seconds that are not those of steps */
    struct engine_error error;
};

static double take_steps(void *user, uint64_t steps)
{
    struct search *search = user;
    struct judged_run taken;
    if (player_run(search->contest, search->player, &taken, steps, &search->error) != 0)
        return -1;
    return fmax(taken.seconds - search->delivery, 0);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* What the process says about itself. The work of a step is what the reference says. */
static void describe_row(const struct contest *contest, struct bench_row *row, const struct wire_about *about)
{
    struct engine_limits limits = {.size = sizeof limits};
    struct engine_error error;
    memcpy(row->impl, about->impl, sizeof row->impl);
    memcpy(row->unit, contest->reference.about.unit, sizeof row->unit);
    memcpy(row->problem, contest->reference.about.problem, sizeof row->problem);
    row->reference = strcmp(about->impl, contest->reference.about.impl) == 0;
    row->exact = about->exact;
    row->cost = about->cost;
    row->run = (struct engine_run_info){.size = sizeof row->run,
                                        .threads = about->threads,
                                        .devices = about->devices,
                                        .parts = about->parts,
                                        .memory = about->memory,
                                        .device_number = about->device_number,
                                        .work_per_step = contest->reference.about.work_per_step};
    if (engine_machine_limits(contest->bench->context, about->memory, about->device_number, 0, &limits, &error) == 0)
        row->run.device = limits.device;
}

static int check_room(struct contest *contest, const struct wire_about *about, struct engine_error *error)
{
    const uint64_t have = (uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE);
    contest->bytes += about->kept_bytes + (about->memory == ENGINE_HOST_MEMORY ? about->bytes : 0);
    return contest->bytes <= have
               ? 0
               : error_set(error, ENGINE_STATUS_DEVICE,
                           "the other rows leave too little memory for this one; time %s alone", about->impl);
}

static int open_row(struct contest *contest, uint32_t i, struct engine_error *error)
{
    struct player *player = &contest->players[i];
    const uint64_t seed = contest_draw(contest->bench, DRAW_OWN_SEED, 0);
    if (player_open(contest, player, seed, contest->rows[i].impl, error) != 0)
        return error->status;
    describe_row(contest, &contest->rows[i], &player->about);
    if (wire_bytes(&player->about, WIRE_PROBLEM) != contest->problem_bytes ||
        wire_bytes(&player->about, WIRE_RESULT) != contest->result_bytes)
        return error_set(error, ENGINE_STATUS_USAGE, "its fields are not those of the reference %s",
                         contest->reference.about.impl);
    return check_room(contest, &player->about, error);
}

/* The number of steps that the reference can follow in time, in each of `runs` runs. */
static uint64_t most_followed(const struct contest *contest, uint32_t runs)
{
    return (uint64_t) (follow_share * contest->reference.judged.seconds / runs / contest->reference_step) + 1;
}

/* A repeat is shorter if the reference can then follow it, and if it is still long enough to be measured. */
static uint64_t shorten(const struct contest *contest, struct search *search, uint64_t steps, double least)
{
    const uint32_t batch = search->player->about.batch > 0 ? search->player->about.batch : 1;
    const uint64_t most = most_followed(contest, contest->bench->repeats) / 102 * 100 / batch * batch;
    if (steps <= most || most == 0)
        return steps;
    const double seconds = take_steps(search, most);
    return seconds < fmax(least, shortest_repeat) ? steps : most;
}

/* Measures how long handing over takes, and finds the number of steps. */
static int find_steps(struct contest *contest, uint32_t i, struct engine_error *error)
{
    struct bench_row *row = &contest->rows[i];
    struct search search = {.contest = contest, .player = &contest->players[i]};
    row->delivery = INFINITY;
    for (int n = 0; n < 3; n++) {
        struct judged_run taken;
        if (player_run(contest, search.player, &taken, 0, error) != 0)
            return error->status;
        row->delivery = taken.seconds < row->delivery ? taken.seconds : row->delivery;
    }
    search.delivery = row->delivery;
    const double wanted = fmin(fmax(bench_repeat, delivery_shares * row->delivery), longest_repeat);
    const uint32_t batch = search.player->about.batch;
    row->steps = contest->given_steps ? contest->given_steps : bench_find_steps(take_steps, &search, batch, wanted);
    if (contest->given_steps == 0 && search.error.status == 0)
        row->steps = shorten(contest, &search, row->steps, delivery_shares * row->delivery);
    row->steps = with_extra(contest->bench, row->steps);
    *error = search.error;
    return error->status;
}

static void start_rows(struct contest *contest)
{
    struct engine_error error;
    for (uint32_t i = 0; i < contest->count; i++) {
        contest_tell(contest, contest->rows[i].impl, "finding the number of steps");
        if (open_row(contest, i, &error) != 0 || find_steps(contest, i, &error) != 0)
            contest_fail(contest, i, &error);
    }
}

/* ---- Repeats ---------------------------------------------------------------------------------------------------- */

/* Each run has a state of its own: a row could leave its result to another one. The reference gets the state last. */
static int repeat_row(struct contest *contest, uint32_t i, uint32_t repeat, struct engine_error *error)
{
    struct bench_row *row = &contest->rows[i];
    struct judged_run taken;
    char text[64];
    if (contest_ask(contest, error) != 0)
        return error->status;
    snprintf(text, sizeof text, "repeat %u of %u", repeat + 1, contest->bench->repeats);
    contest_tell(contest, row->impl, text);
    if (player_run(contest, &contest->players[i], &taken, row->steps, error) != 0 ||
        contest_check_threads(contest, i, &taken, error) != 0)
        return error->status;
    row->seconds[repeat] = taken.seconds;
    row->hashes[BENCH_REPEATS].step = row->steps + 1;
    if (row->exact)
        memcpy(row->hashes[BENCH_REPEATS].text, taken.hash, sizeof taken.hash);
    return row->steps <= most_followed(contest, contest->bench->repeats)
               ? contest_compare(contest, i, row->steps, false, error)
               : 0;
}

/* Rows take turns, so that a disturbance of the machine affects all of them. */
static void repeat_rows(struct contest *contest)
{
    struct engine_error error;
    for (uint32_t r = 0; r < contest->bench->repeats; r++)
        for (uint32_t i = 0; i < contest->count; i++)
            if (contest->rows[i].status == 0 && repeat_row(contest, i, r, &error) != 0)
                contest_fail(contest, i, &error);
}

/* A row that was not compared at the end of its repeats takes a number of steps that the reference can follow: for bits
 * at least half of what it can follow, for numbers at most three. */
static int compare_fewer(struct contest *contest, uint32_t i, struct engine_error *error)
{
    struct bench_row *row = &contest->rows[i];
    struct judged_run taken;
    const bool bits = contest_compares_bits(contest, row);
    const uint64_t followed = most_followed(contest, 2), most = followed < row->steps ? followed : row->steps;
    const uint64_t least = most / 2 + 1;
    const uint64_t drawn = contest_draw(contest->bench, DRAW_FEW, contest->combination * 64 + i);
    const uint64_t steps = bits ? least + drawn % (most - least + 1) : 1 + drawn % 3;
    if (contest->players[i].drifted)
        snprintf(row->mark, sizeof row->mark, "the ends of its repeats are %.2g apart from the reference",
                 contest->players[i].error);
    if (contest_ask(contest, error) != 0 || player_run(contest, &contest->players[i], &taken, steps, error) != 0 ||
        contest_compare(contest, i, steps, true, error) != 0)
        return error->status;
    const double spent = fmax(taken.seconds - delivery_spread * row->delivery, 0) / (double) steps;
    const double slower = spent / (row->seconds[0] / (double) row->steps);
    if (bits && slower > suspicious)
        snprintf(row->mark, sizeof row->mark, "these steps took %.3g times as long", slower);
    return 0;
}

/* The rows that were not compared at the ends of all repeats. */
static void judge_rest(struct contest *contest)
{
    struct engine_error error;
    for (uint32_t i = 0; i < contest->count; i++) {
        struct bench_row *row = &contest->rows[i];
        if (row->status == 0 && row->confirmed < row->steps + 1 && compare_fewer(contest, i, &error) != 0)
            contest_fail(contest, i, &error);
    }
}

/* What is known after the last repeat. */
static void end_row(struct contest *contest, uint32_t i)
{
    struct bench_row *row = &contest->rows[i];
    struct wire_end end;
    struct engine_error error;
    const size_t length = strlen(row->mark);
    if (judged_fetch(&contest->players[i].judged, WIRE_END, &end, sizeof end, &error) != 0) {
        contest_fail(contest, i, &error);
        return;
    }
    end.notes[sizeof end.notes - 1] = '\0';
    text_make_printable(end.notes);
    memcpy(row->notes, end.notes, sizeof row->notes);
    row->skipped = end.skipped >= 0 && end.skipped <= 1 ? end.skipped : NAN;
    row->exchange_per_step = isfinite(end.exchange_per_step) ? end.exchange_per_step : 0;
    if (contest->known)
        snprintf(row->mark + length, sizeof row->mark - length, "%sthe initial state is known", length > 0 ? "; " : "");
}

/* ---- A combination ---------------------------------------------------------------------------------------------- */

/* Adds the rows that a process finds; or, if the combination cannot be planned, a row with the error. */
static int add_rows(struct contest *contest, const char *at, const char *end, struct engine_error *error)
{
    struct bench *bench = contest->bench;
    const uint32_t first = bench->count;
    const uint32_t head = (uint32_t) strtoul(text_take(&at), NULL, 10);
    const char *subject = at < end ? text_take(&at) : "", *steps = at < end ? text_take(&at) : "";
    bench_set_subject(bench, subject, head < strlen(subject) ? head : (uint32_t) strlen(subject));
    contest->given_steps = bench->steps ? bench->steps : strtoull(steps, NULL, 10);
    while (at < end && bench->count - first < 1000)
        if (!bench_add_row(bench, text_take(&at), contest->combination, error))
            return error->status;
    contest->rows = bench->rows + first;
    contest->count = bench->count - first;
    return 0;
}

static int find_rows(struct contest *contest, char *const *names, uint32_t count, struct engine_error *error)
{
    struct judged judged = {.socket = -1};
    struct engine_error why;
    char list[130 * CANDIDATES_MAX] = "", *answer = NULL;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i ? "," : "", names[i]);
    }
    int status = contest_start(contest, &judged, true, &why);
    if (status == 0)
        status = judged_ask(&judged, WIRE_SURVEY, list, strlen(list), &answer, &bytes, &why);
    judged_close(&judged);
    for (char *text = answer; text && text < answer + bytes; text += strlen(text) + 1)
        text_make_printable(text);
    status = status == 0 ? add_rows(contest, answer, answer + bytes, error)
                         : bench_refuse(contest->bench, contest->combination, &why, error);
    free(answer);
    return status;
}

static void fail_rows(struct contest *contest, const struct engine_error *error)
{
    for (uint32_t i = 0; i < contest->count; i++)
        if (contest->rows[i].status == 0)
            contest_fail(contest, i, error);
}

/* Starts the reference, draws a state, and finds how long the reference takes for a step. */
static int start_reference(struct contest *contest, struct engine_error *error)
{
    struct search search = {.contest = contest, .player = &contest->reference};
    const uint64_t seed = contest_draw(contest->bench, DRAW_OWN_SEED, 0);
    if (player_open(contest, &contest->reference, seed, "", error) != 0)
        return error_prefix(error, "the reference: ");
    contest->problem_bytes = wire_bytes(&contest->reference.about, WIRE_PROBLEM);
    contest->result_bytes = wire_bytes(&contest->reference.about, WIRE_RESULT);
    contest->problem = malloc(contest->problem_bytes + 1);
    if (!contest->problem)
        return error_memory(error, contest->problem_bytes, "a state");
    if (check_room(contest, &contest->reference.about, error) != 0 || contest_ask(contest, error) != 0)
        return error->status;
    const uint64_t steps = bench_find_steps(take_steps, &search, contest->reference.about.batch, 0.1);
    const double seconds = search.error.status == 0 ? take_steps(&search, steps) : -1;
    *error = search.error;
    contest->reference_step = fmax(seconds, 1e-9) / (double) steps;
    return error->status;
}

static int hold(struct contest *contest, struct engine_error *error)
{
    if (start_reference(contest, error) != 0)
        return error->status;
    start_rows(contest);
    repeat_rows(contest);
    judge_rest(contest);
    for (uint32_t i = 0; i < contest->count; i++)
        if (contest->rows[i].status == 0)
            end_row(contest, i);
    return 0;
}

int contest_combination(struct bench *bench, struct engine_config *config, uint64_t combination, char *const *names,
                        uint32_t count, struct engine_error *error)
{
    struct contest contest = {
        .bench = bench, .config = config, .combination = combination, .reference.judged.socket = -1};
    struct engine_error why;
    if (find_rows(&contest, names, count, error) != 0)
        return error->status;
    contest.players = calloc(contest.count + 1, sizeof *contest.players);
    if (!contest.players)
        return error_memory(error, contest.count * sizeof *contest.players, "rows");
    for (uint32_t i = 0; i < contest.count; i++)
        contest.players[i].judged.socket = -1;
    bench->spare = bench->spare ? bench->spare : calloc(bench->repeats, sizeof *bench->spare);
    const int status = bench->spare ? 0 : error_memory(error, bench->repeats * sizeof *bench->spare, "repeats");
    if (status == 0 && contest.count > 0 && hold(&contest, &why) != 0)
        fail_rows(&contest, &why);
    for (uint32_t i = 0; i < contest.count; i++)
        player_close(&contest.players[i]);
    player_close(&contest.reference);
    free(contest.players);
    free(contest.problem);
    engine_activity(bench->context, NULL);
    return status;
}
