/* The tables of life2d-lut on a GPU: each is a struct that copies its table to shared memory and takes one step of one
 * segment of rows. cuda.cu's head says what each of them costs. */
#ifndef LIFE2D_LUT_CUDA_TABLES_CUH
#define LIFE2D_LUT_CUDA_TABLES_CUH

#include "cuda_grid.cuh"

/* What a launch hands to its table. */
struct lut_table {
    const void *entries; /* in device memory; 16-byte aligned */
    uint32_t born[2];    /* sums: bytes of outcomes by count */
    uint32_t survives[2];
};

static __device__ void lut_copy(uint4 *shared, const void *entries, uint32_t bytes)
{
    for (uint32_t i = threadIdx.x; i < bytes / 16; i += blockDim.x)
        shared[i] = ((const uint4 *) entries)[i];
}

/* ---- 6x3: two entries a byte -------------------------------------------------------------------------------- */

struct lut_cuda_6x3 {
    enum { WORDS = 1, THREADS = 768, BLOCKS = 1, SHARED_BYTES = 1 << 17, ROWS_AT_ONCE = 1 };
    const uint8_t *entries;

    __device__ lut_cuda_6x3(void *shared, const lut_table &table) : entries((const uint8_t *) shared)
    {
        lut_copy((uint4 *) shared, table.entries, SHARED_BYTES);
    }

    /* Six cells from cell 4 k - 1 of a word on. */
    static __device__ uint32_t six(const lut_span<WORDS> &span, int w, int k)
    {
        const uint32_t left = w ? span.cells[w - 1] : span.left, right = w + 1 < WORDS ? span.cells[w + 1] : span.right;
        const uint32_t cells = k == 0   ? __funnelshift_l(left, span.cells[w], 1)
                               : k == 7 ? __funnelshift_r(span.cells[w], right, 27)
                                        : span.cells[w] >> (4 * k - 1);
        return cells & 63;
    }

    __device__ uint32_t four(uint32_t above, uint32_t here, uint32_t below) const
    {
        const uint32_t place = (above ^ here ^ below) | here << 6 | below << 12;
        return entries[place & (SHARED_BYTES - 1)] >> (place >> 15 & 4) & 15;
    }

    __device__ void segment(const lut_grid &grid, const uint32_t *source, uint32_t *result,
                            const lut_column<WORDS> &column, uint64_t y, uint64_t end) const
    {
        lut_rows rows(source, grid, (int64_t) y - 1);
        lut_span<WORDS> above = column.load(rows.next()), here = column.load(rows.next()),
                        below = column.load(rows.next());
        column.settle(above);
        column.settle(here);
#pragma unroll 3
        for (; y < end; y++) {
            const lut_span<WORDS> coming = column.load(rows.next());
            column.settle(below);
            uint32_t next[WORDS];
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                next[w] = 0;
#pragma unroll
                for (int k = 0; k < 8; k++)
                    next[w] |= four(six(above, w, k), six(here, w, k), six(below, w, k)) << 4 * k;
            }
            column.store(result + y * grid.row_words, next);
            above = here, here = below, below = coming;
        }
    }
};

/* ---- 4x4: an entry a byte, the upper two cells in bits 0 and 1, the lower two in bits 4 and 5 --------------- */

/* WORDS words of two rows, cut into halves of squares: byte c of half[w][i] holds four cells of the upper row and four
 * of the lower one, from cell 8 c + 2 i - 1 of the word on. */
template <int WORDS> struct lut_pair {
    uint32_t half[WORDS][4];

    __device__ lut_pair(const lut_span<WORDS> &upper, const lut_span<WORDS> &lower)
    {
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            const uint32_t upper_left = from_left(upper, w), upper_right = from_right(upper, w);
            const uint32_t lower_left = from_left(lower, w), lower_right = from_right(lower, w);
            half[w][0] = lut_choose(0x0f0f0f0f, upper_left, lower_left << 4);
            half[w][1] = lut_choose(0x0f0f0f0f, upper_right, lower_right << 4);
            half[w][2] = lut_choose(0x0f0f0f0f, upper_left >> 4, lower_left);
            half[w][3] = lut_choose(0x0f0f0f0f, upper_right >> 4, lower_right);
        }
    }

    static __device__ uint32_t from_left(const lut_span<WORDS> &span, int w)
    {
        return __funnelshift_l(w ? span.cells[w - 1] : span.left, span.cells[w], 1);
    }

    static __device__ uint32_t from_right(const lut_span<WORDS> &span, int w)
    {
        return __funnelshift_r(span.cells[w], w + 1 < WORDS ? span.cells[w + 1] : span.right, 1);
    }
};

struct lut_cuda_4x4 {
    enum { WORDS = 2, THREADS = 384, BLOCKS = 2, SHARED_BYTES = 1 << 16, ROWS_AT_ONCE = 2 };
    const uint8_t *entries;

    __device__ lut_cuda_4x4(void *shared, const lut_table &table) : entries((const uint8_t *) shared)
    {
        lut_copy((uint4 *) shared, table.entries, SHARED_BYTES);
    }

    /* Four cells of two rows, from cell 8 c of a word on, or with i = 2 from cell 8 c + 4: upper ones in the low
     * nibble. */
    __device__ uint32_t four(const lut_pair<WORDS> &above, const lut_pair<WORDS> &below, int w, int i, int c) const
    {
        uint32_t square[2];
#pragma unroll
        for (int s = 0; s < 2; s++) {
            const uint32_t mixed = above.half[w][i + s] ^ below.half[w][i + s];
            const uint32_t both = __byte_perm(mixed, below.half[w][i + s], c < 2 ? 0x5140 : 0x7362);
            square[s] = entries[c % 2 ? both >> 16 : both & 0xffff];
        }
        return square[0] + 4 * square[1];
    }

    __device__ void squares(const lut_pair<WORDS> &above, const lut_pair<WORDS> &below, uint32_t (&upper)[WORDS],
                            uint32_t (&lower)[WORDS]) const
    {
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            uint32_t even = 0, odd = 0;
#pragma unroll
            for (int c = 3; c >= 0; c--) {
                even = even * 256 + four(above, below, w, 0, c);
                odd = odd * 256 + four(above, below, w, 2, c);
            }
            upper[w] = lut_choose(0x0f0f0f0f, even, odd << 4);
            lower[w] = lut_choose(0x0f0f0f0f, even >> 4, odd);
        }
    }

    __device__ void segment(const lut_grid &grid, const uint32_t *source, uint32_t *result,
                            const lut_column<WORDS> &column, uint64_t y, uint64_t end) const
    {
        lut_rows rows(source, grid, (int64_t) y - 1);
        lut_span<WORDS> first = column.load(rows.next()), second = column.load(rows.next());
        column.settle(first);
        column.settle(second);
        lut_pair<WORDS> above(first, second);
        first = column.load(rows.next()), second = column.load(rows.next());
#pragma unroll 2
        for (; y < end; y += 2) {
            column.settle(first);
            column.settle(second);
            const lut_pair<WORDS> below(first, second);
            first = column.load(rows.next()), second = column.load(rows.next());
            uint32_t upper[WORDS], lower[WORDS];
            squares(above, below, upper, lower);
            column.store(result + y * grid.row_words, upper);
            if (y + 1 < end)
                column.store(result + (y + 1) * grid.row_words, lower);
            above = below;
        }
    }
};

/* ---- sums: ten cells of a row to eight sums of three, in nibbles; a copy for each lane ---------------------- */

/* GENERAL: any rule. Otherwise rules without birth at 8 and survival at 7 and 8, which is most: one look at the
 * outcomes instead of two. */
template <int COLUMN_WORDS, bool GENERAL> struct lut_cuda_sums {
    enum { WORDS = COLUMN_WORDS, THREADS = 512, BLOCKS = 1, ROWS_AT_ONCE = 1, ENTRIES = 1024, AT = 1024 };
    enum { AHEAD = WORDS == 4 ? 4 : 0 }; /* rows fetched into the L2 cache early: large grids are not there yet */
    enum { SHARED_BYTES = ENTRIES * 32 * 4 + AT };
    uint32_t lane_bytes; /* where the lane's bank begins */
    lut_table rule;

    /* The sums of a row: word i / 4, byte i % 4. */
    struct sums {
        uint32_t of[4 * WORDS];
    };

    /* The copies stand at address AT of shared memory, so that it is part of the load instruction. What the system
     * keeps for itself there is smaller. */
    __device__ lut_cuda_sums(void *shared, const lut_table &table) : lane_bytes(threadIdx.x % 32 * 4), rule(table)
    {
        const uint32_t begin = (uint32_t) __cvta_generic_to_shared(shared);
        if (begin > AT)
            __trap();
        uint32_t *copies = (uint32_t *) shared + (AT - begin) / 4;
        for (uint32_t i = threadIdx.x; i < ENTRIES * 32; i += blockDim.x)
            copies[i] = ((const uint32_t *) table.entries)[i / 32];
    }

    /* Bits 7 … 16 are the ten cells: that is where the address of an entry has its number. */
    __device__ uint32_t look_up(uint32_t cells) const
    {
        uint32_t sums;
        asm("ld.shared.u32 %0, [%1 + %2];" : "=r"(sums) : "r"((cells & 0x1ff80) | lane_bytes), "n"((int) AT));
        return sums;
    }

    __device__ sums add(const lut_span<WORDS> &span) const
    {
        sums sums;
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            const uint32_t left = w ? span.cells[w - 1] : span.left, cells = span.cells[w];
            const uint32_t right = w + 1 < WORDS ? span.cells[w + 1] : span.right;
            sums.of[4 * w] = look_up(__funnelshift_l(left, cells, 8));
            sums.of[4 * w + 1] = look_up(cells);
            sums.of[4 * w + 2] = look_up(cells >> 8);
            sums.of[4 * w + 3] = look_up(__funnelshift_r(cells, right, 16));
        }
        return sums;
    }

    /* PRMT looks up four bytes by the low four nibbles of a register in a table of eight; by 8 and 9, it spreads the
     * top bits of its bytes 0 and 1. */
    static __device__ __forceinline__ uint32_t permute(const uint32_t (&table)[2], uint32_t counts)
    {
        uint32_t bytes;
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(table[0]), "r"(table[1]), "r"(counts));
        return bytes;
    }

    /* Four cells by their counts: born in the low nibble, surviving in the high one; `cells` are those found before. */
    __device__ uint32_t outcomes(uint32_t counts, uint32_t cells) const
    {
        uint32_t bytes = permute(rule.born, counts);
        if constexpr (GENERAL)
            bytes = (bytes & 0x01010101) | (permute(rule.survives, counts) & 0x10101010);
        return __dp4a(bytes, 0x08040201u, cells);
    }

    /* The upper four counts, brought down by the multiplier: the shifter has enough to do. */
    static __device__ uint32_t upper(uint32_t counts)
    {
        return __dp2a_lo(counts, 0x0100u, 0u);
    }

    __device__ uint32_t word(const uint32_t *above, const uint32_t *here, const uint32_t *below, uint32_t cells) const
    {
        uint32_t even = 0, odd = 0;
#pragma unroll
        for (int c = 3; c >= 0; c--) {
            const uint32_t counts = above[c] + here[c] + below[c];
            even = outcomes(counts, even * 256);
            odd = outcomes(upper(counts), odd * 256);
        }
        const uint32_t born = lut_choose(0x0f0f0f0f, even, odd << 4);
        const uint32_t survives = lut_choose(0x0f0f0f0f, even >> 4, odd);
        return lut_choose(cells, survives, born);
    }

    __device__ void segment(const lut_grid &grid, const uint32_t *source, uint32_t *result,
                            const lut_column<WORDS> &column, uint64_t y, uint64_t end) const
    {
        lut_rows rows(source, grid, (int64_t) y - 1);
        lut_span<WORDS> first = column.load(rows.next()), cells = column.load(rows.next()),
                        coming = column.load(rows.next());
        lut_rows ahead(source, grid, (int64_t) y + 2);
        for (int i = 0; i < AHEAD; i++)
            lut_prefetch(ahead.next() + column.first);
        column.settle(first);
        column.settle(cells);
        sums above = add(first), here = add(cells);
#pragma unroll 3
        for (; y < end; y++) {
            lut_span<WORDS> span = coming;
            column.settle(span);
            coming = column.load(rows.next());
            if constexpr (AHEAD > 0)
                lut_prefetch(ahead.next() + column.first);
            const sums below = add(span);
            uint32_t next[WORDS];
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                next[w] = word(above.of + 4 * w, here.of + 4 * w, below.of + 4 * w, cells.cells[w]);
            column.store(result + y * grid.row_words, next);
            above = here, here = below, cells = span;
        }
    }
};

#endif
