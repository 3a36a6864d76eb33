/* Many steps of small systems in one launch.
 *
 * A cluster of blocks takes all steps of a system. Each block has the places of all particles in its shared memory, and
 * the positions and velocities of its share. After a move it writes the new places of its share into all blocks. They
 * have two arrays of places, which take turns, so one barrier of the cluster is enough for a step:
 *
 *     block 0    forces on its share, moves it | barrier | forces on its share, moves it | barrier | ...
 *     block 1    forces on its share, moves it | barrier | forces on its share, moves it | barrier | ...
 *                         places of the share go to both ^
 *
 * LANES lanes share a particle: each adds every LANES-th entry of the list, and lane c moves the particle along axis c.
 *
 * Lists are made as soon as a particle has moved by half the skin. At the start of a launch, particles are sorted by
 * cells, and 32 successive ones are a tile. A warp tests the tiles' bounding boxes, 32 of them at a time, and then the
 * particles of the near ones. Particles move slowly, so the order is good for a launch. No bit depends on it.
 *
 * The operations on a particle and on a pair are those of cuda_rule.cuh. */
#ifndef PAIRS_CUDA_SMALL_CUH
#define PAIRS_CUDA_SMALL_CUH

#include "cuda_rule.cuh"

#ifndef PAIRS_SMALL_THREADS
#define PAIRS_SMALL_THREADS 512
#endif
constexpr uint32_t SMALL_THREADS = PAIRS_SMALL_THREADS, SMALL_WARPS = SMALL_THREADS / 32;
constexpr uint32_t SMALL_AHEAD = 4;    /* entries that a lane reads at a time */
constexpr uint32_t SMALL_CLUSTER = 16; /* blocks of a cluster, at most */
constexpr uint64_t SMALL_MOST = 65536; /* particles: an entry of a list has 16 bits */

/* ---- Blocks of a cluster: tests define their own ------------------------------------------------------------------ */

#ifndef PAIRS_SMALL_EMULATED

static __device__ __forceinline__ unsigned char *small_bytes()
{
    extern __shared__ __align__(16) unsigned char pairs_small_bytes[];
    return pairs_small_bytes;
}

static __device__ __forceinline__ uint32_t small_rank()
{
    uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

/* The same address in the shared memory of another block. */
template <class T> static __device__ __forceinline__ T *small_in(T *own, uint32_t rank)
{
    T *other = own;
#if __CUDA_ARCH__ >= 900
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(other) : "l"(own), "r"(rank));
#endif
    return other;
}

static __device__ __forceinline__ void small_wait(uint32_t blocks)
{
#if __CUDA_ARCH__ >= 900
    if (blocks > 1) {
        asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
        return;
    }
#endif
    __syncthreads();
}

#endif

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

struct alignas(16) small_seen {
    engine_seen seen;
};

struct alignas(2 * SMALL_AHEAD) small_entries {
    uint16_t of[SMALL_AHEAD];
};

/* What a system has of its own if systems differ in more than their seeds. The seed of system u is of.seed + u, as
 * always. */
template <class Rule> struct small_system {
    Rule of;
    engine_space space;
};

/* What a launch reads and writes. */
struct small_job {
    engine_space space;
    engine_neighbours_fields fields;  /* of system 0 */
    uint64_t apart[5];                /* bytes from a system to the next one, of each field in the plugin's order */
    uint32_t systems, blocks;         /* blocks of a cluster */
    uint32_t each;                    /* particles of a block */
    uint32_t room;                    /* entries of a list; a multiple of 32 * SMALL_AHEAD */
    small_entries *lists;             /* of each particle of each block */
    unsigned long long *lost;         /* of each system: step << 32 | particle */
    uint64_t first_step;              /* of the call */
    uint32_t taken, steps;            /* steps of the call before this launch, and those of this launch */
    const small_system<rule> *differ; /* of each system; or NULL: all have one rule and the box of `space` */
};

/* The shared memory of a block. */
struct small_memory {
    small_seen *places;     /* two arrays, [slot] of all particles */
    double *x, *v, *h;      /* [particle of the share][axis]; h: half a step divided by the mass */
    uint32_t *built;        /* [particle][axis]: the places for which lists were made */
    uint32_t *low, *length; /* [tile][axis]: of the tile's box */
    uint32_t *rows;         /* of each list; a row has SMALL_AHEAD entries of each lane */
    uint32_t *id;           /* the numbers of the particles in the fields */
    uint32_t *stale;        /* [step % 3] */
    small_entries *lists;   /* of the share, `apart` entries from one to the next */
    uint32_t apart;
};

/* The fields of a system. */
static __host__ __device__ inline engine_neighbours_fields small_fields(const small_job &job, uint32_t system)
{
    engine_neighbours_fields fields = job.fields;
    int k = 0;
    for (engine_strided *field : {&fields.position, &fields.velocity, &fields.mass, &fields.species, &fields.force})
        field->origin = (char *) field->origin + system * job.apart[k++];
    return fields;
}

static __host__ __device__ inline uint32_t small_tiles(uint32_t count)
{
    return (count + 31) / 32;
}

/* Sets where everything is in a block's memory, and returns how many bytes it takes. */
static __host__ __device__ inline size_t small_divide(unsigned char *bytes, uint32_t count, uint32_t each,
                                                      small_memory *out)
{
    const size_t tiles = small_tiles(count), n = each;
    size_t at = 0;
    out->places = (small_seen *) bytes;
    at += 2 * 32 * tiles * sizeof(small_seen);
    out->x = (double *) (bytes + at);
    out->v = out->x + 3 * n;
    out->h = out->v + 3 * n;
    at += 7 * n * sizeof(double);
    out->built = (uint32_t *) (bytes + at);
    out->rows = out->built + 3 * n;
    out->id = out->rows + n;
    out->low = out->id + n;
    out->length = out->low + 3 * tiles;
    out->stale = out->length + 3 * tiles;
    return at + (5 * n + 6 * tiles + 3) * sizeof(uint32_t);
}

/* The order of particles: cells along Hilbert's curve, and in a cell by their numbers. So particles that follow each
 * other are near each other. A cell has five bits of each place (Skilling, AIP Conference Proceedings 707 (2004) 381),
 * and there are at most SMALL_MOST particles. */
static __device__ __forceinline__ uint32_t small_key(const engine_seen &seen, uint32_t i)
{
    uint32_t x[3], key = 0, turn = 0;
    for (int c = 0; c < 3; c++)
        x[c] = seen.place[c] >> 27;
    for (uint32_t bit = 16; bit > 1; bit /= 2)
        for (int c = 0; c < 3; c++) {
            const uint32_t swapped = x[c] & bit ? 0 : (x[0] ^ x[c]) & (bit - 1);
            x[0] ^= x[c] & bit ? bit - 1 : swapped;
            x[c] ^= swapped;
        }
    x[1] ^= x[0];
    x[2] ^= x[1];
    for (uint32_t bit = 16; bit > 1; bit /= 2)
        turn ^= x[2] & bit ? bit - 1 : 0;
    for (uint32_t bit = 0; bit < 15; bit++)
        key |= ((x[2 - bit % 3] ^ turn) >> bit / 3 & 1) << (16 + bit);
    return key | i;
}

/* ---- A block of a system: what blocks have in common -------------------------------------------------------------- */

template <uint32_t LANES, uint32_t THREADS, class Rule> struct small_share {
    static constexpr uint32_t GROUPS = 32 / LANES, WARPS = THREADS / 32; /* groups of a warp, warps of a block */

    const Rule &rule; /* of the system, as `space` */
    const engine_space &space;
    const small_job &job;
    small_memory own;
    uint32_t system, begin, count; /* the share: particles from `begin` on, in order */
    uint32_t here, seen;           /* slots that the block sees, and the first one of its share */
    uint32_t lane, group, warp;    /* of this thread: in its group, its group in the warp, its warp */

    __device__ __forceinline__ void choose_share(uint32_t number, uint32_t rank)
    {
        const uint32_t all = job.space.count;
        system = number;
        begin = rank * job.each < all ? rank * job.each : all;
        count = all - begin < job.each ? all - begin : job.each;
    }

    /* Where the list of particle p of the share is. Entry e is of[e / LANES % AHEAD] of lane e % LANES in row
     * e / (LANES * AHEAD). So the lanes read entries that follow each other, mostly of particles near each other. */
    __device__ __forceinline__ small_entries *list(uint32_t p) const
    {
        return own.lists + p * (size_t) own.apart;
    }

    /* ---- The start of a launch ------------------------------------------------------------------------------------ */

    /* Calls put(slot, i) for the particles i from `begin` on: the slot is the number of particles before it in order.
     * `keys` has room for all particles. */
    template <class Put> __device__ __forceinline__ void sort(uint32_t *keys, const Put &put) const
    {
        const uint32_t all = job.space.count;
        const engine_neighbours_fields fields = small_fields(job, system);
        for (uint32_t j = threadIdx.x; j < all; j += THREADS) {
            const engine_particle particle = engine_particle_get(&fields, j);
            keys[j] = small_key(engine_seen_of(&space, &particle), j);
        }
        __syncthreads();
        for (uint32_t first = warp * GROUPS; first < count; first += WARPS * GROUPS) {
            const uint32_t i = begin + first + group, key = i < all ? keys[i] : 0;
            uint32_t before = 0;
            for (uint32_t j = lane; j < all; j += LANES)
                before += keys[j] < key;
            for (uint32_t apart = LANES / 2; apart > 0; apart /= 2)
                before += __shfl_xor_sync(~0u, before, (int) apart);
            if (lane == 0 && i < begin + count)
                put(before, i);
        }
    }

    /* Reads particle p of the share, whose number is own.id[p], and returns what others see of it. */
    __device__ __forceinline__ small_seen load_particle(uint32_t p) const
    {
        const engine_neighbours_fields fields = small_fields(job, system);
        const engine_particle particle = engine_particle_get(&fields, own.id[p]);
        small_seen kept;
        kept.seen = engine_seen_of(&space, &particle);
        for (int c = 0; c < 3; c++) {
            own.x[3 * p + c] = particle.position[c];
            own.v[3 * p + c] = particle.velocity[c];
        }
        own.h[p] = rule.half_dt / particle.mass[0];
        return kept;
    }

    /* ---- Lists ---------------------------------------------------------------------------------------------------- */

    /* Finds the box of a tile of 32 slots, of which `count` hold particles, by a warp: the places low[c] to low[c] +
     * length[c]. */
    __device__ __forceinline__ void bound_tile(const small_seen *slots, uint32_t count, uint32_t *low,
                                               uint32_t *length) const
    {
        const uint32_t thread = threadIdx.x % 32;
        for (int c = 0; c < 3; c++) {
            const uint32_t first = slots[0].seen.place[c];
            const int32_t apart = thread < count ? (int32_t) (slots[thread].seen.place[c] - first) : 0;
            const int32_t least = __reduce_min_sync(~0u, apart), most = __reduce_max_sync(~0u, apart);
            if (thread == 0) {
                low[c] = first + (uint32_t) least;
                length[c] = (uint32_t) most - (uint32_t) least;
            }
        }
    }

    /* Is the box of a tile within the reach of lists? */
    __device__ __forceinline__ bool is_near(const engine_seen &self, uint32_t tile) const
    {
        float square = 0;
        for (int c = 0; c < 3; c++) {
            const uint32_t above = self.place[c] - own.low[3 * tile + c], length = own.length[3 * tile + c];
            const uint32_t behind = above - length, before = 0 - above;
            const float way = space.scale[c] * (float) (behind < before ? behind : before);
            square += above <= length ? 0 : way * way;
        }
        return square < 1.0001f * space.list2;
    }

    /* The square of a distance, without the slow conversion of integers. The distance is wrong by 2^-21 of an edge at
     * most: the upper 23 bits of a difference of places are those of a number from 1 to 2, and 1.5 stands for 0. */
    __device__ __forceinline__ float rough_square(const engine_seen &self, const engine_seen &other) const
    {
        float square = 0;
        for (int c = 0; c < 3; c++) {
            const uint32_t apart = self.place[c] - other.place[c] + 0x80000000u;
            const float edge = 0x1p32f * space.scale[c];
            const float d = fmaf(edge, engine_place_float(__funnelshift_r(apart, 0x7f, 9)), -1.5f * edge);
            square = fmaf(d, d, square);
        }
        return square;
    }

    /* The square of the reach of lists, with the errors of rough_square. */
    __device__ __forceinline__ float rough_reach2() const
    {
        const float *const scale = space.scale;
        const float edge = 0x1p32f * fmaxf(scale[0], fmaxf(scale[1], scale[2]));
        const float reach = sqrtf(space.list2) + 0x1p-19f * edge;
        return reach * reach;
    }

    /* Makes the list of particle p of the share, by a warp. It contains the particle itself, and ends with more of it,
     * because that has no force on itself. */
    __device__ __forceinline__ void make_list(const small_seen *slots, uint32_t p) const
    {
        const uint32_t thread = threadIdx.x % 32, tiles = small_tiles(seen);
        const engine_seen self = slots[here + p].seen;
        const float reach2 = rough_reach2();
        uint16_t *const entries = (uint16_t *) list(p);
        uint32_t length = 0;
        const auto append = [&](uint32_t e, uint32_t j) {
            constexpr uint32_t ROW = LANES * SMALL_AHEAD;
            if (e < job.room)
                entries[e / ROW * ROW + e % LANES * SMALL_AHEAD + e / LANES % SMALL_AHEAD] = (uint16_t) j;
        };
        for (uint32_t first = 0; first < tiles; first += 32) {
            const uint32_t tile = first + thread;
            uint32_t near = __ballot_sync(~0u, tile < tiles && is_near(self, tile));
            for (; near != 0; near &= near - 1) {
                const uint32_t j = 32 * (first + (uint32_t) __ffs((int) near) - 1) + thread;
                const engine_seen other = slots[j].seen;
                const bool in = rough_square(self, other) < reach2 && j < seen;
                const uint32_t some = __ballot_sync(~0u, in);
                if (in)
                    append(length + (uint32_t) __popc(some & ((1u << thread) - 1)), j);
                length += (uint32_t) __popc(some);
            }
        }
        const uint32_t full = (length + LANES * SMALL_AHEAD - 1) / (LANES * SMALL_AHEAD);
        for (uint32_t e = length + thread; e < full * LANES * SMALL_AHEAD; e += 32)
            append(e, here + p);
        if (thread == 0)
            own.rows[p] = length <= job.room ? full : ENGINE_NEIGHBOURS_NO_LIST;
    }

    /* Makes the lists of the share. Afterwards, the block must wait. */
    __device__ __forceinline__ void make_lists(const small_seen *slots) const
    {
        for (uint32_t k = threadIdx.x; k < 3 * count; k += THREADS)
            own.built[k] = slots[here + k / 3].seen.place[k % 3];
        for (uint32_t p = warp; p < count; p += WARPS)
            make_list(slots, p);
    }

    /* ---- Forces --------------------------------------------------------------------------------------------------- */

    /* Adds this lane's part of the force on particle p, with 32 bits. The sum of the sizes of all factors, times the
     * reach, bounds every sum. Returns false if the particle has no list or a sum might not fit. */
    __device__ __forceinline__ bool add_narrow(const small_seen *slots, uint32_t p, engine_sums *sums) const
    {
        const engine_seen self = slots[here + p].seen;
        const uint32_t have = own.rows[p], rows = have == ENGINE_NEIGHBOURS_NO_LIST ? 0 : have;
        const small_entries *entry = list(p) + lane;
        int32_t narrow[3] = {};
        float size = 0;
        small_entries next = {};
        if (rows > 0)
            next = *entry;
#pragma unroll 1
        for (uint32_t row = 0; row < rows; row++) {
            const small_entries now = next;
            small_seen others[SMALL_AHEAD];
#pragma unroll
            for (uint32_t u = 0; u < SMALL_AHEAD; u++)
                others[u] = slots[now.of[u]];
            entry += LANES;
            if (row + 1 < rows)
                next = *entry;
#pragma unroll
            for (uint32_t u = 0; u < SMALL_AHEAD; u++) {
                float d[3];
                const float square = engine_apart(&space, self.place, others[u].seen.place, d, 0);
                const float factor = factor_of(&rule, &self, &others[u].seen, square);
                size += fabsf(factor);
#pragma unroll
                for (int c = 0; c < 3; c++)
                    narrow[c] += __float2int_rn(factor * d[c]);
            }
        }
        for (uint32_t apart = LANES / 2; apart > 0; apart /= 2) {
            size += __shfl_xor_sync(~0u, size, (int) apart);
            for (int c = 0; c < 3; c++)
                narrow[c] = (int32_t) ((uint32_t) narrow[c] + (uint32_t) __shfl_xor_sync(~0u, narrow[c], (int) apart));
        }
        for (int c = 0; c < 3; c++)
            sums->force[c] = narrow[c];
        return have != ENGINE_NEIGHBOURS_NO_LIST && size * rule.reach < 0x1.fp30f;
    }

    /* Does the same with 64 bits, and without a list if there is none. */
    __device__ __forceinline__ engine_sums add_wide(const small_seen *slots, uint32_t p) const
    {
        engine_sums sums = {};
        const engine_seen self = slots[here + p].seen;
        const bool has = own.rows[p] != ENGINE_NEIGHBOURS_NO_LIST;
        const uint32_t end = has ? own.rows[p] * LANES * SMALL_AHEAD : seen;
        for (uint32_t e = lane; e < end; e += LANES) {
            const uint32_t j =
                has ? list(p)[e / (LANES * SMALL_AHEAD) * LANES + e % LANES].of[e / LANES % SMALL_AHEAD] : e;
            float d[3];
            const float square = engine_apart(&space, self.place, slots[j].seen.place, d, 0);
            engine_add_fixed(sums.force, factor_of(&rule, &self, &slots[j].seen, square), d);
        }
        for (uint32_t apart = LANES / 2; apart > 0; apart /= 2)
            for (int c = 0; c < 3; c++)
                sums.force[c] += __shfl_xor_sync(~0u, (long long) sums.force[c], (int) apart);
        return sums;
    }

    /* ---- Moves ---------------------------------------------------------------------------------------------------- */

    /* engine_place_of, whose division is replaced by a multiplication where that gives the same integer for sure: the
     * product differs from the quotient by 2^-19 at most. */
    __device__ __forceinline__ uint32_t place_of(int axis, double edge, double inverse, double x) const
    {
        const double at = x * inverse;
        if (x >= 0 && x < edge && at < 0x1p32) {
            const uint32_t whole = (uint32_t) at;
            const double rest = at - (double) whole;
            if (rest > 0x1p-18 && rest < 1 - 0x1p-18)
                return whole;
        }
        return engine_place_of(&space, axis, x);
    }

    /* Ends step `step` - 1 and begins step `step` of particle p along axis c. */
    __device__ __forceinline__ double begin_step(uint32_t p, int c, double edge, double force, uint32_t step) const
    {
        const double h = own.h[p];
        double x = own.x[3 * p + c], v = own.v[3 * p + c];
        if (step > 0)
            v += h * force;
        v += h * force;
        if (Rule::langevin) {
            const engine_neighbours_fields fields = small_fields(job, system);
            double g[4];
            x = drifted(edge, x, rule.half_dt * v);
            pairs_normal_numbers(rule.seed + system, job.first_step + job.taken + step, own.id[p], g);
            if (c < rule.axes)
                v = thermalised(&rule, v, ENGINE_NEIGHBOURS_ELEMENT(const double, fields, mass, own.id[p], 0),
                                c == 0   ? g[0]
                                : c == 1 ? g[1]
                                         : g[2]);
            x = drifted(edge, x, rule.half_dt * v);
        } else {
            x = drifted(edge, x, rule.dt * v);
        }
        own.x[3 * p + c] = x;
        own.v[3 * p + c] = v;
        if (!engine_space_has(x))
            atomicMin(job.lost + system, (unsigned long long) (job.taken + step) << 32 | own.id[p]);
        return x;
    }

    /* Ends the last step. */
    __device__ __forceinline__ void store(uint32_t p, int c, double force) const
    {
        const engine_neighbours_fields fields = small_fields(job, system);
        const uint32_t i = own.id[p];
        ENGINE_NEIGHBOURS_ELEMENT(double, fields, position, i, c) = own.x[3 * p + c];
        ENGINE_NEIGHBOURS_ELEMENT(double, fields, velocity, i, c) = own.v[3 * p + c] + own.h[p] * force;
        ENGINE_NEIGHBOURS_ELEMENT(double, fields, force, i, c) = force;
    }

    /* Has particle p of the share moved too far for its list? */
    __device__ __forceinline__ bool is_old(uint32_t p, const engine_seen &self) const
    {
        float way[3];
        return !(engine_apart(&space, self.place, own.built + 3 * p, way, 0) <= space.moved2);
    }

    /* Takes a step of the share. The slots have the places at its begin. Calls publish(p, seen) with the new place of
     * each particle, in each lane of its group. After the last step, stores the particles instead. */
    template <class Publish>
    __device__ __forceinline__ void step_share(const small_seen *slots, uint32_t step, const Publish &publish)
    {
        const int c = lane < 3 ? (int) lane : 0;
        const double edge = rule.edge[c], inverse = 0x1p32 / edge;
        for (uint32_t first = warp * GROUPS; first < count; first += WARPS * GROUPS) {
            const bool valid = first + group < count;
            const uint32_t p = valid ? first + group : count - 1;
            engine_sums sums;
            if (!__all_sync(~0u, add_narrow(slots, p, &sums)))
                sums = add_wide(slots, p);
            const double force = (double) (c == 0 ? sums.force[0] : c == 1 ? sums.force[1] : sums.force[2]) * rule.unit;
            if (step == job.steps) {
                if (valid && lane < 3)
                    store(p, c, force);
                continue;
            }
            uint32_t place = 0;
            if (valid && lane < 3)
                place = place_of(c, edge, inverse, begin_step(p, c, edge, force, step));
            small_seen moved = slots[here + p];
            for (int k = 0; k < 3; k++)
                moved.seen.place[k] = __shfl_sync(~0u, place, (int) (group * LANES) + k);
            if (valid)
                publish(p, moved);
        }
    }
};

/* ---- A block of a cluster ---------------------------------------------------------------------------------------- */

template <uint32_t LANES, class Rule> struct small_block : small_share<LANES, SMALL_THREADS, Rule> {
    using share = small_share<LANES, SMALL_THREADS, Rule>;
    using share::begin;
    using share::count;
    using share::job;
    using share::own;

    /* The places at the begin of a step. */
    __device__ __forceinline__ small_seen *places_of(uint32_t step) const
    {
        return own.places + step % 2 * 32 * small_tiles(job.space.count);
    }

    __device__ __forceinline__ void load(uint32_t system)
    {
        share::choose_share(system, small_rank());
        share::here = begin;
        share::seen = job.space.count;
        small_wait(job.blocks); /* the system before is done */
        share::sort((uint32_t *) places_of(1),
                    [&](uint32_t slot, uint32_t i) { *small_in(own.id + slot % job.each, slot / job.each) = i; });
        small_wait(job.blocks);
        for (uint32_t p = threadIdx.x; p < count; p += SMALL_THREADS) {
            const small_seen kept = share::load_particle(p);
            for (uint32_t r = 0; r < job.blocks; r++)
                *small_in(places_of(0) + begin + p, r) = kept;
        }
        for (uint32_t j = job.space.count + threadIdx.x; j < 32 * small_tiles(job.space.count); j += SMALL_THREADS)
            places_of(0)[j] = places_of(1)[j] = small_seen{};
        if (threadIdx.x < 3)
            own.stale[threadIdx.x] = threadIdx.x == 0;
    }

    __device__ __forceinline__ void make_lists(const small_seen *slots) const
    {
        for (uint32_t tile = share::warp; tile < small_tiles(share::seen); tile += SMALL_WARPS)
            share::bound_tile(slots + 32 * tile, share::seen - 32 * tile, own.low + 3 * tile, own.length + 3 * tile);
        __syncthreads();
        share::make_lists(slots);
        __syncthreads();
    }

    /* Writes a particle's new place into all blocks. */
    __device__ __forceinline__ void publish(uint32_t p, const small_seen &moved, uint32_t step) const
    {
        const bool old = share::is_old(p, moved.seen);
        for (uint32_t r = share::lane; r < job.blocks; r += LANES) {
            *small_in(places_of(step) + begin + p, r) = moved;
            if (old)
                *small_in(own.stale + step % 3, r) = 1;
        }
    }

    /* Takes the steps of a launch: forces at their begins, and at the end of the last one. */
    __device__ __forceinline__ void take_steps()
    {
        for (uint32_t step = 0; step <= job.steps; step++) {
            small_wait(job.blocks);
            if (own.stale[step % 3])
                make_lists(places_of(step));
            if (threadIdx.x == 0)
                own.stale[(step + 2) % 3] = 0;
            share::step_share(places_of(step), step,
                              [&](uint32_t p, const small_seen &moved) { publish(p, moved, step + 1); });
        }
    }
};

/* ---- The kernel -------------------------------------------------------------------------------------------------- */

/* Where a block has what its system has of its own, in 4-byte words behind the other memory. */
template <class Rule>
static __host__ __device__ inline small_system<Rule> *small_own(unsigned char *bytes, size_t taken)
{
    static_assert(sizeof(small_system<Rule>) == sizeof(small_system<rule>), "a typed rule has the members of a rule");
    return (small_system<Rule> *) (bytes + (taken + 15) / 16 * 16);
}

/* Each cluster takes one system after the other. DIFFER: systems have rules and boxes of their own. */
template <uint32_t LANES, bool DIFFER, class Rule>
__global__ __launch_bounds__(SMALL_THREADS, LANES == 4 ? 2 : 1) void small_steps(const __grid_constant__ Rule rule,
                                                                                 const __grid_constant__ small_job job)
{
    small_memory memory;
    const size_t taken = small_divide(small_bytes(), job.space.count, job.each, &memory);
    small_system<Rule> *const own = small_own<Rule>(small_bytes(), taken);
    memory.apart = job.room / SMALL_AHEAD;
    memory.lists = job.lists + (size_t) blockIdx.x * job.each * memory.apart;
    small_block<LANES, Rule> block = {{DIFFER ? own->of : rule, DIFFER ? own->space : job.space, job, memory, 0, 0, 0,
                                       0, 0, threadIdx.x % LANES, threadIdx.x % 32 / LANES, threadIdx.x / 32}};
    for (uint32_t system = blockIdx.x / job.blocks; system < job.systems; system += gridDim.x / job.blocks) {
        if (DIFFER) {
            __syncthreads(); /* the system before is done; load waits again */
            for (uint32_t k = threadIdx.x; k < sizeof *own / sizeof(uint32_t); k += SMALL_THREADS)
                ((uint32_t *) own)[k] = ((const uint32_t *) (job.differ + system))[k];
        }
        block.load(system);
        block.take_steps();
    }
}

#endif
