#include "ensemble/exchange.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/type.h"
#include "ensemble/exchange_terms.h"
#include "ensemble/plans.h"
#include "ensemble/states.h"
#include "ensemble/terms.h"
#include "files/replace.h"
#include "files/run_folder.h"

#include <engine/random.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAM = 0x45584348 /* of the random numbers of exchanges */ };

/* A run of one replica, or of all of them as the universes of a batch. */
struct carrier {
    struct engine_context *context;
    struct engine_run *run;
    struct plans plans; /* of a batch */
    double seconds;
    struct engine_error why; /* its steps failed, if status is not 0 */
};

struct replica {
    double temperature;
    uint64_t seed;
    uint32_t origin;          /* the member, from 1, whose initial positions have come here */
    uint64_t tries, accepted; /* of exchanges with the next member */
    bool swaps;               /* read_rows: it has exchanged with the next member at the last step */
    char *positions;
    char *rows, hash[ENGINE_HASH_SIZE]; /* of the last state */
};

struct exchange {
    const struct ensemble *ensemble;
    uint32_t count, metrics, field; /* replicas; the field of the positions */
    uint64_t elements, every, steps, at;
    uint64_t save_steps, saved_at; /* [checkpoint] every */
    double save_seconds, saved;    /* [checkpoint] seconds; the time of the last one */
    uint32_t generation;           /* of the last snapshots: 0 or 1 */
    bool stopped, done;
    FILE *rows;               /* of exchanges.csv */
    struct carrier *carriers; /* count / each of them */
    uint32_t carried, each;   /* their number, and the replicas of each */
    double *values;           /* the metrics of all replicas */
    struct replica replicas[];
};

static struct carrier *carrier_of(const struct exchange *exchange, uint32_t i)
{
    return &exchange->carriers[i / exchange->each];
}

static double *values_of(const struct exchange *exchange, uint32_t i)
{
    return exchange->values + (uint64_t) i * exchange->metrics;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static double number_of(const struct ensemble *ensemble, const char *key)
{
    const char *text = engine_config_get(ensemble->config, "checkpoint", key);
    return text ? strtod(text, NULL) : 0;
}

/* The path of a carrier's snapshot. The name is that of a file that --force removes. */
static void snapshot_name(uint32_t generation, uint32_t i, char name[64])
{
    snprintf(name, 64, "replica%c-%010u.snapshot", "ab"[generation], i + 1);
}

/* Are the replicas the universes of a batch? If they continue from snapshots, then as before. */
static int choose_carriers(struct exchange *exchange, struct engine_error *error)
{
    const struct ensemble *ensemble = exchange->ensemble;
    struct terms terms;
    char name[64];
    bool begun = false, several[2] = {false, false};
    bool together = ensemble->batch != 1 && terms_read(ensemble->config, ensemble->first, &terms) && terms.plans;
    int status = ensemble->resumed ? folder_has(ensemble->folder, FOLDER_EXCHANGE_STATE, &begun, error) : 0;
    for (uint32_t generation = 0; begun && generation < 2 && status == 0; generation++) {
        snapshot_name(generation, 1, name);
        status = folder_has(ensemble->folder, name, &several[generation], error);
    }
    if (begun)
        together = !several[0] && !several[1];
    exchange->each = together ? exchange->count : 1;
    exchange->carried = exchange->count / exchange->each;
    exchange->carriers = calloc(exchange->carried, sizeof *exchange->carriers);
    exchange->values = calloc((uint64_t) exchange->count * exchange->metrics + 1, sizeof *exchange->values);
    return status != 0                              ? status
           : exchange->carriers && exchange->values ? 0
                                                    : error_memory(error, sizeof *exchange->carriers, "the members");
}

/* Plans the run of all members, and gives them their plans. */
static int plan_together(struct exchange *exchange, struct carrier *carrier, struct engine_error *error)
{
    const struct ensemble *ensemble = exchange->ensemble;
    uint64_t members[EXCHANGE_MEMBERS_MAX];
    struct engine_config *config;
    char text[32];
    for (uint32_t i = 0; i < exchange->count; i++)
        members[i] = i + 1;
    snprintf(text, sizeof text, "%u", exchange->count);
    if (ensemble_config(ensemble, 1, carrier->context, &config, error) != 0)
        return error->status;
    int status = engine_config_put(config, batch_section(ensemble->measured[0].about), "batch", text, error);
    if (status == 0)
        status = engine_run_plan_steps(config, NULL, &carrier->run, error);
    engine_config_close(config);
    if (status == 0)
        status = engine_run_choose(carrier->run, engine_run_impl(ensemble->first)->name, error);
    return status != 0
               ? status
               : plans_open(&carrier->plans, ensemble, carrier->context, members, exchange->count, carrier->run, error);
}

static int open_carrier(struct exchange *exchange, uint32_t i, struct engine_context *context,
                        struct engine_error *error)
{
    struct carrier *carrier = &exchange->carriers[i];
    if (engine_open(engine_context_hooks(context), &carrier->context, error) != 0 ||
        (exchange->each > 1
             ? plan_together(exchange, carrier, error)
             : ensemble_member(exchange->ensemble, i + 1, carrier->context, &carrier->run, error)) != 0 ||
        engine_run_start(carrier->run, error) != 0)
        return error->status;
    exchange->steps = engine_run_steps(carrier->run);
    return 0;
}

static int open_replica(struct exchange *exchange, uint32_t i, struct engine_error *error)
{
    struct replica *replica = &exchange->replicas[i];
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_shape shape = {.size = sizeof shape};
    const struct engine_run *run = carrier_of(exchange, i)->run;
    exchange_values(&exchange->ensemble->sweeps, i, &replica->temperature, &replica->seed);
    replica->origin = i + 1;
    engine_run_plugin(run, &plugin);
    while (plugin.about->fields.at[exchange->field].role != ENGINE_STATE)
        exchange->field++;
    engine_run_shape(run, exchange->field, &shape);
    exchange->elements = shape.extent[0] * shape.extent[1] * shape.extent[2] * shape.components / exchange->each;
    replica->positions = malloc(exchange->elements * type_bytes(shape.type));
    return replica->positions
               ? 0
               : error_memory(error, exchange->elements * type_bytes(shape.type), "the positions of a member");
}

static void print_metric_names(FILE *to, const struct exchange *exchange)
{
    const struct engine_metric_array *metrics = &exchange->ensemble->measured[0].about->metrics;
    for (uint32_t m = 0; m < metrics->count; m++)
        fprintf(to, ",%s", metrics->at[m].name);
    fputc('\n', to);
}

static void swap_origins(struct replica *a, struct replica *b)
{
    const uint32_t origin = a->origin;
    a->origin = b->origin;
    b->origin = origin;
}

/* Takes over the rows up to the step of the last exchange. *kept is their end. */
static void read_rows(struct exchange *exchange, const char *at, const char **kept)
{
    unsigned long long step;
    unsigned member, origin;
    int length;
    for (at += strcspn(at, "\n") + 1; sscanf(at, "%llu,%u,%u,%n", &step, &member, &origin, &length) == 3 &&
                                      step <= exchange->at && member >= 1 && member <= exchange->count;
         at += strcspn(at, "\n") + 1) {
        struct replica *replica = &exchange->replicas[member - 1];
        replica->origin = origin;
        replica->tries += at[length] != ',';
        replica->accepted += at[length] == '1';
        replica->swaps = step == exchange->at && at[length] == '1';
    }
    *kept = at;
    for (uint32_t i = 0; i + 1 < exchange->count; i++)
        if (exchange->replicas[i].swaps)
            swap_origins(&exchange->replicas[i], &exchange->replicas[i + 1]);
}

/* Continues from the files of a folder. *kept is the text of exchanges.csv so far; NULL: there is nothing to continue
 * from. */
static int go_on(struct exchange *exchange, char **kept, struct engine_error *error)
{
    const struct folder *folder = exchange->ensemble->folder;
    char *state = NULL, name[64], path[ENSEMBLE_PATH_MAX + 64];
    const char *end;
    unsigned long long at;
    size_t bytes;
    bool found;
    *kept = NULL;
    if (folder_has(folder, FOLDER_EXCHANGE_STATE, &found, error) != 0)
        return error->status;
    if (!found)
        return 0;
    if (folder_read(folder, FOLDER_EXCHANGE_STATE, 128, &state, &bytes, error) != 0)
        return error->status;
    found = sscanf(state, "%llu %u", &at, &exchange->generation) == 2 && exchange->generation <= 1;
    free(state);
    if (!found)
        return error_set(error, ENGINE_STATUS_INPUT, "%s/" FOLDER_EXCHANGE_STATE ": is damaged", folder->path);
    exchange->at = exchange->saved_at = at;
    for (uint32_t i = 0; i < exchange->carried; i++) {
        snapshot_name(exchange->generation, i, name);
        snprintf(path, sizeof path, "%s/%s", folder->path, name);
        if (engine_run_restore(exchange->carriers[i].run, path, error) != 0)
            return error->status;
    }
    if (folder_read(folder, FOLDER_EXCHANGES, UINT64_MAX >> 1, kept, &bytes, error) != 0)
        return error->status;
    read_rows(exchange, *kept, &end);
    (*kept)[end - *kept] = '\0';
    return 0;
}

/* Begins or continues exchanges.csv. */
static int open_rows(struct exchange *exchange, struct engine_error *error)
{
    const struct folder *folder = exchange->ensemble->folder;
    char *text = NULL;
    size_t bytes = 0;
    int file, status = exchange->ensemble->resumed ? go_on(exchange, &text, error) : 0;
    FILE *to = status == 0 && !text ? open_memstream(&text, &bytes) : NULL;
    if (to) {
        fputs("step,member,origin,accepted", to);
        print_metric_names(to, exchange);
        text_stream_close(to, &text);
    }
    if (status == 0 && !text)
        status = error_memory(error, bytes, "the exchanges");
    if (status == 0)
        status = replace_text(folder, FOLDER_EXCHANGES, text, error);
    free(text);
    if (status != 0 || folder_open_file(folder, FOLDER_EXCHANGES, O_WRONLY | O_APPEND, &file, error) != 0)
        return error->status;
    exchange->rows = fdopen(file, "a");
    if (exchange->rows)
        return 0;
    close(file);
    return error_memory(error, BUFSIZ, "the exchanges");
}

int exchange_open(const struct ensemble *ensemble, struct engine_context *context, struct exchange **out,
                  struct engine_error *error)
{
    const uint32_t count = (uint32_t) ensemble->count;
    struct exchange *exchange = *out = calloc(1, sizeof *exchange + count * sizeof *exchange->replicas);
    if (!exchange)
        return error_memory(error, count * sizeof *exchange->replicas, "the members");
    exchange->ensemble = ensemble;
    exchange->count = count;
    exchange->metrics = ensemble->measured[0].about->metrics.count;
    exchange->every = ensemble->exchange;
    exchange->save_steps = (uint64_t) number_of(ensemble, "every");
    exchange->save_seconds = number_of(ensemble, "seconds");
    exchange->saved = machine_clock();
    if (choose_carriers(exchange, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < exchange->carried; i++)
        if (open_carrier(exchange, i, context, error) != 0)
            return error->status;
    for (uint32_t i = 0; i < count; i++)
        if (open_replica(exchange, i, error) != 0)
            return error->status;
    return open_rows(exchange, error);
}

/* Removes the files that exchanges continue from. */
static void remove_files(const struct exchange *exchange)
{
    struct engine_error ignored;
    char name[64];
    folder_remove(exchange->ensemble->folder, FOLDER_EXCHANGE_STATE, &ignored);
    for (uint32_t i = 0; i < 2 * exchange->count; i++) {
        snapshot_name(i % 2, i / 2, name);
        folder_remove(exchange->ensemble->folder, name, &ignored);
    }
}

void exchange_close(struct exchange *exchange)
{
    if (!exchange)
        return;
    if (exchange->rows)
        fclose(exchange->rows);
    if (exchange->done)
        remove_files(exchange);
    for (uint32_t i = 0; exchange->carriers && i < exchange->carried; i++) {
        engine_run_close(exchange->carriers[i].run);
        plans_close(&exchange->carriers[i].plans);
        engine_close(exchange->carriers[i].context);
    }
    for (uint32_t i = 0; i < exchange->count; i++) {
        free(exchange->replicas[i].positions);
        free(exchange->replicas[i].rows);
    }
    free(exchange->carriers);
    free(exchange->values);
    free(exchange);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* Takes the steps of a carrier up to that one, and measures its replicas there. */
static void advance(struct exchange *exchange, uint32_t i, uint64_t step)
{
    struct carrier *carrier = &exchange->carriers[i];
    const double begin = machine_clock();
    carrier->why.status = 0;
    if (engine_run_advance(carrier->run, step - engine_run_step(carrier->run), NULL, NULL, &carrier->why) == 0 &&
        engine_run_step(carrier->run) == step)
        engine_run_measure_universes(carrier->run, values_of(exchange, i * exchange->each),
                                     (uint64_t) exchange->each * exchange->metrics, &carrier->why);
    carrier->seconds += machine_clock() - begin;
}

static int advance_all(struct exchange *exchange, uint64_t step, struct engine_error *error)
{
#pragma omp parallel for num_threads((int) exchange->ensemble->team) schedule(dynamic, 1)
    for (uint32_t i = 0; i < exchange->carried; i++)
        advance(exchange, i, step);
    for (uint32_t i = 0; i < exchange->carried; i++) {
        if (exchange->carriers[i].why.status != 0) {
            *error = exchange->carriers[i].why;
            return exchange->each > 1 ? error->status : error_prefix(error, "member %u: ", i + 1);
        }
        exchange->stopped = exchange->stopped || engine_run_step(exchange->carriers[i].run) < step;
    }
    return 0;
}

/* Does replica i exchange with the next one? */
static bool is_accepted(const struct exchange *exchange, uint32_t i)
{
    const uint32_t energy = exchange->ensemble->energy;
    const struct replica *a = &exchange->replicas[i], *b = a + 1;
    const double gain = (1 / a->temperature - 1 / b->temperature) *
                        (values_of(exchange, i)[energy] - values_of(exchange, i + 1)[energy]);
    uint32_t words[4];
    engine_random_block(a->seed, STREAM, exchange->at / exchange->every, words);
    return gain >= 0 || (words[0] + 0.5) * 0x1p-32 < exp(gain);
}

/* Reads the positions of a replica, or gives it those of another one. */
static int move_positions(const struct exchange *exchange, uint32_t i, const void *in, struct engine_error *error)
{
    struct engine_run *run = carrier_of(exchange, i)->run;
    const uint64_t first = i % exchange->each * exchange->elements;
    return in ? engine_run_feed(run, exchange->field, first, exchange->elements, in, error)
              : engine_run_fetch(run, exchange->field, first, exchange->elements, exchange->replicas[i].positions,
                                 error);
}

/* Exchanges the positions of replica i and of the next one. */
static int swap(struct exchange *exchange, uint32_t i, struct engine_error *error)
{
    struct replica *a = &exchange->replicas[i], *b = a + 1;
    if (move_positions(exchange, i, NULL, error) != 0 || move_positions(exchange, i + 1, NULL, error) != 0 ||
        move_positions(exchange, i, b->positions, error) != 0 ||
        move_positions(exchange, i + 1, a->positions, error) != 0)
        return error->status;
    swap_origins(a, b);
    return 0;
}

/* The rows are those before the exchange. */
static void print_rows(const struct exchange *exchange, const char *const *accepted)
{
    for (uint32_t i = 0; i < exchange->count; i++) {
        const struct replica *replica = &exchange->replicas[i];
        fprintf(exchange->rows, "%llu,%u,%u,%s", (unsigned long long) exchange->at, i + 1, replica->origin,
                accepted[i]);
        for (uint32_t m = 0; m < exchange->metrics; m++)
            fprintf(exchange->rows, ",%.17g", values_of(exchange, i)[m]);
        fputc('\n', exchange->rows);
    }
}

/* Lets neighbours exchange, after the steps of an interval. Nobody does after the last step. */
static int exchange_all(struct exchange *exchange, struct engine_error *error)
{
    const char *accepted[EXCHANGE_MEMBERS_MAX];
    for (uint32_t i = 0; i < exchange->count; i++)
        accepted[i] = "";
    for (uint32_t i = exchange->at / exchange->every % 2; i + 1 < exchange->count && exchange->at < exchange->steps;
         i += 2) {
        struct replica *replica = &exchange->replicas[i];
        const bool swaps = is_accepted(exchange, i);
        accepted[i] = swaps ? "1" : "0";
        replica->tries++;
        replica->accepted += swaps;
    }
    print_rows(exchange, accepted);
    for (uint32_t i = 0; i < exchange->count; i++)
        if (*accepted[i] == '1' && swap(exchange, i, error) != 0)
            return error->status;
    return 0;
}

/* ---- Saving ----------------------------------------------------------------------------------------------------- */

/* The rows come to the disk before the state that speaks of them, and snapshots do not replace those of the last one. */
static int save(struct exchange *exchange, struct engine_error *error)
{
    const struct folder *folder = exchange->ensemble->folder;
    char name[64], path[ENSEMBLE_PATH_MAX + 64];
    exchange->generation = 1 - exchange->generation;
    for (uint32_t i = 0; i < exchange->carried; i++) {
        snapshot_name(exchange->generation, i, name);
        snprintf(path, sizeof path, "%s/%s", folder->path, name);
        if (engine_run_save(exchange->carriers[i].run, path, error) != 0)
            return error->status;
    }
    if (fflush(exchange->rows) != 0 || file_sync(fileno(exchange->rows)) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s/" FOLDER_EXCHANGES ": cannot be written", folder->path);
    snprintf(name, sizeof name, "%llu %u\n", (unsigned long long) exchange->at, exchange->generation);
    exchange->saved = machine_clock();
    exchange->saved_at = exchange->at;
    return replace_text(folder, FOLDER_EXCHANGE_STATE, name, error);
}

static bool should_save(const struct exchange *exchange)
{
    return (exchange->save_steps > 0 && exchange->at - exchange->saved_at >= exchange->save_steps) ||
           (exchange->save_seconds > 0 && machine_clock() - exchange->saved >= exchange->save_seconds);
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

/* The hash of the state of a replica. */
static int hash_state(const struct exchange *exchange, uint32_t i, char hash[ENGINE_HASH_SIZE],
                      struct engine_error *error)
{
    struct states states;
    if (exchange->each == 1)
        return engine_run_hash(carrier_of(exchange, i)->run, hash, error);
    if (!states_open(&states, carrier_of(exchange, i)->run, exchange->each))
        return error_set(error, ENGINE_STATUS_USAGE, "the plugin has too many fields");
    char *state = malloc(states.bytes);
    const int status =
        state ? states_read(&states, i, 1, state, error) : error_memory(error, states.bytes, "the state of a member");
    if (status == 0)
        states_hash_text(states_hash(&states, state), hash);
    free(state);
    return status;
}

/* Makes what the tables get of a replica. */
static int finish(struct exchange *exchange, uint32_t i, struct engine_error *error)
{
    struct replica *replica = &exchange->replicas[i];
    size_t bytes = 0;
    FILE *to = open_memstream(&replica->rows, &bytes);
    if (!to)
        return error_memory(error, bytes, "metrics");
    fputs("step", to);
    print_metric_names(to, exchange);
    fprintf(to, "%llu", (unsigned long long) exchange->steps);
    for (uint32_t m = 0; m < exchange->metrics; m++)
        fprintf(to, ",%.17g", values_of(exchange, i)[m]);
    fputc('\n', to);
    return text_stream_close(to, &replica->rows) ? hash_state(exchange, i, replica->hash, error)
                                                 : error_memory(error, bytes, "metrics");
}

int exchange_execute(struct exchange *exchange, struct engine_error *error)
{
    while (exchange->at < exchange->steps) {
        const uint64_t left = exchange->steps - exchange->at;
        const uint64_t next = exchange->at + (left < exchange->every ? left : exchange->every);
        if (advance_all(exchange, next, error) != 0)
            return error->status;
        if (exchange->stopped)
            return save(exchange, error);
        exchange->at = next;
        if (exchange_all(exchange, error) != 0 || (should_save(exchange) && save(exchange, error) != 0))
            return error->status;
    }
    for (uint32_t i = 0; i < exchange->count; i++)
        if (finish(exchange, i, error) != 0)
            return error->status;
    exchange->done = true;
    return fflush(exchange->rows) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_OUTPUT, "%s/" FOLDER_EXCHANGES ": cannot be written",
                           exchange->ensemble->folder->path);
}

void exchange_outcome(const struct exchange *exchange, uint64_t member, struct outcome *outcome)
{
    const struct replica *replica = &exchange->replicas[member - 1];
    const struct carrier *carrier = carrier_of(exchange, (uint32_t) member - 1);
    outcome->state = exchange->done ? TABLE_DONE : TABLE_STOPPED;
    outcome->steps = engine_run_step(carrier->run);
    outcome->seconds = carrier->seconds / exchange->each;
    outcome->tries = replica->tries;
    outcome->accepted = replica->accepted;
    outcome->measured[0].values = values_of(exchange, (uint32_t) member - 1);
    outcome->measured[0].rows = replica->rows;
    outcome->measured[0].hash = replica->hash;
}
