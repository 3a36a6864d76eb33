/* How a lane of `cuda` counts its eight particles with others: cuda.cu has the instructions that it takes. */
#ifndef RDF_CUDA_MEET_H
#define RDF_CUDA_MEET_H

#include "cuda_guard.h"
#include "cuda_tiles.h"

constexpr uint32_t OWN = RDF_TILE / 32;

/* Sets of axes that have a loop of their own, a bit each: none, x, y, z, and all. */
constexpr uint32_t LOOPS = 0x97;

/* Particles j at a stretch: where there is one loop alone, it has room for more. */
template <uint32_t FORM, bool PARTIAL> constexpr int STRETCH = FORM == RDF_OPEN && !PARTIAL ? 4 : 1;

template <uint32_t FORM, bool PARTIAL> static constexpr __device__ bool has_loop(uint32_t axes)
{
    return ((FORM == RDF_OPEN ? 1 : PARTIAL ? 0x81 : LOOPS) >> axes & 1) != 0;
}

/* What a launch is told besides. */
struct rdf_tiles {
    rdf_fast fast;
    const float *thresholds;
    unsigned long long *counts; /* of the row */
    rdf_row row;
    uint32_t columns;     /* copies of the histogram */
    const uint32_t *list; /* pairs of tiles that may be in range */
    rdf_work *work;
};

template <uint32_t FORM, uint32_t AXES> static __device__ float square_of(const rdf_box &box, float4 a, float4 b)
{
    rdf_box known = box;
    known.form = FORM;
    return rdf_square_along(&known, AXES, a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Where the counts of a lane are: its copy of the histogram as bits of v, and where that begins. */
struct rdf_counter {
    uint32_t mask, column, histogram;
};

static __device__ rdf_counter counter_of(const rdf_tiles &tiles, const uint32_t *histogram)
{
    rdf_counter counter;
    counter.mask = (2 * tiles.fast.slots - 1) << tiles.fast.fraction;
    counter.column = threadIdx.x % tiles.columns << (RDF_COUNTER_SHIFT + 2);
    counter.histogram = (uint32_t) __cvta_generic_to_shared(histogram);
    return counter;
}

static __device__ void count_bits(const rdf_counter &counter, uint32_t bits)
{
    const uint32_t at = counter.histogram + (((bits & counter.mask) | counter.column) >> RDF_COUNTER_SHIFT);
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(at) : "memory");
}

/* Is rdf_fast_sure true of all eight? One instruction for each. */
static __device__ bool all_sure(const rdf_fast &fast, const uint32_t (&bits)[OWN])
{
    uint32_t sure;
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
        : "=r"(sure)
        : "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(bits[4]), "r"(bits[5]), "r"(bits[6]),
          "r"(bits[7]), "r"(fast.end));
    return sure;
}

/* The bits of v for the lane's eight particles with one other. */
template <uint32_t FORM, uint32_t AXES>
static __device__ void find_bits(const rdf_box &box, const rdf_tiles &tiles, const float4 (&own)[OWN], float4 other,
                                 uint32_t (&bits)[OWN])
{
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        bits[r] = rdf_fast_bits(tiles.fast, rdf_root_of(square_of<FORM, AXES>(box, own[r], other)));
}

/* Those that were in doubt become bits of the slot. */
template <uint32_t FORM, uint32_t AXES>
static __device__ void settle_bits(const rdf_box &box, const rdf_tiles &tiles, const float4 (&own)[OWN], float4 other,
                                   uint32_t (&bits)[OWN])
{
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        if (!rdf_fast_sure(tiles.fast, bits[r])) {
            const float square = square_of<FORM, AXES>(box, own[r], other);
            bits[r] = rdf_fast_settle(tiles.fast, bits[r], square, tiles.thresholds) << tiles.fast.fraction;
        }
}

/* With PARTIAL, only those of the eight whose number in the tile, 32 r + lane, is less than the other's w. */
template <bool PARTIAL>
static __device__ void count_eight(const rdf_counter &counter, const uint32_t (&bits)[OWN], float4 other)
{
    const int left = __float_as_int(other.w) - (int) (threadIdx.x % 32);
#pragma unroll
    for (int r = 0; r < (int) OWN; r++)
        if (!PARTIAL || 32 * r < left)
            count_bits(counter, bits[r]);
}

/* The lane's eight particles with `count` others on the desk, by whatever image. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_all(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                 const float4 (&own)[OWN], const float4 *desk, uint32_t count)
{
#pragma unroll(PARTIAL ? 1 : 4)
    for (uint32_t k = 0; k < count; k++) {
        const float4 other = desk[k];
        uint32_t bits[OWN];
        find_bits<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        if (!all_sure(tiles.fast, bits))
            settle_bits<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        count_eight<PARTIAL>(counter, bits, other);
    }
}

/* The same along some axes, but for others with one of the eight in doubt, who are left out: bit count - 1 - k of the
 * result for number k. There is a loop for each set of axes, warps are in any of them, and what runs at a time should
 * fit the nearest cache of instructions, 12 KiB: so they are short, and what is rare stands elsewhere, once. */
template <uint32_t FORM, uint32_t AXES, bool PARTIAL>
static __device__ uint32_t count_along(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                       const float4 (&own)[OWN], const float4 *desk, uint32_t count)
{
    uint32_t doubt = 0;
#pragma unroll(STRETCH <FORM, PARTIAL>)
    for (uint32_t k = 0; k < count; k++) {
        const float4 other = desk[k];
        uint32_t bits[OWN];
        find_bits<FORM, AXES>(box, tiles, own, other, bits);
        const bool sure = all_sure(tiles.fast, bits);
        doubt = 2 * doubt + !sure;
        if (sure)
            count_eight<PARTIAL>(counter, bits, other);
    }
    return doubt;
}

/* The same for axes known at run time, at most AXES, and of those that have a loop. */
template <uint32_t FORM, bool PARTIAL, uint32_t AXES>
static __device__ uint32_t count_desk(uint32_t axes, const rdf_box &box, const rdf_tiles &tiles,
                                      const rdf_counter &counter, const float4 (&own)[OWN], const float4 *desk,
                                      uint32_t count)
{
    if constexpr (AXES == 0)
        return count_along<FORM, 0, PARTIAL>(box, tiles, counter, own, desk, count);
    else {
        if constexpr (has_loop<FORM, PARTIAL>(AXES))
            if (axes == AXES)
                return count_along<FORM, AXES, PARTIAL>(box, tiles, counter, own, desk, count);
        return count_desk<FORM, PARTIAL, AXES - 1>(axes, box, tiles, counter, own, desk, count);
    }
}

/* Those that count_desk left out. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_doubt(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                   const float4 (&own)[OWN], const float4 *desk, uint32_t count, uint32_t doubt)
{
#pragma unroll 1
    for (; doubt; doubt &= doubt - 1) {
        const float4 other = desk[count - (uint32_t) __ffs((int) doubt)];
        uint32_t bits[OWN];
        find_bits<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        settle_bits<FORM, RDF_ALL_AXES>(box, tiles, own, other, bits);
        count_eight<PARTIAL>(counter, bits, other);
    }
}

#endif
