/* Hashes of fields in the memory of a CUDA device: a kernel reduces ranges of the canonical array where the cells are, and
 * writes the results to the pinned memory of the host, in two halves. The host adds one half to the hash while the kernel
 * fills the other. */
#include "cuda/device_cuda.h"
#include "cuda/hash_kernel.h"

enum {
    LINE = 256,                    /* bytes that a warp writes: the sums begin at a multiple */
    ENDS = HASH_EXCESS + 2 * LINE, /* bytes of a half that no sums use, at most */
    FEW = 256                      /* fewer bytes than this part of the window are read faster */
};

/* A field that is hashed. */
struct there {
    struct cuda *cuda;
    struct hash_task task;
    uint64_t place, begin, end; /* of the bytes that are not reduced yet: the place in all hashed bytes; in the array */
    uint8_t *window;
    uint64_t room; /* bytes of a half of the window; its first line holds task.wrong */
};

/* Describes a field to the kernel. */
static struct hash_task task_of(const struct geometry *geometry, const void *buffer, uint32_t values)
{
    const struct engine_layout *layout = &geometry->layout;
    const struct engine_shape *shape = &geometry->shape;
    const bool planar = layout->planar && shape->components > 1, bits = layout->cell_bits == 1;
    const bool dense = !planar && layout->component_stride == shape->components;
    struct hash_task task = {
        .origin = (const uint8_t *) buffer + geometry->origin,
        .row_stride = geometry->row_stride,
        .plane_stride = geometry->plane_stride,
        .cell_pitch = (int64_t) geometry_cell_pitch(geometry),
        .component_stride = geometry->component_stride,
        .layout = *layout,
        .run = (uint64_t) geometry->element_bytes * (planar ? 1 : shape->components) * (dense ? shape->extent[0] : 1),
        .runs = dense ? 1 : shape->extent[0],
        .height = shape->extent[1],
        .arrays = planar ? shape->components : 1,
        .most = values > 0 && values < 256 ? values - 1 : 255,
        .bits = bits,
    };
    for (int i = 0; i < HASH_KEYS; i++)
        memcpy(&task.keys[i], hash_secret + 8 * i, sizeof task.keys[i]);
    return task;
}

/* Enqueues the reduction of the next bytes to a half. Returns their number; 0: none are left, or an error. */
static uint64_t reduce_next(struct there *there, int half, struct engine_error *error)
{
    struct hash_task *const task = &there->task;
    uint8_t *const memory = there->window + (uint64_t) half * there->room;
    const uint64_t most = (there->room - ENDS) / HASH_STRIPE * HASH_BLOCK, left = there->end - there->begin;
    const uint64_t bytes = left < most ? left : most, together = HASH_TOGETHER * (CUDA_BLOCK / HASH_THREADS);
    const struct hash_range range = hash_range(there->place, bytes, 0);
    const unsigned grid[3] = {(unsigned) (range.blocks / together + 1), 1, 1};
    void *arguments[] = {task};
    task->begin = there->begin;
    task->head = range.head, task->blocks = range.blocks, task->tail = range.tail;
    task->out = memory + LINE + (LINE - range.head % LINE) % LINE;
    task->wrong = (volatile uint32_t *) (void *) memory;
    *task->wrong = 0;
    there->place += bytes, there->begin += bytes;
    return bytes > 0 && cuda_launch(there->cuda, there->cuda->hash_blocks, grid, arguments, error) == 0 ? bytes : 0;
}

int cuda_hash(struct cuda *cuda, const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
              uint32_t values, uint64_t most, struct hash *chain, struct engine_error *error)
{
    const struct hash before = *chain;
    struct there there = {.cuda = cuda,
                          .task = task_of(geometry, buffer, values),
                          .place = chain->bytes,
                          .begin = begin * geometry->element_bytes,
                          .end = (begin + count) * geometry->element_bytes,
                          .window = cuda->window,
                          .room = most / 2};
    bool wrong = false;
    if (there.end - there.begin < most / FEW || (values > 0 && geometry->shape.type != ENGINE_U8))
        return 0;
    error->status = 0;
    uint64_t ready = cuda_make_current(cuda, error) == 0 ? reduce_next(&there, 0, error) : 0;
    for (int half = 0; ready > 0; half = !half) {
        const uint8_t *const reduced = there.task.out;
        const volatile uint32_t *const told = there.task.wrong;
        const uint64_t next =
            cuda->device.synchronise(&cuda->device, error) == 0 ? reduce_next(&there, !half, error) : 0;
        hash_add_reduced(chain, reduced, ready);
        wrong |= *told != 0;
        ready = next;
    }
    if (error->status != 0 || wrong)
        *chain = before;
    return error->status;
}
