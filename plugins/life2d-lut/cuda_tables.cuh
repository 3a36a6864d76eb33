/* The tables of life2d-lut on a GPU. Each is a structure that copies its table to shared memory and takes one step of
 * one segment of rows. The head of cuda.cu has the ladder. */
#ifndef LIFE2D_LUT_CUDA_TABLES_CUH
#define LIFE2D_LUT_CUDA_TABLES_CUH

#include "cuda_grid.cuh"

/* The argument of a launch. */
struct lut_table {
    const void *entries; /* in device memory; 16-byte aligned */
    uint32_t born[2];    /* sums: next states by count, a byte each */
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

    /* Six cells from cell 4 k - 1 of word w on. */
    static __device__ uint32_t six(const lut_span<WORDS> &span, int w, int k)
    {
        const uint32_t left = w ? span.cells[w - 1] : span.left, right = w + 1 < WORDS ? span.cells[w + 1] : span.right;
        const uint32_t cells = k == 0   ? __funnelshift_l(left, span.cells[w], 1)
                               : k == 7 ? __funnelshift_r(span.cells[w], right, 27)
                                        : span.cells[w] >> (4 * k - 1);
        return cells & 63;
    }

    /* Looks up four cells. fill_6x3 in cuda.cu says where an entry is. */
    __device__ uint32_t four(uint32_t above, uint32_t here, uint32_t below) const
    {
        const uint32_t place = (above ^ here ^ below) | here << 6 | below << 12;
        return entries[place & (SHARED_BYTES - 1)] >> (place >> 15 & 4) & 15;
    }

    template <class GRID>
    __device__ void segment(const GRID &grid, const uint32_t *source, uint32_t *result,
                            const typename GRID::template column_type<WORDS> &column, uint64_t y, uint64_t end) const
    {
        typename GRID::rows_type rows(source, grid, (int64_t) y - 1);
        lut_span<WORDS> above = column.load(rows.next()), here = column.load(rows.next()),
                        below = column.load(rows.next());
        column.wrap_neighbours(above);
        column.wrap_neighbours(here);
#pragma unroll 3
        for (; y < end; y++) {
            const lut_span<WORDS> after = column.load(rows.next());
            column.wrap_neighbours(below);
            uint32_t next[WORDS];
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                next[w] = 0;
#pragma unroll
                for (int k = 0; k < 8; k++)
                    next[w] |= four(six(above, w, k), six(here, w, k), six(below, w, k)) << 4 * k;
            }
            column.store(result + y * grid.row_words, next);
            above = here, here = below, below = after;
        }
    }
};

/* ---- 4x4: one entry a byte, upper two cells in bits 0 and 1, lower two in bits 4 and 5 ---------------------- */

/* WORDS words of two rows as halves of 4 x 4 squares: byte c of half[w][i] has four cells of the upper row in the low
 * nibble, and four of the lower row in the high nibble, from cell 8 c + 2 i - 1 of word w on. */
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

    /* Looks up four cells of two rows, from cell 8 c of a word on, or with i = 2 from cell 8 c + 4. The upper cells are
     * in the low nibble. __byte_perm makes two indices at a time: for byte c, its byte of `below` above its byte of
     * `mixed`; fill_4x4 in cuda.cu says why the lower byte is mixed. */
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

    template <class GRID>
    __device__ void segment(const GRID &grid, const uint32_t *source, uint32_t *result,
                            const typename GRID::template column_type<WORDS> &column, uint64_t y, uint64_t end) const
    {
        typename GRID::rows_type rows(source, grid, (int64_t) y - 1);
        lut_span<WORDS> first = column.load(rows.next()), second = column.load(rows.next());
        column.wrap_neighbours(first);
        column.wrap_neighbours(second);
        lut_pair<WORDS> above(first, second);
        first = column.load(rows.next()), second = column.load(rows.next());
#pragma unroll 2
        for (; y < end; y += 2) {
            column.wrap_neighbours(first);
            column.wrap_neighbours(second);
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

/* ---- sums: ten cells of a row -> eight sums of three, in nibbles; a copy of the table for each lane --------- */

/* Entry i of lane l is at word 32 i + l, so that lane l reads only bank l of shared memory, and no two lanes ever
 * conflict. GENERAL takes any rule. Without it, rules with birth at 8 or survival at 7 or 8 are excluded; the others
 * need one PRMT instead of two. */
template <int COLUMN_WORDS, bool GENERAL> struct lut_cuda_sums {
    enum { WORDS = COLUMN_WORDS, THREADS = 512, BLOCKS = 1, ROWS_AT_ONCE = 1, ENTRIES = 1024, AT = 1024 };
    enum { AHEAD = WORDS == 4 ? 4 : 0 }; /* rows to prefetch into the L2 cache, for large grids */
    enum { SHARED_BYTES = ENTRIES * 32 * 4 + AT };
    uint32_t lane_bytes; /* the offset of the lane's bank */
    lut_table rule;

    /* The sums of a row: of[i] has byte i % 4 of word i / 4, a nibble for each of its eight cells. */
    struct sums {
        uint32_t of[4 * WORDS];
    };

    /* The copies begin at the constant address AT of shared memory, which is then part of the load instruction. The
     * part that CUDA reserves at the beginning of shared memory is smaller. */
    __device__ lut_cuda_sums(void *shared, const lut_table &table) : lane_bytes(threadIdx.x % 32 * 4), rule(table)
    {
        const uint32_t begin = (uint32_t) __cvta_generic_to_shared(shared);
        if (begin > AT)
            __trap();
        uint32_t *copies = (uint32_t *) shared + (AT - begin) / 4;
        for (uint32_t i = threadIdx.x; i < ENTRIES * 32; i += blockDim.x)
            copies[i] = ((const uint32_t *) table.entries)[i / 32];
    }

    /* Looks up the ten cells in bits 7 … 16: the address of entry i is i * 128, plus that of the bank. */
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

    /* PRMT looks up four bytes at once in a table of eight, by the four low nibbles of a register. Nibbles 8 and 9 give
     * bytes that repeat the top bit of byte 0 and byte 1, so the outcomes of counts 8 and 9 are in these bits. */
    static __device__ __forceinline__ uint32_t permute(const uint32_t (&table)[2], uint32_t counts)
    {
        uint32_t bytes;
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(table[0]), "r"(table[1]), "r"(counts));
        return bytes;
    }

    /* The next states of four cells, by their counts. A byte of the table has birth in bit 0 and survival in bit 4.
     * DP4A adds byte i times 2^i, so that four cells' births make the low nibble and their survivals the high one; and
     * it adds `cells`, the states of the cells before, in higher bits. */
    __device__ uint32_t outcomes(uint32_t counts, uint32_t cells) const
    {
        uint32_t bytes = permute(rule.born, counts);
        if constexpr (GENERAL)
            bytes = (bytes & 0x01010101) | (permute(rule.survives, counts) & 0x10101010);
        return __dp4a(bytes, 0x08040201u, cells);
    }

    /* counts >> 16, by DP2A: 0 times the lower half plus 1 times the upper one. DP2A runs in another pipe than a shift,
     * and the pipe for shifts is the busier one. */
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

    template <class GRID>
    __device__ void segment(const GRID &grid, const uint32_t *source, uint32_t *result,
                            const typename GRID::template column_type<WORDS> &column, uint64_t y, uint64_t end) const
    {
        typename GRID::rows_type rows(source, grid, (int64_t) y - 1);
        lut_span<WORDS> first = column.load(rows.next()), cells = column.load(rows.next()),
                        after = column.load(rows.next());
        typename GRID::rows_type ahead(source, grid, (int64_t) y + 2);
        for (int i = 0; i < AHEAD; i++)
            lut_prefetch(ahead.next() + column.first);
        column.wrap_neighbours(first);
        column.wrap_neighbours(cells);
        sums above = add(first), here = add(cells);
#pragma unroll 3
        for (; y < end; y++) {
            lut_span<WORDS> span = after;
            column.wrap_neighbours(span);
            after = column.load(rows.next());
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
