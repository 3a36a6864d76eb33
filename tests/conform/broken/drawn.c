/* A rule whose second implementation is wrong in few configurations, which the fixed sizes of conform do not contain; the
 * parameter `how` says in which ones. A cell becomes the parity of itself and the cells to its left and above it. */
#define ENGINE_MINOR 12
#include <engine/edges.h>
#include <engine/parts.h>
#include <engine/plugin.h>
#include <stdlib.h>
#include <unistd.h>

enum { CELLS };
enum { HOW, LEVEL, WORD };

enum how {
    RIGHT,
    WIDTH,  /* the width is 3 more than a multiple of 64, from 131 to 511 */
    PARTS,  /* in three parts, if level is at least 5 */
    VALUE,  /* level is 17 */
    EDGES,  /* dead edges above and below, and an odd height, 11 more than a multiple of 16 */
    THREAD, /* with 5 threads */
    CRASH,  /* it crashes if the grid is a square of at least 6 x 6 and smaller than 64 x 64 */
    SQUARE, /* the same, and it is only wrong */
    DIGIT,  /* `word` has the digit 7 */
    HANG    /* it never returns */
};

static const char *const ways[] = {"right", "width",  "parts", "value", "edges", "thread",
                                   "crash", "square", "digit", "hang",  NULL};

static const struct engine_param params[] = {
    [HOW] = {ENGINE_CHOICE_PARAM("how", "how it is broken", "right", ways)},
    [LEVEL] = {ENGINE_INTEGER_PARAM("level", "any number", "0", 0, 31)},
    [WORD] = {ENGINE_TEXT_PARAM("word", "any text, such as B3/S23", "B1")},
};

static int has_seven(const char *word)
{
    while (*word && *word != '7')
        word++;
    return *word == '7';
}

static int is_wrong(const struct engine_call *call)
{
    const struct engine_plan *plan = call->plan;
    const uint64_t *whole = plan->part.whole, width = whole[0], height = whole[1];
    switch (engine_param_choice(plan, HOW)) {
    case WIDTH:
        return width % 64 == 3 && width > 67 && width < 512;
    case PARTS:
        return plan->part.count == 3 && engine_param_integer(plan, LEVEL) >= 5;
    case VALUE:
        return engine_param_integer(plan, LEVEL) == 17;
    case EDGES:
        return engine_plan_edge(plan, 1) == ENGINE_EDGE_DEAD && height % 16 == 11;
    case THREAD:
        return plan->threads == 5;
    case CRASH:
        if (width == height && width >= 6 && width < 64)
            abort();
        return 0;
    case SQUARE:
        return width == height && width >= 6 && width < 64;
    case DIGIT:
        return has_seven(plan->params.at[WORD].text);
    case HANG:
        for (;;)
            sleep(60);
    default:
        return 0;
    }
}

static void step(const struct engine_call *call, uint32_t from, uint32_t to, int wrong)
{
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const int64_t width = (int64_t) cells->shape->extent[0], height = (int64_t) cells->shape->extent[1];
    for (int64_t y = 0; y < height; y++) {
        const unsigned char *above = engine_row(cells, from, y - 1, 0), *own = engine_row(cells, from, y, 0);
        unsigned char *out = engine_row(cells, to, y, 0);
        for (int64_t x = 0; x < width; x++)
            out[x] =
                own[x] ^ own[x - 1] ^ above[x] ^ (unsigned char) (wrong && x == 0 && y == (int64_t) call->begin[1]);
    }
}

static int reference_advance(void *self, struct engine_call *call)
{
    (void) self;
    step(call, call->current, call->result, 0);
    return 0;
}

static int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    step(call, call->current, call->result, is_wrong(call));
    return 0;
}

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "0 or 1", ENGINE_STATE, ENGINE_U8, 2), .values = 2, .reach = {1, 1}}};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("reference", "is right", 1, ENGINE_EXACT | ENGINE_REFERENCE), .advance = reference_advance},
    {ENGINE_HOST_IMPL("cpu", "may be wrong", 2, ENGINE_EXACT | ENGINE_DIVISIBLE), .advance = cpu_advance}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("drawn", "1", "wrong in few configurations"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
};
