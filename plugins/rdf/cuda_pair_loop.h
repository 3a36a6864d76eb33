/* The pair loops of `cuda`: a lane's eight particles i with the particles j that its warp has staged in shared memory.
 *
 *                 staged: j0   j1   j2  ...  j31          every lane reads the same j: one broadcast serves eight pairs
 *     lane 0      i0   i32   i64  ... i224
 *     lane 1      i1   i33   i65  ... i225                in registers
 *     ...
 *     lane 31     i31  i63   i95  ... i255
 *
 * A pair costs the instructions for d^2 and six more: the root, the multiply-add of cuda_bin.h, its predicate, mask and
 * copy, shift and base, and the addition in shared memory. The pair loops are compiled for each kind of box (FORM), for
 * each set of axes along which a nearer image is searched for (AXES), and for incomplete tiles (PARTIAL).
 *
 * The limit is the register file. It has two banks, of the registers with even and with odd numbers, and an instruction
 * takes a second cycle if it reads two new registers of one bank. So staged particles have x and y swapped: a read of
 * four numbers puts the first and the third into even registers, and the x and y of the particles i are in the other
 * bank than those of the particle j. And the mask is a parameter of the kernel, because an instruction reads such a
 * constant beside its registers.
 *
 * The histogram lies in shared memory, one slot after another, with as many copies of each slot as fit. With up to 512
 * bins, each lane has a copy of its own, in a bank of its own, so no two lanes of a warp add to the same bank:
 *
 *     slot -1     copy 0  copy 1  ...  copy 31            v below 1/2
 *     slot 0      copy 0  copy 1  ...  copy 31
 *     slot 1      copy 0  copy 1  ...  copy 31
 *     ...
 *     slot 512    copy 0  copy 1  ...  copy 31            pairs out of range
 *
 * So no pair needs a branch. Where the slot is not certain to be the bin, the pair is moved to the next slot later. */
#ifndef RDF_CUDA_PAIR_LOOP_H
#define RDF_CUDA_PAIR_LOOP_H

#include "cuda_bin_guard.h"
#include "cuda_tiles.h"

constexpr uint32_t PER_LANE = RDF_TILE / 32;

/* Sets of axes that have a pair loop of their own, a bit each. The other sets use the loop for all axes, which changes
 * no bit of d^2. The loops should be small, because the warps of a block run different ones at a time. Two axes have
 * loops in a triclinic box, where a search along an axis takes up to 5 instructions; otherwise it takes 2. */
constexpr uint32_t NO_AXIS_LOOP = 1u << 0, ALL_AXES_LOOP = 1u << RDF_ALL_AXES;
constexpr uint32_t ONE_AXIS_LOOPS = 1u << RDF_X | 1u << RDF_Y | 1u << RDF_Z;
constexpr uint32_t TWO_AXES_LOOPS = 1u << (RDF_X | RDF_Y) | 1u << (RDF_X | RDF_Z) | 1u << (RDF_Y | RDF_Z);

template <uint32_t FORM, bool PARTIAL> static constexpr __device__ bool has_loop(uint32_t axes)
{
    constexpr uint32_t some = FORM == RDF_TRICLINIC ? ONE_AXIS_LOOPS | TWO_AXES_LOOPS : ONE_AXIS_LOOPS;
    constexpr uint32_t images = PARTIAL ? ALL_AXES_LOOP : ALL_AXES_LOOP | some;
    return ((FORM == RDF_OPEN ? NO_AXIS_LOOP : NO_AXIS_LOOP | images) >> axes & 1) != 0;
}

/* What a launch gets besides the view. */
struct rdf_tiles {
    rdf_binning binning;
    const float *thresholds;
    unsigned long long *counts; /* of the row */
    rdf_row row;
    uint32_t copies;      /* of the histogram; a power of two */
    uint32_t slot_mask;   /* selects the slot in the bits of v, and the two bits above it: see counter_at */
    const uint32_t *list; /* pairs of tiles that may be in range */
    rdf_tile_queue *queue;
};

template <uint32_t FORM, uint32_t AXES> static __device__ float square_of(const rdf_box &box, float4 a, float4 b)
{
    rdf_box known = box;
    known.form = FORM;
    return rdf_square_along(&known, AXES, a.x - b.x, a.y - b.y, a.z - b.z);
}

/* ---- Staged particles -------------------------------------------------------------------------------------------- */

/* To the staged form, or back from it. */
static __device__ float4 swap_xy(float4 particle)
{
    return make_float4(particle.y, particle.x, particle.z, particle.w);
}

/* Stands for no particle. Its pairs are out of range, and their counter is never added up. */
static __device__ float4 no_particle()
{
    return make_float4(INFINITY, 0, 0, 0);
}

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* Where a lane's counters are. `copy` is the byte offset of the lane's copy in a slot, shifted left by
 * RDF_COUNTER_SHIFT like the slot. */
struct rdf_counter {
    uint32_t copy, base;
};

static __device__ uint32_t copy_of(const rdf_tiles &tiles, uint32_t lane)
{
    return (lane & (tiles.copies - 1)) << (RDF_COUNTER_SHIFT + 2);
}

static __device__ rdf_counter counter_of(const rdf_tiles &tiles, const uint32_t *histogram)
{
    rdf_counter counter;
    counter.copy = copy_of(tiles, threadIdx.x);
    counter.base = (uint32_t) __cvta_generic_to_shared(histogram) - (1u << (24 - RDF_COUNTER_SHIFT));
    return counter;
}

/* The address of the counter for bits of v. Bits 23 and 24 are 0 and 1 for v in [1/2, 1), 1 and 1 for v = 1, and 1 and
 * 0 for v just below 1/2. So slot number `slots` follows the others, and slot -1 comes before them. `base` takes bit 24
 * into account. */
static __device__ uint32_t counter_at(const rdf_tiles &tiles, const rdf_counter &counter, uint32_t bits)
{
    return counter.base + (((bits & tiles.slot_mask) | counter.copy) >> RDF_COUNTER_SHIFT);
}

static __device__ void add_to_counter(uint32_t at, uint32_t number)
{
    asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(at), "r"(number) : "memory");
}

/* Counts the lane's eight pairs with `other`. PARTIAL: only those whose i, 32 r + lane in the tile, is below
 * other.w. */
template <bool PARTIAL>
static __device__ void count_eight(const rdf_tiles &tiles, const rdf_counter &counter, const uint32_t (&bits)[PER_LANE],
                                   float4 other)
{
    const int left = __float_as_int(other.w) - (int) (threadIdx.x % 32);
#pragma unroll
    for (int r = 0; r < (int) PER_LANE; r++)
        if (!PARTIAL || 32 * r < left)
            add_to_counter(counter_at(tiles, counter, bits[r]), 1);
}

/* ---- Slots ------------------------------------------------------------------------------------------------------- */

/* The bits of v (cuda_bin.h) of the lane's eight pairs with `other`. */
template <uint32_t FORM, uint32_t AXES>
static __device__ void find_bits(const rdf_box &box, const rdf_tiles &tiles, const float4 (&own)[PER_LANE],
                                 float4 other, uint32_t (&bits)[PER_LANE])
{
#pragma unroll
    for (uint32_t r = 0; r < PER_LANE; r++)
        bits[r] = rdf_slot_bits(tiles.binning, rdf_root_of(square_of<FORM, AXES>(box, own[r], other)));
}

/* Sets BIT in `noted` unless rdf_slot_is_certain holds for all eight pairs. A pair takes one instruction.
 * `lop3.and left|p, a, b, 0, 0x0c, p` computes left = ~a & b and p = p && left != 0. Bit 4a + 2b + c of the look-up
 * constant is the result for bits a, b and c:
 *
 *     a b c    000 001 010 011 100 101 110 111
 *     ~a & b    0   0   1   1   0   0   0   0      bits 2 and 3 are set: 0x0c */
template <uint32_t BIT>
static __device__ void note_uncertain(const rdf_binning &binning, const uint32_t (&bits)[PER_LANE], uint32_t &noted)
{
    asm("{\n.reg .pred p;\n.reg .b32 left;\n"
        "setp.eq.u32 p, 0, 0;\n"
        "lop3.and.b32 left|p, %1, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %2, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %3, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %4, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %5, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %6, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %7, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %8, %9, 0, 0x0c, p;\n"
        "@!p or.b32 %0, %0, %10;\n}"
        : "+r"(noted)
        : "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(bits[4]), "r"(bits[5]), "r"(bits[6]),
          "r"(bits[7]), "r"(binning.end), "n"(BIT));
}

/* ---- Loops over staged particles --------------------------------------------------------------------------------- */

/* Counts the lane's eight particles i with staged particles j, MANY of them one after the other. They set bits
 * MANY - 1, MANY - 2, ... 0 of `uncertain`. */
template <uint32_t FORM, uint32_t AXES, bool PARTIAL, uint32_t MANY>
static __device__ void count_many(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                  const float4 (&own)[PER_LANE], const float4 *staged, uint32_t &uncertain)
{
    if constexpr (MANY > 0) {
        const float4 other = swap_xy(*staged);
        uint32_t bits[PER_LANE];
        find_bits<FORM, AXES>(box, tiles, own, other, bits);
        note_uncertain<1u << (MANY - 1)>(tiles.binning, bits, uncertain);
        count_eight<PARTIAL>(tiles, counter, bits, other);
        count_many<FORM, AXES, PARTIAL, MANY - 1>(box, tiles, counter, own, staged + 1, uncertain);
    }
}

/* Counts the lane's eight particles i with `count` staged particles j, a multiple of MANY. It searches for images along
 * AXES. Bit count - 1 - k of the result is set if a pair with number k is uncertain. There is such a loop for each set
 * of axes, and the warps of a block run different ones at a time. So most iterations take one particle j, and what
 * uncertain pairs need is elsewhere. In open space nearly all warps run one loop, and an iteration takes several. */
template <uint32_t FORM, uint32_t AXES, bool PARTIAL, uint32_t MANY = 1>
static __device__ uint32_t count_along(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                       const float4 (&own)[PER_LANE], const float4 *staged, uint32_t count)
{
    uint32_t uncertain = 0;
#pragma unroll 1
    for (uint32_t k = 0; k < count; k += MANY) {
        uncertain <<= MANY;
        count_many<FORM, AXES, PARTIAL, MANY>(box, tiles, counter, own, staged + k, uncertain);
    }
    return uncertain;
}

/* Calls count_along for axes that are known at run time: a set that has a loop, and none above AXES. */
template <uint32_t FORM, bool PARTIAL, uint32_t AXES>
static __device__ uint32_t dispatch_axes(uint32_t axes, const rdf_box &box, const rdf_tiles &tiles,
                                         const rdf_counter &counter, const float4 (&own)[PER_LANE],
                                         const float4 *staged, uint32_t count)
{
    if constexpr (AXES == 0)
        return count_along<FORM, 0, PARTIAL>(box, tiles, counter, own, staged, count);
    else {
        if constexpr (has_loop<FORM, PARTIAL>(AXES))
            if (axes == AXES)
                return count_along<FORM, AXES, PARTIAL>(box, tiles, counter, own, staged, count);
        return dispatch_axes<FORM, PARTIAL, AXES - 1>(axes, box, tiles, counter, own, staged, count);
    }
}

/* ---- Uncertain pairs --------------------------------------------------------------------------------------------- */

/* Moves a pair from its slot to the next one if that is its bin. `counter`: of the lane that has counted it. */
template <uint32_t FORM>
static __device__ void correct_pair(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter, float4 own,
                                    float4 other)
{
    const float square = square_of<FORM, RDF_ALL_AXES>(box, own, other);
    const uint32_t bits = rdf_slot_bits(tiles.binning, rdf_root_of(square)), at = counter_at(tiles, counter, bits);
    if (rdf_slot_is_certain(tiles.binning, bits) || square < tiles.thresholds[rdf_slot_of(tiles.binning, bits) + 1])
        return;
    add_to_counter(at, UINT32_MAX);
    add_to_counter(at + sizeof(uint32_t) * tiles.copies, 1);
}

/* Corrects what count_along has counted; `uncertain` is its result. A particle j with an uncertain pair has eight pairs
 * in that lane, and eight lanes take one each. `tile`: the particles i, number 32 r + lane for pair r of a lane. */
template <uint32_t FORM>
static __device__ void correct_uncertain(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                         const float4 *tile, const float4 *staged, uint32_t count, uint32_t uncertain)
{
#pragma unroll 1
    for (uint32_t lanes = __ballot_sync(~0u, uncertain != 0); lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t) __ffs((int) lanes) - 1, i = threadIdx.x % 32 * 32 + lane;
        const rdf_counter of_lane = {copy_of(tiles, lane), counter.base};
#pragma unroll 1
        for (uint32_t left = __shfl_sync(~0u, uncertain, (int) lane); left; left &= left - 1) {
            const float4 other = swap_xy(staged[count - (uint32_t) __ffs((int) left)]);
            if (threadIdx.x % 32 < PER_LANE && i < __float_as_uint(other.w))
                correct_pair<FORM>(box, tiles, of_lane, tile[i], other);
        }
    }
}

#endif
