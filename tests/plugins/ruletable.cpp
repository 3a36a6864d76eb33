/* ruletable against an interpreter of rule tables that shares no code with the plugin: it reads the lines of a table
 * with streams and strings, and tries values of variables and symmetries for each cell anew.
 *
 *   ruletable make SEED                    prints a random .rule file: a table, or from 1000 on a tree
 *   ruletable kernels COUNT                the kernels of `cuda` on the host, for that many random rules
 *   ruletable settled SEEDS                the kernels that leave out settled tiles, on the host: Life and random rules
 *   ruletable steps N RULE A.npy B.npy     the cells of B are those of A, N steps later */
#include "../stencil/simt.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../../plugins/ruletable/cuda_settled.cuh"
#include "../../plugins/ruletable/tables.h"

typedef std::vector<uint8_t> grid;
typedef std::vector<std::string> words;

struct size {
    int64_t width, height;
};

/* ---- The interpreter --------------------------------------------------------------------------------------------- */

struct table {
    int states;
    std::string neighbourhood, symmetries;
    std::vector<std::pair<words, std::map<std::string, std::vector<int>>>> lines; /* with the variables of its time */
};

static words split(const std::string &text, const std::string &separators)
{
    words found(1);
    for (char c : text)
        if (separators.find(c) == std::string::npos)
            found.back() += c;
        else if (!found.back().empty())
            found.emplace_back();
    if (found.back().empty())
        found.pop_back();
    return found;
}

static table read_table(const std::string &text)
{
    table made = {};
    std::map<std::string, std::vector<int>> variables;
    std::istringstream lines(text);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line[0] == '@')
            inside = line == "@TABLE";
        line = line.substr(0, line.find('#'));
        if (!inside || line.empty() || line[0] == '@')
            continue;
        const words parts = split(line, ": ");
        if (parts[0] == "n_states")
            made.states = atoi(parts[1].c_str());
        else if (parts[0] == "neighborhood")
            made.neighbourhood = parts[1];
        else if (parts[0] == "symmetries")
            made.symmetries = parts[1];
        else if (parts[0] == "var") {
            const words names = split(line.substr(4), "= {,}");
            std::vector<int> values;
            for (size_t i = 1; i < names.size(); i++)
                if (variables.count(names[i]))
                    values.insert(values.end(), variables[names[i]].begin(), variables[names[i]].end());
                else
                    values.push_back(atoi(names[i].c_str()));
            variables[names[0]] = values;
        } else
            made.lines.emplace_back(split(line, ", "), variables);
    }
    return made;
}

/* The offsets of the inputs behind the cell itself, in the order of the format. */
static std::vector<std::pair<int, int>> neighbours_of(const std::string &name)
{
    if (name == "vonNeumann")
        return {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    if (name == "Moore")
        return {{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}};
    if (name == "hexagonal")
        return {{0, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}};
    return {{-1, 0}, {1, 0}};
}

/* All orders in which the symmetries of Golly put the neighbours, written out from its documentation: turns by a part
 * of the ring, and mirror images. */
static std::vector<std::vector<int>> orders_of(const table &rule)
{
    const int n = (int) neighbours_of(rule.neighbourhood).size();
    const std::string &s = rule.symmetries;
    std::vector<std::vector<int>> orders;
    std::vector<int> order(n);
    for (int i = 0; i < n; i++)
        order[(size_t) i] = i;
    if (s == "permute") {
        do
            orders.push_back(order);
        while (std::next_permutation(order.begin(), order.end()));
        return orders;
    }
    int turns = 1;
    if (s.compare(0, 6, "rotate") == 0)
        turns = s[6] - '0';
    const bool mirrored = s.find("reflect") != std::string::npos;
    for (int turn = 0; turn < turns; turn++)
        for (int mirror = 0; mirror <= (mirrored ? 1 : 0); mirror++) {
            std::vector<int> made;
            for (int i = 0; i < n; i++) {
                const int from = n == 2 && mirror ? 1 - i : mirror ? n - i : i;
                made.push_back((from + turn * (n / turns)) % n);
            }
            orders.push_back(made);
        }
    return orders;
}

/* Does the line match these states, which the orders permute, with these values of the repeated variables? */
static bool matches(const words &line, const std::map<std::string, std::vector<int>> &variables,
                    const std::map<std::string, int> &bound, const std::vector<int> &states,
                    const std::vector<int> &order)
{
    for (size_t i = 0; i <= order.size(); i++) {
        const std::string &entry = line[i == 0 ? 0 : 1 + (size_t) order[i - 1]];
        const auto value = bound.find(entry);
        const auto set = variables.find(entry);
        if (value != bound.end()     ? value->second != states[i]
            : set != variables.end() ? std::find(set->second.begin(), set->second.end(), states[i]) == set->second.end()
                                     : atoi(entry.c_str()) != states[i])
            return false;
    }
    return true;
}

static int next_of(const table &rule, const std::vector<std::vector<int>> &orders, const std::vector<int> &states)
{
    for (const auto &[line, variables] : rule.lines) {
        std::vector<std::string> repeated; /* in the order of the alphabet */
        for (const auto &[name, values] : variables)
            if (std::count(line.begin(), line.begin() + (long) states.size() + 1, name) > 1)
                repeated.push_back(name);
        std::vector<size_t> at(repeated.size());
        for (bool more = true; more;) {
            std::map<std::string, int> bound;
            for (size_t i = 0; i < at.size(); i++)
                bound[repeated[i]] = variables.at(repeated[i])[at[i]];
            for (const std::vector<int> &order : orders)
                if (matches(line, variables, bound, states, order)) {
                    const std::string &result = line[states.size()];
                    return bound.count(result)       ? bound[result]
                           : variables.count(result) ? variables.at(result)[0]
                                                     : atoi(result.c_str());
                }
            more = false;
            for (size_t i = 0; i < at.size() && !more; i++)
                if (++at[i] < variables.at(repeated[i]).size())
                    more = true;
                else
                    at[i] = 0;
        }
    }
    return states[0];
}

static grid plain_steps(const table &rule, grid now, const size &s, int steps)
{
    const auto neighbours = neighbours_of(rule.neighbourhood);
    const auto orders = orders_of(rule);
    std::map<std::vector<int>, int> known;
    for (; steps > 0; steps--) {
        grid next(now.size());
        for (int64_t y = 0; y < s.height; y++)
            for (int64_t x = 0; x < s.width; x++) {
                std::vector<int> states(1, now[(size_t) (y * s.width + x)]);
                for (const auto &[dx, dy] : neighbours)
                    states.push_back(
                        now[(size_t) ((y + s.height + dy) % s.height * s.width + (x + s.width + dx) % s.width)]);
                const auto found = known.find(states);
                next[(size_t) (y * s.width + x)] =
                    (uint8_t) (found != known.end() ? found->second : known[states] = next_of(rule, orders, states));
            }
        now = next;
    }
    return now;
}

/* ---- Random rules ------------------------------------------------------------------------------------------------ */

static uint32_t state_of_random = 1;

static int below(int limit)
{
    state_of_random = state_of_random * 1664525 + 1013904223;
    return (int) ((state_of_random >> 8) % (uint32_t) limit);
}

/* A rule with many variables, some of which occur several times, so that most neighbourhoods match something. */
static std::string random_rule(uint32_t seed)
{
    static const struct {
        const char *name;
        std::vector<const char *> symmetries;
    } kinds[] = {{"vonNeumann", {"none", "rotate4", "rotate4reflect", "reflect_horizontal", "permute"}},
                 {"Moore", {"none", "rotate4", "rotate8", "rotate4reflect", "rotate8reflect", "reflect_horizontal"}},
                 {"hexagonal", {"none", "rotate2", "rotate3", "rotate6", "rotate6reflect", "permute"}},
                 {"oneDimensional", {"none", "reflect", "permute"}}};
    state_of_random = seed * 2654435761u + 1;
    const auto &kind = kinds[seed % 4];
    const int n = (int) neighbours_of(kind.name).size();
    const int states = seed % 7 == 0 ? 17 + below(30) : 2 + below(9);
    std::ostringstream text;
    text << "@RULE Random\n@TABLE\nn_states:" << states << "\nneighborhood:" << kind.name
         << "\nsymmetries:" << kind.symmetries[(size_t) below((int) kind.symmetries.size())] << "\n";
    static const char *const names[] = {"b", "a", "long", "d", "c"};
    for (int v = 0; v < 5; v++) {
        text << "var " << names[v] << "={" << below(states);
        for (int more = below(states < 5 ? states : 5); more > 0; more--)
            text << "," << (v > 0 && below(4) == 0 ? names[below(v)] : std::to_string(below(states)));
        text << "}\n";
    }
    text << "var any={0";
    for (int state = 1; state < states; state++)
        text << "," << state;
    text << "}\nvar all=any\nvar each=any\nvar every=any\nvar one=any\nvar two=any\nvar three=any\nvar four=any\n";
    static const char *const wild[] = {"any", "all", "each", "every", "one", "two", "three", "four"};
    for (int line = 4 + below(12); line > 0; line--) {
        std::string repeated;
        for (int i = 0; i <= n; i++) {
            const int what = below(8);
            const std::string entry = i > 0 && what < 4 ? wild[i - 1]
                                      : what < 7        ? names[below(5)]
                                                        : std::to_string(below(states));
            repeated = i > 0 && what >= 4 && what < 6 ? entry : repeated;
            text << entry << ",";
        }
        /* A variable that stands among the inputs stands twice with the result. */
        text << (repeated.empty() || below(2) ? std::to_string(below(states)) : repeated) << "\n";
    }
    return text.str();
}

/* A tree of 4 or 8 neighbours with a few random nodes at each depth. */
static std::string random_tree(uint32_t seed)
{
    state_of_random = seed * 2654435761u + 1;
    const int states = 2 + below(seed % 2 ? 12 : 5), neighbours = seed % 2 ? 4 : 8, each = 2 + below(6);
    std::ostringstream text;
    text << "@RULE Random\n@TREE\nnum_states=" << states << "\nnum_neighbors=" << neighbours
         << "\nnum_nodes=" << each * neighbours + 1 << "\n";
    for (int depth = 1; depth <= neighbours + 1; depth++)
        for (int node = 0; node < (depth > neighbours ? 1 : each); node++) {
            text << depth;
            for (int state = 0; state < states; state++)
                text << " " << (depth == 1 ? below(states) : (depth - 2) * each + below(each));
            text << "\n";
        }
    return text.str();
}

static grid random_cells(const size &s, int states)
{
    grid cells((size_t) (s.width * s.height));
    for (uint8_t &cell : cells)
        cell = (uint8_t) below(states);
    return cells;
}

/* ---- The kernels ------------------------------------------------------------------------------------------------- */

/* A grid in memory as the engine makes it: rows that begin at multiples of 64 bytes, and ghosts of one cell. */
struct memory {
    int64_t pitch;
    std::vector<uint8_t> bytes;
    uint8_t *origin;

    explicit memory(const size &s) : pitch(64 + (s.width + 1 + 63) / 64 * 64)
    {
        bytes.assign((size_t) (pitch * (s.height + 2) + 64), 0xEE); /* no state of any rule here */
        origin = bytes.data() + (64 - (uintptr_t) bytes.data() % 64) % 64 + pitch + 64;
    }

    void put(const size &s, const grid &cells)
    {
        for (int64_t y = -1; y <= s.height; y++)
            for (int64_t x = -1; x <= s.width; x++)
                origin[y * pitch + x] = cells[(size_t) ((y + s.height) % s.height * s.width + (x + s.width) % s.width)];
    }

    grid get(const size &s) const
    {
        grid cells;
        for (int64_t y = 0; y < s.height; y++)
            cells.insert(cells.end(), origin + y * pitch, origin + y * pitch + s.width);
        return cells;
    }
};

/* Takes a step, which may leave out tiles if `settled` is not NULL. */
template <bool DIRECT, typename WORD>
static void launch(ruletable::job job, const tables &tables, const size &s, const ruletable::settled_job *settled)
{
    std::vector<uint64_t> words(1);
    const auto put = [&words](const void *from, size_t bytes) {
        const size_t at = words.size();
        words.resize(at + (bytes + 7) / 8);
        if (bytes)
            memcpy(&words[at], from, bytes);
        return (uint32_t) (2 * (at - 1));
    };
    const std::vector<WORD> columns(tables.column, tables.column + tables.columns);
    put(tables.pair, tables.pairs * sizeof *tables.pair);
    job.column_at = put(columns.data(), columns.size() * sizeof(WORD));
    job.join_at = put(tables.join, tables.joins * sizeof *tables.join);
    job.next_at = put(tables.next, tables.nexts);
    job.tables = (const uint32_t *) &words[1];
    const unsigned strips = (unsigned) ((s.width + ruletable::STRIP - 1) / ruletable::STRIP);
    const unsigned bands = (unsigned) ((s.height + job.band - 1) / job.band);
    std::vector<uint32_t> shared(job.words = (uint32_t) (2 * words.size() - 2));
    ruletable::settled_list list;
    const auto by_bands = [&] { ruletable::take_step<DIRECT, WORD>(job, job.tables); };
    const auto by_tiles = [&] {
        ruletable::take_settled_step<true, DIRECT, WORD>(job, *settled, shared.data(), &list);
    };
    if (!settled || !ruletable::goes_by_tiles(*settled, ruletable::known_before(*settled)))
        launch_here(by_bands, dim3(strips, (bands + 1) / 2), dim3(32, 2));
    if (settled)
        launch_here(by_tiles, dim3(1 + settled->strips * settled->lines / 64), dim3(32, 2));
}

static void launch_any(const ruletable::job &job, const tables &tables, const size &s, bool narrow,
                       const ruletable::settled_job *settled)
{
    const bool direct = !tables.pair;
    if (narrow)
        (direct ? launch<true, uint32_t> : launch<false, uint32_t>) (job, tables, s, settled);
    else
        (direct ? launch<true, uint64_t> : launch<false, uint64_t>) (job, tables, s, settled);
}

static ruletable::job job_of(const tables &tables, const memory &source, memory &result, const size &s, int band)
{
    ruletable::job job = {};
    job.from = source.origin, job.to = result.origin, job.pitch = source.pitch;
    job.width = s.width, job.height = s.height, job.band = band;
    job.states = tables.states, job.bits = tables.bits;
    job.middle_at = tables.middle_at, job.right_at = tables.right_at;
    return job;
}

static bool kernel_agrees(const std::string &text, const size &s)
{
    rule rule;
    rule_error error;
    tables tables;
    char reason[200];
    if (!rule_parse(text.data(), text.size(), RULE_FILE, &rule, &error) || tables_make(&rule, &tables, reason)) {
        printf("# %u:%u %s\n%s", error.line, error.column, error.text, text.c_str());
        return false;
    }
    const table plain = read_table(text);
    const grid first = random_cells(s, plain.states);
    memory source(s), result(s);
    source.put(s, first);
    const memory before = source;
    ruletable::job job = job_of(tables, source, result, s, 7);
    launch_any(job, tables, s, tables.narrow, NULL);
    const grid expected = plain_steps(plain, first, s, 1);
    bool good = result.get(s) == expected && source.bytes == before.bytes;
    result = memory(s); /* wide words must do for narrow tables, too */
    job.to = result.origin;
    launch_any(job, tables, s, false, NULL);
    good = good && result.get(s) == expected;
    for (size_t i = 0; i < result.bytes.size(); i++) { /* nothing but cells was written */
        const int64_t at = &result.bytes[i] - result.origin, y = at < 0 ? -1 : at / result.pitch;
        if (y < 0 || y >= s.height || at % result.pitch >= s.width)
            good = good && result.bytes[i] == 0xEE;
    }
    tables_free(&tables);
    rule_free(&rule);
    return good;
}

static int check_kernels(int count)
{
    const size sizes[] = {{1, 1}, {3, 5}, {31, 9}, {119, 8}, {120, 15}, {122, 16}, {245, 20}};
    int failed = 0;
    for (int seed = 0; seed < count; seed++) {
        const bool good = kernel_agrees(random_rule((uint32_t) seed), sizes[seed % 7]);
        failed += !good;
        if (!good)
            printf("# rule %d differs\n", seed);
    }
    printf("%d of %d rules\n", count - failed, count);
    return failed > 0;
}

/* ---- Settled tiles ------------------------------------------------------------------------------------------------ */

static const char life[] =
    "@RULE Life\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\nvar a={0,1}\nvar b={0,1}\n"
    "0,1,1,1,0,0,0,0,0,1\n1,0,0,0,0,0,0,0,0,0\n1,1,0,0,0,0,0,0,0,0\n1,1,1,1,1,a,b,0,0,0\n"
    "1,1,1,1,1,1,1,a,b,0\n";

/* A step of the same rule by counting. */
static grid step_of_life(const grid &now, const size &s)
{
    grid next(now.size());
    for (int64_t y = 0; y < s.height; y++)
        for (int64_t x = 0; x < s.width; x++) {
            int alive = 0;
            for (int64_t j = y + s.height - 1; j <= y + s.height + 1; j++)
                for (int64_t i = x + s.width - 1; i <= x + s.width + 1; i++)
                    alive += now[(size_t) (j % s.height * s.width + i % s.width)];
            const uint8_t cell = now[(size_t) (y * s.width + x)];
            next[(size_t) (y * s.width + x)] = alive == 3 || (cell && alive == 4);
        }
    return next;
}

/* What is still, what has the period 2, a toad on the corner of four tiles, and gliders that cross tiles and edges. */
static grid patterns(const size &s)
{
    grid cells((size_t) (s.width * s.height));
    const auto put = [&](int64_t x, int64_t y, const char *rows) {
        for (int64_t i = x; *rows; rows++, i++)
            if (*rows == '/')
                i = x - 1, y++;
            else
                cells[(size_t) ((y + s.height) % s.height * s.width + (i + s.width) % s.width)] = *rows == 'o';
    };
    put(50, 5, "oo/oo"), put(20, 25, "ooo"), put(118, 13, ".ooo/ooo.");
    put(-2, -2, ".o./..o/ooo"), put(113, 3, ".o./..o/ooo"), put(s.width / 2, s.height - 9, "ooo/o../.o.");
    return cells;
}

/* Numbers of tiles that have a changed cell in or beside them, and that are, or are beside, tiles with a changed cell. */
struct bounds {
    uint64_t least, most;
};

static bounds count_changed(const size &s, const grid &now, const grid &before)
{
    bounds found = {0, 0};
    const auto changed = [&](int64_t x, int64_t y) {
        const size_t at = (size_t) ((y + s.height) % s.height * s.width + (x + s.width) % s.width);
        return now[at] != before[at];
    };
    const auto any = [&](int64_t x, int64_t width, int64_t y, int64_t height) {
        for (int64_t j = y; j < y + height; j++)
            for (int64_t i = x; i < x + width; i++)
                if (changed(i, j))
                    return true;
        return false;
    };
    for (int64_t y = 0; y < s.height; y += ruletable::TILE_ROWS)
        for (int64_t x = 0; x < s.width; x += ruletable::STRIP) {
            const int64_t rows = std::min((int64_t) ruletable::TILE_ROWS, s.height - y);
            const int64_t width = std::min((int64_t) ruletable::STRIP, s.width - x);
            found.least += any(x - 1, width + 2, y - 1, rows + 2);
            found.most += any(x - ruletable::STRIP, width + 2 * ruletable::STRIP, y - ruletable::TILE_ROWS,
                              rows + 2 * ruletable::TILE_ROWS);
        }
    return found;
}

/* A cell in each tile, which dies at once. */
static grid lone_cells(const size &s)
{
    grid cells((size_t) (s.width * s.height));
    for (int64_t y = 1; y < s.height; y += ruletable::TILE_ROWS)
        for (int64_t x = 1; x < s.width; x += ruletable::STRIP)
            cells[(size_t) (y * s.width + x)] = 1;
    return cells;
}

enum { CHANGED_AT = 6 }; /* the step before which the state changes from outside; of lone cells it does not */

/* Which steps of `auto` may leave out tiles: those after a trial whose changes were few. The first step, and the first
 * one after a change from outside, tell the next one what was before. */
struct expected {
    int since = 0, wait = 0, interval = 64; /* steps since a change from outside, until a trial, and between trials */
    bool mapped = false;

    /* `changed`: the percentage of tiles that changed in the step before. Returns whether this step leaves out tiles. */
    bool skips(double changed, bool always)
    {
        if (mapped && changed > ruletable::MOST_MOVING && !always) {
            mapped = false, wait = interval;
            interval = std::min(2 * interval, 1024);
        }
        const bool skips = mapped;
        mapped = since > 0 && wait == 0;
        since++, wait -= wait > 0;
        return skips;
    }
};

static double percent_changed(const size &s, const grid &now, const grid &before)
{
    int64_t changed = 0, tiles = 0;
    for (int64_t y = 0; y < s.height; y += ruletable::TILE_ROWS)
        for (int64_t x = 0; x < s.width; x += ruletable::STRIP, tiles++) {
            bool found = false;
            for (int64_t j = y; j < std::min(y + ruletable::TILE_ROWS, s.height); j++)
                for (int64_t i = x; i < std::min(x + ruletable::STRIP, s.width); i++)
                    found = found || now[(size_t) (j * s.width + i)] != before[(size_t) (j * s.width + i)];
            changed += found;
        }
    return 100.0 * (double) changed / (double) tiles;
}

/* Steps of a rule: every state must be that of the interpreter, and so must the numbers of tiles that are skipped. */
static bool settled_agrees(const std::string &text, grid now, const size &s, int band, int steps, bool always,
                           bool changes = true)
{
    rule rule;
    rule_error error;
    tables tables;
    char reason[200];
    if (!rule_parse(text.data(), text.size(), RULE_FILE, &rule, &error) || tables_make(&rule, &tables, reason))
        return false;
    const table plain = read_table(text);
    memory buffer[2] = {memory(s), memory(s)};
    grid one = now, two = now; /* the states of one and of two steps ago */
    expected expected;
    ruletable::settled_state state = {};
    ruletable::settled_job settled = {};
    settled.state = &state, settled.always = always, settled.torus[0] = settled.torus[1] = true;
    settled.strips = (uint32_t) ((s.width + ruletable::STRIP - 1) / ruletable::STRIP);
    settled.lines = (uint32_t) ((s.height + ruletable::TILE_ROWS - 1) / ruletable::TILE_ROWS);
    const uint64_t tiles = settled.strips * settled.lines;
    std::vector<uint8_t> maps[2] = {std::vector<uint8_t>(tiles, 0x55), std::vector<uint8_t>(tiles, 0xAA)};
    bool good = true;
    for (int step = 0; step < steps && good; step++) {
        const int from = step % 2;
        if (step == CHANGED_AT && changes) {
            std::fill(now.begin(), now.begin() + s.width, (uint8_t) 1);
            state = {state.taken, state.computed, {}, {}};
            expected = {};
        }
        buffer[from].put(s, now);
        const ruletable::job job = job_of(tables, buffer[from], buffer[1 - from], s, band);
        settled.before = maps[from].data(), settled.after = maps[1 - from].data(), settled.from = (uint32_t) from;
        const uint64_t computed = state.computed;
        launch_any(job, tables, s, tables.narrow, &settled);
        const uint64_t needed = state.computed - computed;
        const bounds counted = count_changed(s, now, two);
        if (expected.skips(percent_changed(s, now, two), always))
            good = needed >= counted.least && needed <= counted.most;
        else
            good = needed == tiles;
        two = one, one = now, now = text == life ? step_of_life(now, s) : plain_steps(plain, now, s, 1);
        good = good && buffer[1 - from].get(s) == now && state.taken == tiles * (uint64_t) (step + 1);
    }
    tables_free(&tables);
    rule_free(&rule);
    return good;
}

static int check_settled(int seeds)
{
    const size sizes[] = {{300, 90}, {241, 33}, {120, 130}, {121, 16}}, small[] = {{130, 20}, {119, 9}};
    int failed = 0, count = 0;
    const auto report = [&](bool good, const char *what, int64_t width) {
        failed += !good, count++;
        if (!good)
            printf("# %s of width %ld differ\n", what, (long) width);
    };
    for (const size &s : sizes)
        for (int band : {16, 17, 40, 64})
            for (bool always : {true, false})
                report(settled_agrees(life, patterns(s), s, band, always ? 22 : 80, always), "patterns of Life",
                       s.width);
    report(settled_agrees(life, lone_cells(sizes[0]), sizes[0], 40, 70, false, false), "lone cells", sizes[0].width);
    for (int seed = 0; seed < seeds; seed++) {
        const std::string text = random_rule((uint32_t) seed);
        const size s = small[seed / 4 % 2];
        report(settled_agrees(text, random_cells(s, read_table(text).states), s, 19, CHANGED_AT + 2, true),
               "random rules", s.width);
    }
    printf("%d of %d runs\n", count - failed, count);
    return failed > 0;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static std::string read_file(const char *path)
{
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

static grid read_cells(const char *path, size *s)
{
    const std::string text = read_file(path);
    const size_t shape = text.find("'shape': (");
    if (shape == std::string::npos || sscanf(text.c_str() + shape, "'shape': (%ld, %ld)", &s->height, &s->width) != 2)
        exit(2);
    return grid(text.end() - (long) (s->width * s->height), text.end());
}

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "make" && argc == 3) {
        const uint32_t seed = (uint32_t) atoi(argv[2]);
        fputs((seed < 1000 ? random_rule : random_tree)(seed).c_str(), stdout);
        return 0;
    }
    if (what == "kernels" && argc == 3)
        return check_kernels(atoi(argv[2]));
    if (what == "settled" && argc == 3)
        return check_settled(atoi(argv[2]));
    if (what != "steps" || argc != 6)
        return 2;
    size s, t;
    const grid first = read_cells(argv[4], &s), last = read_cells(argv[5], &t);
    const table rule = read_table(read_file(argv[3]));
    return s.width == t.width && s.height == t.height && last == plain_steps(rule, first, s, atoi(argv[2])) ? 0 : 1;
}
