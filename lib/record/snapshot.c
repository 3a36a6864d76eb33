#include "record/snapshot.h"
#include "base/machine.h"
#include "base/numeric.h"
#include "files/plan_config.h"
#include "files/replace.h"
#include "parts/available.h"
#include "parts/divided.h"
#include "parts/parts.h"
#include "parts/save.h"
#include "record/state_document.h"
#include "run/state_hash.h"
#include "tiles/tile_strip.h"

#include <errno.h>
#include <execinfo.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NICE = 10 };

/* A field of a state, whose elements are read piece by piece. */
struct snapshot_field {
    struct state *state;
    uint32_t index;
    struct saving *saving; /* all processes write the file; or NULL */
};

struct snapshot_writing {
    pthread_t thread;
    const struct folder *folder;
    char *name, *config, *extra;
    char host[256], rule[IO_RULE_MAX];
    struct snapshot_header header;
    struct snapshot_cells cells[IO_ARRAYS_MAX];  /* copies */
    struct snapshot_field fields[IO_ARRAYS_MAX]; /* where there are no copies */
    struct tile_strip strips[IO_ARRAYS_MAX];     /* of a grid in tiles */
    int64_t (*places)[3];                        /* of its tiles, or NULL */
    struct tile_nodes nodes;                     /* of a tree that is too large for tiles */
    struct snapshot_array arrays[2];             /* of both */
    uint64_t tiles;
    enum snapshot_compression compression;
    uint32_t threads;
    bool started; /* the thread */
    struct engine_error error;
    atomic_bool done;
};

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* Allocates memory without touching it, in huge pages where the system has them. Clearing it, or a page fault for every
 * 4 KiB, would take as long as the copy itself. */
static void *allocate(uint64_t bytes)
{
    const uint64_t page = 2 << 20;
    if (bytes < page)
        return malloc(bytes);
    const uint64_t rounded = (bytes + page - 1) / page * page;
    void *memory = aligned_alloc(page, rounded);
    if (memory)
        madvise(memory, rounded, MADV_HUGEPAGE); /* for speed; an error does not matter */
    return memory;
}

static void release(struct snapshot_writing *writing)
{
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        free(writing->cells[i].memory);
    free(writing->places);
    free(writing->nodes.at);
    free(writing->name);
    free(writing->config);
    free(writing->extra);
    free(writing);
}

bool snapshot_goes_by_pieces(const struct state *state)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        bytes += plan_is_saved(&state->plan->fields[i]) ? state->plan->fields[i].bytes : 0;
    return state_ranks(state) || state_tiles(state) || bytes > available_memory();
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static int read_piece(void *self, uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error)
{
    const struct snapshot_field *field = self;
    (void) in;
    return state_read(field->state, field->index, begin, count, out, error); /* state_hash has checked the values */
}

static int write_blocks(void *self, uint64_t offset, struct snapshot_block *blocks, struct engine_error *error)
{
    const struct snapshot_field *field = self;
    return save_field(field->saving, field->index, offset, blocks, error);
}

/* Do all processes have cells of their own, which they can write? */
static bool is_shared(const struct state *state)
{
    return state_ranks(state) && !plan_has_copies(state->plan);
}

/* `state` is NULL where the copies are in memory. */
static int write_content(struct snapshot_writing *writing, struct state *state, const struct replacement *new,
                         struct engine_error *error)
{
    struct saving *saving = NULL;
    const bool deflates = writing->compression == SNAPSHOT_DEFLATE;
    if (state && state_hash(state, HASH_RESULTS, writing->header.hash, error) != 0)
        return error->status;
    if (state && is_shared(state) && save_open(state, writing->folder, new->temporary, deflates, &saving, error) != 0)
        return error->status;
    for (uint32_t i = 0; saving && i < writing->header.count; i++) {
        writing->fields[i].saving = saving;
        writing->cells[i].write = write_blocks;
    }
    const int status = snapshot_file_write(saving ? save_file(saving) : new->file, &writing->header, writing->cells,
                                           writing->compression, writing->threads, error);
    return saving ? save_close(saving, status, error) : status;
}

static void write_to(struct snapshot_writing *writing, struct state *state)
{
    struct engine_error *error = &writing->error;
    struct replacement new;
    int status = replace_begin(writing->folder, writing->name, &new, error);
    if (status == 0)
        status = replace_finish(&new, writing->name, true, write_content(writing, state, &new, error), error);
    if (status != 0)
        error_prefix(error, "%s/%s: ", writing->folder->path, writing->name);
    atomic_store(&writing->done, true);
}

/* ---- The writing thread --------------------------------------------------------------------------------------- */

/* Runs in the writing thread. Threads that it starts inherit its niceness, so that the run's own threads come first,
 * and its name, which `top -H` and perf show. */
static void *write_file(void *argument)
{
    struct snapshot_writing *writing = argument;
    const struct numeric before = numeric_begin();
    pthread_setname_np(pthread_self(), "snapshot");
    if (nice(NICE) == -1)
        errno = 0; /* it does not matter */
    writing->threads = (uint32_t) omp_get_num_procs();
    write_to(writing, NULL);
    numeric_end(&before);
    return NULL;
}

/* ---- The copy ------------------------------------------------------------------------------------------------- */

static int copy_field(const struct state *state, uint32_t index, struct snapshot_cells *cells,
                      struct engine_error *error)
{
    cells->memory = allocate(cells->geometry.bytes);
    if (!cells->memory) {
        error_memory(error, cells->geometry.bytes, "a copy of the state");
        return error_prefix(error, "a snapshot of field %s: ", state->plan->fields[index].about->name);
    }
    return state_copy(state, index, cells->memory, NULL, error);
}

static int add_field(struct snapshot_writing *writing, struct state *state, uint32_t index, bool by_pieces,
                     struct engine_error *error)
{
    const struct engine_field *about = state->plan->fields[index].about;
    struct snapshot_header *header = &writing->header;
    const uint32_t at = header->count++;
    writing->fields[at] = (struct snapshot_field){.state = state, .index = index};
    writing->cells[at] = (struct snapshot_cells){
        .geometry = *state_geometry(state, index), .move = read_piece, .self = &writing->fields[at]};
    header->fields[at] = (struct engine_file_array){.name = about->name,
                                                    .kind = about->kind,
                                                    .values = about->values,
                                                    .batch = plan_is_batch(state->plan),
                                                    .shape = writing->cells[at].geometry.shape};
    header->roles[at] = about->role;
    return by_pieces ? 0 : copy_field(state, index, &writing->cells[at], error);
}

/* ---- Tiles ---------------------------------------------------------------------------------------------------- */

int snapshot_array_move(void *self, uint64_t begin, uint64_t count, void *out, const void *in,
                        struct engine_error *error)
{
    const struct snapshot_array *array = self;
    char *at = (char *) array->memory + begin * array->bytes;
    (void) error;
    memcpy(out ? out : at, out ? at : in, count * array->bytes);
    return 0;
}

static struct geometry geometry_of(const struct engine_shape *shape)
{
    return (struct geometry){.shape = *shape, .element_bytes = type_bytes(shape->type)};
}

static int add_array(struct snapshot_writing *writing, const char *name, const struct engine_shape *shape,
                     struct snapshot_array *array, struct engine_error *error)
{
    struct snapshot_header *header = &writing->header;
    if (header->count == IO_ARRAYS_MAX)
        return error_set(error, ENGINE_STATUS_OUTPUT, "a snapshot of tiles has room for %d fields", IO_ARRAYS_MAX - 1);
    header->fields[header->count] = (struct engine_file_array){.name = name, .kind = ENGINE_BINS, .shape = *shape};
    header->roles[header->count] = ENGINE_INPUT;
    writing->cells[header->count++] =
        (struct snapshot_cells){.geometry = geometry_of(shape), .move = snapshot_array_move, .self = array};
    return 0;
}

/* Adds the places of the tiles, and the squares of a tree, and changes the fields to strips of tiles. */
static int add_tiles(struct snapshot_writing *writing, struct state *state, struct engine_error *error)
{
    struct snapshot_header *header = &writing->header;
    const struct engine_shape shape = tile_places_shape(writing->tiles);
    for (uint32_t i = 0; i < header->count; i++) {
        struct tile_strip *strip = &writing->strips[i];
        *strip = tile_strip_of(state, writing->fields[i].index, writing->places, writing->tiles);
        header->fields[i].shape = strip->shape;
        writing->cells[i] =
            (struct snapshot_cells){.geometry = geometry_of(&strip->shape), .move = tile_strip_move, .self = strip};
    }
    writing->arrays[0] = (struct snapshot_array){writing->places, sizeof(int64_t)};
    writing->arrays[1] = (struct snapshot_array){writing->nodes.at, sizeof(uint32_t)};
    if (add_array(writing, TILE_PLACES, &shape, &writing->arrays[0], error) != 0)
        return error->status;
    const struct engine_shape squares = tile_nodes_shape(writing->nodes.count);
    return writing->nodes.at ? add_array(writing, TILE_NODES, &squares, &writing->arrays[1], error) : 0;
}

static void describe(struct snapshot_writing *writing, const struct state *state)
{
    const struct plan *plan = state->plan;
    struct snapshot_header *header = &writing->header;
    if (gethostname(writing->host, sizeof writing->host - 1) != 0)
        writing->host[0] = '\0';
    header->engine = machine_version();
    header->host = writing->host;
    header->device = plan->device->name;
    header->plugin = plan->plugin->about.name;
    header->plugin_version = plan->plugin->about.version;
    header->implementation = plan->impl->name;
    plan_header_text(plan, "rule", writing->rule);
    header->rule = writing->rule;
    header->config = writing->config;
    header->extra = writing->extra;
    header->step = state->step;
    header->seed = plan->settings.seed;
    memcpy(header->box, state->for_plugin.box, sizeof header->box);
}

static int prepare(struct snapshot_writing *writing, struct state *state, const char *extra, const char *name,
                   bool by_pieces, struct engine_error *error)
{
    writing->name = strdup(name);
    writing->extra = strdup(extra ? extra : "");
    if (!writing->name || !writing->extra)
        return error_memory(error, strlen(name), "a snapshot");
    if (plan_config(state->plan, &writing->config, error) != 0)
        return error->status;
    describe(writing, state);
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (plan_is_saved(&state->plan->fields[i]) && add_field(writing, state, i, by_pieces, error) != 0)
            return error->status;
    if (!state_tiles(state))
        return 0;
    return tile_places_make(state, &writing->places, &writing->tiles, &writing->nodes, error) != 0
               ? error->status
               : add_tiles(writing, state, error);
}

/* Threads of libgomp end by pthread_exit. Its first call loads libgcc_s, and aborts the program where it cannot. This
 * loads libgcc_s early, while an error can still be reported. */
static int load_unwinder(struct engine_error *error)
{
    void *frame;
    if (backtrace(&frame, 1) == 1)
        return 0;
    return error_set(error, ENGINE_STATUS_DEVICE,
                     "libgcc_s.so.1 cannot be loaded; check that it is installed and that there is enough memory");
}

/* Signals are left to the caller's thread. */
static int start_thread(struct snapshot_writing *writing, struct engine_error *error)
{
    sigset_t all, before;
    if (load_unwinder(error) != 0)
        return error->status;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(&writing->thread, NULL, write_file, writing);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    writing->started = code == 0;
    return code == 0 ? 0
                     : error_set(error, ENGINE_STATUS_DEVICE, "%s/%s: no thread can be started to write it: %s",
                                 writing->folder->path, writing->name, strerror(code));
}

int snapshot_start(struct instance *instance, const char *extra, const struct folder *folder, const char *name,
                   bool compressed, struct snapshot_writing **out, struct engine_error *error)
{
    const bool by_pieces = snapshot_goes_by_pieces(instance->state);
    struct snapshot_writing *writing = calloc(1, sizeof *writing);
    *out = NULL;
    if (!writing)
        return error_memory(error, sizeof *writing, "a snapshot");
    writing->folder = folder;
    writing->compression = compressed ? SNAPSHOT_DEFLATE : SNAPSHOT_STORE;
    if (prepare(writing, instance->state, extra, name, by_pieces, error) != 0 ||
        (!by_pieces && start_thread(writing, error) != 0)) {
        release(writing);
        return error->status;
    }
    if (by_pieces) {
        writing->threads = instance->state->plan->for_plugin.threads;
        write_to(writing, instance->state);
    }
    *out = writing;
    return 0;
}

bool snapshot_is_done(const struct snapshot_writing *writing)
{
    return atomic_load(&writing->done);
}

int snapshot_finish(struct snapshot_writing *writing, struct engine_error *error)
{
    if (writing->started)
        pthread_join(writing->thread, NULL);
    const int status = writing->error.status;
    if (status != 0)
        *error = writing->error;
    release(writing);
    return status;
}
