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
    uint32_t dead; /* LIFE_DEAD_X, LIFE_DEAD_Y */
};

struct rule {
    std::string birth, survive; /* digits */
    int states;
};

/* ---- Plain loops ------------------------------------------------------------------------------------------------- */

/* Is the cell at (x, y), next to a cell of the grid, alive? */
static bool is_alive(const grid &now, const size &s, int64_t x, int64_t y)
{
    const bool beyond_x = x < 0 || x >= s.width, beyond_y = y < 0 || y >= s.height;
    if ((beyond_x && (s.dead & LIFE_DEAD_X)) || (beyond_y && (s.dead & LIFE_DEAD_Y)))
        return false;
    return now[(size_t) ((y + s.height) % s.height * s.width + (x + s.width) % s.width)] == 1;
}

static grid plain_steps(grid now, const size &s, const rule &rule, int steps)
{
    auto has = [](const std::string &digits, int n) { return digits.find((char) ('0' + n)) != std::string::npos; };
    for (; steps > 0; steps--) {
        grid next(now.size());
        for (int64_t y = 0; y < s.height; y++)
            for (int64_t x = 0; x < s.width; x++) {
                int count = 0;
                for (int i = 0; i < 9; i++)
                    count += i != 4 && is_alive(now, s, x + i % 3 - 1, y + i / 3 - 1);
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

/* A grid in memory as the engine makes it: rows that begin at multiples of 64 bytes, and ghosts along the axes of a
 * torus. */
struct memory {
    int64_t ghost[2], pitch;
    std::vector<uint8_t> bytes;
    uint8_t *origin;

    memory(const size &s, int64_t steps)
        : ghost{s.dead & LIFE_DEAD_X ? 0 : steps, s.dead & LIFE_DEAD_Y ? 0 : steps},
          pitch((64 + s.width + ghost[0] + 63) / 64 * 64)
    {
        bytes.assign((size_t) (pitch * (s.height + 2 * ghost[1]) + 192), 0xA1); /* 1 in its low bits */
        uint8_t *first = bytes.data() + (64 - (uintptr_t) bytes.data() % 64) % 64;
        origin = first + ghost[1] * pitch + 64;
    }

    void put(const size &s, const grid &cells)
    {
        for (int64_t y = -ghost[1]; y < s.height + ghost[1]; y++)
            for (int64_t x = -ghost[0]; x < s.width + ghost[0]; x++)
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

template <int STATES, int LEVELS, bool DEAD> static void launch(const generations::job &job, dim3 blocks)
{
    typedef generations::rule_of_numbers numbers;
    if (job.steps == LEVELS)
        launch_here([=] { generations::march<STATES, LEVELS, true, DEAD, numbers>(job); }, blocks, dim3(32, 4));
    else
        launch_here([=] { generations::march<STATES, LEVELS, false, DEAD, numbers>(job); }, blocks, dim3(32, 4));
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
                                  (int32_t) source.ghost[0],
                                  band,
                                  steps,
                                  (uint32_t) rule.states - 1,
                                  mask_of(rule.survive),
                                  mask_of(rule.birth),
                                  s.dead};
    const int64_t bands = (s.height + band - 1) / band;
    const dim3 blocks((unsigned) ((s.width + 959) / 960), (unsigned) ((bands + 3) / 4));
    int states = 0;
#define FORM(STATES, LEVELS) \
    if (states == 0 && rule.states <= STATES) { \
        states = STATES; \
        if (steps > LEVELS) \
            return true; \
        if (s.dead) \
            launch<STATES, LEVELS, true>(job, blocks); \
        else \
            launch<STATES, LEVELS, false>(job, blocks); \
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
    const uint32_t torus = 0, both = LIFE_DEAD_X | LIFE_DEAD_Y;
    const size sizes[] = {{8, 8, torus},        {32, 20, torus},       {33, 40, torus},       {97, 61, torus},
                          {960, 9, torus},      {961, 17, torus},      {1931, 33, torus},     {1, 1, both},
                          {3, 41, both},        {64, 2, both},         {97, 61, LIFE_DEAD_Y}, {961, 1, LIFE_DEAD_Y},
                          {1, 33, LIFE_DEAD_X}, {65, 40, LIFE_DEAD_X}, {959, 35, both},       {960, 9, both},
                          {961, 17, both},      {993, 33, LIFE_DEAD_X}};
    int number = 0, failed = 0;
    for (const rule &rule : rules) {
        std::string wrong;
        for (const size &s : sizes)
            for (int steps : {1, 3, 4, 7, 8})
                if ((s.dead & LIFE_DEAD_X || s.width >= steps) && (s.dead & LIFE_DEAD_Y || s.height >= steps) &&
                    !agrees(s, rule, steps, s.height > 30 ? 11 : 64))
                    wrong += " " + std::to_string(s.width) + "x" + std::to_string(s.height) + "," +
                             std::to_string(s.dead) + "," + std::to_string(steps);
        failed += !wrong.empty();
        printf("%sok %d - B%s/S%s/G%d on all sizes%s\n", wrong.empty() ? "" : "not ", ++number, rule.birth.c_str(),
               rule.survive.c_str(), rule.states, wrong.c_str());
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
    size s = {}, t = {};
    const grid first = read_cells(argv[3], &s), last = read_cells(argv[4], &t);
    return s.width == t.width && s.height == t.height && last == plain_steps(first, s, rule, atoi(argv[1])) ? 0 : 1;
}
