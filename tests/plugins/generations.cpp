/* Generations against plain loops that share no code with the plugin.
 *
 *   generations kernels                        the kernels of `cuda`, with the rule as numbers, on the host
 *   generations STEPS RULE FIRST.npy LAST.npy  the cells of LAST are those of FIRST, STEPS later. RULE is B/S/states with
 *                                              '-' for no digits, as in 2/-/3 */
#include "../stencil/simt.h"

#include <cstdio>
#include <string>
#include <vector>

#include "../../plugins/generations/cuda_kernels.cuh"

typedef std::vector<uint8_t> grid;

struct size {
    int64_t width, height;
};

struct rule {
    std::string birth, survive; /* digits */
    int states;
};

/* ---- Plain loops ------------------------------------------------------------------------------------------------- */

static grid plain_steps(grid now, const size &s, const rule &rule, int steps)
{
    auto has = [](const std::string &digits, int n) { return digits.find((char) ('0' + n)) != std::string::npos; };
    for (; steps > 0; steps--) {
        grid next(now.size());
        for (int64_t y = 0; y < s.height; y++)
            for (int64_t x = 0; x < s.width; x++) {
                int count = 0;
                for (int i = 0; i < 9; i++)
                    count += i != 4 && now[(size_t) ((y + s.height + i / 3 - 1) % s.height * s.width +
                                                     (x + s.width + i % 3 - 1) % s.width)] == 1;
                const size_t at = (size_t) (y * s.width + x);
                const int state = now[at];
                if (state == 0)
                    next[at] = has(rule.birth, count);
                else if (state == 1 && has(rule.survive, count))
                    next[at] = 1;
                else
                    next[at] = (uint8_t) ((state + 1) % rule.states);
            }
        now = next;
    }
    return now;
}

static grid random_cells(const size &s, int states)
{
    static uint32_t random = 1;
    grid cells((size_t) (s.width * s.height));
    for (uint8_t &cell : cells) {
        random = random * 1664525 + 1013904223;
        const uint32_t bits = random >> 8;
        cell = (uint8_t) (bits % 3 == 0 ? bits / 3 % (uint32_t) states : bits % 3 == 1); /* many of state 1 */
    }
    return cells;
}

/* ---- The kernels ------------------------------------------------------------------------------------------------- */

/* A grid in memory as the engine makes it: rows that begin at multiples of 64 bytes, and ghosts. */
struct memory {
    int64_t pitch, ghost;
    std::vector<uint8_t> bytes;
    uint8_t *origin;

    memory(const size &s, int64_t ghost) : pitch((64 + s.width + ghost + 63) / 64 * 64), ghost(ghost)
    {
        bytes.assign((size_t) (pitch * (s.height + 2 * ghost) + 192), 0xAA); /* no state of most rules */
        uint8_t *first = bytes.data() + (64 - (uintptr_t) bytes.data() % 64) % 64;
        origin = first + ghost * pitch + 64;
    }

    void put(const size &s, const grid &cells)
    {
        for (int64_t y = -ghost; y < s.height + ghost; y++)
            for (int64_t x = -ghost; x < s.width + ghost; x++)
                origin[y * pitch + x] = cells[(size_t) ((y + s.height) % s.height * s.width + (x + s.width) % s.width)];
    }

    grid get(const size &s) const
    {
        grid cells((size_t) (s.width * s.height));
        for (int64_t y = 0; y < s.height; y++)
            memcpy(&cells[(size_t) (y * s.width)], origin + y * pitch, (size_t) s.width);
        return cells;
    }
};

template <int STATES, int LEVELS> static void launch(const generations::job &job, dim3 blocks)
{
    typedef generations::rule_of_numbers numbers;
    if (job.steps == LEVELS)
        launch_here([=] { generations::march<STATES, LEVELS, true, numbers>(job); }, blocks, dim3(32, 4));
    else
        launch_here([=] { generations::march<STATES, LEVELS, false, numbers>(job); }, blocks, dim3(32, 4));
}

static uint32_t mask_of(const std::string &digits)
{
    uint32_t mask = 0;
    for (char digit : digits)
        mask |= 1u << (digit - '0');
    return mask;
}

static bool agrees(const size &s, const rule &rule, int steps, int band)
{
    const grid first = random_cells(s, rule.states);
    memory source(s, steps), result(s, steps);
    source.put(s, first);
    const memory before = source;
    const generations::job job = {source.origin,
                                  result.origin,
                                  source.pitch,
                                  s.width,
                                  s.height,
                                  steps,
                                  band,
                                  steps,
                                  (uint32_t) rule.states - 1,
                                  mask_of(rule.survive),
                                  mask_of(rule.birth)};
    const int64_t bands = (s.height + band - 1) / band;
    const dim3 blocks((unsigned) ((s.width + 959) / 960), (unsigned) ((bands + 3) / 4));
    int states = 0;
#define FORM(STATES, LEVELS) \
    if (states == 0 && rule.states <= STATES) { \
        states = STATES; \
        if (steps > LEVELS) \
            return true; \
        launch<STATES, LEVELS>(job, blocks); \
    }
    GENERATIONS_FOR_FORMS(FORM)
#undef FORM
    return result.get(s) == plain_steps(first, s, rule, steps) && source.bytes == before.bytes;
}

static int check_kernels()
{
    const rule rules[] = {{"3", "23", 2},       {"36", "125", 2},     {"2", "", 3},       {"2", "345", 4},
                          {"012345678", "", 3}, {"", "012345678", 4}, {"0", "8", 4},      {"1357", "2468", 3},
                          {"2", "23", 5},       {"34", "12", 16},     {"27", "0156", 16}, {"2", "3", 17},
                          {"34", "2", 256},     {"13", "2", 100}};
    const size sizes[] = {{8, 8}, {32, 20}, {33, 40}, {97, 61}, {960, 9}, {961, 17}, {1931, 33}};
    int number = 0, failed = 0;
    for (const rule &rule : rules) {
        bool good = true;
        for (const size &s : sizes)
            for (int steps : {1, 3, 4, 7, 8})
                good = good && agrees(s, rule, steps, s.height > 30 ? 11 : 64);
        failed += !good;
        printf("%sok %d - B%s/S%s/G%d on all sizes\n", good ? "" : "not ", ++number, rule.birth.c_str(),
               rule.survive.c_str(), rule.states);
    }
    return failed > 0;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static grid read_cells(const char *path, size *s)
{
    FILE *file = fopen(path, "rb");
    std::string text;
    for (int byte; file && (byte = getc(file)) != EOF;)
        text += (char) byte;
    const size_t shape = text.find("'shape': (");
    if (shape == std::string::npos || sscanf(text.c_str() + shape, "'shape': (%ld, %ld)", &s->height, &s->width) != 2)
        exit(2);
    fclose(file);
    const size_t bytes = (size_t) (s->width * s->height);
    return grid(text.end() - (long) bytes, text.end());
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return check_kernels();
    if (argc != 5)
        return 2;
    char birth[16], survive[16];
    rule rule;
    if (sscanf(argv[2], "%15[0-8-]/%15[0-8-]/%d", birth, survive, &rule.states) != 3)
        return 2;
    rule.birth = birth, rule.survive = survive;
    size s, t;
    const grid first = read_cells(argv[3], &s), last = read_cells(argv[4], &t);
    return s.width == t.width && s.height == t.height && last == plain_steps(first, s, rule, atoi(argv[1])) ? 0 : 1;
}
