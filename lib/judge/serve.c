/* engine_judge_serve: the process in which an implementation runs. It answers the questions of wire.h. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/text.h"
#include "base/type.h"
#include "judge/bench.h"
#include "judge/candidate.h"
#include "judge/wire.h"
#include "parts/config_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 };

struct server {
    int socket;
    struct engine_hooks hooks;
    struct engine_context *context;
    struct engine_config *config;
    struct sweeps sweeps; /* with one value each, which the configuration has */
    struct bench bench;
    struct bench_row row;
    struct candidate candidate;
    struct wire_about about;
    uint32_t fields[WIRE_FIELDS]; /* the numbers of about.field */
    char *piece;
};

/* ---- Texts ------------------------------------------------------------------------------------------------------ */

/* Receives the texts of a question. The caller frees them. */
static char *take_texts(const struct server *server, uint64_t bytes, struct engine_error *error)
{
    char *text = bytes < WIRE_TEXT ? calloc(1, bytes + 2) : NULL;
    if (!text)
        error_memory(error, bytes, "a question of the judge");
    else if (!wire_receive(server->socket, text, bytes))
        error_set(error, ENGINE_STATUS_INPUT, "the judge has left");
    else
        return text;
    free(text);
    return NULL;
}

static int answer(const struct server *server, uint32_t kind, const void *data, uint64_t bytes,
                  struct engine_error *error)
{
    return wire_send(server->socket, kind, 0, data, bytes)
               ? 0
               : error_set(error, ENGINE_STATUS_INPUT, "the judge has left");
}

static void pass_message(void *user, int level, const char *source, const char *text)
{
    const struct server *server = user;
    char line[2048];
    const bool own = strcmp(source, "engine") == 0;
    snprintf(line, sizeof line, "%s%s%s", own ? "" : source, own ? "" : ": ", text);
    wire_send(server->socket, WIRE_MESSAGE, level, line, strlen(line));
}

/* ---- The configuration ------------------------------------------------------------------------------------------ */

/* The texts at *at up to an empty one. Returns their number, at most 64. */
static uint32_t take_list(const char **at, const char *list[64])
{
    uint32_t count = 0;
    const char *text;
    while (*(text = text_take(at)))
        if (count < 64)
            list[count++] = text;
    return count;
}

/* Opens a context with the folders of plugins that the judge has, and the configuration in it. */
static int open_texts(struct server *server, const char *at, const char *end, struct engine_error *error)
{
    struct engine_hooks hooks = server->hooks;
    const char *folders[64], *sweeps[64];
    hooks.plugin_folder_count = take_list(&at, folders);
    hooks.plugin_folders = folders;
    hooks.plugin_path = text_take(&at);
    const uint32_t sweep_count = take_list(&at, sweeps);
    if (engine_open(&hooks, &server->context, error) != 0 ||
        sweeps_read(&server->sweeps, sweeps, sweep_count, error) != 0)
        return error->status;
    server->bench = (struct bench){.context = server->context, .sweeps = &server->sweeps};
    return config_unpack(server->context, at, (uint64_t) (end - at), &server->config, error);
}

static int take_config(struct server *server, uint64_t bytes, struct engine_error *error)
{
    char *texts = take_texts(server, bytes, error);
    const int status = texts ? open_texts(server, texts, texts + bytes, error) : error->status;
    free(texts);
    return status == 0 ? answer(server, WIRE_CONFIG, NULL, 0, error) : status;
}

/* ---- What rows there are ---------------------------------------------------------------------------------------- */

static int send_rows(const struct server *server, const struct round *round, struct engine_error *error)
{
    char *texts;
    size_t bytes;
    FILE *to = open_memstream(&texts, &bytes);
    if (!to)
        return error_memory(error, WIRE_TEXT, "rows");
    fprintf(to, "%u%c%s%c%llu%c", server->bench.subject_head, 0, server->bench.subject, 0,
            (unsigned long long) round->steps, 0);
    for (uint32_t i = 0; i < round->count; i++)
        fprintf(to, "%s%c", round->rows[i].impl, 0);
    if (!text_stream_close(to, &texts))
        return error_memory(error, WIRE_TEXT, "rows");
    const int status = answer(server, WIRE_SURVEY, texts, bytes, error);
    free(texts);
    return status;
}

static int survey_names(struct server *server, const char *list, struct engine_error *error)
{
    struct candidate_names names;
    struct round round;
    if (candidate_names_read(&names, *list ? list : NULL, error) != 0)
        return error->status;
    server->bench.repeats = 1;
    int status = bench_find_rows(&server->bench, server->config, 0, names.at, names.count, &round, error);
    if (status == 0 && round.count == 0)
        status = error_set(error, server->bench.rows[0].status, "%s", server->bench.rows[0].text);
    if (status == 0)
        status = send_rows(server, &round, error);
    candidate_names_release(&names);
    return status;
}

static int survey(struct server *server, uint64_t bytes, struct engine_error *error)
{
    char *list = take_texts(server, bytes, error);
    const int status = list ? survey_names(server, list, error) : error->status;
    free(list);
    return status;
}

/* ---- One row ---------------------------------------------------------------------------------------------------- */

/* Adds a field unless it is absent. A run gets the states or, if there are none, the inputs; and the outputs, to which
 * its steps may add. */
static void describe_field(struct server *server, const struct engine_field_array *fields, uint32_t number,
                           bool has_states)
{
    const struct engine_run *run = server->candidate.run;
    const struct engine_field *field = &fields->at[number];
    struct engine_shape shape = {.size = sizeof shape};
    struct engine_error absent;
    struct wire_field *out = &server->about.field[server->about.fields];
    char nothing;
    if (server->about.fields == WIRE_FIELDS || engine_run_fetch(run, number, 0, 0, &nothing, &absent) != 0)
        return;
    engine_run_shape(run, number, &shape);
    *out = (struct wire_field){.type = shape.type, .components = shape.components};
    snprintf(out->name, sizeof out->name, "%s", field->name);
    shape_elements(&shape, &out->elements);
    out->in_result = field->role != ENGINE_INPUT;
    out->in_problem = field->role == ENGINE_OUTPUT || field->role == (has_states ? ENGINE_STATE : ENGINE_INPUT);
    server->fields[server->about.fields++] = number;
}

static void describe_fields(struct server *server)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(server->candidate.run, &plugin);
    const struct engine_field_array *fields = &plugin.about->fields;
    bool has_states = false;
    for (uint32_t i = 0; i < fields->count; i++)
        has_states = has_states || fields->at[i].role == ENGINE_STATE;
    for (uint32_t i = 0; i < fields->count; i++)
        describe_field(server, fields, i, has_states);
}

static void describe(struct server *server)
{
    const struct bench_row *row = &server->row;
    const struct engine_impl *impl = engine_run_impl(server->candidate.run);
    struct wire_about *about = &server->about;
    *about = (struct wire_about){.reference = row->reference,
                                 .exact = row->exact,
                                 .batch = impl->batch,
                                 .tolerance = impl->tolerance,
                                 .work_per_step = row->run.work_per_step,
                                 .cost = row->cost,
                                 .threads = row->run.threads,
                                 .devices = row->run.devices,
                                 .parts = row->run.parts,
                                 .memory = row->run.memory,
                                 .device_number = row->run.device_number,
                                 .bytes = row->run.bytes,
                                 .kept_bytes = row->run.kept_bytes};
    memcpy(about->impl, row->impl, sizeof about->impl);
    memcpy(about->unit, row->unit, sizeof about->unit);
    memcpy(about->problem, row->problem, sizeof about->problem);
    describe_fields(server);
}

/* The name of the reference of the configuration's plugin in the place of an empty one. */
static int name_row(struct server *server, const char *name, struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    const char *own = engine_config_get(server->config, "run", "plugin");
    if (!*name && (!own || engine_config_plugin(server->config, own, &plugin, error) != 0))
        return own ? error->status : error_set(error, ENGINE_STATUS_USAGE, "[run] plugin is not given");
    if (!*name && !plugin.reference)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s has no reference to compare with", own);
    snprintf(server->row.impl, sizeof server->row.impl, "%s", *name ? name : plugin.reference->name);
    return bench_compute_all(&server->bench, server->config, name, error);
}

static int open_named(struct server *server, const char *seed, const char *name, struct engine_error *error)
{
    const bool is_reference = !*name; /* it may compute on the host, and undivided */
    if ((*seed && engine_config_put(server->config, "init", "seed", seed, error) != 0) ||
        (is_reference && engine_config_set(server->config, "run.devices=1", error) != 0) ||
        (is_reference && engine_config_set(server->config, "run.parts=1", error) != 0) ||
        name_row(server, name, error) != 0)
        return error->status;
    bench_open_row(&server->bench, server->config, &server->row, &server->candidate);
    if (server->row.status != 0)
        return error_set(error, server->row.status, "%s", server->row.text);
    if (engine_run_keep(server->candidate.run, &server->candidate.kept, error) != 0)
        return error->status;
    describe(server);
    return answer(server, WIRE_OPEN, &server->about, sizeof server->about, error);
}

static int open_row(struct server *server, uint64_t bytes, struct engine_error *error)
{
    char *texts = take_texts(server, bytes, error);
    const char *at = texts, *seed = texts ? text_take(&at) : NULL;
    const int status = texts ? open_named(server, seed, at, error) : error->status;
    free(texts);
    return status;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

static int make_ready(struct server *server, uint64_t bytes, struct engine_error *error)
{
    (void) bytes;
    if (engine_run_return(server->candidate.run, server->candidate.kept, error) != 0 ||
        engine_run_take(server->candidate.run, 1, UINT64_MAX, error) != 0)
        return error->status;
    return answer(server, WIRE_READY, NULL, 0, error);
}

/* Receives the array of a field. After an error it goes on to receive, so that the judge is not kept waiting. */
static bool receive_field(struct server *server, const struct wire_field *field, uint32_t number,
                          struct engine_error *error)
{
    const uint64_t bytes = type_bytes(field->type), most = PIECE / bytes;
    for (uint64_t begin = 0; begin < field->elements; begin += most) {
        const uint64_t count = field->elements - begin < most ? field->elements - begin : most;
        if (!wire_receive(server->socket, server->piece, count * bytes))
            return false;
        if (error->status == 0)
            engine_run_feed(server->candidate.run, number, begin, count, server->piece, error);
    }
    return true;
}

static int run(struct server *server, uint64_t bytes, struct engine_error *error)
{
    uint64_t steps;
    char hash[ENGINE_HASH_SIZE] = "";
    error->status = 0;
    bool whole = bytes == sizeof steps + wire_bytes(&server->about, WIRE_PROBLEM) &&
                 wire_receive(server->socket, &steps, sizeof steps);
    for (uint32_t i = 0; whole && i < server->about.fields; i++)
        if (server->about.field[i].in_problem)
            whole = receive_field(server, &server->about.field[i], server->fields[i], error);
    if (!whole)
        return error_set(error, ENGINE_STATUS_INPUT, "the judge has left");
    if (error->status != 0 || engine_run_take(server->candidate.run, steps, UINT64_MAX, error) != 0 ||
        engine_run_hash(server->candidate.run, hash, error) != 0)
        return error->status;
    return answer(server, WIRE_RUN, hash, sizeof hash, error);
}

static int send_field(struct server *server, const struct wire_field *field, uint32_t number,
                      struct engine_error *error)
{
    const uint64_t bytes = type_bytes(field->type), most = PIECE / bytes;
    for (uint64_t begin = 0; begin < field->elements; begin += most) {
        const uint64_t count = field->elements - begin < most ? field->elements - begin : most;
        if (engine_run_fetch(server->candidate.run, number, begin, count, server->piece, error) != 0)
            return error->status;
        if (!wire_send_more(server->socket, server->piece, count * bytes))
            return error_set(error, ENGINE_STATUS_INPUT, "the judge has left");
    }
    return 0;
}

static int send_arrays(struct server *server, enum wire_kind kind, struct engine_error *error)
{
    const struct wire_head head = {kind, 0, wire_bytes(&server->about, kind)};
    int status = wire_send_more(server->socket, &head, sizeof head) ? 0 : ENGINE_STATUS_INPUT;
    for (uint32_t i = 0; status == 0 && i < server->about.fields; i++)
        if (wire_has(&server->about.field[i], kind))
            status = send_field(server, &server->about.field[i], server->fields[i], error);
    return status;
}

static int send_problem(struct server *server, uint64_t bytes, struct engine_error *error)
{
    (void) bytes;
    return send_arrays(server, WIRE_PROBLEM, error);
}

static int send_result(struct server *server, uint64_t bytes, struct engine_error *error)
{
    (void) bytes;
    return send_arrays(server, WIRE_RESULT, error);
}

static int end(struct server *server, uint64_t bytes, struct engine_error *error)
{
    const struct bench_row *row = &server->row;
    (void) bytes;
    bench_end_row(&server->row, &server->candidate);
    if (row->status != 0)
        return error_set(error, row->status, "%s", row->text);
    struct wire_end end = {.exchange_per_step = row->exchange_per_step, .skipped = row->skipped};
    memcpy(end.notes, row->notes, sizeof end.notes);
    return answer(server, WIRE_END, &end, sizeof end, error);
}

/* ---- The loop --------------------------------------------------------------------------------------------------- */

static int (*const answers[WIRE_KINDS])(struct server *server, uint64_t bytes, struct engine_error *error) = {
    [WIRE_CONFIG] = take_config, [WIRE_SURVEY] = survey, [WIRE_OPEN] = open_row,
    [WIRE_READY] = make_ready,   [WIRE_RUN] = run,       [WIRE_PROBLEM] = send_problem,
    [WIRE_RESULT] = send_result, [WIRE_END] = end,
};

/* What has to be there for a question: the configuration, or the run. */
static bool can_answer(const struct server *server, uint32_t kind)
{
    if (kind == WIRE_CONFIG)
        return !server->context;
    return kind < WIRE_KINDS && server->config && (kind <= WIRE_OPEN) != (server->candidate.kept != NULL);
}

static int serve(struct server *server, struct engine_error *error)
{
    struct wire_head head;
    while (wire_receive(server->socket, &head, sizeof head)) {
        if (!can_answer(server, head.kind))
            return error_set(error, ENGINE_STATUS_INPUT, "question %u of the judge is not one of this build",
                             head.kind);
        if (answers[head.kind](server, head.bytes, error) != 0 &&
            !wire_send(server->socket, head.kind, error->status, error->text, strlen(error->text)))
            break;
    }
    return 0;
}

int engine_judge_serve(int socket, const struct engine_hooks *hooks, struct engine_error *error)
{
    API_NUMBERS;
    struct server *server = calloc(1, sizeof *server);
    char *piece = malloc(PIECE);
    if (!server || !piece) {
        free(server);
        free(piece);
        return error_memory(error, PIECE, "what the judge sends");
    }
    server->socket = socket;
    server->piece = piece;
    server->hooks = (struct engine_hooks){
        .size = sizeof server->hooks, .user = server, .message = pass_message, .words = hooks ? hooks->words : NULL};
    const int status = serve(server, error);
    bench_close_candidate(&server->candidate);
    bench_release(&server->bench);
    sweeps_release(&server->sweeps);
    engine_config_close(server->config);
    engine_close(server->context);
    free(server);
    free(piece);
    return status;
}
