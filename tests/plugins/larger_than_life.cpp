/* larger-than-life against plain loops that share no code with the plugin. .npy files hold uint8.
 *
 *   larger_than_life kernels                  the kernels of `cuda` that compute sums along rows, on the host
 *   larger_than_life rule SEED                prints a random rule in Golly's notation
 *   larger_than_life steps RULE N A B         B is A, N steps later. RULE is a SEED, or R,M,S1,S2,B1,B2 for a square.
 *                                             It is an error if all of 500 cells of B are equal: such a test would find
 *                                             little
 *   larger_than_life moved A B X Y            B is A, moved by X to the right and Y down */
#include "../stencil/simt.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "../../plugins/larger-than-life/cuda_sums.cuh"

extern "C" {
#include "../../plugins/larger-than-life/rule.c"
}

typedef std::vector<uint8_t> grid;

struct size {
    int width, height;
};

struct plain_rule {
    int radius, states;
    std::vector<int> weights; /* row by row */
    std::vector<int> state_weights;
    std::vector<bool> births, survivals; /* entry n: at a count of n */
    std::string text;
    bool triangular = false; /* cells at which x + y is odd see the weights upside down */
};

/* ---- Plain loops ------------------------------------------------------------------------------------------------- */

static int plain_next(const plain_rule &rule, const grid &now, const size &s, int x, int y)
{
    const int side = 2 * rule.radius + 1, state = now[(size_t) (y * s.width + x)];
    int count = 0;
    for (int i = 0; i < side * side; i++) {
        const int column = ((x + i % side - rule.radius) % s.width + s.width) % s.width;
        const int down = (i / side - rule.radius) * (rule.triangular && (x + y) % 2 ? -1 : 1);
        const int row = ((y + down) % s.height + s.height) % s.height;
        count += rule.weights[(size_t) i] * rule.state_weights[now[(size_t) (row * s.width + column)]];
    }
    const std::vector<bool> &counts = state == 0 ? rule.births : rule.survivals;
    const bool holds = count >= 0 && count < (int) counts.size() && counts[(size_t) count];
    if (state == 0 || (state == 1 && holds))
        return holds;
    return (state + 1) % rule.states;
}

static grid plain_steps(grid now, const size &s, const plain_rule &rule, int steps)
{
    for (; steps > 0; steps--) {
        grid next(now.size());
        for (int y = 0; y < s.height; y++)
            for (int x = 0; x < s.width; x++)
                next[(size_t) (y * s.width + x)] = (uint8_t) plain_next(rule, now, s, x, y);
        now = next;
    }
    return now;
}

/* ---- Rules ------------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static int below(int limit)
{
    random_state = random_state * 6364136223846793005 + 1442695040888963407;
    return (int) ((random_state >> 33) % (uint64_t) limit);
}

/* Random ranges about the count that random cells have. `most` is the largest count. */
static std::string random_list(std::vector<bool> &counts, int most, int usual)
{
    std::string text;
    counts.assign((size_t) most + 1, false);
    const int width = usual / 4 + 1;
    int from = usual > 2 * width ? usual - 2 * width : 0;
    for (int i = 0; i < 3 && from <= most; i++) {
        int to = from + below(width);
        to = to > most ? most : to;
        text += (i ? "," : "") + std::to_string(from);
        if (to > from)
            text += "-" + std::to_string(to);
        for (int n = from; n <= to; n++)
            counts[(size_t) n] = true;
        from = to + 2 + below(width);
    }
    return text;
}

static void add_hex(std::string &text, int digit)
{
    text += "0123456789ABCDEFabcdef"[digit < 10 || below(2) ? digit : digit + 6];
}

static std::string random_mask(plain_rule &rule)
{
    const int cells = (int) rule.weights.size(), sparse = 2 + below(4);
    std::string text = "@";
    for (int i = 0, digit = 0, bits = 0; i < cells; i++) {
        rule.weights[(size_t) i] = i != cells / 2 && below(sparse) == 0;
        if (i == cells / 2)
            continue;
        digit = 2 * digit + rule.weights[(size_t) i];
        if (++bits % 4 == 0)
            add_hex(text, digit), digit = 0;
    }
    return text;
}

static std::string random_weights(plain_rule &rule, int digits)
{
    std::string text = "W";
    for (int &weight : rule.weights) {
        const int size = digits == 1 ? below(8) : below(128) * (below(3) == 0), minus = below(5) == 0;
        weight = minus ? -size : size;
        if (digits == 2)
            add_hex(text, size / 16 + 8 * minus);
        add_hex(text, digits == 2 ? size % 16 : size + 8 * minus);
    }
    if (below(2)) {
        text += ",";
        for (int &weight : rule.state_weights)
            add_hex(text, weight = below(6));
    }
    return text;
}

/* A square, a diamond, a circle or a chessboard. */
static std::string random_shape(plain_rule &rule)
{
    const int side = 2 * rule.radius + 1, shape = below(4);
    for (int i = 0; i < side * side; i++) {
        const int x = i % side - rule.radius, y = i / side - rule.radius;
        const bool inside[] = {true, std::abs(x) <= rule.radius - std::abs(y), std::hypot(x, y) < rule.radius + 0.5,
                               (x + y) % 2 != 0};
        rule.weights[(size_t) i] = inside[shape] && i != side * side / 2;
    }
    return std::string(1, "MNCB"[shape]);
}

/* ---- Triangles: the cell at (x, y) has its base above if x + y is even ------------------------------------------- */

/* How many corners of two cells are the same. */
static int shared_corners(int x, int y, int s, int t)
{
    const int a = (x + y) & 1, b = (s + t) & 1;
    const int mine[3][2] = {{x - 1, y + a}, {x + 1, y + a}, {x, y + 1 - a}};
    const int other[3][2] = {{s - 1, t + b}, {s + 1, t + b}, {s, t + 1 - b}};
    int shared = 0;
    for (auto corner : mine)
        for (auto match : other)
            shared += corner[0] == match[0] && corner[1] == match[1];
    return shared;
}

/* The cells that so many moves to a cell with `least` to `most` shared corners reach from the middle, without it. */
static void set_triangles(plain_rule &rule, int moves, int least, int most)
{
    const int radius = rule.radius, side = 2 * radius + 1;
    std::vector<int> reached((size_t) (side * side), 0);
    reached[reached.size() / 2] = 1;
    for (; moves > 0; moves--) {
        const std::vector<int> before = reached;
        for (int i = 0; i < side * side; i++)
            for (int k = 0; before[(size_t) i] && k < side * side; k++) {
                const int shared =
                    shared_corners(i % side - radius, i / side - radius, k % side - radius, k / side - radius);
                reached[(size_t) k] |= shared >= least && shared <= most;
            }
    }
    rule.weights = reached;
    rule.weights[reached.size() / 2] = 0;
}

static std::string random_digits(std::vector<bool> &counts, int most)
{
    std::string text;
    counts.assign((size_t) most + 1, false);
    for (int n = 2; n <= most; n++)
        if (below(3) == 0) {
            counts[(size_t) n] = true;
            text += "0123456789xyz"[n];
        }
    return text;
}

static plain_rule triangular_rule(int seed)
{
    plain_rule rule;
    rule.triangular = true;
    const int kind = seed % 6;
    const int moves = kind == 2 ? 1 : kind == 3 ? 2 + below(4) : 1;
    rule.radius = 2 * moves;
    rule.states = 2 + (seed % 2) * below(5);
    rule.weights.assign((size_t) ((2 * rule.radius + 1) * (2 * rule.radius + 1)), 0);
    rule.state_weights.assign((size_t) rule.states, 0);
    rule.state_weights[1] = 1;
    if (kind >= 4) { /* neighbours at corners alone, or at edges alone; then all */
        set_triangles(rule, 1, kind == 4 ? 1 : 2, kind == 4 ? 1 : 2);
        const int most = kind == 4 ? 9 : 3;
        const std::string births = random_digits(rule.births, most), survivals = random_digits(rule.survivals, most);
        const std::string suffix = kind == 4 ? "lv" : "LE";
        rule.text = rule.states == 2 ? "B" + births + "/S" + survivals + suffix
                                     : survivals + "/" + births + "/" + std::to_string(rule.states) + suffix;
        return rule;
    }
    std::string name = "L";
    if (kind >= 2)
        set_triangles(rule, moves, 1, 3);
    else
        name = (kind == 0 ? random_mask(rule) : random_weights(rule, 1)) + "L";
    int positive = 0, heaviest = 0;
    for (int weight : rule.weights)
        positive += weight > 0 ? weight : 0;
    for (int weight : rule.state_weights)
        heaviest = weight > heaviest ? weight : heaviest;
    const int most = positive * heaviest;
    rule.text = "R" + std::to_string(kind >= 2 ? moves : rule.radius) + ",C" + std::to_string(rule.states);
    rule.text += ",S" + random_list(rule.survivals, most, most * 2 / 5);
    rule.text += ",B" + random_list(rule.births, most, most * 2 / 5) + ",N" + name;
    return rule;
}

enum { SQUARES = 32, SEEDS = 44 }; /* from SQUARES on, the rules are triangular */

static plain_rule random_rule(int seed)
{
    random_state = (uint64_t) seed * 977 + 5;
    below(2);
    if (seed >= SQUARES)
        return triangular_rule(seed);
    plain_rule rule;
    const int kind = seed % 4;
    rule.radius = kind == 0 ? 1 + below(9) : kind < 3 ? 1 + below(4) : seed % 8 == 7 ? 1 + below(50) : 1 + below(12);
    int stated = below(3) ? 2 + below(6) : below(2) ? 0 : 256;
    if (stated > 16 && (kind == 1 || kind == 2))
        stated = 16; /* each state may have a digit */
    rule.states = stated ? stated : 2;
    const int side = 2 * rule.radius + 1;
    rule.weights.assign((size_t) (side * side), 0);
    rule.state_weights.assign((size_t) rule.states, 0);
    rule.state_weights[1] = 1;
    const std::string name = kind == 0   ? random_mask(rule)
                             : kind == 3 ? random_shape(rule)
                                         : random_weights(rule, kind);
    int positive = 0, sum = 0, heaviest = 0;
    for (int weight : rule.weights)
        positive += weight > 0 ? weight : 0, sum += weight;
    for (int weight : rule.state_weights)
        heaviest = weight > heaviest ? weight : heaviest;
    const int most = positive * heaviest, usual = sum > 0 ? sum * heaviest * 2 / 5 : 2;
    rule.text = "R" + std::to_string(rule.radius) + ",C" + std::to_string(stated);
    if (below(3) == 0 && kind % 3 == 0) { /* a live cell counts itself, whatever the notation of its lists */
        rule.weights[rule.weights.size() / 2] = 1;
        rule.text += ",M1";
    }
    rule.text += ",S" + random_list(rule.survivals, most, usual);
    rule.text += ",B" + random_list(rule.births, most, usual) + ",N" + name;
    return rule;
}

/* R,M,S1,S2,B1,B2 */
static plain_rule square_rule(const char *text)
{
    int radius, middle, limits[4];
    plain_rule rule;
    if (sscanf(text, "%d,%d,%d,%d,%d,%d", &radius, &middle, &limits[0], &limits[1], &limits[2], &limits[3]) != 6)
        exit(2);
    const size_t cells = (size_t) ((2 * radius + 1) * (2 * radius + 1));
    rule.radius = radius, rule.states = 2;
    rule.weights.assign(cells, 1), rule.state_weights = {0, 1};
    rule.weights[cells / 2] = middle;
    rule.births.assign(cells + 1, false), rule.survivals = rule.births;
    for (int n = limits[0]; n <= limits[1]; n++)
        rule.survivals[(size_t) n] = true;
    for (int n = limits[2]; n <= limits[3]; n++)
        rule.births[(size_t) n] = true;
    return rule;
}

/* ---- The kernels ------------------------------------------------------------------------------------------------- */

/* A grid in memory as the engine makes it, with ghosts as deep as the radius. */
struct memory {
    int ghost, pitch;
    grid bytes;

    memory(const size &s, int ghost) : ghost(ghost), pitch(s.width + 2 * ghost)
    {
        bytes.assign((size_t) (pitch * (s.height + 2 * ghost)), 0xAA);
    }

    uint8_t *at(int x, int y)
    {
        return &bytes[(size_t) ((y + ghost) * pitch + x + ghost)];
    }
};

static int wrap(int at, int extent)
{
    return (at % extent + extent) % extent;
}

static bool agrees(const size &s, const plain_rule &rule, int rows)
{
    ltl_rule read;
    const char *wrong_at;
    if (ltl_parse_at(rule.text.c_str(), &read, &wrong_at))
        return false;
    grid first((size_t) (s.width * s.height));
    for (uint8_t &cell : first)
        cell = (uint8_t) (below(3) ? below(2) : below(rule.states));
    memory source(s, rule.radius), result(s, rule.radius);
    for (int y = -rule.radius; y < s.height + rule.radius; y++)
        for (int x = -rule.radius; x < s.width + rule.radius; x++)
            *source.at(x, y) = first[(size_t) (wrap(y, s.height) * s.width + wrap(x, s.width))];
    const memory before = source;

    const uint64_t extent[] = {(uint64_t) s.width, (uint64_t) s.height};
    const ltl_sums shape = ltl_sums_of(&read, extent, 0);
    std::vector<uint16_t> sums((size_t) shape.count, 0xAAAA);
    std::vector<ltl_tap> whole(LTL_TAPS_MAX), other(LTL_TAPS_MAX);
    ltl::job job = {};
    job.cells = source.at(0, 0), job.result = result.at(0, 0), job.pitch = source.pitch;
    job.taps = ltl_find_taps(&read, shape.pitch, whole.data(), other.data());
    job.sums = sums.data() + shape.origin, job.sums_pitch = shape.pitch;
    job.whole = whole.data(), job.other = other.data();
    job.state_weight = read.state_weight, job.counts = read.counts[0];
    job.width = s.width, job.height = s.height, job.radius = rule.radius, job.rows = rows, job.states = read.states;
    launch_here([=] { ltl::sum_rows(job); }, dim3((unsigned) (s.height + 2 * rule.radius + 3) / 4), dim3(32, 4));
    launch_here([=] { ltl::count_cells(job); },
                dim3((unsigned) (s.width + 127) / 128, (unsigned) ((s.height + rows - 1) / rows)), dim3(128));
    const grid expected = plain_steps(first, s, rule, 1);
    bool good = source.bytes == before.bytes;
    for (int y = 0; y < s.height; y++)
        good = good && memcmp(result.at(0, y), &expected[(size_t) (y * s.width)], (size_t) s.width) == 0;
    return good;
}

static int check_kernels()
{
    int failed = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        const plain_rule rule = random_rule(seed);
        const bool small = rule.radius > 12, good = agrees({5, 3}, rule, 8) && agrees({33, 20}, rule, 64) &&
                                                    (small || agrees({131, 37}, rule, 8));
        failed += !good;
        printf("%sok %d - %.60s\n", good ? "" : "not ", seed + 1, rule.text.c_str());
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
    if (shape == std::string::npos || sscanf(text.c_str() + shape, "'shape': (%d, %d)", &s->height, &s->width) != 2)
        exit(2);
    fclose(file);
    return grid(text.end() - s->width * s->height, text.end());
}

static int check_files(const plain_rule &rule, int steps, const char *first, const char *last)
{
    size s, t;
    const grid a = read_cells(first, &s), b = read_cells(last, &t);
    const bool uniform = b.size() > 500 && b == grid(b.size(), b[0]),
               equal = s.width == t.width && b == plain_steps(a, s, rule, steps);
    if (uniform || !equal)
        printf("%s", uniform ? "all cells are equal" : "the cells differ");
    return uniform || !equal;
}

static int check_move(const char *first, const char *last, int right, int down)
{
    size s, t;
    const grid a = read_cells(first, &s), b = read_cells(last, &t);
    int differing = 0;
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            differing += a[(size_t) (y * s.width + x)] !=
                         b[(size_t) (wrap(y + down, s.height) * s.width + wrap(x + right, s.width))];
    if (differing)
        printf("%d cells differ", differing);
    return differing > 0;
}

int main(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "kernels")
        return check_kernels();
    if (mode == "rule" && argc == 3)
        puts(random_rule(atoi(argv[2])).text.c_str());
    else if (mode == "steps" && argc == 6)
        return check_files(strchr(argv[2], ',') ? square_rule(argv[2]) : random_rule(atoi(argv[2])), atoi(argv[3]),
                           argv[4], argv[5]);
    else if (mode == "moved" && argc == 6)
        return check_move(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]));
    else
        return 2;
    return 0;
}
