/*
 * Resident: a grid that stays in shared memory for all steps.
 *
 * A block owns a tile of rows, some along y and some along z, whole along x, and a halo of one row around it. Its last
 * warps take the tile's rim: each step they wait for the halo, make the new rim and send it to the blocks around. The
 * other warps make the rest meanwhile, which no halo reaches, so that rows travel while they compute. A strip of lanes,
 * one or more to a warp, holds a row and marches: along z, or where a rim faces z along y, which is the same with y and
 * z exchanged.
 *
 * Between blocks a word travels beside the number of its step in one 64-bit store: whoever waits for it polls the word
 * itself, and needs no flag and no fence. A letter's place in the mail is written again two steps later, by a block
 * that has computed with a letter in which the first one is reckoned in: so the first has been read.
 */
#ifndef LIFE3D_PACKED_CUDA_RESIDENT_CUH
#define LIFE3D_PACKED_CUDA_RESIDENT_CUH

#include "cuda_group.cuh"
#include "cuda_resident.h"

/* ---- Places ---------------------------------------------------------------------------------- */

/* A block's tile: the first row along y and z, and how many. */
struct resident_tile {
    uint32_t y, z, rows, planes;
};

/* A strip's lane. Bytes of shared memory; numbers of rows in the tile. */
struct resident_lane {
    uint32_t group, left, right; /* left, right: lanes with the groups beside */
    uint32_t y, z, count;        /* its first row, and how many it makes; 0: it has no part */
    uint32_t at;                 /* where the row one before its first lies, of those before it across the march */
    uint32_t across, along;      /* from row to row across the march and along it */
    uint32_t slot;               /* of the rim: where the letter with its first row goes */
    bool shifted;                /* cell 127 of its group is the one after the last */
    row_seam seam;
};

__device__ __forceinline__ resident_tile place_tile(const resident_job &job)
{
    const uint64_t y = blockIdx.x % job.blocks_y, z = blockIdx.x / job.blocks_y;
    resident_tile t;
    t.y = (uint32_t) (job.height * y / job.blocks_y);
    t.z = (uint32_t) (job.depth * z / job.blocks_z);
    t.rows = (uint32_t) (job.height * (y + 1) / job.blocks_y) - t.y;
    t.planes = (uint32_t) (job.depth * (z + 1) / job.blocks_z) - t.z;
    return t;
}

__device__ __forceinline__ uint32_t row_bytes(const resident_job &job)
{
    return job.groups * 16;
}

__device__ __forceinline__ uint32_t plane_bytes(const resident_job &job)
{
    return (job.rows + 2) * row_bytes(job);
}

/* From a state of the tile to the other; marches read a little beyond the second. */
__device__ __forceinline__ uint32_t state_bytes(const resident_job &job)
{
    return (job.planes + 2) * plane_bytes(job);
}

/* Address in the first state of a lane's group of a row; -1 is the row before the tile's first. */
__device__ __forceinline__ uint32_t row_address(const resident_job &job, uint32_t group, uint32_t y, uint32_t z)
{
    return (uint32_t) __cvta_generic_to_shared(packed_shared) + (z + 1) * plane_bytes(job) + (y + 1) * row_bytes(job) +
           group * 16;
}

/* The lane's strip among those of `warp` and the warps before it; sets what is the same in all strips. */
__device__ __forceinline__ uint32_t place_strip(resident_lane &l, bool &idle, const resident_job &job, uint32_t warp)
{
    const uint32_t lane = threadIdx.x & 31, strips = 32 / job.groups;
    const uint32_t in_warp = min(lane / job.groups, strips - 1), base = in_warp * job.groups;
    idle = lane - base >= job.groups;
    l.group = min(lane - base, job.groups - 1);
    l.left = base + (l.group ? l.group - 1 : job.groups - 1);
    l.right = base + (l.group + 1 < job.groups ? l.group + 1 : 0);
    l.seam = seam_of(job.tail, l.group == job.groups - 1);
    l.shifted = l.group == job.groups - 1 && job.tail == 127;
    return warp * strips + in_warp;
}

/* ---- Mail ------------------------------------------------------------------------------------ */

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

__device__ __forceinline__ void post(ulonglong2 *to, const uint32_t (&word)[4], uint32_t step)
{
    const uint64_t tag = (uint64_t) step << 32;
    for (int i = 0; i < 4; i += 2)
        asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(to + i / 2), "l"(word[i] | tag),
                     "l"(word[i + 1] | tag)
                     : "memory");
}

/* A row as it lies in the mail now: words and tags. */
struct letter {
    uint64_t part[4];

    __device__ __forceinline__ void look(const ulonglong2 *from)
    {
        for (int i = 0; i < 4; i += 2)
            asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                         : "=l"(part[i]), "=l"(part[i + 1])
                         : "l"(from + i / 2)
                         : "memory");
    }
    __device__ __forceinline__ bool arrived(uint32_t step) const
    {
        uint32_t wrong = 0;
        for (int i = 0; i < 4; i++)
            wrong |= (uint32_t) (part[i] >> 32) ^ step;
        return wrong == 0;
    }
};

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

/* ---- Barriers -------------------------------------------------------------------------------- */

/* Of a step, for a block's rim and the rest. Each side goes on as soon as the other has made what it reads: the rim
 * waits for the rest before a step, the rest for the rim after one. */
enum { BEFORE_RIM = 1, AFTER_RIM = 2 };

__device__ __forceinline__ void arrive(int barrier)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(blockDim.x) : "memory");
}

__device__ __forceinline__ void wait(int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(blockDim.x) : "memory");
}

/* ---- Shared memory --------------------------------------------------------------------------- */

/* Three rows across the march. */
__device__ __forceinline__ void read_rows(uint32_t (&row)[3][4], uint32_t at, const resident_lane &l)
{
    for (int i = 0; i < 3; i++)
        read_shared(row[i], at + i * l.across);
}

template <bool SEAM>
__device__ __forceinline__ void add_plane(plane_sums (&sums)[4], const uint32_t (&row)[3][4], const resident_lane &l)
{
    const sum_by_logic k;
    const column_sums c = add_rows(row[0], row[1], row[2], k);
    const uint32_t one = SEAM && l.shifted ? c.one[2] : c.one[3], two = SEAM && l.shifted ? c.two[2] : c.two[3];
    const uint32_t left[2] = {__shfl_sync(~0u, one, l.left), __shfl_sync(~0u, two, l.left)};
    const uint32_t right[2] = {__shfl_sync(~0u, c.one[0], l.right), __shfl_sync(~0u, c.two[0], l.right)};
    add_columns(sums, c, left, right, k);
}

/* ---- Marches --------------------------------------------------------------------------------- */

/* Puts row k of a lane's march into the new state. */
template <bool SEAM>
__device__ __forceinline__ void put_row(const resident_job &job, const resident_lane &l, uint32_t k, uint32_t to,
                                        uint32_t (&word)[4])
{
    if (SEAM)
        close_seam(word, l.seam, __shfl_sync(~0u, word[0], l.right));
    write_shared(to, word, k < l.count);
}

/* The rim's march, a row at a time; `from` and `to` are the states. Sends the rows if `mail` is not NULL. */
template <bool SEAM, class RULE>
__device__ __forceinline__ void march_rim(const resident_job &job, const resident_tile &t, const resident_lane &l,
                                          uint32_t from, uint32_t to, uint32_t step, ulonglong2 *mail, const RULE &rule)
{
    plane_sums a[4], b[4], c[4];
    uint32_t near[3][4], far[3][4], at = l.at + from, out = l.at + to + l.along + l.across;
    read_rows(near, at, l);
    read_rows(far, at += l.along, l);
    add_plane<SEAM>(a, near, l);
    add_plane<SEAM>(b, far, l);
#pragma unroll 1
    for (uint32_t k = 0; k < job.rim_march; k++) {
        uint32_t word[4];
        read_rows(near, at += l.along, l);
        add_plane<SEAM>(c, near, l);
        for (int i = 0; i < 4; i++) {
            word[i] = rule.next(count_space(add_planes(a[i], b[i]), c[i], sum_by_logic()), far[1][i]);
            far[1][i] = near[1][i];
            a[i] = b[i], b[i] = c[i];
        }
        put_row<SEAM>(job, l, k, out, word);
        out += l.along;
        if (mail)
            send_row(job, t, l, k, word, step, mail);
    }
}

/* The march of other strips, two rows at a time, four a turn so that sums need not move from register to register. */
template <bool SEAM, class RULE> struct inner_march {
    const resident_job &job;
    const resident_lane &l;
    const RULE &rule;
    uint32_t at, out; /* of rows to read next, and to write */
    uint32_t near[3][4], far[3][4], cell[4];

    __device__ __forceinline__ void read()
    {
        read_rows(near, at, l);
        read_rows(far, at + l.along, l);
        at += 2 * l.along;
    }

    /* Rows k and k + 1. a, b: the sums of planes k - 1 and k; c, d: of the two after. */
    __device__ __forceinline__ void two(const plane_sums (&a)[4], const plane_sums (&b)[4], plane_sums (&c)[4],
                                        plane_sums (&d)[4], uint32_t k, bool more)
    {
        uint32_t first[4], second[4];
        add_plane<SEAM>(c, near, l);
        add_plane<SEAM>(d, far, l);
        for (int i = 0; i < 4; i++) {
            const double_sums both = add_planes(b[i], c[i]);
            first[i] = rule.next(count_space(both, a[i], sum_by_logic()), cell[i]);
            second[i] = rule.next(count_space(both, d[i], sum_by_logic()), near[1][i]);
            cell[i] = far[1][i];
        }
        if (more)
            read();
        put_row<SEAM>(job, l, k, out, first);
        put_row<SEAM>(job, l, k + 1, out + l.along, second);
        out += 2 * l.along;
    }

    __device__ __forceinline__ void run(uint32_t from, uint32_t to)
    {
        plane_sums a[4], b[4], c[4], d[4];
        at = l.at + from, out = l.at + to + l.along + l.across;
        read();
        add_plane<SEAM>(a, near, l);
        add_plane<SEAM>(b, far, l);
        for (int i = 0; i < 4; i++)
            cell[i] = far[1][i];
        read();
#pragma unroll 1
        for (uint32_t k = 0; k < job.march; k += 4) {
            two(a, b, c, d, k, true);
            two(c, d, a, b, k + 2, k + 4 < job.march);
        }
    }
};

/* ---- The rim's warps ------------------------------------------------------------------------- */

/* The rim's strips: those of y = 0 and of the last y by turns, along z; then those of z = 0 and of the last z, along y,
 * without their ends. */
__device__ __forceinline__ resident_lane place_rim(const resident_job &job, const resident_tile &t, uint32_t warp,
                                                   uint32_t *strip, bool *idle)
{
    resident_lane l;
    *strip = place_strip(l, *idle, job, warp);
    const uint32_t pair = *strip / 2, along_z = (job.planes + job.rim_march - 1) / job.rim_march;
    const uint32_t here = blockIdx.x % job.blocks_y, before = blockIdx.x / job.blocks_y;
    const bool high = *strip & 1, turned = pair >= along_z;
    if (turned) {
        l.y = 1 + (pair - along_z) * job.rim_march, l.z = high ? t.planes - 1 : 0;
        l.count = l.y < t.rows - 1 ? min(job.rim_march, t.rows - 1 - l.y) : 0;
        l.slot = mail_slot(job, here, block_beside(before, job.blocks_z, high), (high ? 0 : job.rows) + l.y, l.group);
    } else {
        l.y = high ? t.rows - 1 : 0, l.z = pair * job.rim_march;
        l.count = l.z < t.planes ? min(job.rim_march, t.planes - l.z) : 0;
        l.slot = mail_slot(job, block_beside(here, job.blocks_y, high), before,
                           2 * job.rows + (high ? 0 : job.planes) + l.z, l.group);
    }
    if (*idle || l.count == 0)
        l.y = l.z = l.count = 0;
    l.at = row_address(job, l.group, l.y - 1, l.z - 1);
    l.across = turned ? plane_bytes(job) : row_bytes(job);
    l.along = turned ? row_bytes(job) : plane_bytes(job);
    return l;
}

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

template <bool SEAM, class RULE>
__device__ __forceinline__ void take_rim_steps(const resident_job &job, const resident_tile &t, uint32_t warp,
                                               const RULE &rule)
{
    uint32_t strip;
    bool idle;
    const resident_lane l = place_rim(job, t, warp, &strip, &idle);
    resident_inbox inbox;
    inbox.start(job, t, l.group, strip, idle);
    const uint32_t other = state_bytes(job);
    uint32_t state = 0;
    for (uint32_t k = 0; k < l.count; k++) {
        uint32_t word[4];
        read_shared(word, l.at + l.across + (k + 1) * l.along);
        send_row(job, t, l, k, word, 1, mail_of(job, 1));
    }
    __syncwarp();
#pragma unroll 1
    for (uint64_t n = 1; n <= job.steps; n++) {
        const uint32_t next = (uint32_t) n + 1;
        inbox.receive(job, (uint32_t) n, state);
        __syncwarp();
        wait(BEFORE_RIM);
        march_rim<SEAM>(job, t, l, state, other - state, next, n < job.steps ? mail_of(job, next) : NULL, rule);
        state = other - state;
        arrive(AFTER_RIM);
    }
}

/* ---- The other warps ------------------------------------------------------------------------- */

template <bool SEAM, class RULE>
__device__ __forceinline__ void take_inner_steps(const resident_job &job, const resident_tile &t, uint32_t warp,
                                                 const RULE &rule)
{
    resident_lane l;
    bool idle;
    const uint32_t strip = place_strip(l, idle, job, warp), across = max(job.rows, 3u) - 2;
    l.y = 1 + strip % across, l.z = 1 + strip / across * job.march;
    l.count = !idle && l.y < t.rows - 1 && l.z < t.planes - 1 ? min(job.march, t.planes - 1 - l.z) : 0;
    if (l.count == 0)
        l.y = l.z = 1;
    l.at = row_address(job, l.group, l.y - 1, l.z - 1);
    l.across = row_bytes(job), l.along = plane_bytes(job);
    const uint32_t other = state_bytes(job);
    inner_march<SEAM, RULE> march = {job, l, rule};
    uint32_t state = 0;
    arrive(BEFORE_RIM);
#pragma unroll 1
    for (uint64_t n = 1; n <= job.steps; n++) {
        march.run(state, other - state);
        state = other - state;
        wait(AFTER_RIM);
        if (n < job.steps)
            arrive(BEFORE_RIM);
    }
}

/* ---- The tile -------------------------------------------------------------------------------- */

/* Copies the tile from memory to the first state in shared memory, or from a state in shared memory; a warp takes whole
 * rows. */
template <bool LOAD>
__device__ __forceinline__ void move_tile(const resident_job &job, const resident_tile &t, uint32_t state)
{
    resident_lane l;
    bool idle;
    const uint32_t rows = (blockDim.x >> 5) * (32 / job.groups), first = place_strip(l, idle, job, threadIdx.x >> 5);
    for (uint32_t row = idle ? ~0u : first; row < t.rows * t.planes; row += rows) {
        const uint32_t y = row % t.rows, z = row / t.rows, shared = row_address(job, l.group, y, z) + state;
        const uint64_t at = (uint64_t) (t.z + z) * job.plane + (uint64_t) (t.y + y) * job.pitch + l.group;
        if (LOAD) {
            const uint4 cells = job.source[at];
            write_shared(shared, {cells.x, cells.y, cells.z, cells.w}, true);
        } else {
            uint32_t word[4];
            read_shared(word, shared);
            job.result[at] = make_uint4(word[0], word[1], word[2], word[3]);
        }
    }
}

template <bool SEAM, class RULE>
__device__ __forceinline__ void stay_resident(const resident_job &job, const RULE &rule)
{
    const resident_tile t = place_tile(job);
    const uint32_t warp = __shfl_sync(~0u, threadIdx.x >> 5, 0); /* known to be the same for all lanes */
    const uint32_t others = (blockDim.x >> 5) - job.rim_warps;
    move_tile<true>(job, t, 0);
    __syncthreads();
    if (warp < others)
        take_inner_steps<SEAM>(job, t, warp, rule);
    else
        take_rim_steps<SEAM>(job, t, warp - others, rule);
    __syncthreads();
    move_tile<false>(job, t, job.steps & 1 ? state_bytes(job) : 0);
}

#endif
