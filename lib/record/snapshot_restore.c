/* Reading snapshots: opening a file, and filling a state from it. */
#include "base/context.h"
#include "memory/devices.h"
#include "parts/divided.h"
#include "parts/load.h"
#include "parts/parts.h"
#include "record/snapshot.h"
#include "run/state_hash.h"
#include "tiles/tile_strip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct snapshot {
    char *path;
    struct snapshot_file *file;
};

/* Takes the descriptor over. */
static int open_descriptor(int descriptor, const char *path, struct snapshot **out, bool *damaged,
                           struct engine_error *error)
{
    struct snapshot *snapshot = calloc(1, sizeof *snapshot);
    bool unreadable;
    *out = NULL;
    *damaged = false;
    if (!snapshot || !(snapshot->path = strdup(path))) {
        free(snapshot);
        close(descriptor);
        return error_memory(error, sizeof *snapshot, "a snapshot");
    }
    const int status = snapshot_file_take(descriptor, path, &snapshot->file, &unreadable, error);
    *damaged = status == ENGINE_STATUS_INPUT && !unreadable;
    if (status != 0) {
        snapshot_close(snapshot);
        return status;
    }
    *out = snapshot;
    return 0;
}

int snapshot_open(const char *path, struct snapshot **out, struct engine_error *error)
{
    bool ignored;
    const int descriptor = (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
    *out = NULL;
    return descriptor < 0 ? error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno))
                          : open_descriptor(descriptor, path, out, &ignored, error);
}

int snapshot_open_in(const struct folder *folder, const char *name, struct snapshot **out, bool *damaged,
                     struct engine_error *error)
{
    char path[SETTINGS_PATH_MAX + 256];
    int descriptor;
    *out = NULL;
    *damaged = false;
    if (folder_open_file(folder, name, O_RDONLY, &descriptor, error) != 0)
        return error->status;
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    return open_descriptor(descriptor, path, out, damaged, error);
}

void snapshot_close(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    snapshot_file_close(snapshot->file);
    free(snapshot->path);
    free(snapshot);
}

const struct snapshot_header *snapshot_header(const struct snapshot *snapshot)
{
    return snapshot_file_header(snapshot->file);
}

static int check_field(const struct snapshot *snapshot, const struct state *state, uint32_t index,
                       struct engine_error *error)
{
    const struct engine_field *about = state->plan->fields[index].about;
    const struct engine_shape *wanted = &state_geometry(state, index)->shape, *held;
    const int found = snapshot_file_field(snapshot->file, about->name);
    if (found < 0)
        return plan_is_result(about)
                   ? error_set(error, ENGINE_STATUS_INPUT, "%s: has no field %s", snapshot->path, about->name)
                   : 0;
    held = &snapshot_header(snapshot)->fields[found].shape;
    if (held->type == wanted->type && held->components == wanted->components &&
        memcmp(held->extent, wanted->extent, sizeof held->extent) == 0)
        return 0;
    return error_set(
        error, ENGINE_STATUS_INPUT, "%s: field %s is %llu x %llu x %llu of %u %s, expected %llu x %llu x %llu of %u %s",
        snapshot->path, about->name, (unsigned long long) held->extent[0], (unsigned long long) held->extent[1],
        (unsigned long long) held->extent[2], held->components, type_name(held->type),
        (unsigned long long) wanted->extent[0], (unsigned long long) wanted->extent[1],
        (unsigned long long) wanted->extent[2], wanted->components, type_name(wanted->type));
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */

/* The number of the array of places in the file, and the number of tiles. */
static int find_places(const struct snapshot *snapshot, int *found, uint64_t *count, struct engine_error *error)
{
    *found = snapshot_file_field(snapshot->file, TILE_PLACES);
    const struct engine_shape *held = *found < 0 ? NULL : &snapshot_header(snapshot)->fields[*found].shape;
    *count = held ? held->extent[0] : 0;
    const struct engine_shape wanted = tile_places_shape(*count);
    return held && held->type == wanted.type && held->components == wanted.components && held->extent[1] == 1
               ? 0
               : error_set(error, ENGINE_STATUS_INPUT, "%s: holds a grid that does not lie in tiles", snapshot->path);
}

/* The strip of a field, without its places. */
static int find_strip(const struct snapshot *snapshot, const struct state *state, uint32_t index, int *found,
                      struct tile_strip *strip, struct engine_error *error)
{
    const char *name = state->plan->fields[index].about->name;
    uint64_t count;
    int places;
    if (find_places(snapshot, &places, &count, error) != 0)
        return error->status;
    *found = snapshot_file_field(snapshot->file, name);
    return *found >= 0 && tile_strip_fits(state, index, &snapshot_header(snapshot)->fields[*found].shape, count, strip)
               ? 0
               : error_set(error, ENGINE_STATUS_INPUT, "%s: has no tiles of field %s, or other ones", snapshot->path,
                           name);
}

/* Reads an array of this shape into new memory, which the caller frees. */
static int read_array(const struct snapshot *snapshot, int found, const struct engine_shape *shape, void **out,
                      struct engine_error *error)
{
    const uint64_t element = type_bytes(shape->type), bytes = shape->extent[0] * shape->components * element;
    struct snapshot_array array = {malloc(bytes), element};
    const struct snapshot_cells cells = {.geometry = {.shape = *shape}, .move = snapshot_array_move, .self = &array};
    *out = array.memory;
    return array.memory ? snapshot_file_read(snapshot->file, (uint32_t) found, &cells, 1, error)
                        : error_memory(error, bytes, "the places and squares of the tiles");
}

/* Reads the squares of a tree, if there are any, and makes the state from them and from the tiles that were read. */
static int join_nodes(const struct snapshot *snapshot, const struct state *state, int64_t (*places)[3], uint64_t tiles,
                      struct engine_error *error)
{
    const int found = snapshot_file_field(snapshot->file, TILE_NODES);
    if (found < 0)
        return 0;
    const struct engine_shape *held = &snapshot_header(snapshot)->fields[found].shape,
                              wanted = tile_nodes_shape(held->extent[0]);
    if (held->type != wanted.type || held->components != wanted.components || held->extent[1] != 1)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s has another form", snapshot->path, TILE_NODES);
    void *squares;
    int status = read_array(snapshot, found, &wanted, &squares, error);
    const struct tile_nodes nodes = {squares, wanted.extent[0]};
    if (status == 0 && (status = tile_nodes_join(state, places, tiles, &nodes, error)) == ENGINE_STATUS_INPUT)
        error_prefix(error, "%s: ", snapshot->path);
    free(squares);
    return status;
}

static int read_tiles(const struct snapshot *snapshot, struct state *state, int64_t (*places)[3],
                      struct engine_error *error)
{
    const uint32_t threads = state->plan->for_plugin.threads;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++) {
        struct tile_strip strip;
        int found;
        if (find_strip(snapshot, state, i, &found, &strip, error) != 0)
            return error->status;
        strip.places = places;
        const struct snapshot_cells cells = {
            .geometry = {.shape = strip.shape}, .move = tile_strip_move, .self = &strip};
        if (snapshot_file_read(snapshot->file, (uint32_t) found, &cells, threads, error) != 0)
            return error->status;
    }
    return 0;
}

static int restore_tiles(const struct snapshot *snapshot, struct state *state, struct engine_error *error)
{
    uint64_t count;
    int found;
    if (find_places(snapshot, &found, &count, error) != 0)
        return error->status;
    const struct engine_shape shape = tile_places_shape(count);
    void *places;
    int status = read_array(snapshot, found, &shape, &places, error);
    tile_strips_begin(state);
    if (status == 0)
        status = read_tiles(snapshot, state, places, error);
    if (status == 0)
        status = join_nodes(snapshot, state, places, count, error);
    free(places);
    return status;
}

/* ---- Fields ----------------------------------------------------------------------------------------------------- */

/* A field of a state, whose elements are written piece by piece. */
struct restored_field {
    struct state *state;
    uint32_t index;
};

static int write_piece(void *self, uint64_t begin, uint64_t count, void *out, const void *in,
                       struct engine_error *error)
{
    const struct restored_field *field = self;
    (void) out;
    return state_write(field->state, field->index, begin, count, in, error);
}

/* Reads a field into host memory and copies it to the state, or moves it there piece by piece. */
static int restore_field(struct snapshot *snapshot, struct state *state, uint32_t index, struct engine_error *error)
{
    struct device *host = devices_host(state->plan->context);
    const int found = snapshot_file_field(snapshot->file, state->plan->fields[index].about->name);
    const uint32_t threads = state->plan->for_plugin.threads;
    struct restored_field field = {state, index};
    struct snapshot_cells cells = {.geometry = *state_geometry(state, index), .move = write_piece, .self = &field};
    if (found < 0)
        return 0;
    if (snapshot_goes_by_pieces(state))
        return snapshot_file_read(snapshot->file, (uint32_t) found, &cells, threads, error);
    if (host->allocate(host, cells.geometry.bytes, &cells.memory, error) != 0)
        return error->status;
    int status = snapshot_file_read(snapshot->file, (uint32_t) found, &cells, threads, error);
    if (status == 0)
        status = state_copy(state, index, NULL, cells.memory, error);
    host->release(host, cells.memory, cells.geometry.bytes);
    return status;
}

static int check_hash(const struct snapshot *snapshot, const struct state *state, struct engine_error *error)
{
    char hash[HASH_TEXT];
    if (state_hash(state, HASH_RESULTS, hash, error) != 0)
        return error->status;
    const char *wanted = snapshot_header(snapshot)->hash;
    return strcmp(hash, wanted) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_INPUT,
                           "%s: the state that was read has the hash %s, expected %s; use an older file",
                           snapshot->path, hash, wanted);
}

/* Lets all processes read the file. If they cannot, this one reads it alone, and finds out what is wrong with it. */
static bool read_together(struct snapshot *snapshot, struct state *state, struct engine_error *error)
{
    if (!state_ranks(state) || plan_has_copies(state->plan))
        return false;
    if (load_fields(state, snapshot->file, snapshot->path, error) == 0)
        return true;
    if (!link_is_broken(state_ranks(state)->link))
        context_message(state->plan->context, ENGINE_LOG_INFO, "%s; so process 0 alone reads the snapshot",
                        error->text);
    return false;
}

static int read_fields(struct snapshot *snapshot, struct state *state, struct engine_error *error)
{
    if (read_together(snapshot, state, error) || (state_tiles(state) && restore_tiles(snapshot, state, error) == 0))
        return check_hash(snapshot, state, error);
    if (state_tiles(state))
        return error->status;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (plan_is_saved(&state->plan->fields[i]) && restore_field(snapshot, state, i, error) != 0)
            return error->status;
    return check_hash(snapshot, state, error);
}

/* Checks the fields against those of the snapshot's step, and leaves the state as it is. */
static int check_fields(const struct snapshot *snapshot, struct state *state, struct engine_error *error)
{
    const uint64_t step = state->step;
    int status = 0;
    state->step = snapshot_header(snapshot)->step;
    for (uint32_t i = 0; status == 0 && i < state->plan->plugin->about.fields.count; i++) {
        struct tile_strip strip;
        int found;
        if (state_tiles(state))
            status = find_strip(snapshot, state, i, &found, &strip, error);
        else if (plan_is_saved(&state->plan->fields[i]))
            status = check_field(snapshot, state, i, error);
    }
    state->step = step;
    return status;
}

int snapshot_restore(struct snapshot *snapshot, struct state *state, bool *damaged, struct engine_error *error)
{
    int status = check_fields(snapshot, state, error);
    if (status == 0) {
        state->step = snapshot_header(snapshot)->step;
        state->current = 0;
        state_update_views(state);
        status = read_fields(snapshot, state, error);
        state->lost = status != 0;
    }
    if (damaged)
        *damaged = status == ENGINE_STATUS_INPUT && !snapshot_file_is_unreadable(snapshot->file);
    return status;
}
