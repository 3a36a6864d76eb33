/* transpose on the CPU.
 *
 * Long rows: a thread takes strips of 64 rows and walks along them in tiles of 256 bytes a row. A tile is turned in
 * registers, 16 bytes square at a time, into a buffer that stays in the first cache; out of another buffer the tile
 * before is streamed meanwhile, whole lines that memory need not read first (non-temporal stores), so that memory
 * always has both to do. Lines are fetched 512 bytes ahead: hardware does not follow so many rows at once.
 *
 * 8192 x 8192 floats on a Xeon with AVX-512 (2026-11-20), share of a copy with the same kind of stores in the same run.
 * One core, by the size of a tile: 512 rows x 128 bytes 0.55, 64 KiB 0.75, 32 KiB 0.79, 16 KiB 0.87; 0.85 where a line
 * is stored in four parts. Two cores: 33.5 GB/s read and written, 0.71. */
#include "transpose.h"

#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    LINE = 64,        /* of the caches; rows start at multiples of it */
    STRIP = 64,       /* rows */
    WIDTH = 4 * LINE, /* bytes of a tile's row; rows of square tiles, too */
    AHEAD = 8 * LINE,
    PITCH_PAD = LINE,                           /* keeps rows of a buffer out of each other's sets of the cache */
    BUFFER_BYTES = WIDTH * (WIDTH + PITCH_PAD), /* for tiles of 256 x 256 bytes, the largest */
    BUFFERS = 4,                                /* a thread's */
};

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* ---- Streaming ---------------------------------------------------------------------------------------------- */

typedef uint8_t vector __attribute__((vector_size(16), may_alias));

/* Rows in a buffer on their way to memory. */
struct stream {
    void (*run)(struct stream *out, uint64_t lines); /* stores that many more lines, or all there are */
    const uint8_t *from;
    uint8_t *to;
    uint64_t pitch, step; /* bytes from row to row in the buffer, and in memory */
    uint64_t rows, lines; /* rows that are left; lines of each */
    uint64_t line;        /* the next one of the first row */
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

/* Nothing waits yet. */
static struct stream stream_begin(void)
{
#if defined(__x86_64__)
    return (struct stream){.run = __builtin_cpu_supports("avx512f") ? stream_whole : stream_quarters};
#else
    return (struct stream){.run = stream_copies};
#endif
}

/* Streamed stores of this thread are seen by all others from here on. */
static void stream_end(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* ---- Sizes of elements -------------------------------------------------------------------------------------- */

/* A tile to be turned into a buffer. */
struct tile {
    const uint8_t *from;
    uint8_t *to;
    uint64_t step, pitch;   /* bytes from row to row in memory, and in the buffer */
    uint64_t rows, vectors; /* vectors of 16 bytes in a row */
    uint64_t ahead;         /* lines of a tile's row, to be fetched that many ahead; 0: none */
    uint64_t share;         /* lines to stream after each row of blocks */
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

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* ---- One thread, element by element -------------------------------------------------------------------------- */

int transpose_serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    struct transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++, transpose_next(&pass))
        for (uint64_t plane = 0; plane < pass.batch; plane++)
            kind_of(&pass)->move(&pass, plane, 0, pass.rows, 0, pass.columns);
    call->result = call->steps % 2 ? 1 - call->current : call->current;
    return 0;
}

/* ---- Work for threads --------------------------------------------------------------------------------------- */

/* Each thread has some buffers. */
struct instance {
    uint8_t *buffers;
    uint64_t threads;
};

/* A pass in pieces: threads take the next one until there is none. */
struct team {
    const struct transpose_pass *pass;
    const struct instance *instance;
    void (*take)(const struct team *team, uint64_t piece, uint8_t *buffers);
    uint64_t pieces, across; /* all; of one strip or row of tiles */
    uint64_t height, width;  /* elements of a piece */
    atomic_uint_fast64_t next;
};

static void take_pieces(void *argument, uint64_t thread)
{
    struct team *team = argument;
    uint8_t *buffers = team->instance->buffers + thread * BUFFERS * BUFFER_BYTES;
    for (uint64_t piece; (piece = atomic_fetch_add(&team->next, 1)) < team->pieces;)
        team->take(team, piece, buffers);
    stream_end();
}

static void run_team(struct team *team, const struct engine_host *host)
{
    atomic_init(&team->next, 0);
    host->parallel(host, team->instance->threads, take_pieces, team);
}

int transpose_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct instance *made = host->scratch(host, sizeof *made, ENGINE_HOST_MEMORY);
    uint8_t *buffers = host->scratch(host, (uint64_t) call->plan->threads * BUFFERS * BUFFER_BYTES, ENGINE_HOST_MEMORY);
    if (!made || !buffers)
        return ENGINE_NO_MEMORY;
    *made = (struct instance){buffers, call->plan->threads};
    *self = made;
    return 0;
}

/* What a buffer was filled with waits to be streamed: rows of so many bytes. */
static void send(struct stream *out, const struct tile *tile, uint8_t *to, uint64_t step, uint64_t rows, uint64_t bytes)
{
    *out = (struct stream){out->run, tile->to, to, tile->pitch, step, rows, divide_up(bytes, LINE), 0};
}

/* ---- From one buffer of the state into the other ------------------------------------------------------------- */

/* Short rows: blocks of elements. */
static void take_block(const struct team *team, uint64_t piece, uint8_t *buffers)
{
    (void) buffers;
    const struct transpose_pass *pass = team->pass;
    const uint64_t column = piece % team->across * team->width, strip = piece / team->across;
    const uint64_t strips = divide_up(pass->rows, team->height), row = strip % strips * team->height;
    kind_of(pass)->move(pass, strip / strips, row, least(team->height, pass->rows - row), column,
                        least(team->width, pass->columns - column));
}

/* Columns [column, end) of a strip of rows, tile by tile. */
static void walk_strip(const struct transpose_pass *pass, uint64_t plane, uint64_t row, uint64_t column, uint64_t end,
                       uint8_t *buffers)
{
    const uint64_t size = pass->element, width = WIDTH / size, rows = least(STRIP, pass->rows - row);
    const uint8_t *from = pass->from + plane * pass->from_plane + row * pass->from_row;
    uint8_t *to = pass->to + plane * pass->to_plane + row * size;
    struct stream out = stream_begin();
    for (uint64_t turn = 0; column < end; column += width, turn++) {
        const uint64_t columns = least(width, end - column);
        const struct tile tile = {.from = from + column * size,
                                  .to = buffers + turn % 2 * BUFFER_BYTES,
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

static void take_strip(const struct team *team, uint64_t piece, uint8_t *buffers)
{
    const struct transpose_pass *pass = team->pass;
    const uint64_t strips = divide_up(pass->rows, STRIP), strip = piece / team->across;
    const uint64_t column = piece % team->across * team->width;
    walk_strip(pass, strip / strips, strip % strips * STRIP, column, least(column + team->width, pass->columns),
               buffers);
}

/* Long rows in strips, these cut so that threads may share them evenly. */
static struct team plan_strips(const struct transpose_pass *pass, const struct instance *instance)
{
    const uint64_t unit = 16 * WIDTH / pass->element, strips = divide_up(pass->rows, STRIP) * pass->batch;
    const uint64_t cuts = divide_up(8 * instance->threads, strips);
    struct team team = {.pass = pass, .instance = instance, .take = take_strip, .height = STRIP};
    team.width = divide_up(divide_up(pass->columns, cuts), unit) * unit;
    team.across = divide_up(pass->columns, team.width);
    team.pieces = strips * team.across;
    return team;
}

static struct team plan_blocks(const struct transpose_pass *pass, const struct instance *instance)
{
    struct team team = {.pass = pass, .instance = instance, .take = take_block, .height = 1024, .width = 1024};
    team.across = divide_up(pass->columns, team.width);
    team.pieces = divide_up(pass->rows, team.height) * team.across * pass->batch;
    return team;
}

int transpose_cpu_advance(void *self, struct engine_call *call)
{
    struct transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++, transpose_next(&pass)) {
        struct team team = pass.lines ? plan_strips(&pass, self) : plan_blocks(&pass, self);
        run_team(&team, call->host);
    }
    call->result = call->steps % 2 ? 1 - call->current : call->current;
    return 0;
}

/* ---- In place ----------------------------------------------------------------------------------------------- */

static void take_rows(const struct team *team, uint64_t piece, uint8_t *buffers)
{
    (void) buffers;
    const uint64_t row = piece % team->across * team->height;
    kind_of(team->pass)->swap(team->pass, piece / team->across, row, least(team->height, team->pass->rows - row));
}

/* Turns the square tile at (row, column) while what waits is streamed, and lets it wait for its place. The next one is
 * `ahead` bytes on. */
static void turn_square(const struct team *team, uint64_t plane, uint64_t row, uint64_t column, uint64_t ahead,
                        uint8_t *buffer, struct stream *out)
{
    const struct transpose_pass *pass = team->pass;
    const uint64_t size = pass->element, side = team->height;
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

/* Tiles from the diagonal to the right, each with its mirror image. */
static void take_squares(const struct team *team, uint64_t piece, uint8_t *buffers)
{
    const uint64_t row = piece % team->across * team->height, plane = piece / team->across;
    const uint64_t down = team->height * team->pass->from_row;
    struct stream right = stream_begin(), mirror = right;
    for (uint64_t column = row, turn = 0; column < team->pass->columns; column += team->height, turn++) {
        uint8_t *free = buffers + turn % 2 * 2 * BUFFER_BYTES;
        turn_square(team, plane, row, column, WIDTH, free, &right);
        if (column > row)
            turn_square(team, plane, column, row, down, free + BUFFER_BYTES, &mirror);
    }
    right.run(&right, UINT64_MAX);
    mirror.run(&mirror, UINT64_MAX);
}

int transpose_cpu_in_place_advance(void *self, struct engine_call *call)
{
    const struct transpose_pass pass = transpose_first(call);
    for (uint64_t step = 0; step < call->steps; step++) {
        struct team team = {.pass = &pass, .instance = self};
        team.take = pass.lines ? take_squares : take_rows;
        team.height = pass.lines ? WIDTH / pass.element : 64;
        team.across = divide_up(pass.rows, team.height);
        team.pieces = team.across * pass.batch;
        run_team(&team, call->host);
    }
    return 0;
}
