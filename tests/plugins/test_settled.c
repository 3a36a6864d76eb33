/* Settled regions: life2d-bit `cpu` skips tiles of the grid that repeat themselves. The grid is compared with plain
 * loops after calls of many lengths: on tori and with dead edges, for sizes that are no multiple of a tile, while
 * gliders cross oscillators of the periods 1, 2, 3, 5, 8, 15 and 30. And the bookkeeping of tiles is compared with what
 * it means. */
#include <life/rule.h>
#include <life2d-bit/cpu_kernel.h>
#include <life2d-bit/cpu_settled.h>
#include <life2d-bit/square_network.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t random_state;

static uint64_t random_below(uint64_t most)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % most;
}

static void *memory(uint64_t bytes)
{
    void *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    assert_non_null(at);
    memset(at, 0xa5, bytes);
    return at;
}

/* ---- Plain loops: a byte for each cell ------------------------------------------------------------------------- */

struct plane {
    uint64_t width, height;
    uint32_t dead;
    uint8_t *now, *next;
};

/* A row with a cell more at each end; row[0] is beyond the edge. */
static void read_row(const struct plane *p, uint64_t y, uint8_t *row)
{
    const uint8_t *from = p->now + (y + p->height) % p->height * p->width;
    memset(row, 0, p->width + 2);
    if (p->dead & LIFE_DEAD_Y && y >= p->height)
        return;
    memcpy(row + 1, from, p->width);
    if (!(p->dead & LIFE_DEAD_X))
        row[0] = from[p->width - 1], row[p->width + 1] = from[0];
}

/* The table has the next state of each square; the upper left cell is the highest bit of its number. */
static void plain_step(struct plane *p, const uint8_t table[512])
{
    uint8_t row[3][1024];
    for (uint64_t y = 0; y < p->height; y++) {
        for (uint64_t i = 0; i < 3; i++)
            read_row(p, y + i - 1, row[i]);
        unsigned square = 0;
        for (uint64_t x = 0; x < p->width + 2; x++) {
            square = (square << 1 & 0666) | (unsigned) (row[0][x] << 6 | row[1][x] << 3 | row[2][x]);
            if (x >= 2)
                p->next[y * p->width + x - 2] = table[square];
        }
    }
    uint8_t *other = p->now;
    p->now = p->next, p->next = other;
}

/* ---- Patterns --------------------------------------------------------------------------------------------------- */

static const char *const patterns[] = {
    "3o!",                                            /* blinker, period 2 */
    "2o$2o!",                                         /* block */
    "bo$2bo$3o!",                                     /* glider */
    "3o$2bo$bo!",                                     /* the same in another direction */
    "b2o$2o$bo!",                                     /* R-pentomino */
    "bo2bo$o$o3bo$4o!",                               /* lightweight spaceship */
    "10o!",                                           /* becomes a pentadecathlon, period 15 */
    "3b2o$2bo2bo$bo4bo$o6bo$o6bo$bo4bo$2bo2bo$3b2o!", /* octagon, period 5 */
    "3o$3o$3o$3b3o$3b3o$3b3o!",                       /* figure eight, period 8 */
    "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!", /* pulsar */
};

/* Two queen bee shuttles of period 30 */
static const char gun[] =
    "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!";

static void place(struct plane *p, const char *rle, uint64_t x0, uint64_t y0)
{
    uint64_t x = 0, y = 0, count = 0;
    for (; *rle != '!'; rle++) {
        if (*rle >= '0' && *rle <= '9') {
            count = count * 10 + (uint64_t) (*rle - '0');
            continue;
        }
        for (count = count ? count : 1; count > 0; count--) {
            if (*rle == '$')
                x = 0, y++;
            else
                p->now[(y0 + y) % p->height * p->width + (x0 + x++) % p->width] = *rle == 'o';
        }
    }
}

/* ---- The kernel ------------------------------------------------------------------------------------------------- */

static const struct life2d_kernel *const kernels[] = {
#if defined(__x86_64__)
    &life2d_kernel_avx512, &life2d_kernel_avx2,
#endif
    &life2d_kernel_plain};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* A grid for each kernel that this processor has, and the plane that they are compared with. */
struct trial {
    struct plane plane;
    uint8_t table[512];
    uint32_t birth, survive;
    int counts;
    struct life2d_square_network columns, rows; /* of a rule that does not count */
    struct grid {
        const struct life2d_kernel *kernel;
        struct life2d_settled settled;
        struct life2d_job job;
    } grids[KERNELS];
    size_t count;
};

static void set_counts(struct trial *t, uint32_t birth, uint32_t survive)
{
    t->birth = birth, t->survive = survive, t->counts = 1;
    for (uint32_t square = 0; square < 512; square++) {
        const int count = __builtin_popcount(square & 0757);
        t->table[square] = (square & 020 ? survive : birth) >> count & 1;
    }
}

/* Life, with two exceptions that make it unlike itself if axes or directions are exchanged. */
static void set_squares(struct trial *t)
{
    struct life_rule rule = {0};
    set_counts(t, 010, 014);
    t->counts = 0;
    t->table[0720] = 0, t->table[0140] = 1;
    for (uint32_t square = 0; square < 512; square++)
        if (t->table[square])
            life_rule_set(&rule, square);
    const struct life_rule transposed = life2d_transposed_rule(&rule);
    t->columns = life2d_find_square_network(&transposed), t->rows = life2d_find_square_network(&rule);
}

static void open_grid(struct grid *g, const struct plane *p, uint32_t threads)
{
    const uint64_t row_words = (p->width + 511) / 512 * 8;
    g->settled = (struct life2d_settled){.threads = threads};
    g->settled.map = (struct settled){.axis = {{p->width, SETTLED_EDGE, !(p->dead & LIFE_DEAD_X), 0},
                                               {p->height, SETTLED_EDGE, !(p->dead & LIFE_DEAD_Y), 0},
                                               {1, 1, 0, 0}},
                                      .reach = SETTLED_STEPS};
    settled_open(&g->settled.map, memory(settled_bytes(&g->settled.map)));
    g->settled.workspace_bytes = g->kernel->settled_workspace_bytes(&g->settled.map, row_words);
    g->settled.workspace = memory(threads * g->settled.workspace_bytes);
    g->job =
        (struct life2d_job){.cells = memory(row_words * p->height * 8),
                            .width = p->width,
                            .height = p->height,
                            .row_words = row_words,
                            .dead = p->dead,
                            .threads = threads,
                            .workspace = memory(g->kernel->workspace_bytes(p->width, p->height, p->dead, threads, 0)),
                            .settled = &g->settled};
}

static struct trial *open_trial(uint64_t width, uint64_t height, uint32_t dead, uint32_t threads)
{
    struct trial *t = memory(sizeof *t);
    t->count = 0;
    t->plane = (struct plane){width, height, dead, memory(width * height), memory(width * height)};
    memset(t->plane.now, 0, width * height);
    set_counts(t, 010, 014);
    for (size_t i = 0; i < KERNELS; i++)
        if (kernels[i]->isa.usable()) {
            t->grids[t->count].kernel = kernels[i];
            open_grid(&t->grids[t->count++], &t->plane, threads);
        }
    return t;
}

static void close_trial(struct trial *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->grids[i].settled.map.line_needed), free(t->grids[i].settled.workspace);
        free(t->grids[i].job.cells), free(t->grids[i].job.workspace);
    }
    free(t->plane.now), free(t->plane.next), free(t);
}

/* The plane becomes the cells of each grid. The bits beyond the width have any values. */
static void set_cells(struct trial *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (uint64_t y = 0; y < t->plane.height; y++)
            for (uint64_t x = 0; x < t->plane.width; x++) {
                uint64_t *word = &t->grids[i].job.cells[y * t->grids[i].job.row_words + x / 64];
                *word = (*word & ~((uint64_t) 1 << x % 64)) | (uint64_t) t->plane.now[y * t->plane.width + x] << x % 64;
            }
}

/* The same, as a change from outside. */
static void set_grids(struct trial *t, int always)
{
    set_cells(t);
    for (size_t i = 0; i < t->count; i++) {
        t->grids[i].settled.always = always;
        settled_reset(&t->grids[i].settled);
    }
}

static void compare_grid(const struct grid *g, const struct plane *p, uint64_t steps)
{
    for (uint64_t y = 0; y < p->height; y++)
        for (uint64_t x = 0; x < p->width; x++)
            if ((g->job.cells[y * g->job.row_words + x / 64] >> x % 64 & 1) != p->now[y * p->width + x])
                fail_msg("%s, %d x %d, dead %d: cell (%d, %d) after a call of %d steps", g->kernel->isa.name,
                         (int) p->width, (int) p->height, (int) p->dead, (int) x, (int) y, (int) steps);
}

static void take_call(struct trial *t, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++)
        plain_step(&t->plane, t->table);
    for (struct grid *g = t->grids; g < t->grids + t->count; g++) {
        g->job.birth = t->birth, g->job.survive = t->survive, g->job.network = t->counts ? NULL : &t->columns;
        g->settled.rows = &t->rows;
        g->job.steps = steps;
        g->kernel->advance(&g->job);
        compare_grid(g, &t->plane, steps);
    }
}

/* Takes at least `steps` steps in calls of random lengths. */
static void take_steps(struct trial *t, uint64_t steps)
{
    for (uint64_t step = 0, call; step < steps; step += call) {
        call = random_below(4) ? 1 + random_below(40) : 1 + random_below(200);
        take_call(t, call);
    }
}

/* Places `count` patterns, from one of the list on. */
static void scatter(struct trial *t, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++)
        place(&t->plane, patterns[i % (sizeof patterns / sizeof patterns[0])], random_below(t->plane.width),
              random_below(t->plane.height));
}

static void fill(struct trial *t, uint64_t percent)
{
    for (uint64_t i = 0; i < t->plane.width * t->plane.height; i++)
        t->plane.now[i] = random_below(100) < percent;
}

static void expect_skipped(const struct trial *t, double least, double most)
{
    for (const struct grid *g = t->grids; g < t->grids + t->count; g++)
        if (g->settled.skipped < least * g->settled.taken || g->settled.skipped > most * g->settled.taken)
            fail_msg("%s: it skipped %g of %g", g->kernel->isa.name, g->settled.skipped, g->settled.taken);
}

/* The last tile shares 0, 31, 20, 19, 1 and 25 cells with the one before. */
static void test_sizes_and_edges(void **state)
{
    static const uint64_t sizes[][2] = {{256, 256}, {257, 268}, {268, 300}, {269, 287},
                                        {287, 257}, {320, 269}, {519, 256}};
    (void) state;
    random_state = 7;
    for (uint32_t dead = 0; dead < 4; dead++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct trial *t = open_trial(sizes[i][0], sizes[i][1], dead, 1 + (uint32_t) i % 3);
            scatter(t, 0, 12);
            set_grids(t, 1);
            take_steps(t, 250);
            expect_skipped(t, 0.1, 1);
            close_trial(t);
        }
}

/* Rules with kernels of their own, any others, among them rules with births among dead cells alone, and one that does
 * not count. */
static void test_rules(void **state)
{
    static const uint32_t counts[][2] = {
        {0x048, 0x00c}, {0x004, 0x000}, {0x1c8, 0x1d8}, {0x008, 0x1ff}, {0x0aa, 0x0aa}, {0x048, 0x026}, {0x148, 0x034},
        {0x008, 0x03e}, {0x00c, 0x015}, {0x108, 0x12c}, {0x1ef, 0x1ff}, {0x001, 0x100}, {0x00b, 0x00c},
    };
    (void) state;
    random_state = 8;
    for (uint32_t dead = 0; dead < 4; dead += 3)
        for (size_t i = 0; i <= sizeof counts / sizeof counts[0]; i++) {
            struct trial *t = open_trial(268, 259, dead, 2);
            if (i < sizeof counts / sizeof counts[0])
                set_counts(t, counts[i][0], counts[i][1]);
            else
                set_squares(t);
            scatter(t, 0, 10);
            set_grids(t, 1);
            take_steps(t, 80);
            close_trial(t);
        }
}

/* A gun fires across the seams at a blinker and a pulsar. Then all cells change from outside. */
static void test_guns(void **state)
{
    (void) state;
    random_state = 9;
    struct trial *t = open_trial(300, 290, 0, 2);
    place(&t->plane, gun, 280, 279);
    place(&t->plane, patterns[0], 150, 160);
    place(&t->plane, patterns[9], 40, 200);
    set_grids(t, 1);
    take_steps(t, 1200);
    expect_skipped(t, 0.5, 1);
    fill(t, 35);
    set_grids(t, 1);
    take_steps(t, 100);
    close_trial(t);
}

/* Unless it must, the kernel skips no tile of a fresh soup. It begins when few tiles change, and ends when many do. */
static void test_choices(void **state)
{
    (void) state;
    random_state = 10;
    struct trial *t = open_trial(512, 480, 0, 2);
    fill(t, 35);
    set_grids(t, 0);
    take_steps(t, 100);
    expect_skipped(t, 0, 0);
    memset(t->plane.now, 0, 512 * 480);
    scatter(t, 0, 3);
    set_grids(t, 0);
    take_steps(t, 400);
    expect_skipped(t, 0.5, 1);
    fill(t, 35);
    set_cells(t);
    for (size_t i = 0; i < t->count; i++) {
        assert_true(t->grids[i].settled.on);
        settled_forget(&t->grids[i].settled.map);
    }
    take_steps(t, 200);
    for (size_t i = 0; i < t->count; i++)
        assert_false(t->grids[i].settled.on);
    close_trial(t);
}

/* A spaceship among blinkers. A call of one step then computes all cells, and one of many steps hardly any. */
static void test_short_calls(void **state)
{
    (void) state;
    struct trial *t = open_trial(512, 480, 0, 2);
    for (uint64_t i = 0; i < 240; i++)
        if (i / 16 != 7)
            place(&t->plane, patterns[0], i % 16 * 32 + 9, i / 16 * 32 + 9);
    place(&t->plane, patterns[5], 100, 238);
    set_grids(t, 0);
    for (int i = 0; i < 4; i++) {
        take_call(t, 600);
        for (int k = 0; k < 80; k++)
            take_call(t, 1 + k % 40 / 39);
    }
    expect_skipped(t, 0.5, 1);
    close_trial(t);
}

/* ---- The bookkeeping -------------------------------------------------------------------------------------------- */

/* Is a cell, at `cell` along an axis, at most `reach` cells from tile `tile`? */
static int is_near(const struct settled_axis *axis, uint64_t tile, uint64_t cell, uint64_t reach)
{
    const uint64_t begin = settled_begin(axis, tile);
    for (uint64_t i = 0; i < axis->edge + 2 * reach; i++) {
        const uint64_t at = begin + axis->cells + i - reach;
        if (at % axis->cells == cell && (axis->torus || at / axis->cells == 1))
            return 1;
    }
    return 0;
}

/* One cell changes in a tile. All tiles that depend on it are marked, and none that is two tiles away. */
static void check_marks(struct settled *s, const uint64_t tile[3], const uint64_t cell[3])
{
    unsigned where = SETTLED_CHANGED;
    for (int i = 0; i < 3; i++) {
        const uint64_t at = cell[i] - settled_begin(&s->axis[i], tile[i]);
        where |= (at < s->reach ? SETTLED_LOW(i) : 0) | (at + s->reach >= s->axis[i].edge ? SETTLED_HIGH(i) : 0);
    }
    const uint64_t line = tile[2] * s->axis[1].tiles + tile[1];
    settled_found(s, 0, line, tile[0], where);
    settled_mark(s, 0, 0, s->lines);
    settled_count(s, 0, s->lines);
    uint64_t total = 0;
    for (uint64_t i = 0; i < s->tiles; i++) {
        const uint64_t x = i % s->axis[0].tiles, y = i / s->axis[0].tiles % s->axis[1].tiles,
                       z = i / s->axis[0].tiles / s->axis[1].tiles;
        const int near = is_near(&s->axis[0], x, cell[0], s->reach) && is_near(&s->axis[1], y, cell[1], s->reach) &&
                         is_near(&s->axis[2], z, cell[2], s->axis[2].cells > 1 ? s->reach : 0);
        if (near)
            assert_true(s->needed[i]);
        total += s->needed[i];
    }
    assert_true(settled_total(s) == total && total <= 3 * 3 * (s->axis[2].cells > 1 ? 3 : 1));
    for (uint64_t i = 0; i < s->lines; i++)
        settled_finish_line(s, i);
    settled_found(s, 0, line, tile[0], 0);
    assert_true(settled_total(s) == 0 && settled_next(s->needed, 0, s->tiles) == s->tiles);
}

static void test_marks(void **state)
{
    (void) state;
    random_state = 3;
    for (int n = 0; n < 60; n++) {
        const uint64_t edge = 4 + random_below(5);
        struct settled s = {.reach = 1 + random_below(edge / 2)};
        for (int i = 0; i < 3; i++) {
            const uint64_t e = i == 2 && n % 2 ? 1 : edge;
            s.axis[i] =
                (struct settled_axis){e == 1 ? 1 : 4 * edge + random_below(2 * edge), e, random_below(2) != 0, 0};
        }
        void *maps = memory(settled_bytes(&s));
        settled_open(&s, maps);
        settled_forget(&s);
        for (uint64_t i = 0; i < s.tiles; i++)
            settled_found(&s, 0, i / s.axis[0].tiles, i % s.axis[0].tiles, 0);
        for (int m = 0; m < 40; m++) {
            uint64_t tile[3], cell[3];
            for (int i = 0; i < 3; i++) {
                tile[i] = random_below(s.axis[i].tiles);
                cell[i] = settled_begin(&s.axis[i], tile[i]) + random_below(s.axis[i].edge);
            }
            check_marks(&s, tile, cell);
        }
        free(maps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks), cmocka_unit_test(test_sizes_and_edges), cmocka_unit_test(test_rules),
        cmocka_unit_test(test_guns),  cmocka_unit_test(test_choices),         cmocka_unit_test(test_short_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
