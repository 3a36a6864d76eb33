/* The halo exchange of the resident form: rows that travel between blocks, by the slots of life/cuda_words.cuh.
 *
 * A tile of rows x planes has a halo of one row around it. Every row below is a whole row along x; the block owns the
 * slots that its halo comes from, and the neighbours write them:
 *
 *                       y = -1    y = 0 … rows - 1     y = rows
 *     z = planes        corner 2  side 1: rows slots   corner 3
 *     z = planes - 1    side 2:   the tile             side 3:
 *       …               planes                         planes
 *     z = 0             slots                          slots
 *     z = -1            corner 0  side 0: rows slots   corner 1
 *
 * The slots are numbered side 0, side 1, side 2, side 3, corners; there is a set for even and one for odd steps. A
 * block writes a slot of step n + 2 only after it has received rows of step n + 1 from the owner, who sent them after
 * it had read the slots of step n: so no slot is overwritten before it was read. */
#ifndef LIFE3D_PACKED_CUDA_HALO_CUH
#define LIFE3D_PACKED_CUDA_HALO_CUH

#include "cuda_tile.cuh"

/* ---- Sending --------------------------------------------------------------------------------- */

/* The index of slot `number` of a block, for one group of the row, in ulonglong2. */
__device__ __forceinline__ uint32_t halo_slot(const resident_job &job, uint32_t block_y, uint32_t block_z,
                                              uint32_t number, uint32_t group)
{
    return (((block_z * job.blocks_y + block_y) * resident_halo(job.rows, job.planes) + number) * job.groups + group) *
           2;
}

__device__ __forceinline__ uint32_t corner_number(const resident_job &job, bool high_y, bool high_z)
{
    return 2 * (job.rows + job.planes) + high_y + 2 * high_z;
}

/* The block before or after one of `count`, around the torus. */
__device__ __forceinline__ uint32_t block_beside(uint32_t block, uint32_t count, bool after)
{
    return after ? (block + 1 < count ? block + 1 : 0) : (block ? block : count) - 1;
}

/* The slots of even or of odd steps. */
__device__ __forceinline__ ulonglong2 *slots_of(const resident_job &job, uint32_t step)
{
    return job.slots + (step & 1 ? gridDim.x * resident_halo(job.rows, job.planes) * job.groups * 2 : 0);
}

/* Sends a row at an edge of the tile along x also to the block beside along z, and to the one beside along y and z. */
static __device__ __noinline__ void send_corner(const resident_job &job, uint32_t group, uint32_t y, bool last,
                                                uint4 row, uint32_t step)
{
    const uint32_t word[4] = {row.x, row.y, row.z, row.w};
    const uint32_t here = blockIdx.x % job.blocks_y;
    const uint32_t z = block_beside(blockIdx.x / job.blocks_y, job.blocks_z, last);
    ulonglong2 *slots = slots_of(job, step);
    send_group(slots + halo_slot(job, here, z, (last ? 0 : job.rows) + y, group), word, step);
    send_group(slots +
                   halo_slot(job, block_beside(here, job.blocks_y, y > 0), z, corner_number(job, y == 0, !last), group),
               word, step);
}

/* Sends row k of a lane's march along the border. */
template <class LANE>
__device__ __forceinline__ void send_row(const resident_job &job, const resident_tile &t, const LANE &l, uint32_t k,
                                         const uint32_t (&word)[4], uint32_t step, ulonglong2 *slots)
{
    if (k >= l.count)
        return;
    send_group(slots + (l.slot + k * job.groups * 2), word, step);
    if (l.along > l.across && (l.z + k == 0 || l.z + k == t.planes - 1))
        send_corner(job, l.group, l.y, l.z + k > 0, make_uint4(word[0], word[1], word[2], word[3]), step);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

/* The slots that a lane polls, and where in shared memory their rows go. */
template <class EDGES> struct resident_receiver {
    uint32_t slot[RESIDENT_RECEIVES], to[RESIDENT_RECEIVES];
    bool expected[RESIDENT_RECEIVES];
    typename EDGES::receiver edges;

    template <class JOB>
    __device__ __forceinline__ void start(const JOB &job, const resident_tile &t, uint32_t group, uint32_t strip,
                                          bool idle)
    {
        for (int i = 0; i < RESIDENT_RECEIVES; i++) {
            uint32_t number = strip + i * job.border_warps * (32 / job.groups), y, z;
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
            slot[i] = halo_slot(job, blockIdx.x % job.blocks_y, blockIdx.x / job.blocks_y, own, group);
            to[i] = row_address(job, group, y, z);
            edges.find(job, t, i, y, z);
        }
    }

    /* Polls all slots until all have the number of this step; then writes the rows to the halo of a state. */
    __device__ __forceinline__ void receive(const resident_job &job, uint32_t step, uint32_t state) const
    {
        const ulonglong2 *slots = slots_of(job, step);
        tagged_group received[RESIDENT_RECEIVES];
        bool all;
        do {
            all = true;
            for (int i = 0; i < RESIDENT_RECEIVES; i++)
                if (expected[i])
                    received[i].poll(slots + slot[i]);
            for (int i = 0; i < RESIDENT_RECEIVES; i++)
                if (expected[i])
                    all = all && received[i].has_tag(step);
        } while (!all);
        for (int i = 0; i < RESIDENT_RECEIVES; i++) {
            uint32_t word[4];
            for (int j = 0; j < 4; j++)
                word[j] = (uint32_t) received[i].part[j] & edges.keep(i);
            write_shared(to[i] + state, word, expected[i]);
        }
    }
};

#endif
