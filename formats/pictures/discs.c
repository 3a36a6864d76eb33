#include "formats/pictures/discs.h"

#include <math.h>
#include <string.h>

static const double EDGE = 0.6; /* the weight at the edge of a disc that hides others, as a part of its weight */

/* The pixels [begin, end) of an axis whose centres may lie within `reach` of a point. */
static void span_of(double at, double reach, uint64_t pixels, uint64_t *begin, uint64_t *end)
{
    const double first = ceil(at - reach - 0.5), last = floor(at + reach - 0.5);
    *begin = first > 0 ? (uint64_t) first : 0;
    *end = last + 1 < (double) pixels ? (uint64_t) (last + 1) : pixels;
}

void discs_add(struct discs *discs, double x, double y, double radius, double weight)
{
    const double reach = radius + 0.5;
    uint64_t left, right, bottom, top;
    /* A comparison with NaN is false. */
    if (!(x > -reach && x < (double) discs->width + reach && y > -reach && y < (double) discs->height + reach) ||
        !(weight > 0) || !isfinite(weight) || !(radius > 0))
        return;
    span_of(x, reach, discs->width, &left, &right);
    span_of(y, reach, discs->height, &bottom, &top);
    for (uint64_t row = bottom; row < top; row++) {
        const double up = (double) row + 0.5 - y;
        float *levels = discs->levels + row * discs->width;
        for (uint64_t column = left; column < right; column++) {
            const double across = (double) column + 0.5 - x;
            const double covered = reach - sqrt(across * across + up * up);
            if (!(covered > 0))
                continue;
            const double part = covered < 1 ? covered : 1;
            if (discs->hide) {
                const double out = fmin(1, (across * across + up * up) / (radius * radius));
                levels[column] = fmaxf(levels[column], (float) (part * weight * (1 - (1 - EDGE) * out)));
            } else
                levels[column] += (float) (part * weight);
        }
    }
}

/* The bits of a positive float rise with its value. Their upper 13 are the exponent and a sixteenth of an octave. */
enum { SHIFT = 19, BINS = 1 << (31 - SHIFT) };

static uint32_t bits_of(float level)
{
    uint32_t bits;
    memcpy(&bits, &level, sizeof bits);
    return bits;
}

static float level_of(uint32_t bits)
{
    float level;
    memcpy(&level, &bits, sizeof level);
    return level;
}

double discs_level(const struct discs *discs, double above)
{
    uint64_t counts[BINS] = {0}, all = 0, beyond = 0;
    for (uint64_t i = 0; i < discs->width * discs->height; i++)
        if (discs->levels[i] > 0.5f) {
            counts[bits_of(discs->levels[i]) >> SHIFT]++;
            all++;
        }
    uint32_t bin = BINS;
    while (bin > 0 && (double) (beyond + counts[bin - 1]) <= above * (double) all)
        beyond += counts[--bin];
    return all > 0 ? (double) level_of(bin << SHIFT) : 0;
}
