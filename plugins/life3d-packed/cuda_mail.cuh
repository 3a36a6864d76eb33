/*
 * Rows that travel between the blocks of the resident form, as letters with the number of their step
 * (life/cuda_words.cuh). A letter's place is written again two steps later, by a block that has computed with a letter
 * in which the first one is reckoned in: so the first has been read.
 */
#ifndef LIFE3D_PACKED_CUDA_MAIL_CUH
#define LIFE3D_PACKED_CUDA_MAIL_CUH

#include "cuda_tile.cuh"

/* ---- Sending --------------------------------------------------------------------------------- */

/* The letters of a block's mail, for even and for odd steps: rows at z = -1, at its planes, at y = -1, at its rows; and
 * the four rows at corners. */
__device__ __forceinline__ uint32_t mail_slot(const resident_job &job, uint32_t block_y, uint32_t block_z,
                                              uint32_t number, uint32_t group)
{
    return (((block_z * job.blocks_y + block_y) * resident_halo(job.rows, job.planes) + number) * job.groups + group) *
           2;
}

__device__ __forceinline__ uint32_t corner_number(const resident_job &job, bool high_y, bool high_z)
{
    return 2 * (job.rows + job.planes) + high_y + 2 * high_z;
}

/* The block before or after one of `count`. */
__device__ __forceinline__ uint32_t block_beside(uint32_t block, uint32_t count, bool after)
{
    return after ? (block + 1 < count ? block + 1 : 0) : (block ? block : count) - 1;
}

__device__ __forceinline__ ulonglong2 *mail_of(const resident_job &job, uint32_t step)
{
    return job.mail + (step & 1 ? gridDim.x * resident_halo(job.rows, job.planes) * job.groups * 2 : 0);
}

/* Row z of a lane at the rim's corner, to the block beside along z, and to the one beside along both. */
__device__ __noinline__ void send_corner(const resident_job &job, uint32_t group, uint32_t y, bool last, uint4 row,
                                         uint32_t step)
{
    const uint32_t word[4] = {row.x, row.y, row.z, row.w};
    const uint32_t here = blockIdx.x % job.blocks_y;
    const uint32_t z = block_beside(blockIdx.x / job.blocks_y, job.blocks_z, last);
    ulonglong2 *mail = mail_of(job, step);
    post(mail + mail_slot(job, here, z, (last ? 0 : job.rows) + y, group), word, step);
    post(mail + mail_slot(job, block_beside(here, job.blocks_y, y > 0), z, corner_number(job, y == 0, !last), group),
         word, step);
}

/* Row k of the rim's lane. */
__device__ __forceinline__ void send_row(const resident_job &job, const resident_tile &t, const resident_lane &l,
                                         uint32_t k, const uint32_t (&word)[4], uint32_t step, ulonglong2 *mail)
{
    if (k >= l.count)
        return;
    post(mail + (l.slot + k * job.groups * 2), word, step);
    if (l.along > l.across && (l.z + k == 0 || l.z + k == t.planes - 1))
        send_corner(job, l.group, l.y, l.z + k > 0, make_uint4(word[0], word[1], word[2], word[3]), step);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

/* Letters that a lane waits for, and where their rows go. */
struct resident_inbox {
    uint32_t slot[RESIDENT_LETTERS], to[RESIDENT_LETTERS];
    bool expected[RESIDENT_LETTERS];

    __device__ __forceinline__ void start(const resident_job &job, const resident_tile &t, uint32_t group,
                                          uint32_t strip, bool idle)
    {
        for (int i = 0; i < RESIDENT_LETTERS; i++) {
            uint32_t number = strip + i * job.rim_warps * (32 / job.groups), y, z;
            const uint32_t own = number;
            const uint32_t side = number >= 2 * job.rows, size = side ? job.planes : job.rows;
            if (side)
                number -= 2 * job.rows;
            const bool high = number >= size;
            const uint32_t k = high ? number - size : number;
            expected[i] = !idle && own < resident_halo(job.rows, job.planes);
            if (own >= 2 * (job.rows + job.planes)) {
                const uint32_t corner = own - 2 * (job.rows + job.planes);
                y = corner & 1 ? t.rows : ~0u, z = corner & 2 ? t.planes : ~0u;
            } else {
                y = side ? (high ? t.rows : ~0u) : k, z = side ? k : high ? t.planes : ~0u;
                expected[i] = expected[i] && k < (side ? t.planes : t.rows);
            }
            slot[i] = mail_slot(job, blockIdx.x % job.blocks_y, blockIdx.x / job.blocks_y, own, group);
            to[i] = row_address(job, group, y, z);
        }
    }

    /* Looks for all letters at once until all are there. */
    __device__ __forceinline__ void receive(const resident_job &job, uint32_t step, uint32_t state) const
    {
        const ulonglong2 *mail = mail_of(job, step);
        letter letters[RESIDENT_LETTERS];
        bool all;
        do {
            all = true;
            for (int i = 0; i < RESIDENT_LETTERS; i++)
                if (expected[i])
                    letters[i].look(mail + slot[i]);
            for (int i = 0; i < RESIDENT_LETTERS; i++)
                if (expected[i])
                    all = all && letters[i].arrived(step);
        } while (!all);
        for (int i = 0; i < RESIDENT_LETTERS; i++) {
            uint32_t word[4];
            for (int j = 0; j < 4; j++)
                word[j] = (uint32_t) letters[i].part[j];
            write_shared(to[i] + state, word, expected[i]);
        }
    }
};

#endif
