#include "judge/audit_draw.h"
#include "base/random.h"

#include <stdio.h>

/* A number below `below`, from words of the stream of the seed. The largest words, which would prefer small numbers, are
 * not used. */
static uint64_t draw_below(uint64_t seed, uint64_t below, uint64_t *words)
{
    const uint64_t most = UINT64_MAX - UINT64_MAX % below;
    uint64_t number;
    do {
        uint32_t word[2];
        random_words(seed, 0, *words, 2, word);
        *words += 2;
        number = (uint64_t) word[1] << 32 | word[0];
    } while (number >= most);
    return number % below;
}

/* Selection sampling (D. E. Knuth, TAOCP 3.4.2, algorithm S): each number is taken with the probability of those that
 * are still wanted among those that are left. */
void audit_draw(uint64_t seed, uint64_t total, uint64_t count, uint64_t *out)
{
    uint64_t words = 0, taken = 0;
    for (uint64_t i = 0; taken < count; i++)
        if (draw_below(seed, total - i, &words) < count - taken)
            out[taken++] = i;
}

double audit_miss(uint64_t total, uint64_t wrong, uint64_t count)
{
    double probability = 1;
    for (uint64_t i = 0; i < count && probability > 0; i++)
        probability *= total - i > wrong ? (double) (total - wrong - i) / (double) (total - i) : 0;
    return probability;
}

uint64_t audit_few(uint64_t total)
{
    return total / 20 + (total % 20 > 0);
}

const char *audit_percent(double probability, char text[32])
{
    const double percent = 100 * probability;
    snprintf(text, 32, percent >= 99.95 && percent < 100 ? "%.6g %%" : percent >= 0.1 ? "%.1f %%" : "%.2g %%", percent);
    return text;
}
