/* engine/neighbours_borders.cuh - what the parts of a divided run on GPUs send each other.
 *
 * engine/neighbours.cuh includes it; see there.
 *
 * A part moves a range of the sorted particles, its share. The order of cells runs along the last axis at the end. So the
 * neighbours of a particle are near it in this order: in its own share, or near an end of another share:
 *
 *          share of part 0             share of part 1             share of part 2
 *     |#####---------------#####|#####---------------#####|#####---------------#####|      #: `depth` particles
 *
 * Each part sends all others what they need of the particles at both ends of its share: after each step their places,
 * and, before particles are sorted, the states of those that may come to another share. The
 * first share follows the last one, because the box is periodic. If depth is half of a share, all particles are sent. */
#ifndef ENGINE_NEIGHBOURS_BORDERS_CUH
#define ENGINE_NEIGHBOURS_BORDERS_CUH

#include <engine/neighbours_lists.cuh>

namespace engine_neighbours
{

static __host__ __device__ inline range share_of(uint32_t part, uint32_t parts, uint32_t count)
{
    const uint64_t blocks = engine_divide_up(count, THREADS);
    const uint64_t begin = THREADS * engine_share_begin(part, parts, blocks),
                   end = THREADS * engine_share_begin(part + 1, parts, blocks);
    return {(uint32_t) (begin < count ? begin : count), (uint32_t) (end < count ? end : count)};
}

/* The share that has particle i. */
static __device__ inline range share_with(uint32_t i, uint32_t parts, uint32_t count)
{
    uint32_t part = 0;
    while (share_of(part, parts, count).end <= i)
        part++;
    return share_of(part, parts, count);
}

/* ---- Depths ------------------------------------------------------------------------------------------------------ */

static __device__ inline void raise(uint32_t *depth, uint32_t most)
{
    if (most > *depth)
        atomicMax(depth, most);
}

/* near_before returns how far before particle `at` of cell `cell` the particles of cells near this cell reach, and
 * near_behind how far behind it. The order is a ring: the last particle comes before the first one. */
static __device__ inline uint32_t near_before(const world &world, uint32_t at, uint32_t cell)
{
    const uint32_t *const cells = world.space.cells, layers = cells[NEIGHBOURS_AXES - 1];
    const uint32_t layer = cells[0] * (NEIGHBOURS_AXES == 3 ? cells[1] : 1), own = cell / layer;
    if (layers < ENGINE_NEIGHBOURS_NEAR)
        return world.space.count;
    if (own >= ENGINE_NEIGHBOURS_SIDE)
        return at - world.first[(own - ENGINE_NEIGHBOURS_SIDE) * layer];
    return at + world.space.count - world.first[(own + layers - ENGINE_NEIGHBOURS_SIDE) * layer];
}

static __device__ inline uint32_t near_behind(const world &world, uint32_t at, uint32_t cell)
{
    const uint32_t *const cells = world.space.cells, layers = cells[NEIGHBOURS_AXES - 1];
    const uint32_t layer = cells[0] * (NEIGHBOURS_AXES == 3 ? cells[1] : 1),
                   end = cell / layer + ENGINE_NEIGHBOURS_SIDE + 1;
    if (layers < ENGINE_NEIGHBOURS_NEAR)
        return world.space.count;
    if (end <= layers)
        return world.first[end * layer] - at - 1;
    return world.space.count - at - 1 + world.first[(end - layers) * layer];
}

/* Lists the particles of each cell, in any order. */
static __global__ void list_members(const __grid_constant__ world world, const uint32_t *cell, const uint32_t *rank,
                                    uint32_t *members)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x;
    if (i < world.space.count)
        members[world.first[cell[i]] + rank[i]] = i;
}

/* Numbers the particles of each cell in the order that they had before this sort, so that all parts have the same order.
 * Counts the particles at the ends of shares whose states another part needs, and, in the new order, those whose places
 * another part needs. All parts find the same numbers. */
static __global__ void order_members(const __grid_constant__ world world, const uint32_t *cell, uint32_t *rank,
                                     const uint32_t *members, uint32_t parts)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x, count = world.space.count;
    if (i >= count)
        return;
    const uint32_t first = world.first[cell[i]], end = world.first[cell[i] + 1];
    uint32_t at = first;
    for (uint32_t k = first; k < end; k++)
        at += members[k] < i;
    rank[i] = at - first;
    const range from = share_with(i, parts, count);
    const range to = at - from.begin < from.end - from.begin ? from : share_with(at, parts, count);
    if (from.begin != to.begin)
        raise(&world.report->states, i - from.begin < from.end - i ? i - from.begin + 1 : from.end - i);
    if (at == to.begin)
        raise(&world.report->places, near_before(world, at, cell[i]));
    if (at + 1 == to.end)
        raise(&world.report->places, near_behind(world, at, cell[i]));
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* The head of a message: what the launches of a part have found. 2 * depth records of particles follow. */
struct alignas(16) message {
    unsigned long long first_lost;
    uint32_t lost, stale;
};

/* A record holds the place of a particle (kept_seen) or its state (states). */
struct states {
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_MEMBER)
};

static __device__ inline void read_record(const world &world, uint32_t i, kept_seen *record)
{
    *record = world.next_seen[i];
}

static __device__ inline void write_record(const world &world, uint32_t i, const kept_seen *record)
{
    world.next_seen[i] = *record;
}

static __device__ inline void read_record(const world &world, uint32_t i, states *record)
{
#define ENGINE_NEIGHBOURS_READ_STATE(type, name, components) \
    for (uint32_t c = 0; c < (components); c++) \
        record->name[c] = world.now.name[c * (size_t) world.space.count + i];
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_READ_STATE)
}

static __device__ inline void write_record(const world &world, uint32_t i, const states *record)
{
#define ENGINE_NEIGHBOURS_WRITE_STATE(type, name, components) \
    for (uint32_t c = 0; c < (components); c++) \
        world.now.name[c * (size_t) world.space.count + i] = record->name[c];
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_WRITE_STATE)
}

template <class Record> __host__ __device__ inline size_t message_size(uint32_t depth)
{
    return sizeof(message) + 2 * (size_t) depth * sizeof(Record);
}

/* Returns the particle of record `slot`. The first `depth` records are of the first particles of the share, and the others
 * are of its last ones. Returns UINT32_MAX if the share has no such particle, or if an earlier record has it. */
static __device__ inline uint32_t particle_of(const range &share, uint32_t slot, uint32_t depth)
{
    const uint32_t size = share.end - share.begin, left = 2 * depth - slot;
    if (slot < depth)
        return slot < size ? share.begin + slot : UINT32_MAX;
    return size >= depth + left ? share.end - left : UINT32_MAX;
}

/* Writes the own message. */
template <class Record>
__global__ void put_message(const __grid_constant__ world world, const __grid_constant__ range share, uint32_t depth,
                            uint32_t launch, message *out)
{
    const uint32_t slot = blockIdx.x * OTHERS + threadIdx.x;
    if (slot < 2 * depth) {
        const uint32_t i = particle_of(share, slot, depth);
        if (i != UINT32_MAX)
            read_record(world, i, (Record *) (out + 1) + slot);
    } else if (slot == 2 * depth) {
        *out = {world.report->first_lost, world.report->lost, world.report->stale[launch + 1]};
    }
}

/* Reads the messages of all parts but `part`, each by a row of blocks. */
template <class Record>
__global__ void take_messages(const __grid_constant__ world world, uint32_t part, uint32_t parts, uint32_t depth,
                              uint32_t launch, const message *all)
{
    const uint32_t from = blockIdx.y, slot = blockIdx.x * OTHERS + threadIdx.x;
    if (from == part || slot > 2 * depth)
        return;
    const message *const in = (const message *) ((const char *) all + from * message_size<Record>(depth));
    if (slot < 2 * depth) {
        const uint32_t i = particle_of(share_of(from, parts, world.space.count), slot, depth);
        if (i != UINT32_MAX)
            write_record(world, i, (const Record *) (in + 1) + slot);
        return;
    }
    if (in->stale)
        world.report->stale[launch + 1] = 1;
    if (in->lost) {
        world.report->lost = 1;
        atomicMin(&world.report->first_lost, in->first_lost);
    }
}

} // namespace engine_neighbours

#endif
