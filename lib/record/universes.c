#include "record/universes.h"
#include "base/xxh.h"
#include "files/bytes.h"
#include "files/replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* bytes of the canonical array handled at a time */

struct table {
    struct instance *instance;
    FILE *to;
    const double *metrics;       /* of all universes, or NULL */
    uint64_t group;              /* universes that are hashed at the same time, so that reads are long */
    XXH3_state_t *const *hashes; /* of a group */
    void *piece;
};

static const struct plan *plan_of(const struct table *table)
{
    return table->instance->state->plan;
}

/* ---- Hashes ------------------------------------------------------------------------------------------------- */

/* Adds elements that begin at element `at` of a group to the hashes of its universes, of `each` elements. */
static void add_piece(const struct table *table, uint64_t at, uint64_t count, uint64_t each, uint32_t bytes)
{
    const char *from = table->piece;
    while (count > 0) {
        const uint64_t left = each - at % each, n = left < count ? left : count;
        XXH3_128bits_update(table->hashes[at / each], from, n * bytes);
        at += n, count -= n, from += n * bytes;
    }
}

static int hash_field(const struct table *table, uint32_t field, uint64_t first, uint64_t universes,
                      struct engine_error *error)
{
    const struct state *state = table->instance->state;
    const struct engine_shape *shape = &plan_of(table)->fields[field].shape[state->step % 2];
    const uint32_t bytes = type_bytes(shape->type);
    uint64_t each;
    shape_elements(shape, &each);
    for (uint64_t at = 0; at < universes * each; at += PIECE / bytes) {
        const uint64_t left = universes * each - at, n = left < PIECE / bytes ? left : PIECE / bytes;
        if (state_read(state, field, first * each + at, n, table->piece, error) != 0)
            return error->status;
        add_piece(table, at, n, each, bytes);
    }
    return 0;
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

static void put_row(const struct table *table, uint64_t universe, XXH3_state_t *hash)
{
    const uint32_t metrics = plan_of(table)->plugin->about.metrics.count;
    const XXH128_hash_t digest = XXH3_128bits_digest(hash);
    fprintf(table->to, "%llu,%llu,%016llx%016llx", (unsigned long long) universe,
            (unsigned long long) (plan_of(table)->settings.seed + universe), (unsigned long long) digest.high64,
            (unsigned long long) digest.low64);
    for (uint32_t m = 0; table->metrics && m < metrics; m++)
        fprintf(table->to, ",%.17g", table->metrics[universe * metrics + m]);
    fputc('\n', table->to);
}

static int put_group(const struct table *table, uint64_t first, uint64_t universes, struct engine_error *error)
{
    for (uint64_t i = 0; i < universes; i++)
        XXH3_128bits_reset(table->hashes[i]);
    for (uint32_t f = 0; f < plan_of(table)->plugin->about.fields.count; f++)
        if (plan_is_result(plan_of(table)->fields[f].about) && hash_field(table, f, first, universes, error) != 0)
            return error->status;
    for (uint64_t i = 0; i < universes; i++)
        put_row(table, first + i, table->hashes[i]);
    return 0;
}

static int put_rows(const struct table *table, struct engine_error *error)
{
    const struct engine_metric_array *metrics = &plan_of(table)->plugin->about.metrics;
    const uint64_t count = plan_of(table)->settings.universes;
    fputs("universe,seed,hash", table->to);
    for (uint32_t m = 0; table->metrics && m < metrics->count; m++)
        fprintf(table->to, ",%s", metrics->at[m].name);
    fputc('\n', table->to);
    for (uint64_t first = 0; first < count; first += table->group) {
        const uint64_t left = count - first;
        if (put_group(table, first, left < table->group ? left : table->group, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- The table ---------------------------------------------------------------------------------------------- */

/* Enough universes for a piece of the first field. */
static uint64_t group_of(const struct plan *plan)
{
    uint64_t bytes;
    shape_bytes(&plan->shapes[0], &bytes);
    const uint64_t group = bytes < PIECE ? PIECE / bytes : 1;
    return group < plan->settings.universes ? group : plan->settings.universes;
}

static int put_hashed_rows(struct table *table, struct engine_error *error)
{
    XXH3_state_t **hashes = calloc(table->group, sizeof *hashes);
    table->piece = malloc(PIECE);
    bool all = hashes && table->piece;
    for (uint64_t i = 0; all && i < table->group; i++)
        all = (hashes[i] = XXH3_createState()) != NULL;
    table->hashes = hashes;
    const int status = all ? put_rows(table, error) : error_memory(error, PIECE, "the table of universes");
    for (uint64_t i = 0; hashes && i < table->group; i++)
        XXH3_freeState(hashes[i]);
    free(hashes);
    free(table->piece);
    return status;
}

static int put_table(struct table *table, int file, struct engine_error *error)
{
    table->to = bytes_stream(file);
    if (!table->to)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    int status = put_hashed_rows(table, error);
    if ((fflush(table->to) != 0 || ferror(table->to)) && status == 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    fclose(table->to);
    return status;
}

int universes_write(struct instance *instance, const struct folder *folder, struct engine_error *error)
{
    struct table table = {.instance = instance, .group = group_of(instance->state->plan)};
    struct replacement new;
    if (instance_measure_universes(instance, &table.metrics, error) != 0)
        return error->status;
    int status = replace_begin(folder, UNIVERSES_FILE, &new, error);
    if (status == 0)
        status = replace_finish(&new, UNIVERSES_FILE, true, put_table(&table, new.file, error), error);
    return status == 0 ? 0 : error_prefix(error, "%s/" UNIVERSES_FILE ": ", folder->path);
}
