#include "run/snapshot.h"
#include "base/machine.h"
#include "base/numeric.h"
#include "io/replace.h"
#include "memory/devices.h"
#include "run/state_hash.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
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

/* A field of a state, whose elements are moved piece by piece. */
struct snapshot_field {
    struct state *state;
    uint32_t index;
};

struct snapshot_writing {
    pthread_t thread;
    const struct folder *folder;
    char *name, *config, *extra;
    char host[256];
    struct snapshot_header header;
    struct snapshot_cells cells[IO_ARRAYS_MAX];  /* copies */
    struct snapshot_field fields[IO_ARRAYS_MAX]; /* where there are no copies */
    enum snapshot_compression compression;
    uint32_t threads;
    bool started; /* the thread */
    struct engine_error error;
    atomic_bool done;
};

struct snapshot {
    char *path;
    struct snapshot_file *file;
};

/* ---- Writing ------------------------------------------------------------------------------------------------ */

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
    free(writing->name);
    free(writing->config);
    free(writing->extra);
    free(writing);
}

static int move_field(void *self, uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error)
{
    const struct snapshot_field *field = self;
    return out ? state_read(field->state, field->index, begin, count, out, error)
               : state_write(field->state, field->index, begin, count, in, error);
}

/* Is there no host memory for the fields that a snapshot saves? Process 0 of several never takes memory for the whole.
 * */
static bool goes_by_pieces(const struct state *state)
{
    struct device *host = devices_host(state->plan->context);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        bytes += plan_is_saved(&state->plan->fields[i]) ? state->plan->fields[i].bytes : 0;
    return state->ranks || bytes > host->available(host);
}

static void write_to(struct snapshot_writing *writing)
{
    struct engine_error *error = &writing->error;
    struct replacement new;
    int status = replace_begin(writing->folder, writing->name, &new, error);
    if (status == 0) {
        status = snapshot_file_write(new.file, &writing->header, writing->cells, writing->compression, writing->threads,
                                     error);
        status = replace_finish(&new, writing->name, true, status, error);
    }
    if (status != 0)
        error_prefix(error, "%s/%s: ", writing->folder->path, writing->name);
    atomic_store(&writing->done, true);
}

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
    write_to(writing);
    numeric_end(&before);
    return NULL;
}

static int copy_field(const struct state *state, uint32_t index, struct snapshot_cells *cells,
                      struct engine_error *error)
{
    cells->memory = allocate(cells->geometry.bytes);
    if (!cells->memory) {
        error_memory(error, cells->geometry.bytes, "a copy of the state");
        return error_prefix(error, "a snapshot of field %s: ", state->plan->fields[index].about->name);
    }
    return state_copy_out(state, index, cells->memory, error);
}

static int add_field(struct snapshot_writing *writing, struct state *state, uint32_t index, bool by_pieces,
                     struct engine_error *error)
{
    const struct engine_field *about = state->plan->fields[index].about;
    struct snapshot_header *header = &writing->header;
    const uint32_t at = header->count++;
    struct io_array *field = &header->fields[at];
    writing->fields[at] = (struct snapshot_field){state, index};
    writing->cells[at] = (struct snapshot_cells){
        .geometry = *state_geometry(state, index), .move = move_field, .self = &writing->fields[at]};
    *field = (struct io_array){
        .values = about->values, .bins = about->kind == ENGINE_BINS, .shape = writing->cells[at].geometry.shape};
    snprintf(field->name, sizeof field->name, "%s", about->name);
    header->roles[at] = about->role;
    return by_pieces ? 0 : copy_field(state, index, &writing->cells[at], error);
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
    header->rule = plan_header_text(plan, "rule");
    header->config = writing->config;
    header->extra = writing->extra;
    header->step = state->step;
    header->seed = plan->settings.seed;
    memcpy(header->box, plan->for_plugin.box, sizeof header->box);
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
    return 0;
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
    const bool by_pieces = goes_by_pieces(instance->state);
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
        write_to(writing);
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

/* ---- Reading ------------------------------------------------------------------------------------------------ */

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

/* The snapshot's field of that name, or -1. */
static int field_named(const struct snapshot_header *header, const char *name)
{
    for (uint32_t i = 0; i < header->count; i++)
        if (strcmp(header->fields[i].name, name) == 0)
            return (int) i;
    return -1;
}

static int check_field(const struct snapshot *snapshot, const struct state *state, uint32_t index,
                       struct engine_error *error)
{
    const struct engine_field *about = state->plan->fields[index].about;
    const struct engine_shape *wanted = &state_geometry(state, index)->shape, *held;
    const int found = field_named(snapshot_header(snapshot), about->name);
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

/* Reads a field into host memory and copies it to the state, or moves it there piece by piece. */
static int restore_field(struct snapshot *snapshot, struct state *state, uint32_t index, struct engine_error *error)
{
    struct device *host = devices_host(state->plan->context);
    const struct snapshot_header *header = snapshot_header(snapshot);
    const int found = field_named(header, state->plan->fields[index].about->name);
    const uint32_t threads = state->plan->for_plugin.threads;
    struct snapshot_field field = {state, index};
    struct snapshot_cells cells = {.geometry = *state_geometry(state, index), .move = move_field, .self = &field};
    if (found < 0)
        return 0;
    if (goes_by_pieces(state))
        return snapshot_file_read(snapshot->file, (uint32_t) found, &cells, threads, error);
    if (host->allocate(host, cells.geometry.bytes, &cells.memory, error) != 0)
        return error->status;
    int status = snapshot_file_read(snapshot->file, (uint32_t) found, &cells, threads, error);
    if (status == 0)
        status = state_copy_in(state, index, cells.memory, error);
    host->release(host, cells.memory, cells.geometry.bytes);
    return status;
}

static int check_hash(const struct snapshot *snapshot, const struct state *state, struct engine_error *error)
{
    char hash[HASH_TEXT];
    if (state_hash(state, hash, error) != 0)
        return error->status;
    const char *wanted = snapshot_header(snapshot)->hash;
    return strcmp(hash, wanted) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_INPUT,
                           "%s: the state that was read has the hash %s, expected %s; use an older file",
                           snapshot->path, hash, wanted);
}

static int read_fields(struct snapshot *snapshot, struct state *state, struct engine_error *error)
{
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (plan_is_saved(&state->plan->fields[i]) && restore_field(snapshot, state, i, error) != 0)
            return error->status;
    return check_hash(snapshot, state, error);
}

int snapshot_restore(struct snapshot *snapshot, struct state *state, bool *damaged, struct engine_error *error)
{
    if (damaged)
        *damaged = false;
    state->step = snapshot_header(snapshot)->step;
    state->current = 0;
    state_update_views(state);
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count; i++)
        if (plan_is_saved(&state->plan->fields[i]) && check_field(snapshot, state, i, error) != 0)
            return error->status;
    const int status = read_fields(snapshot, state, error);
    if (damaged)
        *damaged = status == ENGINE_STATUS_INPUT && !snapshot_file_is_unreadable(snapshot->file);
    return status;
}
