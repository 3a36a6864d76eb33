/* The pair loops of `cuda`: a lane's eight particles i with the particles j that its warp has staged in shared memory.
 *
 *                 staged: j0   j1   j2  ...  j31          every lane reads the same j: one broadcast serves eight pairs
 *     lane 0      i0   i32   i64  ... i224
 *     lane 1      i1   i33   i65  ... i225                in registers
 *     ...
 *     lane 31     i31  i63   i95  ... i255
 *
 * A pair costs the instructions for d^2 and eight more: the root, the multiply-add of cuda_bin.h, its predicate, mask
 * and copy, shift, base, and the addition in shared memory. The pair loops are compiled for each kind of box (FORM),
 * for each set of axes along which a nearer image is searched for (AXES), and for incomplete tiles (PARTIAL).
 *
 * The histogram lies in shared memory, one slot after another, with as many copies of each slot as fit. With up to 512
 * bins, each lane has a copy of its own, in a bank of its own, so no two lanes of a warp add to the same bank:
 *
 *     slot 0      copy 0  copy 1  ...  copy 31
 *     slot 1      copy 0  copy 1  ...  copy 31
 *     ...
 *     slot 512    copy 0  copy 1  ...  copy 31            pairs out of range: so no pair needs a branch */
#ifndef RDF_CUDA_PAIR_LOOP_H
#define RDF_CUDA_PAIR_LOOP_H

#include "cuda_bin_guard.h"
#include "cuda_tiles.h"

constexpr uint32_t PER_LANE = RDF_TILE / 32;

/* Sets of axes that have a pair loop of their own, a bit each. All loops together should fit the nearest instruction
 * cache; the other sets use the loop for all axes, which changes no bit of d^2. */
constexpr uint32_t NO_AXIS_LOOP = 1u << 0, ALL_AXES_LOOP = 1u << RDF_ALL_AXES;
constexpr uint32_t ONE_AXIS_LOOPS = 1u << RDF_X | 1u << RDF_Y | 1u << RDF_Z;

template <uint32_t FORM, bool PARTIAL> static constexpr __device__ bool has_loop(uint32_t axes)
{
    constexpr uint32_t images = PARTIAL ? ALL_AXES_LOOP : ALL_AXES_LOOP | ONE_AXIS_LOOPS;
    return ((FORM == RDF_OPEN ? NO_AXIS_LOOP : NO_AXIS_LOOP | images) >> axes & 1) != 0;
}

/* How far the loops over particles j are unrolled: open boxes have one loop, which may take more of the cache. */
template <uint32_t FORM, bool PARTIAL> constexpr int UNROLL_J = FORM == RDF_OPEN && !PARTIAL ? 4 : 1;

/* What a launch gets besides the view. */
struct rdf_tiles {
    rdf_binning binning;
    const float *thresholds;
    unsigned long long *counts; /* of the row */
    rdf_row row;
    uint32_t copies;      /* of the histogram */
    const uint32_t *list; /* pairs of tiles that may be in range */
    rdf_tile_queue *queue;
};

template <uint32_t FORM, uint32_t AXES> static __device__ float square_of(const rdf_box &box, float4 a, float4 b)
{
    rdf_box known = box;
    known.form = FORM;
    return rdf_square_along(&known, AXES, a.x - b.x, a.y - b.y, a.z - b.z);
}

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* Where a lane's counters are. `mask` selects the slot in the bits of v, and the bit above it that v = 1 carries into.
 * `copy` is the byte offset of the lane's copy in a slot, shifted left by RDF_COUNTER_SHIFT like the slot. */
struct rdf_counter {
    uint32_t mask, copy, histogram;
};

static __device__ rdf_counter counter_of(const rdf_tiles &tiles, const uint32_t *histogram)
{
    rdf_counter counter;
    counter.mask = (2 * tiles.binning.slots - 1) << tiles.binning.fraction;
    counter.copy = threadIdx.x % tiles.copies << (RDF_COUNTER_SHIFT + 2);
    counter.histogram = (uint32_t) __cvta_generic_to_shared(histogram);
    return counter;
}

static __device__ void count_bits(const rdf_counter &counter, uint32_t bits)
{
    const uint32_t at = counter.histogram + (((bits & counter.mask) | counter.copy) >> RDF_COUNTER_SHIFT);
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(at) : "memory");
}

/* Counts the lane's eight pairs with `other`. PARTIAL: only those whose i, 32 r + lane in the tile, is below
 * other.w. */
template <bool PARTIAL>
static __device__ void count_eight(const rdf_counter &counter, const uint32_t (&bits)[PER_LANE], float4 other)
{
    const int left = __float_as_int(other.w) - (int) (threadIdx.x % 32);
#pragma unroll
    for (int r = 0; r < (int) PER_LANE; r++)
        if (!PARTIAL || 32 * r < left)
            count_bits(counter, bits[r]);
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

/* The predicate rdf_slot_is_certain for eight pairs, an instruction each. `lop3.and left|p, a, b, 0, 0x0c, p` computes
 * left = ~a & b and p = p && left != 0. Bit 4a + 2b + c of the look-up constant is the result for bits a, b and c:
 *
 *     a b c    000 001 010 011 100 101 110 111
 *     ~a & b    0   0   1   1   0   0   0   0      bits 2 and 3 are set: 0x0c */
static __device__ bool all_certain(const rdf_binning &binning, const uint32_t (&bits)[PER_LANE])
{
    uint32_t certain;
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
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(certain)
        : "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(bits[4]), "r"(bits[5]), "r"(bits[6]),
          "r"(bits[7]), "r"(binning.end));
    return certain;
}

/* The fallback: replaces bits that are not certain by those of the right slot. */
template <uint32_t FORM, uint32_t AXES>
static __device__ void correct_uncertain(const rdf_box &box, const rdf_tiles &tiles, const float4 (&own)[PER_LANE],
                                         float4 other, uint32_t (&bits)[PER_LANE])
{
#pragma unroll
    for (uint32_t r = 0; r < PER_LANE; r++)
        if (!rdf_slot_is_certain(tiles.binning, bits[r])) {
            const float square = square_of<FORM, AXES>(box, own[r], other);
            const uint32_t slot = rdf_slot_by_threshold(tiles.binning, bits[r], square, tiles.thresholds);
            bits[r] = slot << tiles.binning.fraction;
        }
}

/* ---- Loops over staged particles --------------------------------------------------------------------------------- */

/* Counts the lane's eight particles i with `count` staged particles j; searches for images along all axes. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_all(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                 const float4 (&own)[PER_LANE], const float4 *staged, uint32_t count)
{
#pragma unroll(PARTIAL ? 1 : 4)
    for (uint32_t k = 0; k < count; k++) {
        const float4 other = staged[k];
        uint32_t bits[PER_LANE];
        find_bits<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        if (!all_certain(tiles.binning, bits))
            correct_uncertain<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        count_eight<PARTIAL>(counter, bits, other);
    }
}

/* The same along the axes AXES, but particles j with an uncertain pair are skipped: bit count - 1 - k of the result is
 * set for number k. There is such a loop for each set of axes, and the warps of a block run different ones at a time.
 * They should fit the nearest instruction cache, 12 KiB. So they are short, and the fallback is elsewhere, once. */
template <uint32_t FORM, uint32_t AXES, bool PARTIAL>
static __device__ uint32_t count_along(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                       const float4 (&own)[PER_LANE], const float4 *staged, uint32_t count)
{
    uint32_t uncertain = 0;
#pragma unroll(UNROLL_J <FORM, PARTIAL>)
    for (uint32_t k = 0; k < count; k++) {
        const float4 other = staged[k];
        uint32_t bits[PER_LANE];
        find_bits<FORM, AXES>(box, tiles, own, other, bits);
        const bool certain = all_certain(tiles.binning, bits);
        uncertain = 2 * uncertain + !certain;
        if (certain)
            count_eight<PARTIAL>(counter, bits, other);
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

/* Counts the particles j that count_along skipped. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_uncertain(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                       const float4 (&own)[PER_LANE], const float4 *staged, uint32_t count,
                                       uint32_t uncertain)
{
#pragma unroll 1
    for (; uncertain; uncertain &= uncertain - 1) {
        const float4 other = staged[count - (uint32_t) __ffs((int) uncertain)];
        uint32_t bits[PER_LANE];
        find_bits<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        correct_uncertain<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        count_eight<PARTIAL>(counter, bits, other);
    }
}

#endif
