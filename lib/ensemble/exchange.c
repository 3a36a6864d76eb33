#include "ensemble/exchange.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/type.h"
#include "ensemble/exchange_terms.h"
#include "files/replace.h"
#include "files/run_folder.h"

#include <engine/random.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAM = 0x45584348 /* of the random numbers of exchanges */ };

struct replica {
    struct engine_context *context;
    struct engine_run *run;
    double temperature;
    uint64_t seed;
    uint32_t origin;          /* the member, from 1, whose initial positions have come here */
    uint64_t tries, accepted; /* of exchanges with the next member */
    bool swaps;               /* read_rows: it has exchanged with the next member at the last step */
    double seconds;
    double *values; /* the metrics */
    char *positions;
    char *rows, hash[ENGINE_HASH_SIZE]; /* of the last state */
    struct engine_error why;            /* its steps failed, if status is not 0 */
};

struct exchange {
    const struct ensemble *ensemble;
    uint32_t count, metrics, field; /* replicas; the field of the positions */
    uint64_t elements, every, steps, at;
    uint64_t save_steps, saved_at; /* [checkpoint] every */
    double save_seconds, saved;    /* [checkpoint] seconds; the time of the last one */
    uint32_t generation;           /* of the last snapshots: 0 or 1 */
    bool stopped, done;
    FILE *rows; /* of exchanges.csv */
    struct replica replicas[];
};

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static double number_of(const struct ensemble *ensemble, const char *key)
{
    const char *text = engine_config_get(ensemble->config, "checkpoint", key);
    return text ? strtod(text, NULL) : 0;
}

static int open_replica(struct exchange *exchange, uint32_t i, struct engine_context *context,
                        struct engine_error *error)
{
    struct replica *replica = &exchange->replicas[i];
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_shape shape = {.size = sizeof shape};
    exchange_values(&exchange->ensemble->sweeps, i, &replica->temperature, &replica->seed);
    replica->origin = i + 1;
    if (engine_open(engine_context_hooks(context), &replica->context, error) != 0 ||
        ensemble_member(exchange->ensemble, i + 1, replica->context, &replica->run, error) != 0 ||
        engine_run_start(replica->run, error) != 0)
        return error->status;
    engine_run_plugin(replica->run, &plugin);
    while (plugin.about->fields.at[exchange->field].role != ENGINE_STATE)
        exchange->field++;
    engine_run_shape(replica->run, exchange->field, &shape);
    exchange->steps = engine_run_steps(replica->run);
    exchange->elements = shape.extent[0] * shape.extent[1] * shape.extent[2] * shape.components;
    replica->positions = malloc(exchange->elements * type_bytes(shape.type));
    replica->values = calloc(exchange->metrics, sizeof *replica->values);
    return replica->positions && replica->values
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

/* The path of a replica's snapshot. The name is that of a file that --force removes. */
static void snapshot_name(uint32_t generation, uint32_t i, char name[64])
{
    snprintf(name, 64, "replica%c-%010u.snapshot", "ab"[generation], i + 1);
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
    for (uint32_t i = 0; i < exchange->count; i++) {
        snapshot_name(exchange->generation, i, name);
        snprintf(path, sizeof path, "%s/%s", folder->path, name);
        if (engine_run_restore(exchange->replicas[i].run, path, error) != 0)
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
    for (uint32_t i = 0; i < count; i++)
        if (open_replica(exchange, i, context, error) != 0)
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
    for (uint32_t i = 0; i < exchange->count; i++) {
        struct replica *replica = &exchange->replicas[i];
        engine_run_close(replica->run);
        engine_close(replica->context);
        free(replica->values);
        free(replica->positions);
        free(replica->rows);
    }
    free(exchange);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* Takes the steps of a replica up to that one, and measures it there. */
static void advance(struct exchange *exchange, uint32_t i, uint64_t step)
{
    struct replica *replica = &exchange->replicas[i];
    const double begin = machine_clock();
    replica->why.status = 0;
    if (engine_run_advance(replica->run, step - engine_run_step(replica->run), NULL, NULL, &replica->why) == 0 &&
        engine_run_step(replica->run) == step)
        engine_run_measure(replica->run, replica->values, exchange->metrics, &replica->why);
    replica->seconds += machine_clock() - begin;
}

static int advance_all(struct exchange *exchange, uint64_t step, struct engine_error *error)
{
#pragma omp parallel for num_threads((int) exchange->ensemble->team) schedule(dynamic, 1)
    for (uint32_t i = 0; i < exchange->count; i++)
        advance(exchange, i, step);
    for (uint32_t i = 0; i < exchange->count; i++) {
        if (exchange->replicas[i].why.status != 0) {
            *error = exchange->replicas[i].why;
            return error_prefix(error, "member %u: ", i + 1);
        }
        exchange->stopped = exchange->stopped || engine_run_step(exchange->replicas[i].run) < step;
    }
    return 0;
}

static bool is_accepted(const struct exchange *exchange, const struct replica *a, const struct replica *b)
{
    const uint32_t energy = exchange->ensemble->energy;
    const double gain = (1 / a->temperature - 1 / b->temperature) * (a->values[energy] - b->values[energy]);
    uint32_t words[4];
    engine_random_block(a->seed, STREAM, exchange->at / exchange->every, words);
    return gain >= 0 || (words[0] + 0.5) * 0x1p-32 < exp(gain);
}

static int swap(const struct exchange *exchange, struct replica *a, struct replica *b, struct engine_error *error)
{
    if (engine_run_fetch(a->run, exchange->field, 0, exchange->elements, a->positions, error) != 0 ||
        engine_run_fetch(b->run, exchange->field, 0, exchange->elements, b->positions, error) != 0 ||
        engine_run_feed(a->run, exchange->field, 0, exchange->elements, b->positions, error) != 0 ||
        engine_run_feed(b->run, exchange->field, 0, exchange->elements, a->positions, error) != 0)
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
            fprintf(exchange->rows, ",%.17g", replica->values[m]);
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
        const bool swaps = is_accepted(exchange, replica, replica + 1);
        accepted[i] = swaps ? "1" : "0";
        replica->tries++;
        replica->accepted += swaps;
    }
    print_rows(exchange, accepted);
    for (uint32_t i = 0; i < exchange->count; i++)
        if (*accepted[i] == '1' && swap(exchange, &exchange->replicas[i], &exchange->replicas[i + 1], error) != 0)
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
    for (uint32_t i = 0; i < exchange->count; i++) {
        snapshot_name(exchange->generation, i, name);
        snprintf(path, sizeof path, "%s/%s", folder->path, name);
        if (engine_run_save(exchange->replicas[i].run, path, error) != 0)
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

/* Makes what the tables get of a replica. */
static int finish(const struct exchange *exchange, struct replica *replica, struct engine_error *error)
{
    size_t bytes = 0;
    FILE *to = open_memstream(&replica->rows, &bytes);
    if (!to)
        return error_memory(error, bytes, "metrics");
    fputs("step", to);
    print_metric_names(to, exchange);
    fprintf(to, "%llu", (unsigned long long) exchange->steps);
    for (uint32_t m = 0; m < exchange->metrics; m++)
        fprintf(to, ",%.17g", replica->values[m]);
    fputc('\n', to);
    return text_stream_close(to, &replica->rows) ? engine_run_hash(replica->run, replica->hash, error)
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
        if (finish(exchange, &exchange->replicas[i], error) != 0)
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
    outcome->state = exchange->done ? TABLE_DONE : TABLE_STOPPED;
    outcome->steps = engine_run_step(replica->run);
    outcome->seconds = replica->seconds;
    outcome->tries = replica->tries;
    outcome->accepted = replica->accepted;
    outcome->measured[0].values = replica->values;
    outcome->measured[0].rows = replica->rows;
    outcome->measured[0].hash = replica->hash;
}
