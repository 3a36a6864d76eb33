#include "files/ahead.h"
#include "files/init_files.h"
#include "run/init_field.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t bytes_max = (uint64_t) 128 << 20;
enum { PLACES_MAX = 16 };

/* The inputs of a frame, in host memory. */
struct frame {
    void *memory[PLAN_FIELDS_MAX]; /* NULL: the field has no frames */
    double box[6];
    bool has_box, moved; /* moved: the files have such a frame */
    struct engine_error error;
};

/* The frame that step s uses is in place s % places. Places [used, read) are full:
 *
 *     used         the present frame, whose copy to the device may still be under way. If calls of the plugin overlap,
 *                  the frame before it, and then the present one
 *     …            frames that the thread has read
 *     read         the frame that the thread reads now
 *
 * To wake a thread takes long, so the caller does it only when half of the places are empty. */
struct ahead {
    struct state *state;
    uint32_t places;
    struct frame frame[PLACES_MAX];
    bool overlaps;                    /* calls of the plugin do: then frames are copied to the device beside them */
    void *staged[2][PLAN_FIELDS_MAX]; /* memory of the device, for even and odd steps; NULL: copies go to the buffers */
    char *held, *piece;               /* INIT_PIECE elements, as in the file and as in the field */
    pthread_t thread;
    bool started;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t room, news;
    uint64_t used, read;
    bool sleeps, waits; /* the thread, until there is room; the caller, until there is a frame */
    bool ends;
};

/* ---- Reading a frame, in the thread --------------------------------------------------------------------------- */

/* Do elements lie in the buffer as in the canonical array? */
static bool is_dense(const struct geometry *geometry)
{
    return geometry_is_one_row(geometry) && geometry_slab_arrays(geometry) == 1 &&
           geometry_cell_pitch(geometry) == geometry->shape.components * geometry->element_bytes;
}

static int read_field(const struct ahead *ahead, uint32_t field, uint64_t step, void *memory,
                      struct engine_error *error)
{
    const struct plan *plan = ahead->state->plan;
    const struct geometry *geometry = &plan->fields[field].geometry[step % 2];
    const uint64_t count = source_elements(plan, field), components = geometry->shape.components;
    const uint64_t most = components < INIT_PIECE ? INIT_PIECE / components * components : INIT_PIECE;
    char *dense = is_dense(geometry) ? (char *) memory + geometry->origin : NULL;
    for (uint64_t begin = 0; begin < count; begin += most) {
        const uint64_t n = count - begin < most ? count - begin : most;
        char *piece = dense ? dense + begin * geometry->element_bytes : ahead->piece;
        if (source_read(plan, field, geometry->shape.type, begin, n, ahead->held, piece, error) != 0)
            return error->status;
        if (!dense)
            geometry_write(geometry, memory, begin, n, piece);
    }
    return 0;
}

static void keep_box(struct frame *frame, const double *box)
{
    frame->has_box = box != NULL;
    if (box)
        memcpy(frame->box, box, sizeof frame->box);
}

static void read_frame(struct ahead *ahead, uint64_t step)
{
    const struct plan *plan = ahead->state->plan;
    struct frame *frame = &ahead->frame[step % ahead->places];
    frame->error.status = 0;
    frame->moved = source_next_frame(plan, 1, &frame->error) == 0;
    if (frame->moved)
        keep_box(frame, source_box(plan));
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX && frame->error.status == 0; i++)
        if (frame->memory[i])
            read_field(ahead, i, step, frame->memory[i], &frame->error);
}

/* Is there a frame to read, and room for it? After an error no frame follows. */
static bool may_read(const struct ahead *ahead)
{
    const bool failed = ahead->read > ahead->used && ahead->frame[(ahead->read - 1) % ahead->places].error.status != 0;
    return !failed && ahead->read < ahead->used + ahead->places && ahead->read < ahead->state->plan->frames;
}

static void sleep_until_room(struct ahead *ahead)
{
    ahead->sleeps = true;
    pthread_cond_wait(&ahead->room, &ahead->lock);
    ahead->sleeps = false;
}

static void *work(void *argument)
{
    struct ahead *ahead = argument;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ends) {
        if (!may_read(ahead)) {
            sleep_until_room(ahead);
            continue;
        }
        pthread_mutex_unlock(&ahead->lock);
        read_frame(ahead, ahead->read); /* which this thread alone changes */
        pthread_mutex_lock(&ahead->lock);
        ahead->read++;
        if (ahead->waits)
            pthread_cond_signal(&ahead->news);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* ---- The caller's side ------------------------------------------------------------------------------------------ */

/* Frees the places of earlier frames, and waits for the frame that a step uses. Without a thread, reads it. */
static const struct frame *take_frame(struct ahead *ahead, uint64_t step)
{
    pthread_mutex_lock(&ahead->lock);
    if (!ahead->overlaps || step > ahead->used)
        ahead->used = step - ahead->overlaps;
    if (ahead->sleeps && ahead->read - step <= ahead->places / 2)
        pthread_cond_signal(&ahead->room);
    ahead->waits = true;
    while (ahead->started && ahead->read <= step)
        pthread_cond_wait(&ahead->news, &ahead->lock);
    ahead->waits = false;
    pthread_mutex_unlock(&ahead->lock);
    if (!ahead->started)
        read_frame(ahead, step);
    return &ahead->frame[step % ahead->places];
}

static void end_thread(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->ends = true;
    pthread_cond_signal(&ahead->room);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
}

/* Signals are left to the caller's thread. */
static void start_thread(struct ahead *ahead)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ahead->started = pthread_create(&ahead->thread, NULL, work, ahead) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* With a stage, the device copies a frame to there while it still uses the buffer for the frame before. The copy from there
 * to the buffer takes little time. */
static int copy_field(const struct ahead *ahead, uint32_t field, const void *host, struct engine_error *error)
{
    struct device *device = ahead->state->plan->device;
    void *stage = ahead->staged[ahead->state->step % 2][field], *buffer = state_buffer(ahead->state, field);
    const uint64_t bytes = ahead->state->plan->fields[field].bytes;
    return stage ? device->upload_beside(device, buffer, stage, host, bytes, error)
                 : device->upload(device, buffer, host, bytes, 1, error);
}

static int copy_fields(const struct ahead *ahead, const struct frame *frame, struct engine_error *error)
{
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        if (frame->memory[i] && copy_field(ahead, i, frame->memory[i], error) != 0)
            return error->status;
    return 0;
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

/* The number of frames that there is room for: 0 for states and frames that cannot be read ahead. */
static uint32_t places_for(const struct state *state)
{
    uint64_t bytes = 1, count;
    for (uint32_t i = 0; i < init_fields(state); i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (!source_has_frames(state->plan, i))
            continue;
        bytes += field->bytes;
        if (field->geometry[0].layout.pack || !shape_elements(&field->geometry[0].shape, &count) ||
            count != source_elements(state->plan, i))
            return 0;
    }
    const uint64_t places = bytes_max / bytes;
    return state->store != &store_whole || places < 2 ? 0 : places < PLACES_MAX ? (uint32_t) places : PLACES_MAX;
}

static int allocate_frame(struct ahead *ahead, struct frame *frame, struct engine_error *error)
{
    const struct plan *plan = ahead->state->plan;
    for (uint32_t i = 0; i < init_fields(ahead->state); i++) {
        if (!source_has_frames(plan, i))
            continue;
        if (plan->device->allocate_host(plan->device, plan->fields[i].bytes, &frame->memory[i], error) != 0)
            return error->status;
        memset(frame->memory[i], 0, plan->fields[i].bytes); /* padding is copied too */
    }
    return 0;
}

static void release_stages(struct ahead *ahead)
{
    const struct plan *plan = ahead->state->plan;
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        for (int odd = 0; odd < 2; odd++) {
            if (ahead->staged[odd][i])
                plan->device->release(plan->device, ahead->staged[odd][i], plan->fields[i].bytes);
            ahead->staged[odd][i] = NULL;
        }
}

/* Without memory for them, frames are copied to the buffers after the call before. upload_beside does not wait until
 * the device has cleared the memory. */
static int allocate_stages(struct ahead *ahead, struct engine_error *error)
{
    const struct plan *plan = ahead->state->plan;
    struct engine_error ignored;
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        for (int odd = 0; odd < 2 && ahead->frame[0].memory[i]; odd++)
            if (plan->device->allocate(plan->device, plan->fields[i].bytes, &ahead->staged[odd][i], &ignored) != 0) {
                release_stages(ahead);
                return 0;
            }
    return plan->device->synchronise(plan->device, error);
}

static int allocate(struct ahead *ahead, struct engine_error *error)
{
    const uint64_t bytes = (uint64_t) INIT_PIECE * 16;
    ahead->held = malloc(bytes);
    ahead->piece = malloc(bytes);
    if (!ahead->held || !ahead->piece)
        return error_memory(error, bytes, "a frame");
    for (uint32_t i = 0; i < ahead->places; i++)
        if (allocate_frame(ahead, &ahead->frame[i], error) != 0)
            return error->status;
    return ahead->overlaps && ahead->state->plan->device->upload_beside ? allocate_stages(ahead, error) : 0;
}

static void release(struct ahead *ahead)
{
    const struct plan *plan = ahead->state->plan;
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        for (uint32_t k = 0; k < PLACES_MAX; k++)
            if (ahead->frame[k].memory[i])
                plan->device->release_host(plan->device, ahead->frame[k].memory[i]);
    release_stages(ahead);
}

static void close_ahead(struct ahead *ahead)
{
    if (ahead->started)
        end_thread(ahead);
    release(ahead);
    pthread_cond_destroy(&ahead->room);
    pthread_cond_destroy(&ahead->news);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->held);
    free(ahead->piece);
    free(ahead);
}

static int open_ahead(struct state *state, uint32_t places, bool overlaps, struct ahead **out,
                      struct engine_error *error)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return error_memory(error, sizeof *ahead, "reading ahead");
    ahead->state = state;
    ahead->places = places;
    ahead->overlaps = overlaps;
    ahead->used = ahead->read = state->step;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->room, NULL);
    pthread_cond_init(&ahead->news, NULL);
    if (allocate(ahead, error) != 0) {
        close_ahead(ahead);
        return error->status;
    }
    start_thread(ahead);
    *out = ahead;
    return 0;
}

/* ---- The next frame --------------------------------------------------------------------------------------------- */

int ahead_next_frame(struct state *state, bool overlaps, struct engine_error *error)
{
    struct ahead *ahead = state->frames;
    const uint32_t places = ahead ? ahead->places : places_for(state);
    if (places == 0)
        return init_next_frame(state, 1, error);
    if (!ahead && open_ahead(state, places, overlaps, &ahead, error) != 0)
        return error->status;
    state->frames = ahead;
    const struct frame *frame = take_frame(ahead, state->step);
    if (frame->moved && init_change_box(state, frame->has_box ? frame->box : NULL, error) != 0)
        return error->status;
    if (frame->error.status != 0) {
        *error = frame->error;
        return error->status;
    }
    return copy_fields(ahead, frame, error);
}

void ahead_end(struct state *state)
{
    if (state->frames)
        close_ahead(state->frames);
    state->frames = NULL;
}
