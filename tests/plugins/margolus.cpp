/* Block cellular automata against plain loops that share no code with the plugin.
 *
 *   margolus kernels                               the kernels of `cuda`, on the host
 *   margolus STEPS RULE EDGES FIRST.npy LAST.npy   the cells of LAST are those of FIRST, STEPS later, from step 0 on. RULE
 *                                                  is 16 numbers with commas. EDGES is torus or dead */
#include "../stencil/simt.h"

#include <cstdio>
#include <string>
#include <vector>

#include "../../plugins/margolus/cuda_kernels.cuh"

typedef std::vector<uint8_t> grid;
typedef std::vector<int> table;

struct size {
    int64_t width, height;
    bool dead;
};

/* ---- Plain loops ------------------------------------------------------------------------------------------------- */

/* The cell at (x, y), or NULL: it is dead at all times. */
static uint8_t *cell_at(grid &cells, const size &s, int64_t x, int64_t y)
{
    if (s.dead && (x < 0 || y < 0 || x >= s.width || y >= s.height))
        return nullptr;
    return &cells[(size_t) ((y + s.height) % s.height * s.width + (x + s.width) % s.width)];
}

static grid plain_steps(grid cells, const size &s, const table &to, int64_t step, int64_t steps)
{
    for (; steps > 0; steps--, step++)
        for (int64_t y = step % 2 ? s.dead ? -1 : 1 : 0; y < s.height; y += 2)
            for (int64_t x = step % 2 ? s.dead ? -1 : 1 : 0; x < s.width; x += 2) {
                uint8_t *block[4];
                int number = 0;
                for (int i = 0; i < 4; i++) {
                    block[i] = cell_at(cells, s, x + i % 2, y + i / 2);
                    number += block[i] && *block[i] ? 1 << i : 0;
                }
                for (int i = 0; i < 4; i++)
                    if (block[i])
                        *block[i] = to[(size_t) number] >> i & 1;
            }
    return cells;
}

static uint32_t below(uint32_t limit)
{
    static uint64_t random = 1;
    random = random * 6364136223846793005 + 1442695040888963407;
    return (uint32_t) (random >> 33) % limit;
}

/* ---- The kernels ------------------------------------------------------------------------------------------------- */

/* Rows of whole words of 64 bits. Bits beyond the width are noise. */
struct memory {
    int64_t pitch;
    std::vector<uint32_t> words;

    memory(const size &s) : pitch((s.width + 63) / 64 * 2), words((size_t) (pitch * s.height))
    {
        for (uint32_t &word : words)
            word = below(~0u);
    }

    void put(const size &s, const grid &cells)
    {
        for (int64_t i = 0; i < s.width * s.height; i++) {
            uint32_t &word = words[(size_t) (i / s.width * pitch + i % s.width / 32)];
            const uint32_t bit = 1u << (i % s.width % 32);
            word = cells[(size_t) i] ? word | bit : word & ~bit;
        }
    }

    grid get(const size &s) const
    {
        grid cells((size_t) (s.width * s.height));
        for (int64_t i = 0; i < s.width * s.height; i++)
            cells[(size_t) i] = words[(size_t) (i / s.width * pitch + i % s.width / 32)] >> (i % s.width % 32) & 1;
        return cells;
    }
};

template <int LEVELS> static void launch(const margolus::job &job, dim3 blocks, int64_t step)
{
    if (step % 2)
        launch_here([=] { margolus::take_steps<LEVELS, 1>(job); }, blocks, dim3(128));
    else
        launch_here([=] { margolus::take_steps<LEVELS, 0>(job); }, blocks, dim3(128));
}

/* Do LEVELS steps of random cells from a step on agree? `each`: pairs of rows of a warp. */
template <int LEVELS> static bool agrees(const size &s, const table &to, int64_t step, int64_t each)
{
    grid first((size_t) (s.width * s.height));
    for (uint8_t &cell : first)
        cell = below(2);
    memory source(s), result(s);
    source.put(s, first);
    const memory before = source;
    margolus_rule rule;
    for (size_t i = 0; i < 16; i++)
        rule.to[i] = (uint8_t) to[i];
    const margolus::job job = {source.words.data(),
                               result.words.data(),
                               source.pitch,
                               s.width,
                               s.height,
                               (step + LEVELS - 1) % 2,
                               s.height / 2,
                               each,
                               margolus_form_of(&rule, 0x55555555)};
    launch<LEVELS>(
        job, dim3((unsigned) ((s.width + 959) / 960), (unsigned) ((s.height / 2 + 4 * each - 1) / (4 * each))), step);
    return result.get(s) == plain_steps(first, s, to, step, LEVELS) && source.words == before.words;
}

static int check_kernels()
{
    const size sizes[] = {{2, 2, false},    {4, 18, false},    {30, 20, false}, {32, 6, false},
                          {34, 40, false},  {64, 64, false},   {98, 62, false}, {960, 10, false},
                          {962, 16, false}, {1024, 34, false}, {1930, 8, false}};
    int number = 0, failed = 0;
    for (int i = 0; i < 8; i++) {
        table to;
        std::string wrong;
        for (int block = 0; block < 16; block++)
            to.push_back((int) below(16));
        for (const size &s : sizes)
            for (int64_t step = 0; step < 2; step++) {
                const int64_t each = s.height > 50 ? 1 : s.height > 30 ? 7 : 40;
                if (!agrees<1>(s, to, step, each) || !agrees<2>(s, to, step, each) || !agrees<4>(s, to, step, each) ||
                    !agrees<8>(s, to, step, each) || !agrees<16>(s, to, step, each))
                    wrong += " " + std::to_string(s.width) + "x" + std::to_string(s.height);
            }
        failed += !wrong.empty();
        printf("%sok %d - a random table on all sizes%s\n", wrong.empty() ? "" : "not ", ++number, wrong.c_str());
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
    if (argc != 6)
        return 2;
    table to;
    for (const char *at = argv[2]; *at; at += *at == ',')
        to.push_back((int) strtol(at, (char **) &at, 10));
    size s = {0, 0, std::string(argv[3]) == "dead"}, t = s;
    const grid first = read_cells(argv[4], &s), last = read_cells(argv[5], &t);
    if (to.size() != 16 || s.width != t.width || s.height != t.height)
        return 2;
    return last == plain_steps(first, s, to, 0, atoi(argv[1])) ? 0 : 1;
}
