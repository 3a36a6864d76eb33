/* The blocks of a hash (base/hash.h) on a device: each is reduced to eight sums from where the cells are. The CUDA kernel
 * compiles these functions, and so does a test for the host. */
#ifndef LIB_CUDA_HASH_KERNEL_H
#define LIB_CUDA_HASH_KERNEL_H

#include "base/hash.h"
#include "memory/region_kernel.h"

#ifdef __CUDACC__
#define HASH_APART static __host__ __device__ __noinline__
#else
#define HASH_APART static
#endif

enum {
    HASH_THREADS = 32,                      /* reduce a block: a warp */
    HASH_SHARE = HASH_BLOCK / HASH_THREADS, /* bytes that each of them reads: half a stripe */
    HASH_WORDS = HASH_SHARE / 8,
    HASH_TOGETHER = 4, /* blocks that a warp reduces, and whose sums it writes at the same time */
    HASH_KEYS = 23
};

/* A range of the canonical array of a field, which begins at byte `begin` of it. Bytes of the array lie together in runs:
 * rows, or cells, or elements. */
struct hash_task {
    const uint8_t *origin; /* cell (0, 0, 0) of the first component */
    int64_t row_stride, plane_stride, cell_pitch, component_stride;
    struct engine_layout layout; /* of a grid of bits */
    uint64_t run, runs, height;  /* bytes of a run; runs of a component in a row; rows of a plane */
    uint64_t arrays;             /* of a planar layout: the components; otherwise 1 */
    uint64_t begin;              /* bytes */
    uint64_t head, blocks, tail; /* struct hash_range */
    uint64_t most;               /* bytes are at most this */
    uint32_t bits;               /* a cell is a bit */
    uint8_t *out;                /* the reduced range; the sums lie at a multiple of 8 */
    volatile uint32_t *wrong;    /* set to 1 if a byte is more than `most` */
    uint64_t keys[HASH_KEYS];    /* of the secret: lane i of stripe s has number i + s */
};

/* The address of a byte of the canonical array, and the bytes that lie together from there on. */
REGION_FUNCTION const uint8_t *hash_byte_at(const struct hash_task *task, uint64_t byte, uint64_t *together)
{
    uint64_t run = byte / task->run, component = 0, x = 0, z = 0;
    const uint64_t inside = byte - run * task->run;
    if (task->arrays > 1) {
        component = run % task->arrays;
        run /= task->arrays;
    }
    if (task->runs > 1) {
        x = run % task->runs;
        run /= task->runs;
    }
    if (run >= task->height) {
        z = run / task->height;
        run -= z * task->height;
    }
    *together = task->run - inside;
    return task->origin + (int64_t) run * task->row_stride + (int64_t) z * task->plane_stride +
           (int64_t) x * task->cell_pitch + (int64_t) component * task->component_stride + inside;
}

/* Cells [cell, cell + count) of a grid of bits, at most 64, of one row or several. A cell is a byte of the array. */
REGION_FUNCTION uint64_t hash_bits_at(const struct hash_task *task, uint64_t cell, uint32_t count)
{
    uint64_t cells = 0, left;
    for (uint32_t done = 0, n; done < count; done += n) {
        const uint8_t *const at = hash_byte_at(task, cell + done, &left);
        const uint64_t x = task->run - left;
        n = (uint32_t) region_least(region_least(64 - x % 64, left), count - done);
        cells |= region_bits_get(&task->layout, at - x, x, n) << done;
    }
    return cells;
}

/* The share of a thread, which begins at that byte of the array. */
REGION_FUNCTION void hash_read_bits(const struct hash_task *task, uint64_t byte, uint64_t words[HASH_WORDS])
{
    const uint64_t cells = hash_bits_at(task, byte, HASH_SHARE);
    for (int i = 0; i < HASH_WORDS; i++)
        words[i] = bits_spread_8(cells >> 8 * i);
}

/* Eight bytes of the array that do not lie together, or at no multiple of 8. */
HASH_APART uint64_t hash_gather(const struct hash_task *task, uint64_t byte)
{
    const uint8_t *at = NULL;
    uint64_t word = 0, together = 0;
    for (uint32_t k = 0, n; k < 8; k += n, at += n, together -= n) {
        if (together == 0)
            at = hash_byte_at(task, byte + k, &together);
        n = together >= 4 && k % 4 == 0 && (uintptr_t) at % 4 == 0 ? 4 : 1;
        word |= (uint64_t) (n == 4 ? *(const uint32_t *) at : *at) << 8 * k;
    }
    return word;
}

REGION_FUNCTION void hash_read_bytes(const struct hash_task *task, uint64_t byte, uint64_t words[HASH_WORDS])
{
    uint64_t together;
    const uint8_t *const at = hash_byte_at(task, byte, &together);
    for (uint64_t i = 0; i < HASH_WORDS; i++)
        words[i] = together >= 8 * i + 8 && (uintptr_t) at % 8 == 0 ? *(const uint64_t *) (at + 8 * i)
                                                                    : hash_gather(task, byte + 8 * i);
}

/* Is a byte of a word more than `most`? The sums of seven bits never carry into the next byte. */
REGION_FUNCTION int hash_exceeds(uint64_t word, uint64_t most)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = 0x80 * ones;
    const uint64_t over = (word & ~high) + (127 - most % 128) * ones;
    return ((most < 128 ? over | word : over & word) & high) != 0;
}

/* Adds what a thread reads of a block to four sums, those of the lanes 4 * (thread % 2) + i. Returns whether a byte is
 * wrong. */
REGION_FUNCTION int hash_add_share(const struct hash_task *task, uint64_t block, uint32_t thread,
                                   uint64_t sums[HASH_WORDS])
{
    const uint64_t byte = task->begin + task->head + block * HASH_BLOCK + thread * HASH_SHARE;
    const uint64_t *const keys = task->keys + thread / 2 + thread % 2 * HASH_WORDS;
    uint64_t words[HASH_WORDS];
    int wrong = 0;
    if (task->bits)
        hash_read_bits(task, byte, words);
    else
        hash_read_bytes(task, byte, words);
    for (int i = 0; i < HASH_WORDS; i++) {
        const uint64_t mixed = words[i] ^ keys[i];
        sums[i ^ 1] += words[i];
        sums[i] += (mixed & UINT32_MAX) * (mixed >> 32);
        wrong |= hash_exceeds(words[i], task->most);
    }
    return wrong;
}

/* Copies byte `index` of the head and the tail. */
REGION_FUNCTION void hash_copy_byte(const struct hash_task *task, uint64_t index)
{
    const uint64_t behind = index < task->head ? 0 : task->blocks, byte = task->begin + index + behind * HASH_BLOCK;
    uint64_t together;
    const uint8_t value = task->bits ? (uint8_t) hash_bits_at(task, byte, 1) : *hash_byte_at(task, byte, &together);
    task->out[index + behind * HASH_STRIPE] = value;
    if (value > task->most)
        *task->wrong = 1;
}

#endif
