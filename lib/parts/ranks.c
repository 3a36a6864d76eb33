#include "parts/ranks.h"
#include "base/context.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/xxh.h"
#include "files/plan_config.h"
#include "parts/encoding.h"
#include "parts/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* bytes of elements in a message */

_Static_assert(sizeof(struct ranks_command) == 64, "a command has the same size in all versions");

/* ---- What the others need to know ------------------------------------------------------------------------------ */

int ranks_checksum(const char *path, char text[40], struct engine_error *error)
{
    FILE *file = fopen(path, "rbe");
    struct hash hash;
    char piece[4096];
    if (!file)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s: %s", path, strerror(errno));
    hash_begin(&hash);
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        hash_add(&hash, piece, n);
    hash_print(&hash, text);
    const bool failed = ferror(file);
    fclose(file);
    return failed ? error_set(error, ENGINE_STATUS_PLUGIN, "%s: cannot be read", path) : 0;
}

int ranks_check_same(const char *what, const char *theirs, const char *own, const char *todo,
                     struct engine_error *error)
{
    return strcmp(theirs, own) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_PLUGIN, "%s is %s here and %s on rank 0; %s", what, own, theirs, todo);
}

/* Hashes all numbers that decide where a cell lies. */
void ranks_layouts(const struct plan *plan, char text[40])
{
    uint64_t hash = 0;
    for (uint32_t p = 0; p < plan->settings.parts; p++)
        for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
            for (int parity = 0; parity < 2; parity++) {
                const struct geometry *geometry = &plan->parts[p]->fields[i].geometry[parity];
                const struct engine_layout *layout = &geometry->layout;
                const uint64_t numbers[] = {hash,
                                            geometry->bytes,
                                            geometry->origin,
                                            (uint64_t) geometry->row_stride,
                                            (uint64_t) geometry->plane_stride,
                                            (uint64_t) geometry->component_stride,
                                            layout->cell_bits,
                                            layout->word_bytes,
                                            layout->order,
                                            layout->group_words,
                                            layout->planar,
                                            plan->parts[p]->slab.before,
                                            plan->parts[p]->slab.after};
                hash = XXH3_64bits(numbers, sizeof numbers);
            }
    snprintf(text, 40, "%016llx", (unsigned long long) hash);
}

/* The box of the first frame, which a plugin may check. Later ones follow the commands to instances. */
static void print_box(FILE *to, const struct plan *plan, const struct config *config)
{
    const double *box = plan->for_plugin.box;
    const char *given = config_get(config, "particles", "box");
    if ((!given || !*given) && (box[0] > 0 || box[1] > 0 || box[2] > 0))
        fprintf(to, "particles.box=%.17g %.17g %.17g %.17g %.17g %.17g%c", box[0], box[1], box[2], box[3], box[4],
                box[5], 0);
}

/* The others read and write no files, and get no cells from their own configuration unless every rank makes its own
 * cells. */
static void print_config(FILE *to, const struct plan *plan, const struct config *config)
{
    const char *section, *key;
    const uint64_t *extent = plan->shapes[0].extent;
    for (uint32_t i = 0; (section = config_section_at(config, i)); i++)
        for (uint32_t k = 0; (key = config_key_at(config, section, k)); k++)
            if (plugin_key_flags(plan->context, &plan->plugin->about, section, key) & KEY_TOLD)
                fprintf(to, "%s.%s=%s%c", section, key, config_get(config, section, key), 0);
    if (plan_starts_from_files(plan)) /* this process reads them, and sends the cells */
        fprintf(to, "init.source=defaults%c", 0);
    fprintf(to, "run.parts=%u%c", plan->settings.parts, 0);
    if (plan->parts[0]->slab.margin > 0) /* another rank's device would suggest another one */
        fprintf(to, "run.margin=%llu%c", (unsigned long long) plan->parts[0]->slab.margin, 0);
    print_box(to, plan, config);
    if (plan->plugin->about.fields.at[0].kind != ENGINE_GRID)
        return;
    fprintf(to, "grid.size=%llu", (unsigned long long) extent[0]);
    for (uint32_t axis = 1; axis < plan->shapes[0].rank; axis++)
        fprintf(to, " %llu", (unsigned long long) extent[axis]);
    fputc(0, to);
}

int ranks_texts(const struct plan *plan, char **texts, uint64_t *bytes, struct engine_error *error)
{
    struct config *config;
    char checksum[40], layouts[40];
    size_t length = 0;
    *texts = NULL;
    if (ranks_checksum(plan->plugin->path, checksum, error) != 0 || plan_config_copy(plan, &config, error) != 0)
        return error->status;
    ranks_layouts(plan, layouts);
    FILE *to = open_memstream(texts, &length);
    if (to) {
        fprintf(to, "%s%c%s%c%s%c%s%c%s%c", machine_version(), 0, plan->plugin->about.name, 0, checksum, 0,
                plan->impl->name, 0, layouts, 0);
        for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
            fputc(plan->fields[i].absent ? '1' : '0', to);
        fputc(0, to);
        fprintf(to, "%u%c", plan->for_plugin.symbols.count, 0);
        for (uint32_t i = 0; i < plan->for_plugin.symbols.count; i++)
            fprintf(to, "%s%c", plan->for_plugin.symbols.at[i], 0);
        print_config(to, plan, config);
    }
    config_close(config);
    if (!to || !text_stream_close(to, texts))
        return error_memory(error, length, "the configuration for other ranks");
    *bytes = length;
    return 0;
}

/* ---- Commands -------------------------------------------------------------------------------------------------- */

static int send_to_all(struct ranks *ranks, const void *data, uint64_t bytes, struct engine_error *error)
{
    for (uint32_t rank = 1; rank < ranks->count; rank++)
        if (link_send(ranks->link, rank, data, bytes, error) != 0)
            return error->status;
    return 0;
}

/* `ranks->command` is not changed before the messages are through: every command ends in link_wait. */
static int tell(struct ranks *ranks, struct ranks_command command, const void *data, uint64_t bytes,
                struct engine_error *error)
{
    command.run = ranks->run;
    command.bytes = bytes;
    ranks->command = command;
    return send_to_all(ranks, &ranks->command, sizeof ranks->command, error) != 0
               ? error->status
               : send_to_all(ranks, data, bytes, error);
}

int ranks_error(const struct ranks_answer *answer, uint32_t rank, struct engine_error *error)
{
    if (answer->status == 0)
        return 0;
    error_set(error, answer->status, "%.*s", (int) sizeof answer->text - 32, answer->text);
    return error_prefix(error, "rank %u: ", rank);
}

static void note_exchange(struct ranks *ranks, double seconds)
{
    ranks->slowest = seconds > ranks->slowest ? seconds : ranks->slowest;
}

/* Receives the answers of all others. Returns the error of the lowest rank that has one. */
static int receive_answers(struct ranks *ranks, struct engine_error *error)
{
    for (uint32_t rank = 1; rank < ranks->count; rank++)
        if (link_receive(ranks->link, rank, &ranks->answers[rank - 1], sizeof *ranks->answers, error) != 0)
            return error->status;
    if (link_wait(ranks->link, ranks->patience, error) != 0)
        return error->status;
    int status = 0;
    for (uint32_t rank = 1; rank < ranks->count; rank++)
        note_exchange(ranks, ranks->answers[rank - 1].exchange_seconds);
    for (uint32_t rank = 1; status == 0 && rank < ranks->count; rank++)
        status = ranks_error(&ranks->answers[rank - 1], rank, error);
    return status;
}

/* `status` is that of this rank's share, with its error in *error, which comes before those of the others. */
static int finish(struct ranks *ranks, int status, struct engine_error *error)
{
    struct engine_error other;
    note_exchange(ranks, ranks->exchange_seconds);
    if (link_is_broken(ranks->link))
        return status;
    if (status != 0 && !ranks->agreed)
        error_prefix(error, "rank 0: ");
    const int answered = receive_answers(ranks, status != 0 ? &other : error);
    return status != 0 ? status : answered;
}

int ranks_do(struct ranks *ranks, struct ranks_command command, const void *data, uint64_t bytes, ranks_share *share,
             void *argument, struct engine_error *error)
{
    const bool leads = ranks && !ranks->serves;
    int status = leads ? tell(ranks, command, data, bytes, error) : 0;
    if (status == 0 && share)
        status = share(argument, error);
    return leads ? finish(ranks, status, error) : status;
}

/* ---- Opening and closing --------------------------------------------------------------------------------------- */

/* Makes what rank 0 needs to open the run on the others. */
static int prepare_open(struct ranks *ranks, const struct plan *plan, struct engine_error *error)
{
    ranks->run = link_number(ranks->link);
    ranks->answers = calloc(ranks->count, sizeof *ranks->answers);
    if (!ranks->answers)
        return error_memory(error, ranks->count * sizeof *ranks->answers, "the answers of other ranks");
    return ranks_texts(plan, &ranks->texts, &ranks->texts_bytes, error);
}

int ranks_do_open(struct ranks *ranks, ranks_share *share, void *argument, struct engine_error *error)
{
    return ranks_do(ranks, (struct ranks_command){.kind = RANKS_OPEN}, ranks ? ranks->texts : NULL,
                    ranks ? ranks->texts_bytes : 0, share, argument, error);
}

int ranks_open(const struct plan *plan, struct ranks **out, struct engine_error *error)
{
    *out = NULL;
    if (!plan->parts || parts_ranks(plan) == 1)
        return 0;
    struct ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks)
        return error_memory(error, sizeof *ranks, "the ranks of a run");
    ranks->link = plan->context->link;
    ranks->count = parts_ranks(plan);
    ranks->serves = link_rank(ranks->link) > 0;
    /* So that rank 0, which prints where the run can go on, finds a silent rank first. */
    ranks->patience = ranks->serves ? 1.25 * plan->settings.patience + 1 : plan->settings.patience;
    *out = ranks;
    return ranks->serves ? 0 : prepare_open(ranks, plan, error);
}

void ranks_close(struct ranks *ranks)
{
    struct engine_error ignored;
    if (!ranks)
        return;
    if (!ranks->serves && ranks->texts && !link_is_broken(ranks->link) &&
        tell(ranks, (struct ranks_command){.kind = RANKS_CLOSE}, NULL, 0, &ignored) == 0)
        link_wait(ranks->link, ranks->patience, &ignored);
    device_transport_close(ranks->transport);
    free(ranks->answers);
    free(ranks->texts);
    free(ranks->encoded);
    free(ranks);
}

/* The answers show that all of them can end the use of the transport together. */
void ranks_end(struct link *link)
{
    static const struct ranks_command end = {.kind = RANKS_END};
    const double patience = 60;
    struct engine_error ignored;
    uint32_t *answers = calloc(link_ranks(link), sizeof *answers);
    int status = answers ? 0 : ENGINE_STATUS_DEVICE;
    for (uint32_t rank = 1; status == 0 && rank < link_ranks(link); rank++)
        if ((status = link_send(link, rank, &end, sizeof end, &ignored)) == 0)
            status = link_receive(link, rank, &answers[rank], sizeof *answers, &ignored);
    if (status == 0)
        link_wait(link, patience, &ignored);
    else
        link_break(link);
    free(answers);
}

/* ---- What one rank has ----------------------------------------------------------------------------------------- */

/* Lets one rank carry out a command: sends it with `bytes` of data, or gets `bytes` that come back into `out`, or both.
 * NULL: there are none. */
static int ask(struct ranks *ranks, uint32_t rank, struct ranks_command command, void *out, const void *data,
               uint64_t bytes, struct engine_error *error)
{
    struct ranks_answer *answer = &ranks->answers[rank - 1];
    command.run = ranks->run;
    command.bytes = data ? bytes : 0;
    if (link_send(ranks->link, rank, &command, sizeof command, error) != 0 ||
        link_send(ranks->link, rank, data, command.bytes, error) != 0 ||
        link_wait(ranks->link, ranks->patience, error) != 0 || /* `out` may be the memory of `data` */
        link_receive(ranks->link, rank, answer, sizeof *answer, error) != 0 ||
        link_receive(ranks->link, rank, out, out ? bytes : 0, error) != 0 ||
        link_wait(ranks->link, ranks->patience, error) != 0)
        return error->status;
    return ranks_error(answer, rank, error);
}

int ranks_measure(struct ranks *ranks, uint64_t step, double *values, uint64_t count, struct engine_error *error)
{
    const struct ranks_command command = {.kind = RANKS_MEASURE, .step = step};
    for (uint32_t rank = 1; ranks && !ranks->serves && rank < ranks->count; rank++)
        if (ask(ranks, rank, command, values, values, count * sizeof *values, error) != 0)
            return error->status;
    return 0;
}

/* Moves as many elements as a message has. Those that are encoded as bits are converted here. */
static int move_piece(struct ranks *ranks, const struct plan *plan, uint32_t rank, const struct ranks_command *command,
                      void *out, const void *in, struct engine_error *error)
{
    const bool bits = encoding_is_bits(plan, command->field);
    const uint64_t bytes = encoding_bytes(plan, command->field, command->count);
    if (bits && in)
        encoding_pack(in, command->count, ranks->encoded);
    if (ask(ranks, rank, *command, out && bits ? ranks->encoded : out, in && bits ? ranks->encoded : in, bytes,
            error) != 0)
        return error->status;
    if (bits && out)
        encoding_unpack(ranks->encoded, command->count, out);
    return 0;
}

int ranks_move(struct ranks *ranks, const struct plan *plan, uint32_t rank, uint64_t step, uint32_t field,
               uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error)
{
    const uint64_t size = type_bytes(plan->shapes[field].type);
    const bool bits = encoding_is_bits(plan, field);
    const uint64_t most = bits ? (uint64_t) PIECE * 8 : PIECE / size;
    if (bits && !ranks->encoded && !(ranks->encoded = malloc(PIECE)))
        return error_memory(error, PIECE, "cells on their way");
    for (uint64_t n, done = 0; done < count; done += n) {
        n = count - done < most ? count - done : most;
        const struct ranks_command command = {
            .kind = out ? RANKS_READ : RANKS_WRITE, .field = field, .step = step, .begin = begin + done, .count = n};
        if (move_piece(ranks, plan, rank, &command, out ? (char *) out + done * size : NULL,
                       in ? (const char *) in + done * size : NULL, error) != 0)
            return error->status;
    }
    return 0;
}
