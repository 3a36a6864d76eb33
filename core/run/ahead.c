#include "run/ahead.h"
#include "plan/source.h"
#include "run/init.h"
#include "run/init_field.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t frame_bytes_max = (uint64_t) 128 << 20;

/* The inputs of a frame, in host memory. There are two, because the copy of one to the device may still be under way
 * when the thread begins to fill the other. */
struct frame {
    void *memory[PLAN_FIELDS_MAX]; /* NULL: the field has no frames */
};

enum task { NO_TASK, READ_TASK, END_TASK };

struct ahead {
    struct state *state;
    struct frame frame[2];
    char *held, *piece; /* INIT_PIECE elements, as in the file and as in the field */
    pthread_t thread;
    bool started;

    /* Changed by the thread only between READ_TASK and NO_TASK: */
    uint64_t step; /* that uses the frame which was read last */
    bool moved;    /* the files are at this frame */
    struct engine_error error;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum task task;
};

/* ---- Reading a frame, in the thread --------------------------------------------------------------------------- */

static int read_field(const struct ahead *ahead, uint32_t field, void *memory, struct engine_error *error)
{
    const struct plan *plan = ahead->state->plan;
    const struct geometry *geometry = &plan->fields[field].geometry[ahead->step % 2];
    const uint64_t count = source_elements(plan, field);
    for (uint64_t begin = 0; begin < count; begin += INIT_PIECE) {
        const uint64_t n = count - begin < INIT_PIECE ? count - begin : INIT_PIECE;
        if (source_read(plan, field, geometry->shape.type, begin, n, ahead->held, ahead->piece, error) != 0)
            return error->status;
        geometry_write(geometry, memory, begin, n, ahead->piece);
    }
    return 0;
}

static void read_frame(struct ahead *ahead)
{
    const struct frame *frame = &ahead->frame[ahead->step % 2];
    ahead->error.status = 0;
    ahead->moved = source_next_frame(ahead->state->plan, 1, &ahead->error) == 0;
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX && ahead->error.status == 0; i++)
        if (frame->memory[i])
            read_field(ahead, i, frame->memory[i], &ahead->error);
}

static void *work(void *argument)
{
    struct ahead *ahead = argument;
    pthread_mutex_lock(&ahead->lock);
    while (ahead->task != END_TASK) {
        if (ahead->task == NO_TASK) {
            pthread_cond_wait(&ahead->changed, &ahead->lock);
            continue;
        }
        pthread_mutex_unlock(&ahead->lock);
        read_frame(ahead);
        pthread_mutex_lock(&ahead->lock);
        ahead->task = ahead->task == END_TASK ? END_TASK : NO_TASK;
        pthread_cond_signal(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* ---- The thread ------------------------------------------------------------------------------------------------- */

static void give(struct ahead *ahead, enum task task)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->task = task;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

/* Begins to read the frame that a step uses. Without a thread, it is read at once. */
static void begin_frame(struct ahead *ahead, uint64_t step)
{
    ahead->step = step;
    if (ahead->started)
        give(ahead, READ_TASK);
    else
        read_frame(ahead);
}

static void wait_for_frame(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->task == READ_TASK)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
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

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

static bool is_possible(const struct state *state)
{
    uint64_t bytes = 0, count;
    for (uint32_t i = 0; i < init_fields(state); i++) {
        const struct plan_field *field = &state->plan->fields[i];
        if (!source_has_frames(state->plan, i))
            continue;
        bytes += field->bytes;
        if (field->geometry[0].layout.pack || !shape_elements(&field->geometry[0].shape, &count) ||
            count != source_elements(state->plan, i))
            return false;
    }
    return !state->parts && bytes <= frame_bytes_max;
}

static int allocate(struct ahead *ahead, struct engine_error *error)
{
    const struct plan *plan = ahead->state->plan;
    ahead->held = malloc((uint64_t) INIT_PIECE * 16);
    ahead->piece = malloc((uint64_t) INIT_PIECE * 16);
    if (!ahead->held || !ahead->piece)
        return error_memory(error, (uint64_t) INIT_PIECE * 16, "a frame");
    for (uint32_t i = 0; i < 2 * init_fields(ahead->state); i++) {
        void **memory = &ahead->frame[i % 2].memory[i / 2];
        const uint64_t bytes = plan->fields[i / 2].bytes;
        if (!source_has_frames(plan, i / 2))
            continue;
        if (plan->device->allocate_host(plan->device, bytes, memory, error) != 0)
            return error->status;
        memset(*memory, 0, bytes); /* padding is copied too */
    }
    return 0;
}

void ahead_close(struct ahead *ahead)
{
    if (!ahead)
        return;
    struct device *device = ahead->state->plan->device;
    if (ahead->started) {
        give(ahead, END_TASK);
        pthread_join(ahead->thread, NULL);
    }
    for (uint32_t i = 0; i < 2 * PLAN_FIELDS_MAX; i++)
        if (ahead->frame[i % 2].memory[i / 2])
            device->release_host(device, ahead->frame[i % 2].memory[i / 2]);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->held);
    free(ahead->piece);
    free(ahead);
}

static int open_ahead(struct state *state, struct ahead **out, struct engine_error *error)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return error_memory(error, sizeof *ahead, "reading ahead");
    ahead->state = state;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    if (allocate(ahead, error) != 0) {
        ahead_close(ahead);
        return error->status;
    }
    start_thread(ahead);
    *out = ahead;
    return 0;
}

/* ---- The next frame --------------------------------------------------------------------------------------------- */

static int copy_fields(const struct ahead *ahead, const struct frame *frame, struct engine_error *error)
{
    const struct plan *plan = ahead->state->plan;
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        if (frame->memory[i] && plan->device->upload(plan->device, state_buffer(ahead->state, i), frame->memory[i],
                                                     plan->fields[i].bytes, error) != 0)
            return error->status;
    return 0;
}

int ahead_next_frame(struct ahead **own, struct state *state, struct engine_error *error)
{
    if (!*own && !is_possible(state))
        return init_next_frame(state, 1, error);
    if (!*own && open_ahead(state, own, error) != 0)
        return error->status;
    struct ahead *ahead = *own;
    if (ahead->step != state->step)
        begin_frame(ahead, state->step);
    wait_for_frame(ahead);
    const struct engine_error failed = ahead->error;
    const bool moved = ahead->moved;
    if (moved && init_change_box(state, error) != 0)
        return error->status;
    if (failed.status != 0) {
        *error = failed;
        return error->status;
    }
    const struct frame *frame = &ahead->frame[state->step % 2];
    if (state->step + 1 < state->plan->frames)
        begin_frame(ahead, state->step + 1);
    return copy_fields(ahead, frame, error);
}
