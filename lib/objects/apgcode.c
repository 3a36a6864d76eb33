#include "objects/apgcode.h"
#include "objects/md5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* (x, y) becomes (xx x + xy y, yx x + yy y). */
struct turn {
    int xx, xy, yx, yy;
};

static const struct turn square[] = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {1, 0, 0, -1}, {-1, 0, 0, -1},
                                     {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0}};

/* The neighbours of a cell are (1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1): a turn takes each to the next. */
static const struct turn hexagon[] = {{1, 0, 0, 1},   {1, -1, 1, 0},  {0, -1, 1, -1}, {-1, 0, 0, -1},
                                      {-1, 1, -1, 0}, {0, 1, -1, 1},  {0, 1, 1, 0},   {1, 0, 1, -1},
                                      {1, -1, 0, -1}, {0, -1, -1, 0}, {-1, 0, -1, 1}, {-1, 1, 0, 1}};

static const struct {
    const struct turn *turns;
    int count;
} groups[] = {{square, 1}, {square, 8}, {hexagon, 12}};

/* The neighbourhood that a turn makes of another. Neighbours that leave the square are left out. */
static uint32_t turned(uint32_t cells, struct turn turn)
{
    uint32_t result = 0;
    for (int bit = 0; bit < 9; bit++) {
        const int dx = bit % 3 - 1, dy = bit / 3 - 1;
        const int x = turn.xx * dx + turn.xy * dy, y = turn.yx * dx + turn.yy * dy;
        if ((cells >> bit & 1) && x >= -1 && x <= 1 && y >= -1 && y <= 1)
            result |= 1u << (3 * (y + 1) + x + 1);
    }
    return result;
}

static bool notices_none(const struct object_rule *rule, enum apgcode_symmetry symmetry)
{
    /* The corners that are no neighbours in a hexagonal rule. */
    const uint32_t mask = symmetry == APGCODE_HEXAGON ? 0777 & ~(1u << 2 | 1u << 6) : 0777;
    for (uint32_t cells = 0; cells < 512; cells++)
        for (int i = 0; i < groups[symmetry].count; i++)
            if (rule->next[cells] != rule->next[turned(cells & mask, groups[symmetry].turns[i])])
                return false;
    return true;
}

enum apgcode_symmetry apgcode_symmetry(const struct object_rule *rule)
{
    if (notices_none(rule, APGCODE_SQUARE))
        return APGCODE_SQUARE;
    return notices_none(rule, APGCODE_HEXAGON) ? APGCODE_HEXAGON : APGCODE_ANY;
}

/* ---- The extended Wechsler format ------------------------------------------------------------------------------- */

struct form {
    char text[APGCODE_FORM + 8];
    size_t length;
};

static void put(struct form *form, char byte)
{
    if (form->length <= APGCODE_FORM)
        form->text[form->length++] = byte;
}

static void put_digit(struct form *form, int64_t digit)
{
    put(form, "0123456789abcdefghijklmnopqrstuvwxyz"[digit]);
}

static void put_blanks(struct form *form, int64_t count)
{
    for (; count > 3; count -= count > 39 ? 39 : count) {
        put(form, 'y');
        put_digit(form, (count > 39 ? 39 : count) - 4);
    }
    if (count > 0)
        put(form, "?0wx"[count]);
}

/* The bits of a state: 1 is alive, and a cell that dies in k steps, this one included, has 4 k - 2. */
static uint32_t bits_of(uint8_t state, uint32_t states)
{
    return state < 2 ? state : 4 * (states - state) - 2;
}

/* The cells of a layer in a column of five rows. */
static int column_of(const struct patch *patch, uint32_t states, int layer, int64_t x, int64_t top)
{
    int column = 0;
    for (int64_t y = top; y < top + 5 && y < patch->height; y++)
        column |= (int) (bits_of(patch->cells[y * patch->width + x], states) >> layer & 1) << (y - top);
    return column;
}

/* Writes a layer in strips of five rows, a digit for each column of a strip. Returns whether it has a cell. */
static bool write_layer(const struct patch *patch, uint32_t states, int layer, struct form *form)
{
    const size_t begin = form->length;
    for (int64_t top = 0; top < patch->height; top += 5) {
        int64_t blanks = 0;
        if (top > 0)
            put(form, 'z');
        for (int64_t x = 0; x < patch->width; x++) {
            const int column = column_of(patch, states, layer, x, top);
            blanks++;
            if (column == 0)
                continue;
            put_blanks(form, blanks - 1);
            put_digit(form, column);
            blanks = 0;
        }
    }
    while (form->length > begin && form->text[form->length - 1] == 'z')
        form->length--;
    if (form->length > begin)
        return true;
    put(form, '0');
    return false;
}

/* Writes the layers up to the last one that has a cell. */
static void write_form(const struct patch *patch, uint32_t states, struct form *form)
{
    size_t end = 0;
    form->length = 0;
    for (int layer = 0; layer == 0 || (states > 2 && bits_of(2, states) >> layer > 0); layer++) {
        if (layer > 0)
            put(form, '_');
        if (write_layer(patch, states, layer, form) || layer == 0)
            end = form->length;
    }
    form->length = end;
    form->text[form->length] = '\0';
}

/* The box of the live cells of a patch after a turn. */
static void bound(const struct patch *patch, struct turn turn, struct patch *box)
{
    int64_t right = INT64_MIN, bottom = INT64_MIN;
    *box = (struct patch){.x = INT64_MAX, .y = INT64_MAX};
    for (int64_t i = 0; i < patch->width * patch->height; i++) {
        const int64_t x = i % patch->width, y = i / patch->width;
        const int64_t to_x = turn.xx * x + turn.xy * y, to_y = turn.yx * x + turn.yy * y;
        if (!patch->cells[i])
            continue;
        box->x = to_x < box->x ? to_x : box->x;
        box->y = to_y < box->y ? to_y : box->y;
        right = to_x > right ? to_x : right;
        bottom = to_y > bottom ? to_y : bottom;
    }
    box->width = right - box->x + 1;
    box->height = bottom - box->y + 1;
}

/* Makes the patch that a turn makes of another. */
static int turn_patch(const struct patch *patch, struct turn turn, struct patch *out)
{
    struct patch box;
    bound(patch, turn, &box);
    if (patch_make(out, box.x, box.y, box.width, box.height) != 0)
        return -1;
    for (int64_t i = 0; i < patch->width * patch->height; i++) {
        const int64_t x = i % patch->width, y = i / patch->width;
        if (patch->cells[i])
            *patch_cell(out, turn.xx * x + turn.xy * y, turn.yx * x + turn.yy * y) = patch->cells[i];
    }
    return 0;
}

static bool is_simpler(const struct form *form, const char *other)
{
    const size_t length = strlen(other);
    return length == 0 || form->length < length || (form->length == length && strcmp(form->text, other) < 0);
}

int apgcode_add_phase(const struct patch *phase, uint32_t states, enum apgcode_symmetry symmetry,
                      char best[APGCODE_FORM + 1])
{
    if (!phase->cells || (phase->width + 2) * (phase->height + 2) > APGCODE_CELLS)
        return 0;
    for (int i = 0; i < groups[symmetry].count; i++) {
        struct patch patch;
        struct form form;
        if (turn_patch(phase, groups[symmetry].turns[i], &patch) != 0)
            return -1;
        write_form(&patch, states, &form);
        patch_free(&patch);
        if (form.length <= APGCODE_FORM && is_simpler(&form, best))
            memcpy(best, form.text, form.length + 1);
    }
    return 0;
}

void apgcode_name(uint64_t period, bool moves, uint64_t population, const char *form, char code[APGCODE_SIZE])
{
    const bool still = period == 1 && !moves;
    snprintf(code, APGCODE_SIZE, "%s%c%" PRIu64 "%s%s", *form || population == 0 ? "x" : "ov_",
             still   ? 's'
             : moves ? 'q'
                     : 'p',
             still ? population : period, *form ? "_" : "", population == 0 ? "_0" : form);
}

/* ---- Linear growth ---------------------------------------------------------------------------------------------- */

/* Says whether what the population gains in `lag` steps repeats after `period` steps. */
static bool gain_repeats(const uint64_t *populations, uint64_t count, uint64_t lag, uint64_t period)
{
    for (uint64_t i = 0; i + lag + period < count; i++)
        if (populations[i + lag] - populations[i] != populations[i + lag + period] - populations[i + period])
            return false;
    return true;
}

/* The checksum is that of the second and third moment of the gains. apgsearch computes them with 32 bits. */
static void name_growth(const uint64_t *populations, uint64_t period, uint64_t lag, char code[APGCODE_SIZE])
{
    char moments[64], sum[33];
    uint32_t moment[3] = {0};
    for (uint64_t i = 0; i < period; i++) {
        const uint32_t gain = (uint32_t) (populations[i + lag] - populations[i]);
        moment[0] += gain;
        moment[1] += gain * gain;
        moment[2] += gain * gain * gain;
    }
    snprintf(moments, sizeof moments, "%" PRId32 "#%" PRId32, (int32_t) moment[1], (int32_t) moment[2]);
    md5_text(moments, sum);
    snprintf(code, APGCODE_SIZE, "yl%" PRIu64 "_%" PRIu64 "_%" PRId32 "_%s", period, lag, (int32_t) moment[0], sum);
}

bool apgcode_linear(const uint64_t *populations, uint64_t count, uint64_t most, uint64_t *period, double *growth,
                    char code[APGCODE_SIZE])
{
    populations += count - count / 3;
    count /= 3;
    for (*period = 1; *period <= most && !gain_repeats(populations, count, *period, *period);)
        ++*period;
    if (*period > most)
        return false;
    *growth = 0;
    for (uint64_t i = 0; i < *period; i++)
        *growth += (double) (int64_t) (populations[i + *period] - populations[i]) / (double) *period;
    uint64_t lag = 1;
    while (lag < *period && !gain_repeats(populations, count, *period, lag))
        lag++;
    name_growth(populations, *period, lag, code);
    return fabs(*growth) > 1e-9;
}
