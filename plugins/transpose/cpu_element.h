/* Functions for one size of elements: included once for each, with
 *
 *   NAME(word)   word and the size
 *   ELEMENT      a type of that size
 *   SIZE         its bytes
 *   LOW, HIGH    interleave the elements of the first, or second, halves of two vectors; not for 16 bytes, a whole
 *                vector */

/* Elements [row, row + rows) x [column, column + columns), one by one. */
static void NAME(move)(const struct transpose_pass *pass, uint64_t plane, uint64_t row, uint64_t rows, uint64_t column,
                       uint64_t columns)
{
    for (uint64_t y = row; y < row + rows; y++) {
        const ELEMENT *from = (const ELEMENT *) (const void *) (pass->from + plane * pass->from_plane) +
                              y * (pass->from_row / SIZE) + column;
        ELEMENT *to = (ELEMENT *) (void *) (pass->to + plane * pass->to_plane) + column * (pass->to_row / SIZE) + y;
        for (uint64_t x = 0; x < columns; x++)
            to[x * (pass->to_row / SIZE)] = from[x];
    }
}

/* Exchanges rows [row, row + rows) of the upper triangle with the columns below the diagonal. */
static void NAME(swap)(const struct transpose_pass *pass, uint64_t plane, uint64_t row, uint64_t rows)
{
    const uint64_t pitch = pass->from_row / SIZE;
    ELEMENT *at = (ELEMENT *) (void *) (pass->to + plane * pass->to_plane);
    for (uint64_t y = row; y < row + rows; y++)
        for (uint64_t x = y + 1; x < pass->columns; x++) {
            const ELEMENT kept = at[y * pitch + x];
            at[y * pitch + x] = at[x * pitch + y];
            at[x * pitch + y] = kept;
        }
}

/* Transposes a block of N rows of N elements, 16 bytes each, by log2(N) rounds of perfect shuffles. With N = 4:
 *
 *     a0 a1 a2 a3      a0 c0 a1 c1      a0 b0 c0 d0      In a round, row 2 i is LOW and row 2 i + 1 is HIGH
 *     b0 b1 b2 b3  ->  a2 c2 a3 c3  ->  a1 b1 c1 d1      of rows i and i + N / 2.
 *     c0 c1 c2 c3      b0 d0 b1 d1      a2 b2 c2 d2
 *     d0 d1 d2 d3      b2 d2 b3 d3      a3 b3 c3 d3
 *
 * Rows are `step` bytes apart. Rows beyond `last` are not read, and their elements are undefined. */
static inline void NAME(transpose)(const uint8_t *from, uint64_t step, uint64_t last, uint8_t *to, uint64_t pitch)
{
    enum { N = 16 / SIZE };
    vector rows[N];
    UNROLL
    for (uint64_t i = 0; i < N; i++)
        rows[i] = *(const vector *) (const void *) (from + (i < last ? i : last) * step);
#ifdef LOW
    UNROLL
    for (int round = 1; round < N; round *= 2) {
        vector zipped[N];
        UNROLL
        for (uint64_t i = 0; i < N / 2; i++) {
            zipped[2 * i] = LOW(rows[i], rows[i + N / 2]);
            zipped[2 * i + 1] = HIGH(rows[i], rows[i + N / 2]);
        }
        UNROLL
        for (int i = 0; i < N; i++)
            rows[i] = zipped[i];
    }
#endif
    UNROLL
    for (uint64_t i = 0; i < N; i++)
        *(vector *) (void *) (to + i * pitch) = rows[i];
}

/* Fills a buffer with the transpose of a tile. For every line that it reads, it streams one line of `out` to memory and
 * prefetches the line that is `ahead` bytes on. */
static void NAME(fill)(const struct tile *tile, struct stream *out)
{
    enum { N = 16 / SIZE };
    for (uint64_t row = 0; row < tile->rows; row += N) {
        const uint8_t *from = tile->from + row * tile->step;
        uint8_t *to = tile->to + row * SIZE;
        const uint64_t last = tile->rows - row - 1;
        for (uint64_t v = 0; v < tile->vectors; v++) {
            if (v % (LINE / 16) == 0) {
                for (uint64_t i = 0; i < N; i++)
                    __builtin_prefetch(from + 16 * v + i * tile->step + tile->ahead);
                out->run(out, N);
            }
            NAME(transpose)(from + 16 * v, tile->step, last, to + v * N * tile->pitch, tile->pitch);
        }
    }
}

#undef NAME
#undef ELEMENT
#undef SIZE
#undef LOW
#undef HIGH
