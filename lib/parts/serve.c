#include "parts/serve.h"
#include "base/machine.h"
#include "base/text.h"
#include "parts/divided.h"
#include "parts/encoding.h"
#include "parts/halo_exchange.h"
#include "parts/hash_shares.h"
#include "parts/load.h"
#include "parts/ranks.h"
#include "parts/save_share.h"
#include "run/init.h"
#include "run/instance.h"

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
    struct save_share saving;
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
    uint64_t back; /* bytes of the data that follow the answer */
};

/* ---- Messages -------------------------------------------------------------------------------------------------- */

/* Makes room for data, and keeps those that are there. */
static int make_room(struct server *server, uint64_t bytes, struct engine_error *error)
{
    if (bytes <= server->room)
        return 0;
    void *data = realloc(server->data, bytes);
    if (!data) {
        link_break(server->link); /* process 0 waits for data, or those that follow the command stay unread */
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

/* Sends the answer to a command, with the error *why, and the data that come back. If the link is broken, returns the
 * error itself. */
static int answer(struct server *server, const struct served *run, int status, const struct engine_error *why,
                  struct engine_error *error)
{
    struct ranks_answer *answer = &server->answer;
    if (status != 0 && link_is_broken(server->link)) {
        *error = *why;
        return status;
    }
    answer->status = status;
    answer->exchange_seconds = run ? state_ranks(run->state)->exchange_seconds : 0;
    memcpy(answer->text, status != 0 ? why->text : "", status != 0 ? sizeof why->text : 1);
    if (link_send(server->link, 0, answer, sizeof *answer, error) != 0 ||
        link_send(server->link, 0, server->data, server->back, error) != 0)
        return error->status;
    return link_wait(server->link, 0, error);
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
    struct engine_error ignored;
    save_share_close(&run->saving, ENGINE_STATUS_OUTPUT, &ignored);
    snapshot_file_close(run->loading);
    instance_close(run->instance);
    state_close(run->state);
    plan_close(run->plan);
    config_close(run->config);
    for (uint32_t i = 0; i < run->symbols.count; i++)
        free(run->symbol[i]);
    free(run);
}

static int set_all(struct config *config, const char *at, const char *end, struct engine_error *error)
{
    while (at < end)
        if (config_set(config, text_take(&at), error) != 0)
            return error->status;
    return 0;
}

/* Takes the symbols of species, which live as long as the run. */
static int take_symbols(struct served *run, const char **at, struct engine_error *error)
{
    const uint32_t count = (uint32_t) strtoul(text_take(at), NULL, 10);
    run->symbols = (struct engine_name_array){.at = (const char *const *) run->symbol, .count = count};
    for (uint32_t i = 0; i < count && i < IO_SYMBOLS_MAX; i++)
        if (!(run->symbol[i] = strdup(text_take(at))))
            return error_memory(error, IO_SYMBOL_SIZE, "the symbols of species");
    return 0;
}

/* Plans what rank 0 has planned. Fields for which rank 0 reads a file are not absent here either. */
static int plan_run(struct server *server, struct served *run, const char *at, const char *end,
                    struct engine_error *error)
{
    char checksum[40], layouts[40], what[128];
    const char *const plugin = text_take(&at), *const their_checksum = text_take(&at), *const impl = text_take(&at);
    const char *const their_layouts = text_take(&at), *const absent = text_take(&at);
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
    const char *at = server->data, *const end = at + server->command.bytes;
    run->number = server->command.run;
    run->saving.file = -1;
    if (ranks_check_same("the version of the engine", text_take(&at), machine_version(),
                         "start the same program on all hosts", error) != 0 ||
        plan_run(server, run, at, end, error) != 0)
        return error->status;
    return state_open(run->plan, &run->state, error);
}

static int serve_open(struct server *server, struct served *none, struct engine_error *error)
{
    struct served *run = calloc(1, sizeof *run);
    (void) none;
    if (!run)
        return error_memory(error, sizeof *run, "a run");
    if (open_run(server, run, error) != 0) {
        close_run(run);
        return error->status;
    }
    run->next = server->runs;
    server->runs = run;
    return 0;
}

/* Rank 0 also closes a run that could not be opened here. */
static void serve_close(struct server *server)
{
    struct served **at = find(server, server->command.run), *run = *at;
    if (!run)
        return;
    *at = run->next;
    close_run(run);
}

/* ---- Commands for an open run ---------------------------------------------------------------------------------- */

static int serve_init(struct server *server, struct served *run, struct engine_error *error)
{
    (void) server;
    return init_state(run->state, error);
}

/* The box of particles follows the commands to instances. */
static void take_box(const struct server *server, const struct served *run)
{
    memcpy(run->plan->for_plugin.box, server->data, sizeof run->plan->for_plugin.box);
}

static int serve_create(struct server *server, struct served *run, struct engine_error *error)
{
    take_box(server, run);
    return instance_open(run->state, &run->instance, error);
}

/* A device has only enqueued the last steps. */
static int serve_advance(struct server *server, struct served *run, struct engine_error *error)
{
    bool ignored = false;
    take_box(server, run);
    if (server->command.fresh)
        instance_state_changed(run->instance);
    return instance_advance(run->instance, server->command.count, &ignored, error) != 0
               ? error->status
               : halo_exchange_wait(run->state, error);
}

/* Adds the metrics of the parts of this process to those of the parts before them. */
static int serve_measure(struct server *server, struct served *run, struct engine_error *error)
{
    struct stepper *stepper = run->instance->stepper;
    server->back = server->command.bytes;
    return stepper->table->measure(stepper, server->data, error);
}

/* Rank 0 has the numbers of its own part. */
static int serve_measure_all(struct server *server, struct served *run, struct engine_error *error)
{
    bool ignored;
    take_box(server, run);
    return make_room(server, (run->plan->plugin->about.metrics.count + 1) * sizeof(double), error) != 0
               ? error->status
               : instance_measure(run->instance, server->data, &ignored, error);
}

static int serve_time(struct server *server, struct served *run, struct engine_error *error)
{
    double ignored;
    (void) server;
    return instance_time_exchange(run->instance, &ignored, error);
}

static int serve_hash(struct server *server, struct served *run, struct engine_error *error)
{
    return hash_shares(run->state, (uint32_t) server->command.count, NULL, error);
}

static int serve_destroy(struct server *server, struct served *run, struct engine_error *error)
{
    (void) server, (void) error;
    instance_close(run->instance);
    run->instance = NULL;
    return 0;
}

/* Finds memory for the elements of the command: that of the message or, where they travel as bits, memory behind it. */
static int find_elements(struct server *server, const struct served *run, void **elements, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    const uint64_t bytes = encoding_bytes(run->plan, command->field, command->count);
    const bool bits = encoding_is_bits(run->plan, command->field);
    if (make_room(server, bits ? bytes + command->count : bytes, error) != 0)
        return error->status;
    *elements = bits ? (char *) server->data + bytes : server->data;
    return 0;
}

static int serve_read(struct server *server, struct served *run, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    void *elements;
    if (find_elements(server, run, &elements, error) != 0)
        return error->status;
    server->back = encoding_bytes(run->plan, command->field, command->count);
    if (state_read(run->state, command->field, command->begin, command->count, elements, error) != 0)
        return error->status;
    if (elements != server->data)
        encoding_pack(elements, command->count, server->data);
    return 0;
}

static int serve_write(struct server *server, struct served *run, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    void *elements;
    if (find_elements(server, run, &elements, error) != 0)
        return error->status;
    if (elements != server->data)
        encoding_unpack(server->data, command->count, elements);
    return state_write(run->state, command->field, command->begin, command->count, elements, error);
}

/* ---- Snapshots -------------------------------------------------------------------------------------------------- */

static int serve_save_open(struct server *server, struct served *run, struct engine_error *error)
{
    return save_share_open(&run->saving, run->state, server->data, server->command.begin != 0, error);
}

static int serve_save_pack(struct server *server, struct served *run, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    const struct share all = save_share_blocks(run->state, link_rank(server->link), command->field);
    if (make_room(server, PORTION_ROUND * sizeof(struct snapshot_block), error) != 0)
        return error->status;
    server->back = portion_round(all.end - all.begin, command->begin) * sizeof(struct snapshot_block);
    return save_share_pack(&run->saving, command->field, command->begin, server->data, error);
}

static int serve_save_place(struct server *server, struct served *run, struct engine_error *error)
{
    const uint64_t *places = server->data;
    return save_share_place(&run->saving, server->command.begin, places[link_rank(server->link)], error);
}

static int serve_save_close(struct server *server, struct served *run, struct engine_error *error)
{
    const bool good = server->command.count != 0;
    const int status = save_share_close(&run->saving, good ? 0 : ENGINE_STATUS_OUTPUT, error);
    return good ? status : 0;
}

static int serve_load(struct server *server, struct served *run, struct engine_error *error)
{
    return load_serve(&run->loading, run->state, &server->command, server->data, error);
}

/* ---- Ensembles -------------------------------------------------------------------------------------------------- */

static int serve_ensemble(struct server *server, struct served *none, struct engine_error *error)
{
    const struct serve_ensembles *ensembles = server->ensembles;
    (void) none;
    return ensembles->open(ensembles->user, server->data, server->command.bytes, error);
}

static int run_members(struct server *server, struct engine_error *error)
{
    if (server->ensembles->run(server->ensembles->user, error) == 0)
        return 0;
    link_break(server->link); /* rank 0 waits for results of this process */
    return error->status;
}

/* ---- The server ------------------------------------------------------------------------------------------------ */

/* Their errors become answers. The run is NULL for a command that is not for an open one. */
static int (*const functions[])(struct server *, struct served *, struct engine_error *) = {
    [RANKS_OPEN] = serve_open,
    [RANKS_INIT] = serve_init,
    [RANKS_CREATE] = serve_create,
    [RANKS_ADVANCE] = serve_advance,
    [RANKS_MEASURE] = serve_measure,
    [RANKS_READ] = serve_read,
    [RANKS_WRITE] = serve_write,
    [RANKS_DESTROY] = serve_destroy,
    [RANKS_MEASURE_ALL] = serve_measure_all,
    [RANKS_ENSEMBLE] = serve_ensemble,
    [RANKS_TIME] = serve_time,
    [RANKS_HASH] = serve_hash,
    [RANKS_SAVE_OPEN] = serve_save_open,
    [RANKS_SAVE_PACK] = serve_save_pack,
    [RANKS_SAVE_PLACE] = serve_save_place,
    [RANKS_SAVE_CLOSE] = serve_save_close,
    [RANKS_LOAD_OPEN] = serve_load,
    [RANKS_LOAD] = serve_load,
    [RANKS_LOAD_CLOSE] = serve_load,
};

static int carry_out(struct server *server, struct engine_error *error)
{
    const struct ranks_command *command = &server->command;
    struct served *run = *find(server, command->run);
    struct engine_error why;
    if (make_room(server, command->bytes, error) != 0 || receive(server, server->data, command->bytes, error) != 0)
        return error->status;
    if (command->kind == RANKS_CLOSE) {
        serve_close(server);
        return 0;
    }
    if (command->kind == RANKS_MEMBERS)
        return run_members(server, error);
    if (run)
        run->state->step = command->step;
    server->back = 0;
    const int status = functions[command->kind](server, run, &why);
    return answer(server, run, status, &why, error);
}

int serve(struct registry *registry, struct link *link, const struct serve_ensembles *ensembles,
          struct engine_error *error)
{
    struct server server = {.registry = registry, .link = link, .ensembles = ensembles};
    int status = 0;
    while (status == 0) {
        status = receive(&server, &server.command, sizeof server.command, error);
        if (status == 0 && server.command.kind == RANKS_END) {
            status = link_send(link, 0, &server.command.kind, sizeof server.command.kind, error);
            status = status != 0 ? status : link_wait(link, 0, error);
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
    return status != 0 ? error_prefix(error, "rank %u: ", link_rank(link)) : 0;
}
