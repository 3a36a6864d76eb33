/* transpose on the CPU. Long rows: a thread takes strips of 64 rows and walks along them in tiles of 256 bytes a row.
 *
 *     strip of 64 rows       buffer 0, in the first-level cache     result
 *     | t0 | t1 | t2 |  -->  | t1 transposed |
 *                            buffer 1
 *                            | t0 transposed |  -------------->     rows of the result, by non-temporal stores
 *
 * A tile is transposed in registers, 16 x 16 bytes at a time, into one buffer. Meanwhile the tile before is streamed
 * out of the other, in whole lines that memory need not read first. So memory always has both reads and writes to do.
 * Lines are prefetched 512 bytes ahead, because hardware prefetchers do not follow so many rows at once.
 * docs/lab/transpose.md has the rates and other sizes of tiles. */
#include "transpose.h"

#include <common/divide.h>
#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    LINE = 64,                                  /* bytes of a cache line; rows start at multiples of it */
    STRIP = 64,                                 /* rows of a strip */
    WIDTH = 4 * LINE,                           /* bytes of a tile's row; in place also of its column */
    AHEAD = 8 * LINE,                           /* prefetch distance */
    PITCH_PAD = LINE,                           /* keeps the rows of a buffer in different sets of the cache */
    BUFFER_BYTES = WIDTH * (WIDTH + PITCH_PAD), /* for 256 rows of 256 bytes, the largest tile */
    BUFFERS = 4,                                /* of each thread */
    ROUND_BYTES = 8 << 20,                      /* that a part of a divided run receives at a time */
};

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* ---- Streaming ---------------------------------------------------------------------------------------------- */

typedef uint8_t vector __attribute__((vector_size(16), may_alias));

/* A queue of lines: rows of a buffer that are streamed to memory. */
struct stream {
    void (*run)(struct stream *out, uint64_t lines); /* stores the next lines, that many or all that are left */
    const uint8_t *from;
    uint8_t *to;
    uint64_t pitch, step; /* bytes from row to row in the buffer, and in memory */
    uint64_t rows, lines; /* rows that are left; lines of a row */
    uint64_t line;        /* next line of the first row that is left */
};

#define STREAM(name, target, store) \
    target static void name(struct stream *out, uint64_t count) \
    { \
        while (out->rows > 0 && count-- > 0) { \
            const uint8_t *from = out->from + out->line * LINE; \
            uint8_t *to = out->to + out->line * LINE; \
            store(to, from); \
            if (++out->line == out->lines) { \
                out->line = 0, out->rows--; \
                out->from += out->pitch, out->to += out->step; \
            } \
        } \
    }

#if defined(__x86_64__)
#define STORE_QUARTER(to, from) \
    _mm_stream_si128((__m128i *) (void *) (to), _mm_load_si128((const __m128i *) (const void *) (from)))
#define STORE_QUARTERS(to, from) \
    (STORE_QUARTER(to, from), STORE_QUARTER((to) + 16, (from) + 16), STORE_QUARTER((to) + 32, (from) + 32), \
     STORE_QUARTER((to) + 48, (from) + 48))
#define STORE_WHOLE(to, from) _mm512_stream_si512((__m512i *) (void *) (to), _mm512_load_si512((const void *) (from)))
STREAM(stream_quarters, , STORE_QUARTERS)
STREAM(stream_whole, __attribute__((target("avx512f"))), STORE_WHOLE)
#else
#define STORE_COPY(to, from) memcpy(to, from, LINE)
STREAM(stream_copies, , STORE_COPY)
#endif

/* An empty queue. */
static struct stream stream_begin(void)
{
#if defined(__x86_64__)
    return (struct stream){.run = __builtin_cpu_supports("avx512f") ? stream_whole : stream_quarters};
#else
    return (struct stream){.run = stream_copies};
#endif
}

/* Makes the streamed stores of this thread visible to all others. */
static void stream_end(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* ---- Sizes of elements -------------------------------------------------------------------------------------- */

/* A tile, and the buffer that gets its transpose. */
struct tile {
    const uint8_t *from;
    uint8_t *to;
    uint64_t step, pitch;   /* bytes from row to row in memory, and in the buffer */
    uint64_t rows, vectors; /* vectors of 16 bytes in a row */
    uint64_t ahead;         /* prefetch distance in bytes */
};

typedef uint16_t vector2 __attribute__((vector_size(16)));
typedef uint32_t vector4 __attribute__((vector_size(16)));
typedef uint64_t vector8 __attribute__((vector_size(16)));

#define ZIP1(a, b, f) \
    __builtin_shufflevector(a, b, f, f + 16, f + 1, f + 17, f + 2, f + 18, f + 3, f + 19, f + 4, f + 20, f + 5, \
                            f + 21, f + 6, f + 22, f + 7, f + 23)
#define ZIP2(a, b, f) \
    ((vector) __builtin_shufflevector((vector2) (a), (vector2) (b), f, f + 8, f + 1, f + 9, f + 2, f + 10, f + 3, \
                                      f + 11))
#define ZIP4(a, b, f) ((vector) __builtin_shufflevector((vector4) (a), (vector4) (b), f, f + 4, f + 1, f + 5))
#define ZIP8(a, b, f) ((vector) __builtin_shufflevector((vector8) (a), (vector8) (b), f, f + 2))

#define NAME(word) word##_1
#define ELEMENT    uint8_t
#define SIZE       1
#define LOW(a, b)  ZIP1(a, b, 0)
#define HIGH(a, b) ZIP1(a, b, 8)
#include "cpu_element.h"

#define NAME(word) word##_2
#define ELEMENT    uint16_t
#define SIZE       2
#define LOW(a, b)  ZIP2(a, b, 0)
#define HIGH(a, b) ZIP2(a, b, 4)
#include "cpu_element.h"

#define NAME(word) word##_4
#define ELEMENT    uint32_t
#define SIZE       4
#define LOW(a, b)  ZIP4(a, b, 0)
#define HIGH(a, b) ZIP4(a, b, 2)
#include "cpu_element.h"

#define NAME(word) word##_8
#define ELEMENT    uint64_t
#define SIZE       8
#define LOW(a, b)  ZIP8(a, b, 0)
#define HIGH(a, b) ZIP8(a, b, 1)
#include "cpu_element.h"

#define NAME(word) word##_16
#define ELEMENT    vector
#define SIZE       16
#include "cpu_element.h"

struct kind {
    void (*move)(const struct transpose_pass *pass, uint64_t plane, uint64_t row, uint64_t rows, uint64_t column,
                 uint64_t columns);
    void (*swap)(const struct transpose_pass *pass, uint64_t plane, uint64_t row, uint64_t rows);
    void (*fill)(const struct tile *tile, struct stream *out);
};

static const struct kind *kind_of(const struct transpose_pass *pass)
{
    static const struct kind kinds[] = {{move_1, swap_1, fill_1},
                                        {move_2, swap_2, fill_2},
                                        {move_4, swap_4, fill_4},
                                        {move_8, swap_8, fill_8},
                                        {move_16, swap_16, fill_16}};
    return &kinds[__builtin_ctz(pass->element)];
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- One thread, element by element -------------------------------------------------------------------------- */

static int copy_rows(const struct engine_call *call, const struct transpose_copy *copy)
{
    (void) call;
    for (uint64_t row = 0; row < copy->rows; row++)
        memcpy(copy->to + row * copy->to_row, copy->from + row * copy->from_row, copy->bytes);
    return 0;
}

static int turn_serial(void *self, const struct engine_call *call, const struct transpose_pass *pass)
{
    (void) self, (void) call;
    kind_of(pass)->move(pass, 0, 0, pass->rows, 0, pass->columns);
    return 0;
}

int transpose_serial_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct transpose_parts *parts = *self = host->scratch(host, sizeof *parts, ENGINE_HOST_MEMORY);
    if (!parts)
        return ENGINE_NO_MEMORY;
    *parts = (struct transpose_parts){.most = ROUND_BYTES, .copy = copy_rows, .turn = turn_serial};
    return transpose_has_parts(call->plan) ? transpose_parts_create(call, ENGINE_HOST_MEMORY, parts) : 0;
}

int transpose_serial_advance(void *self, struct engine_call *call)
{
    if (transpose_has_parts(call->plan))
        return transpose_parts_advance(self, NULL, call);
    struct transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++, transpose_next(&pass))
        for (uint64_t plane = 0; plane < pass.batch; plane++)
            kind_of(&pass)->move(&pass, plane, 0, pass.rows, 0, pass.columns);
    call->result = call->steps % 2 ? 1 - call->current : call->current;
    return 0;
}

/* ---- Work for threads --------------------------------------------------------------------------------------- */

/* An instance: BUFFERS buffers for each thread. */
struct instance {
    uint8_t *buffers;
    uint64_t threads;
    struct transpose_parts parts;
};

/* A pass in pieces. Each thread takes the next piece until there is none. */
struct job {
    const struct transpose_pass *pass;
    const struct instance *instance;
    void (*take)(const struct job *job, uint64_t piece, uint8_t *buffers);
    uint64_t pieces, across; /* of the pass; of one strip or row of tiles */
    uint64_t height, width;  /* elements of a piece */
    atomic_uint_fast64_t next;
};

static void take_pieces(void *argument, uint64_t thread)
{
    struct job *job = argument;
    uint8_t *buffers = job->instance->buffers + thread * BUFFERS * BUFFER_BYTES;
    for (uint64_t piece; (piece = atomic_fetch_add(&job->next, 1)) < job->pieces;)
        job->take(job, piece, buffers);
    stream_end();
}

static void run_job(struct job *job, const struct engine_host *host)
{
    atomic_init(&job->next, 0);
    host->parallel(host, job->instance->threads, take_pieces, job);
}

static int copy_on_threads(const struct engine_call *call, const struct transpose_copy *copy);
static int turn(void *self, const struct engine_call *call, const struct transpose_pass *pass);

int transpose_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct instance *made = host->scratch(host, sizeof *made, ENGINE_HOST_MEMORY);
    uint8_t *buffers = host->scratch(host, (uint64_t) call->plan->threads * BUFFERS * BUFFER_BYTES, ENGINE_HOST_MEMORY);
    if (!made || !buffers)
        return ENGINE_NO_MEMORY;
    *made =
        (struct instance){buffers, call->plan->threads, {.most = ROUND_BYTES, .copy = copy_on_threads, .turn = turn}};
    *self = made;
    return transpose_has_parts(call->plan) ? transpose_parts_create(call, ENGINE_HOST_MEMORY, &made->parts) : 0;
}

/* Queues a filled buffer for streaming: `rows` rows of so many bytes. */
static void send(struct stream *out, const struct tile *tile, uint8_t *to, uint64_t step, uint64_t rows, uint64_t bytes)
{
    *out = (struct stream){out->run, tile->to, to, tile->pitch, step, rows, divide_up(bytes, LINE), 0};
}

/* ---- From one buffer of the state into the other ------------------------------------------------------------- */

/* Short rows: blocks of elements. */
static void take_block(const struct job *job, uint64_t piece, uint8_t *buffers)
{
    (void) buffers;
    const struct transpose_pass *pass = job->pass;
    const uint64_t column = piece % job->across * job->width, strip = piece / job->across;
    const uint64_t strips = divide_up(pass->rows, job->height), row = strip % strips * job->height;
    kind_of(pass)->move(pass, strip / strips, row, least(job->height, pass->rows - row), column,
                        least(job->width, pass->columns - column));
}

/* Transposes columns [column, end) of a strip of rows, tile by tile. */
static void walk_strip(const struct transpose_pass *pass, uint64_t plane, uint64_t row, uint64_t column, uint64_t end,
                       uint8_t *buffers)
{
    const uint64_t size = pass->element, width = WIDTH / size, rows = least(STRIP, pass->rows - row);
    const uint8_t *from = pass->from + plane * pass->from_plane + row * pass->from_row;
    uint8_t *to = pass->to + plane * pass->to_plane + row * size;
    struct stream out = stream_begin();
    for (uint64_t n = 0; column < end; column += width, n++) {
        const uint64_t columns = least(width, end - column);
        const struct tile tile = {.from = from + column * size,
                                  .to = buffers + n % 2 * BUFFER_BYTES,
                                  .step = pass->from_row,
                                  .pitch = STRIP * size + PITCH_PAD,
                                  .rows = rows,
                                  .vectors = divide_up(columns * size, 16),
                                  .ahead = AHEAD};
        kind_of(pass)->fill(&tile, &out);
        out.run(&out, UINT64_MAX);
        send(&out, &tile, to + column * pass->to_row, pass->to_row, columns, rows * size);
    }
    out.run(&out, UINT64_MAX);
}

static void take_strip(const struct job *job, uint64_t piece, uint8_t *buffers)
{
    const struct transpose_pass *pass = job->pass;
    const uint64_t strips = divide_up(pass->rows, STRIP), strip = piece / job->across;
    const uint64_t column = piece % job->across * job->width;
    walk_strip(pass, strip / strips, strip % strips * STRIP, column, least(column + job->width, pass->columns),
               buffers);
}

/* Long rows: strips, cut into pieces so that threads share them evenly. */
static struct job plan_strips(const struct transpose_pass *pass, const struct instance *instance)
{
    const uint64_t unit = 16 * WIDTH / pass->element, strips = divide_up(pass->rows, STRIP) * pass->batch;
    const uint64_t cuts = divide_up(8 * instance->threads, strips);
    struct job job = {.pass = pass, .instance = instance, .take = take_strip, .height = STRIP};
    job.width = divide_up(divide_up(pass->columns, cuts), unit) * unit;
    job.across = divide_up(pass->columns, job.width);
    job.pieces = strips * job.across;
    return job;
}

static struct job plan_blocks(const struct transpose_pass *pass, const struct instance *instance)
{
    struct job job = {.pass = pass, .instance = instance, .take = take_block, .height = 1024, .width = 1024};
    job.across = divide_up(pass->columns, job.width);
    job.pieces = divide_up(pass->rows, job.height) * job.across * pass->batch;
    return job;
}

static int turn(void *self, const struct engine_call *call, const struct transpose_pass *pass)
{
    struct job job = pass->lines ? plan_strips(pass, self) : plan_blocks(pass, self);
    run_job(&job, call->host);
    return 0;
}

int transpose_cpu_advance(void *self, struct engine_call *call)
{
    const struct instance *instance = self;
    if (transpose_has_parts(call->plan))
        return transpose_parts_advance(&instance->parts, self, call);
    struct transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++, transpose_next(&pass))
        turn(self, call, &pass);
    call->result = call->steps % 2 ? 1 - call->current : call->current;
    return 0;
}

/* ---- Parts -------------------------------------------------------------------------------------------------- */

enum { COPIED_ROWS = 64 }; /* by a task */

static void copy_some(void *argument, uint64_t index)
{
    struct transpose_copy some = *(const struct transpose_copy *) argument;
    const uint64_t row = index * COPIED_ROWS;
    some.from += row * some.from_row;
    some.to += row * some.to_row;
    some.rows = least(COPIED_ROWS, some.rows - row);
    copy_rows(NULL, &some);
}

static int copy_on_threads(const struct engine_call *call, const struct transpose_copy *copy)
{
    struct transpose_copy shared = *copy;
    call->host->parallel(call->host, divide_up(copy->rows, COPIED_ROWS), copy_some, &shared);
    return 0;
}

/* ---- In place ----------------------------------------------------------------------------------------------- */

static void take_rows(const struct job *job, uint64_t piece, uint8_t *buffers)
{
    (void) buffers;
    const uint64_t row = piece % job->across * job->height;
    kind_of(job->pass)->swap(job->pass, piece / job->across, row, least(job->height, job->pass->rows - row));
}

/* Transposes the square tile at (row, column) into a buffer while the tile before is streamed, and queues it for its
 * mirror position. `ahead`: bytes to the next tile. */
static void transpose_square(const struct job *job, uint64_t plane, uint64_t row, uint64_t column, uint64_t ahead,
                             uint8_t *buffer, struct stream *out)
{
    const struct transpose_pass *pass = job->pass;
    const uint64_t size = pass->element, side = job->height;
    const uint64_t rows = least(side, pass->rows - row), columns = least(side, pass->columns - column);
    uint8_t *matrix = pass->to + plane * pass->to_plane;
    const struct tile tile = {.from = matrix + row * pass->from_row + column * size,
                              .to = buffer,
                              .step = pass->from_row,
                              .pitch = WIDTH + PITCH_PAD,
                              .rows = rows,
                              .vectors = divide_up(columns * size, 16),
                              .ahead = ahead};
    kind_of(pass)->fill(&tile, out);
    out->run(out, UINT64_MAX);
    send(out, &tile, matrix + column * pass->to_row + row * size, pass->to_row, columns, rows * size);
}

/* A row of tiles from the diagonal to the right, each exchanged with its mirror image. */
static void take_squares(const struct job *job, uint64_t piece, uint8_t *buffers)
{
    const uint64_t row = piece % job->across * job->height, plane = piece / job->across;
    const uint64_t down = job->height * job->pass->from_row;
    struct stream right = stream_begin(), mirror = right;
    for (uint64_t column = row, n = 0; column < job->pass->columns; column += job->height, n++) {
        uint8_t *free = buffers + n % 2 * 2 * BUFFER_BYTES;
        transpose_square(job, plane, row, column, WIDTH, free, &right);
        if (column > row)
            transpose_square(job, plane, column, row, down, free + BUFFER_BYTES, &mirror);
    }
    right.run(&right, UINT64_MAX);
    mirror.run(&mirror, UINT64_MAX);
}

int transpose_cpu_in_place_advance(void *self, struct engine_call *call)
{
    const struct transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++) {
        struct job job = {.pass = &pass, .instance = self};
        job.take = pass.lines ? take_squares : take_rows;
        job.height = pass.lines ? WIDTH / pass.element : 64;
        job.across = divide_up(pass.rows, job.height);
        job.pieces = job.across * pass.batch;
        run_job(&job, call->host);
    }
    return 0;
}
