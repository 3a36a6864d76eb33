#include "parts/stepper_recorded.h"

#include <stdlib.h>

enum { RECORDINGS_MAX = 8, LAUNCHES = 256 };

/* The launches that one call of advance enqueues, recorded so that they can be replayed. They depend only on steps,
 * place and parity. */
struct recording {
    uint64_t steps;
    struct stepper_place before, after;
    uint32_t parity; /* of the first step */
    uint32_t seen;   /* the number of such calls so far */
    void *handle;    /* the device's; NULL: not recorded yet */
};

struct recorded {
    struct stepper stepper;
    struct stepper *inner;
    struct recording recordings[RECORDINGS_MAX];
};

static struct recorded *recorded_of(struct stepper *stepper)
{
    return (struct recorded *) stepper;
}

static struct device *device_of(const struct stepper *stepper)
{
    return stepper->state->plan->device;
}

static void forget_all(struct recorded *recorded)
{
    struct device *device = device_of(&recorded->stepper);
    for (int i = 0; i < RECORDINGS_MAX; i++) {
        if (recorded->recordings[i].handle)
            device->forget(device, recorded->recordings[i].handle);
        recorded->recordings[i] = (struct recording){.seen = 0};
    }
}

/* ---- Recording and replaying ------------------------------------------------------------------------------------ */

bool stepper_recorded_wanted(const struct plan *plan)
{
    return plan->impl->flags & ENGINE_ENQUEUES && !plan->impl->settle && plan->device->record_begin;
}

bool recording_is_possible(const struct stepper *inner)
{
    const struct stepper_recording *recording = inner->table->recording;
    return stepper_recorded_wanted(inner->state->plan) && recording && recording->possible(inner);
}

/* The first device makes the recordings. The others follow it, or it follows them. */
static int gather(const struct stepper *inner, bool before, struct engine_error *error)
{
    const struct stepper_recording *recording = inner->table->recording;
    return recording->gather ? recording->gather(inner, before, error) : 0;
}

int recording_end(const struct stepper *inner, int status, void **handle, struct engine_error *error)
{
    struct device *device = device_of(inner);
    struct engine_error ignored;
    if (status == 0)
        status = gather(inner, true, error);
    const int ended = device->record_end(device, handle, status ? &ignored : error);
    return status ? status : ended;
}

int recording_begin(const struct stepper *inner, struct engine_error *error)
{
    struct device *device = device_of(inner);
    void *none;
    if (gather(inner, true, error) != 0 || device->record_begin(device, error) != 0)
        return error->status;
    return gather(inner, false, error) == 0 ? 0 : recording_end(inner, error->status, &none, error);
}

int recording_replay(const struct stepper *inner, void *handle, struct engine_error *error)
{
    struct device *device = device_of(inner);
    if (gather(inner, true, error) != 0 || device->replay(device, handle, error) != 0 ||
        gather(inner, false, error) != 0)
        return error->status;
    return 0;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

static bool same(struct stepper_place a, struct stepper_place b)
{
    return a.buffers == b.buffers && a.phase == b.phase;
}

/* Finds the entry for such a call, or a new one that replaces the least used. */
static struct recording *find_recording(struct recorded *recorded, uint64_t steps)
{
    const struct stepper *inner = recorded->inner;
    const struct stepper_place place = inner->table->recording->place(inner);
    const uint32_t parity = inner->state->step % 2;
    struct recording *least = &recorded->recordings[0];
    for (int i = 0; i < RECORDINGS_MAX; i++) {
        struct recording *entry = &recorded->recordings[i];
        if (entry->seen && entry->steps == steps && same(entry->before, place) && entry->parity == parity)
            return entry;
        least = entry->seen < least->seen ? entry : least;
    }
    if (least->handle)
        device_of(inner)->forget(device_of(inner), least->handle);
    *least = (struct recording){.steps = steps, .before = place, .parity = parity};
    return least;
}

static void keep_up(struct stepper *inner, uint64_t steps)
{
    if (inner->table->recording->keep_up)
        inner->table->recording->keep_up(inner, steps);
}

/* Records what a call enqueues. The state is then as if the call had been made; after an error it is as before. */
static int record(struct stepper *inner, struct recording *entry, bool *lost, struct engine_error *error)
{
    const uint64_t first = inner->state->step;
    if (recording_begin(inner, error) != 0)
        return error->status;
    const int status = inner->table->advance(inner, entry->steps, lost, error);
    entry->after = inner->table->recording->place(inner);
    if (recording_end(inner, status, &entry->handle, error) == 0)
        return 0;
    inner->table->recording->go(inner, entry->before);
    inner->state->step = first;
    keep_up(inner, entry->steps);
    return error->status;
}

static int take(struct recorded *recorded, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct stepper *inner = recorded->inner;
    struct state *state = inner->state;
    if (state->fresh) /* what the plugin derives from a changed state or input may be part of them */
        forget_all(recorded);
    struct recording *entry = find_recording(recorded, steps);
    if (entry->seen++ == 0 || state->fresh)
        return inner->table->advance(inner, steps, lost, error);
    if (!entry->handle)
        return record(inner, entry, lost, error) != 0 ? error->status : recording_replay(inner, entry->handle, error);
    if (recording_replay(inner, entry->handle, error) != 0)
        return error->status;
    inner->table->recording->go(inner, entry->after);
    state->step += steps;
    return 0;
}

/* The most steps of a recorded call: it has some hundred launches, so that the cost of a replay does not matter. */
static uint64_t most_recorded(const struct stepper *inner)
{
    const struct plan *plan = inner->state->plan;
    const uint64_t preferred = plan->impl->batch ? plan->impl->batch : 1;
    uint64_t launches, multiple;
    inner->table->recording->size(inner, &launches, &multiple);
    const uint64_t most = (launches < LAUNCHES ? LAUNCHES / launches : 1) * preferred;
    /* Margins last for a step at least. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    return multiple < most ? most / multiple * multiple : multiple;
}

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct recorded *recorded = recorded_of(stepper);
    struct stepper *inner = recorded->inner;
    if (!recording_is_possible(inner))
        return inner->table->advance(inner, steps, lost, error);
    const uint64_t most = most_recorded(inner);
    for (uint64_t n; steps > 0; steps -= n) {
        n = steps < most ? steps : most;
        if (take(recorded, n, lost, error) != 0) {
            keep_up(inner, steps - n);
            return error->status;
        }
    }
    return 0;
}

/* ---- What the inner one does -------------------------------------------------------------------------------------- */

static int create(struct stepper *stepper, struct engine_error *error)
{
    struct stepper *inner = recorded_of(stepper)->inner;
    return inner->table->create(inner, error);
}

static void destroy(struct stepper *stepper)
{
    struct recorded *recorded = recorded_of(stepper);
    forget_all(recorded);
    recorded->inner->table->destroy(recorded->inner);
}

static void close(struct stepper *stepper)
{
    struct stepper *inner = recorded_of(stepper)->inner;
    inner->table->close(inner);
    free(stepper);
}

static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    struct stepper *inner = recorded_of(stepper)->inner;
    return inner->table->measure(inner, values, error);
}

static struct host *host(struct stepper *stepper)
{
    struct stepper *inner = recorded_of(stepper)->inner;
    return inner->table->host(inner);
}

static int advise(struct stepper *stepper, uint64_t steps, char *text, uint64_t size, struct engine_error *error)
{
    struct stepper *inner = recorded_of(stepper)->inner;
    *text = '\0';
    return inner->table->advise ? inner->table->advise(inner, steps, text, size, error) : 0;
}

static int time_exchange(struct stepper *stepper, double *seconds, struct engine_error *error)
{
    struct stepper *inner = recorded_of(stepper)->inner;
    *seconds = 0;
    return inner->table->time_exchange ? inner->table->time_exchange(inner, seconds, error) : 0;
}

static const struct stepper_table table = {
    .create = create,
    .destroy = destroy,
    .close = close,
    .advance = advance,
    .measure = measure,
    .host = host,
    .advise = advise,
    .time_exchange = time_exchange,
};

int stepper_recorded_open(struct stepper *inner, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct recorded), &table, inner->state, error);
    if (!*out) {
        inner->table->close(inner);
        return error->status;
    }
    ((struct recorded *) *out)->inner = inner;
    return 0;
}
