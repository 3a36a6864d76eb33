#include "run/serve.h"
#include "base/context.h"
#include "base/machine.h"
#include "run/divided.h"
#include "run/exchange.h"
#include "run/hash_shares.h"
#include "run/init.h"
#include "run/instance.h"
#include "run/load.h"
#include "run/ranks.h"
#include "run/save.h"
#include "run/wire.h"

#include <stdlib.h>
#include <string.h>

/* An open run. */
struct served {
    struct served *next;
    uint64_t number;
    struct config *config;
    struct plan *plan;
    struct state *state;
    struct instance *instance;
    struct save_share *saving;     /* NULL: no snapshot is written */
    struct snapshot_file *loading; /* NULL: no snapshot is read */
    char *symbol[IO_SYMBOLS_MAX];  /* symbols.at */
    struct engine_name_array symbols;
};

/* The server, and the command that it carries out. */
struct server {
    struct registry *registry;
    struct link *link;
    const struct serve_ensembles *ensembles;
    struct served *runs;
    struct ranks_command command;
    struct ranks_answer answer;
    void *data;    /* of the command, or of the answer */
    uint64_t room; /* its bytes */
    void *elements;
    uint64_t elements_room;
};

/* ---- Messages -------------------------------------------------------------------------------------------------- */

static int make_room(struct server *server, uint64_t bytes, struct engine_error *error)
{
    if (bytes <= server->room)
        return 0;
    void *data = realloc(server->data, bytes);
    if (!data) {
        link_break(server->link); /* the data that follow the command stay unread */
        return error_memory(error, bytes, "a message");
    }
    server->data = data;
    server->room = bytes;
    return 0;
}

static int receive(struct server *server, void *data, uint64_t bytes, struct engine_error *error)
{
    return link_receive(server->link, 0, data, bytes, error) != 0 ? error->status : link_wait(server->link, 0, error);
}

static int send(struct server *server, const void *data, uint64_t bytes, struct engine_error *error)
{
    return link_send(server->link, 0, data, bytes, error) != 0 ? error->status : link_wait(server->link, 0, error);
}

static int take_data(struct server *server, uint64_t bytes, struct engine_error *error)
{
    return make_room(server, bytes, error) != 0 ? error->status : receive(server, server->data, bytes, error);
}

/* Sends the answer and, where there was no error, `bytes` of the data. */
static int answer(struct server *server, int status, const struct engine_error *why, uint64_t bytes,
                  struct engine_error *error)
{
    server->answer.status = status;
    memcpy(server->answer.text, status != 0 ? why->text : "", status != 0 ? sizeof why->text : 1);
    if (send(server, &server->answer, sizeof server->answer, error) != 0)
        return error->status;
    return status == 0 && bytes > 0 ? send(server, server->data, bytes, error) : 0;
}

/* ---- Opening and closing --------------------------------------------------------------------------------------- */

static struct served **find(struct server *server, uint64_t number)
{
    struct served **at = &server->runs;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

static void close_run(struct served *run)
{
    save_drop(run->saving);
    snapshot_file_close(run->loading);
    instance_close(run->instance);
    state_close(run->state);
    plan_close(run->plan);
    config_close(run->config);
    for (uint32_t i = 0; i < run->symbols.count; i++)
        free(run->symbol[i]);
    free(run);
}

/* Returns the text at *at, and moves on to the one after it. */
static const char *take_text(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

static int set_all(struct config *config, const char *at, const char *end, struct engine_error *error)
{
    while (at < end)
        if (config_set(config, take_text(&at), error) != 0)
            return error->status;
    return 0;
}

/* Takes the symbols of species, which live as long as the run. */
static int take_symbols(struct served *run, const char **at, struct engine_error *error)
{
    const uint32_t count = (uint32_t) strtoul(take_text(at), NULL, 10);
    run->symbols = (struct engine_name_array){.at = (const char *const *) run->symbol, .count = count};
    for (uint32_t i = 0; i < count && i < IO_SYMBOLS_MAX; i++)
        if (!(run->symbol[i] = strdup(take_text(at))))
            return error_memory(error, IO_SYMBOL_SIZE, "the symbols of species");
    return 0;
}

/* Plans what rank 0 has planned. Fields for which rank 0 reads a file are not absent here either. */
static int plan_run(struct server *server, struct served *run, const char *at, const char *end,
                    struct engine_error *error)
{
    char checksum[40], layouts[40], what[128];
    const char *const plugin = take_text(&at), *const their_checksum = take_text(&at), *const impl = take_text(&at);
    const char *const their_layouts = take_text(&at), *const absent = take_text(&at);
    if (take_symbols(run, &at, error) != 0 || config_open(NULL, &run->config, error) != 0)
        return error->status;
    config_set_context(run->config, registry_context(server->registry));
    if (set_all(run->config, at, end, error) != 0 ||
        plan_open_told(run->config, server->registry, plugin, &run->symbols, &run->plan, error) != 0 ||
        ranks_checksum(run->plan->plugin, checksum, error) != 0)
        return error->status;
    snprintf(what, sizeof what, "the checksum of the plugin %.64s", plugin);
    if (ranks_check_same(what, their_checksum, checksum, "install the same file on all hosts", error) != 0)
        return error->status;
    for (uint32_t i = 0; i < run->plan->plugin->about.fields.count; i++)
        run->plan->sources[i].elsewhere = absent[i] == '0';
    if (plan_choose(run->plan, impl, error) != 0)
        return error->status;
    ranks_layouts(run->plan, layouts);
    snprintf(what, sizeof what, "the layout of %.64s/%.32s", plugin, impl);
    return ranks_check_same(what, their_layouts, layouts,
                            "the processors differ; choose an implementation or instruction set that all hosts have",
                            error);
}

static int open_run(struct server *server, struct served *run, struct engine_error *error)
{
    const char *at = server->data, *const end = at + server->command.count;
    if (ranks_check_same("the version of the engine", take_text(&at), machine_version(),
                         "start the same program on all hosts", error) != 0 ||
        plan_run(server, run, at, end, error) != 0)
        return error->status;
    return state_open(run->plan, &run->state, error);
}

static int serve_open(struct server *server, struct engine_error *error)
{
    struct engine_error why;
    if (take_data(server, server->command.count, error) != 0)
        return error->status;
    struct served *run = calloc(1, sizeof *run);
    const int status = run ? open_run(server, run, &why) : error_memory(&why, sizeof *run, "a run");
    if (status == 0) {
        run->number = server->command.run;
        run->next = server->runs;
        server->runs = run;
    } else if (run)
        close_run(run);
    return answer(server, status, &why, 0, error);
}

/* ---- Commands for an open run ---------------------------------------------------------------------------------- */

static int serve_init(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    return answer(server, init_state(run->state, &why), &why, 0, error);
}

static int serve_create(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    return answer(server, instance_open(run->state, &run->instance, &why), &why, 0, error);
}

/* Answers after something in which the ranks exchanged messages, perhaps in vain. */
static int finish_call(struct server *server, int status, const struct engine_error *why, struct engine_error *error)
{
    if (!link_is_broken(server->link))
        return answer(server, status, why, 0, error);
    *error = *why;
    return status;
}

static int serve_advance(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    bool lost = false;
    if (server->command.fresh)
        instance_state_changed(run->instance);
    int status = instance_advance(run->instance, server->command.count, &lost, &why);
    if (status == 0) /* a device has only enqueued the last steps */
        status = exchange_wait(run->state, &why);
    server->answer.lost = lost;
    server->answer.exchange_seconds = state_ranks(run->state)->exchange_seconds;
    return finish_call(server, status, &why, error);
}

/* Adds the metrics of the parts of this process to those of the parts before them. */
static int measure(const struct served *run, double *values, struct engine_error *error)
{
    struct stepper *stepper = run->instance->stepper;
    return stepper->table->measure(stepper, values, error);
}

static int serve_measure(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    const uint64_t bytes = server->command.count * sizeof(double);
    if (take_data(server, bytes, error) != 0)
        return error->status;
    return answer(server, measure(run, server->data, &why), &why, bytes, error);
}

/* Rank 0 has the numbers of its own part. */
static int serve_measure_all(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    bool ignored;
    const uint64_t bytes = (run->plan->plugin->about.metrics.count + 1) * sizeof(double);
    if (make_room(server, bytes, error) != 0)
        return error->status;
    const int status = instance_measure(run->instance, server->data, &ignored, &why);
    return finish_call(server, status, &why, error);
}

static int serve_time(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    double seconds;
    const int status = instance_time_exchange(run->instance, &seconds, &why);
    return finish_call(server, status, &why, error);
}

static int serve_hash(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    const int status = hash_shares_serve(run->state, (uint32_t) server->command.count, &why);
    return finish_call(server, status, &why, error);
}

static int serve_box(struct server *server, struct served *run, struct engine_error *error)
{
    return receive(server, run->plan->for_plugin.box, sizeof run->plan->for_plugin.box, error);
}

/* Finds memory for the elements of the command: that of the message or, where they travel as bits, memory of their
 * own. */
static int find_elements(struct server *server, const struct served *run, void **elements, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    const bool bits = wire_has_bits(run->plan, command->field);
    if (bits && command->count > server->elements_room) {
        void *memory = realloc(server->elements, command->count);
        if (!memory)
            return error_memory(error, command->count, "cells on their way");
        server->elements = memory;
        server->elements_room = command->count;
    }
    *elements = bits ? server->elements : server->data;
    return 0;
}

static int read_elements(struct server *server, const struct served *run, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    void *elements = NULL;
    int status = find_elements(server, run, &elements, error);
    if (status == 0)
        status = state_read(run->state, command->field, command->begin, command->count, elements, error);
    if (status != 0)
        return status;
    if (elements != server->data)
        wire_pack(elements, command->count, server->data);
    return 0;
}

static int write_elements(struct server *server, const struct served *run, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    void *elements = NULL;
    const int status = find_elements(server, run, &elements, error);
    if (status != 0)
        return status;
    if (elements != server->data)
        wire_unpack(server->data, command->count, elements);
    return state_write(run->state, command->field, command->begin, command->count, elements, error);
}

static int serve_read(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    const uint64_t bytes = wire_bytes(run->plan, server->command.field, server->command.count);
    if (make_room(server, bytes, error) != 0)
        return error->status;
    return answer(server, read_elements(server, run, &why), &why, bytes, error);
}

static int serve_write(struct server *server, struct served *run, struct engine_error *error)
{
    struct engine_error why;
    if (take_data(server, wire_bytes(run->plan, server->command.field, server->command.count), error) != 0)
        return error->status;
    return answer(server, write_elements(server, run, &why), &why, 0, error);
}

static int serve_destroy(struct server *server, struct served *run, struct engine_error *error)
{
    (void) server, (void) error;
    instance_close(run->instance);
    run->instance = NULL;
    return 0;
}

/* ---- Ensembles -------------------------------------------------------------------------------------------------- */

static int serve_ensemble(struct server *server, struct engine_error *error)
{
    const struct serve_ensembles *ensembles = server->ensembles;
    struct engine_error why;
    if (take_data(server, server->command.count, error) != 0)
        return error->status;
    const int status = ensembles->open(ensembles->user, server->data, server->command.count, &why);
    if (answer(server, status, &why, 0, error) != 0)
        return error->status;
    if (status != 0 || ensembles->run(ensembles->user, error) == 0)
        return 0;
    link_break(server->link); /* rank 0 waits for results of this process */
    return error->status;
}

/* ---- The server ------------------------------------------------------------------------------------------------ */

static int carry_out(struct server *server, struct engine_error *error)
{
    static int (*const functions[])(struct server *, struct served *, struct engine_error *) = {
        [RANKS_INIT] = serve_init,       [RANKS_CREATE] = serve_create,
        [RANKS_ADVANCE] = serve_advance, [RANKS_MEASURE] = serve_measure,
        [RANKS_READ] = serve_read,       [RANKS_WRITE] = serve_write,
        [RANKS_DESTROY] = serve_destroy, [RANKS_MEASURE_ALL] = serve_measure_all,
        [RANKS_BOX] = serve_box,         [RANKS_TIME] = serve_time,
        [RANKS_HASH] = serve_hash};
    const uint32_t kind = server->command.kind;
    if (kind == RANKS_OPEN)
        return serve_open(server, error);
    if (kind == RANKS_ENSEMBLE)
        return serve_ensemble(server, error);
    struct served **at = find(server, server->command.run), *run = *at;
    if (!run) /* rank 0 closes a run that could not be opened here */
        return 0;
    if (kind == RANKS_CLOSE) {
        *at = run->next;
        close_run(run);
        return 0;
    }
    run->state->step = server->command.step;
    if (kind >= RANKS_SAVE_OPEN && kind <= RANKS_SAVE_CLOSE)
        return save_serve(&run->saving, run->state, &server->command, error);
    if (kind >= RANKS_LOAD_OPEN && kind <= RANKS_LOAD_CLOSE)
        return load_serve(&run->loading, run->state, &server->command, error);
    return functions[kind](server, run, error);
}

int serve(struct registry *registry, struct link *link, const struct serve_ensembles *ensembles,
          struct engine_error *error)
{
    struct server server = {.registry = registry, .link = link, .ensembles = ensembles};
    int status = 0;
    while (status == 0) {
        status = receive(&server, &server.command, sizeof server.command, error);
        if (status == 0 && server.command.kind == RANKS_END) {
            status = send(&server, &server.command.kind, sizeof server.command.kind, error);
            break;
        }
        if (status == 0)
            status = carry_out(&server, error);
    }
    for (struct served *next, *run = server.runs; run; run = next) {
        next = run->next;
        close_run(run);
    }
    free(server.data);
    free(server.elements);
    return status != 0 ? error_prefix(error, "rank %u: ", link_rank(link)) : 0;
}
