/* The kernel of `cpu-words`: a step of rows of 64-bit words. The compiler turns the loops into vector instructions. */
#include "cpu_words.h"

enum {
    CHUNK = 64
}; /* words that a row takes at a time, so that the sums of their columns stay in the first-level cache */

/* The live cells of a column of three: low + 2 high. Entry 0 is the word before the chunk. */
struct columns {
    uint64_t low[CHUNK + 2], high[CHUNK + 2];
};

static inline uint64_t majority(uint64_t a, uint64_t b, uint64_t c)
{
    return (a & b) | (c & (a | b));
}

static inline uint64_t choose(uint64_t which, uint64_t one, uint64_t zero)
{
    return (which & one) | (~which & zero);
}

/* Adds up `count` words of columns, of which the first is word `first` of the row. */
static inline void add_columns(struct columns *columns, const uint64_t *row, int64_t pitch, int64_t first,
                               int64_t count)
{
    const uint64_t *above = row - pitch + first, *here = row + first, *below = row + pitch + first;
    for (int64_t i = 0; i < count; i++) {
        columns->low[i] = above[i] ^ here[i] ^ below[i];
        columns->high[i] = majority(above[i], here[i], below[i]);
    }
}

/* The next states of `count` words. The columns beside a cell are a bit further in the same word or in the one beside
 * it. The total is low + 2 bit1 + 4 bit2 + 8 bit3. */
static inline void next_words(const struct life2d_words_job *job, const struct columns *columns, const uint64_t *cells,
                              uint64_t *result, int64_t count)
{
    const uint64_t *low = columns->low + 1, *high = columns->high + 1;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t l0 = low[i] << 1 | low[i - 1] >> 63, r0 = low[i] >> 1 | low[i + 1] << 63;
        const uint64_t l1 = high[i] << 1 | high[i - 1] >> 63, r1 = high[i] >> 1 | high[i + 1] << 63;
        const uint64_t carry = majority(l0, low[i], r0), odd = l1 ^ high[i] ^ r1, fours = majority(l1, high[i], r1);
        const uint64_t bit0 = l0 ^ low[i] ^ r0, bit1 = odd ^ carry, bit2 = fours ^ (odd & carry);
        const uint64_t bit3 = fours & odd & carry;
        uint64_t pair[LIFE2D_TOTALS / 2];
        for (int k = 0; k < LIFE2D_TOTALS / 2; k++)
            pair[k] = choose(bit0, job->dead[2 * k + 1] ^ (job->differs[2 * k + 1] & cells[i]),
                             job->dead[2 * k] ^ (job->differs[2 * k] & cells[i]));
        const uint64_t below = choose(bit2, choose(bit1, pair[3], pair[2]), choose(bit1, pair[1], pair[0]));
        result[i] = choose(bit3, pair[4], below);
    }
}

/* The word behind the row's last one holds a ghost only if the last one is full. */
static void next_row(const struct life2d_words_job *job, int64_t y)
{
    const int64_t words = (int64_t) ((job->width + 63) / 64), readable = (int64_t) (job->width / 64) + 1;
    const uint64_t *row = job->cells + y * job->row_words;
    uint64_t *result = job->result + y * job->row_words;
    for (int64_t first = 0; first < words; first += CHUNK) {
        const int64_t count = words - first < CHUNK ? words - first : CHUNK;
        struct columns columns;
        columns.low[count + 1] = columns.high[count + 1] = 0;
        add_columns(&columns, row, job->row_words, first - 1, count + (first + count < readable ? 2 : 1));
        next_words(job, &columns, row + first, result + first, count);
    }
}

static void next_rows(const struct life2d_words_job *job, int64_t begin, int64_t end)
{
    for (int64_t y = begin; y < end; y++)
        next_row(job, y);
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

const struct life2d_words_kernel JOIN(life2d_words_kernel_, KERNEL_ISA) = {ISA_KERNEL, next_rows};
