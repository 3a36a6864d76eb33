#include "files/file_frames.h"
#include "base/thread_pool.h"
#include "base/type.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { SLOTS_MAX = 256 };
static const uint64_t bank_bytes_max = (uint64_t) 128 << 20; /* memory for the frames of a bank */

/* The decoded arrays of a frame. */
struct slot {
    void *array[IO_ARRAYS_MAX];
    bool there[IO_ARRAYS_MAX];
};

/* Slot k holds frame first + k every. */
struct bank {
    struct file_frames *frames;
    uint64_t first, every;
    uint32_t slots; /* that hold frames */
    uint32_t made;  /* slots that have held frames, whose arrays are kept */
    bool wanted[IO_ARRAYS_MAX];
    struct slot slot[SLOTS_MAX];
};

struct file_frames {
    struct open_file *file;
    const struct io_document *document;
    bool wanted[IO_ARRAYS_MAX];
    struct bank bank[2];
    uint32_t used; /* the bank of the present frame; a thread may fill the other one */
    struct thread_pool *pool;
    pthread_t thread;
    bool started;
};

int file_ask(struct open_file *file, uint64_t frame, uint32_t array, uint64_t begin, uint64_t count, void *out,
             struct engine_error *error)
{
    struct file_call call;
    file_enter(&call, file, "read", error);
    return file_leave(&call, "read",
                      file->format->about->read(&call.table, file->self, frame, array, begin, count, out));
}

/* ---- A bank ------------------------------------------------------------------------------------------------- */

static struct slot *slot_of(struct bank *bank, uint64_t frame)
{
    const uint64_t past = frame - bank->first;
    if (bank->slots == 0 || frame < bank->first || past % bank->every != 0 || past / bank->every >= bank->slots)
        return NULL;
    return &bank->slot[past / bank->every];
}

/* Decodes the wanted arrays of a frame. An error is found again when the frame is asked for. */
static void decode_slot(void *argument, uint64_t index)
{
    struct bank *bank = argument;
    const struct io_document *document = bank->frames->document;
    struct slot *slot = &bank->slot[index];
    struct engine_error ignored = {0};
    for (uint32_t i = 0; i < document->count; i++) {
        uint64_t elements = 0, bytes = 0;
        shape_elements(&document->arrays[i].shape, &elements);
        shape_bytes(&document->arrays[i].shape, &bytes);
        slot->there[i] = false;
        if (!bank->wanted[i])
            continue;
        if (slot->array[i] == NULL)
            slot->array[i] = malloc(bytes);
        slot->there[i] = slot->array[i] != NULL && file_ask(bank->frames->file, bank->first + index * bank->every, i, 0,
                                                            elements, slot->array[i], &ignored) == 0;
    }
}

static void *fill(void *argument)
{
    struct bank *bank = argument;
    thread_pool_run(bank->frames->pool, bank->slots, bank->slots, decode_slot, bank);
    return NULL;
}

/* The number of frames that are decoded at the same time: one, unless the frames are read one after the other. */
static uint32_t slots_for(const struct file_frames *frames, const struct file_place *place, uint64_t first)
{
    const uint32_t most = frames->document->threads;
    const uint64_t threads = most > 0 ? most : (uint64_t) omp_get_num_procs(),
                   every = place->stride ? place->stride : 1;
    uint64_t bytes = 1, of_array;
    for (uint32_t i = 0; i < frames->document->count; i++)
        if (frames->wanted[i] && shape_bytes(&frames->document->arrays[i].shape, &of_array))
            bytes += of_array;
    const uint64_t left = (place->frames - first - 1) / every + 1, room = bank_bytes_max / bytes;
    uint64_t slots = place->steady ? threads : 1;
    slots = slots < left ? slots : left;
    slots = slots < room ? slots : room;
    slots = slots < SLOTS_MAX ? slots : SLOTS_MAX;
    return slots > 1 ? (uint32_t) slots : 1;
}

/* Says which frames a bank is to hold. */
static struct bank *begin_bank(struct file_frames *frames, uint32_t index, const struct file_place *place,
                               uint64_t first)
{
    struct bank *bank = &frames->bank[index];
    bank->frames = frames;
    bank->first = first;
    bank->every = place->stride ? place->stride : 1;
    bank->slots = slots_for(frames, place, first);
    bank->made = bank->slots > bank->made ? bank->slots : bank->made;
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        bank->wanted[i] = frames->wanted[i];
    return bank;
}

/* ---- Both banks --------------------------------------------------------------------------------------------- */

static void wait_for_thread(struct file_frames *frames)
{
    if (frames->started)
        pthread_join(frames->thread, NULL);
    frames->started = false;
}

/* Begins to decode the frames behind those of the present bank. Without a thread, they are decoded when they are asked
 * for. Signals are left to the caller's thread. */
static void start_thread(struct file_frames *frames, const struct file_place *place)
{
    const struct bank *present = &frames->bank[frames->used];
    const uint64_t first = present->first + present->slots * present->every;
    sigset_t all, before;
    if (!place->steady || first >= place->frames)
        return;
    struct bank *bank = begin_bank(frames, 1 - frames->used, place, first);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    frames->started = pthread_create(&frames->thread, NULL, fill, bank) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!frames->started)
        bank->slots = 0;
}

/* Finds the slot of a frame. If the present bank does not hold it, the other one may: its frames follow. */
static struct slot *find_slot(struct file_frames *frames, const struct file_place *place)
{
    struct slot *slot = slot_of(&frames->bank[frames->used], place->frame);
    if (slot != NULL)
        return slot;
    wait_for_thread(frames);
    if (slot_of(&frames->bank[1 - frames->used], place->frame) != NULL)
        frames->used = 1 - frames->used;
    else
        fill(begin_bank(frames, frames->used, place, place->frame));
    start_thread(frames, place);
    return slot_of(&frames->bank[frames->used], place->frame);
}

int file_frames_take(struct file_frames *frames, const struct file_place *place, uint32_t array, const void **elements,
                     struct engine_error *error)
{
    uint64_t count = 0, bytes = 0;
    frames->wanted[array] = true;
    struct slot *slot = find_slot(frames, place);
    shape_elements(&frames->document->arrays[array].shape, &count);
    shape_bytes(&frames->document->arrays[array].shape, &bytes);
    if (slot->array[array] == NULL && (slot->array[array] = malloc(bytes)) == NULL)
        return error_memory(error, bytes, "a frame");
    if (!slot->there[array] && file_ask(frames->file, place->frame, array, 0, count, slot->array[array], error) != 0)
        return error->status;
    slot->there[array] = true;
    *elements = slot->array[array];
    return 0;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

struct file_frames *file_frames_open(struct open_file *file, const struct io_document *document)
{
    struct file_frames *frames = calloc(1, sizeof *frames);
    if (frames == NULL || (frames->pool = thread_pool_open()) == NULL) {
        free(frames);
        return NULL;
    }
    frames->file = file;
    frames->document = document;
    return frames;
}

void file_frames_close(struct file_frames *frames)
{
    if (frames == NULL)
        return;
    wait_for_thread(frames);
    thread_pool_close(frames->pool);
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t k = 0; k < frames->bank[b].made; k++)
            for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
                free(frames->bank[b].slot[k].array[i]);
    free(frames);
}
