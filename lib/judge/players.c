#include "judge/players.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "base/type.h"
#include "judge/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that are further apart are not equal, whatever the implementation promises. */
static const double largest_error = 0.01;
/* The most by which an error grows in one step, where bodies pass each other closely. */
static const double growth = 6;

/* ---- What is drawn ---------------------------------------------------------------------------------------------- */

/* Each purpose has a stream of its own. */
uint64_t contest_draw(const struct bench *bench, uint64_t purpose, uint64_t count)
{
    uint32_t words[2];
    random_words(bench->draw, purpose, 2 * count, 2, words);
    return (uint64_t) words[1] << 32 | words[0];
}

/* A seed, as text. [init] seed takes up to 9e18. */
static const char *seed_text(uint64_t drawn, char text[32])
{
    snprintf(text, 32, "%llu", (unsigned long long) (drawn >> 2));
    return text;
}

/* ---- Processes -------------------------------------------------------------------------------------------------- */

int contest_start(const struct contest *contest, struct judged *judged, bool heard, struct engine_error *error)
{
    const struct bench *bench = contest->bench;
    return judged_start(judged, heard, bench->trial, contest->config, bench->sweeps, contest->combination, error);
}

/* Starts a process of a row or, for the name "", one of the reference, whose messages are those of the rows. */
int player_open(const struct contest *contest, struct player *player, uint64_t seed, const char *name,
                struct engine_error *error)
{
    char text[32];
    *player = (struct player){.judged.socket = -1};
    if (contest_start(contest, &player->judged, *name, error) != 0)
        return error->status;
    if (judged_open(&player->judged, seed_text(seed, text), name, &player->about, error) == 0)
        return 0;
    judged_close(&player->judged);
    return error->status;
}

void player_close(struct player *player)
{
    judged_close(&player->judged);
    free(player->result);
    player->result = NULL;
}

void contest_tell(const struct contest *contest, const char *who, const char *what)
{
    char activity[256];
    snprintf(activity, sizeof activity, "bench: %s, %s", who, what);
    engine_activity(contest->bench->context, activity);
}

static void hash_of(const void *data, uint64_t bytes, char text[ENGINE_HASH_SIZE])
{
    struct hash chain;
    hash_begin(&chain);
    hash_add(&chain, data, bytes);
    hash_print(&chain, text);
}

/* ---- The state of a repeat -------------------------------------------------------------------------------------- */

/* Makes the next state, in a process of the reference that then ends. */
int contest_ask(struct contest *contest, struct engine_error *error)
{
    struct player maker;
    char hash[ENGINE_HASH_SIZE];
    contest_tell(contest, contest->reference.about.impl, "drawing a state");
    if (player_open(contest, &maker, contest_draw(contest->bench, DRAW_STATE, contest->drawn), "", error) != 0)
        return error->status;
    int status = maker.about.fields == contest->reference.about.fields
                     ? judged_fetch(&maker.judged, WIRE_READY, NULL, 0, error)
                     : error_set(error, ENGINE_STATUS_PLUGIN, "the reference has other fields with another seed");
    if (status == 0)
        status = judged_fetch(&maker.judged, WIRE_PROBLEM, contest->problem, contest->problem_bytes, error);
    player_close(&maker);
    hash_of(contest->problem, contest->problem_bytes, hash);
    contest->known = contest->drawn > 0 && strcmp(hash, contest->first) == 0;
    memcpy(contest->first, hash, sizeof hash);
    contest->drawn++;
    return status;
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

int player_run(const struct contest *contest, struct player *player, struct judged_run *taken, uint64_t steps,
               struct engine_error *error)
{
    *taken = (struct judged_run){.steps = steps, .problem = contest->problem, .problem_bytes = contest->problem_bytes};
    if (judged_run(&player->judged, taken, error) != 0)
        return error->status;
    memcpy(player->hash, taken->hash, sizeof player->hash);
    return 0;
}

/* Fetches the arrays of the last run, and makes sure that they are those of its hash. */
static int player_fetch(const struct contest *contest, struct player *player, struct engine_error *error)
{
    char hash[ENGINE_HASH_SIZE];
    player->result = player->result ? player->result : malloc(contest->result_bytes + 1);
    if (!player->result)
        return error_memory(error, contest->result_bytes, "a state");
    if (judged_fetch(&player->judged, WIRE_RESULT, player->result, contest->result_bytes, error) != 0)
        return error->status;
    hash_of(player->result, contest->result_bytes, hash);
    return strcmp(hash, player->hash) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_UNVERIFIED,
                           "its state has the hash %s, and the hash that it gave in time is %s", hash, player->hash);
}

/* The reference answers the question of the last state. The judge computes its hash. */
static int contest_follow(struct contest *contest, uint64_t steps, struct engine_error *error)
{
    struct judged_run taken;
    contest_tell(contest, contest->reference.about.impl, "following");
    if (player_run(contest, &contest->reference, &taken, steps, error) != 0 ||
        player_fetch(contest, &contest->reference, error) != 0)
        return error_prefix(error, "the reference %s: ", contest->reference.about.impl);
    return 0;
}

/* ---- Verdicts --------------------------------------------------------------------------------------------------- */

/* Are bits compared, or numbers? */
bool contest_compares_bits(const struct contest *contest, const struct bench_row *row)
{
    return row->exact && contest->reference.about.exact;
}

void contest_fail(struct contest *contest, uint32_t i, const struct engine_error *error)
{
    bench_fail_row(&contest->rows[i], error);
    player_close(&contest->players[i]);
}

/* The largest error of the player's arrays, as a share of the largest number in the reference's field. */
static int compare_numbers(const struct contest *contest, const struct player *player, double *most,
                           struct engine_error *error)
{
    const struct wire_about *about = &contest->reference.about;
    const char *is = player->result, *should = contest->reference.result;
    *most = 0;
    for (uint32_t i = 0; i < about->fields; i++) {
        const struct wire_field *field = &about->field[i];
        const uint64_t bytes = field->elements * type_bytes(field->type);
        struct comparison comparison;
        if (!field->in_result)
            continue;
        if (comparison_open(&comparison, true, error) != 0)
            return error->status;
        comparison_add(&comparison, field->type, is, should, field->elements);
        const double error_of_field = comparison_deviation(&comparison).max;
        *most = error_of_field > *most ? error_of_field : *most;
        comparison_close(&comparison);
        is += bytes;
        should += bytes;
    }
    return 0;
}

/* Compares the last run of a row, of `steps` steps, with the reference, in bits. */
static int compare_bits(struct contest *contest, uint32_t i, uint64_t steps, struct engine_error *error)
{
    struct bench_row *row = &contest->rows[i];
    char counted[64];
    if (strcmp(contest->players[i].hash, contest->reference.hash) != 0)
        return error_set(error, ENGINE_STATUS_UNVERIFIED,
                         "its state after %s has the hash %s, and that of the reference has %s",
                         text_count(steps + 1, "step", counted), contest->players[i].hash, contest->reference.hash);
    row->confirmed = steps + 1;
    return 0;
}

static void confirm_numbers(struct bench_row *row, const struct player *player, uint64_t steps)
{
    row->confirmed = player->drifted ? 0 : steps + 1;
    snprintf(row->verdict, sizeof row->verdict, "%s%.2g at step %llu", player->error > 0 ? "within " : "error ",
             player->error, (unsigned long long) steps + 1);
    if (player->drifted)
        row->verdict[0] = '\0';
}

/* Errors of single steps add up, and grow where a system is chaotic. So numbers that are too far apart after many steps
 * are no mistake; after a few steps they are. */
static int compare_tolerance(struct contest *contest, uint32_t i, uint64_t steps, bool few, struct engine_error *error)
{
    struct player *player = &contest->players[i];
    const double promised = fmax(player->about.tolerance, contest->reference.about.tolerance);
    const double steps_of_error = few ? pow(growth, (double) steps - 1) : (double) steps;
    const double allowed = fmin(promised * steps_of_error, largest_error);
    double most = 0;
    if (player_fetch(contest, player, error) != 0 || compare_numbers(contest, player, &most, error) != 0)
        return error->status;
    if (few && !(most <= allowed))
        return error_set(error, ENGINE_STATUS_UNVERIFIED,
                         "its numbers after %llu steps differ by %.2g from those of the reference; it promises %.2g a "
                         "step",
                         (unsigned long long) steps, most, player->about.tolerance);
    player->drifted = !few && (player->drifted || !(most <= allowed));
    player->error = few ? most : fmax(player->error, most);
    confirm_numbers(&contest->rows[i], player, steps);
    return 0;
}

int contest_compare(struct contest *contest, uint32_t i, uint64_t steps, bool few, struct engine_error *error)
{
    if (contest_follow(contest, steps, error) != 0)
        return error->status;
    return contest_compares_bits(contest, &contest->rows[i]) ? compare_bits(contest, i, steps, error)
                                                             : compare_tolerance(contest, i, steps, few, error);
}

/* Work on more threads than the row has. A process on a device has threads of its driver. */
int contest_check_threads(const struct contest *contest, uint32_t i, const struct judged_run *taken,
                          struct engine_error *error)
{
    const struct wire_about *about = &contest->players[i].about;
    const char *given = engine_config_get(contest->config, "run", "threads");
    const unsigned long most = given ? strtoul(given, NULL, 10) : 0;
    const uint32_t threads = most > 0 && about->threads > most ? (uint32_t) most : about->threads;
    const double used = taken->processor_seconds;
    return about->memory != ENGINE_HOST_MEMORY || used < (threads + 0.25) * taken->seconds + 0.05
               ? 0
               : error_set(error, ENGINE_STATUS_UNVERIFIED,
                           "it used %.3g s of processors in %.3g s, and has %u thread%s: it computes on others", used,
                           taken->seconds, threads, threads == 1 ? "" : "s");
}
