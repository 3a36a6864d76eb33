/* Von Neumann's automaton of 29 states; Nobili's of 32, whose signals may cross; and Hutton's of 32, whose arms need
 * no special states. Golly names them JvN29, Nobili32 and Hutton32, and numbers the states:
 *
 *      0        ground
 *      1 …  8   sensitized: signals make a new cell of it
 *      9 … 12   ordinary transmission to the east, north, west and south; 13 … 16 the same, excited
 *     17 … 20   special transmission, in the same order; 21 … 24 excited
 *     25 … 28   confluent: bit 1 of the state less 25: excited now, bit 0: at the next step
 *     29 … 31   confluent with a crossing signal: along the row, along the column, both
 *
 * A direction is 0 … 3 for east, north, west and south. */
#include "machine.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { GROUND = 0, SENSITIZED_LAST = 8, ORDINARY = 9, SPECIAL = 17, CONFLUENT = 25, CROSSING = 29 };
enum { EXCITED = 4 }; /* more than the quiet state */
enum { DIRECTIONS = 4, NOWHERE = DIRECTIONS };

static bool is_transmission(uint32_t state)
{
    return state >= ORDINARY && state < CONFLUENT;
}

static bool is_ordinary(uint32_t state)
{
    return state >= ORDINARY && state < SPECIAL;
}

static bool is_special(uint32_t state)
{
    return state >= SPECIAL && state < CONFLUENT;
}

static bool is_excited(uint32_t state)
{
    return is_transmission(state) && (state - ORDINARY) & EXCITED;
}

static uint32_t direction_of(uint32_t state)
{
    return is_transmission(state) ? (state - ORDINARY) % DIRECTIONS : NOWHERE;
}

static uint32_t quiet(uint32_t state)
{
    return is_excited(state) ? state - EXCITED : state >= CONFLUENT ? CONFLUENT : state;
}

/* ---- The neighbours ---------------------------------------------------------------------------------------------- */

/* A cell and the states of its neighbours, by the directions in which they lie. */
struct around {
    uint32_t cell, to; /* direction */
    uint32_t state[DIRECTIONS];
};

/* Does a neighbour point at the cell? */
static bool points_here(uint32_t state, uint32_t direction)
{
    return direction_of(state) == (direction ^ 2);
}

/* Is a neighbour a confluent state that excites the cell? */
static bool excites(uint32_t state, uint32_t direction)
{
    return state == 27 || state == 28 || state == 31 || (state == 29 && direction % 2 == 0) ||
           (state == 30 && direction % 2 == 1);
}

/* What the neighbours do to the cell. `facing` ones are those at which the cell itself points. */
struct inputs {
    uint32_t ordinary, special; /* directions of excited cells that point here, as bits */
    uint32_t quiet;             /* of ordinary ones that are not excited */
    uint32_t confluent;         /* of confluent ones that excite it; facing ones do not count */
    uint32_t into, out_of;      /* of ordinary cells that point here, and of cells that point elsewhere */
    uint32_t facing;
};

static struct inputs inputs_of(const struct around *around)
{
    struct inputs in = {.facing = around->to < NOWHERE ? 1u << around->to : 0};
    for (uint32_t d = 0; d < DIRECTIONS; d++) {
        const uint32_t state = around->state[d], bit = 1u << d;
        if (!points_here(state, d)) {
            in.out_of |= is_transmission(state) ? bit : 0;
            in.confluent |= excites(state, d) ? bit & ~in.facing : 0;
            continue;
        }
        in.into |= is_ordinary(state) ? bit : 0;
        in.quiet |= is_ordinary(state) && !is_excited(state) ? bit : 0;
        in.ordinary |= is_ordinary(state) && is_excited(state) ? bit : 0;
        in.special |= is_special(state) && is_excited(state) ? bit : 0;
    }
    return in;
}

enum { ROW = 5, COLUMN = 10 }; /* the directions along them */

static bool along_both(uint32_t directions)
{
    return directions & ROW && directions & COLUMN;
}

/* The state of a crossing with excited cells in these directions. */
static uint32_t crossing_of(uint32_t excited)
{
    return along_both(excited) ? 31 : excited & COLUMN ? 30 : excited & ROW ? 29 : CONFLUENT;
}

/* ---- JvN29 and Nobili32 ------------------------------------------------------------------------------------------ */

static uint32_t sensitized_next(uint32_t state, bool fed)
{
    static const uint8_t made[9] = {11, 12, 17, 18, 19, 20, CONFLUENT, 9, 10};
    const uint32_t next = 2 * state + fed;
    return next > SENSITIZED_LAST ? made[next - SENSITIZED_LAST - 1] : next;
}

static uint32_t confluent_next(uint32_t state, const struct inputs *in, bool crosses)
{
    const uint32_t later = state == 26 || state == 28;
    if (in->special)
        return GROUND;
    if (crosses && along_both(in->into) && along_both(in->out_of))
        return crossing_of(in->ordinary);
    if (in->ordinary && !in->quiet)
        return 26 + 2 * later;
    if (in->out_of || !crosses)
        return CONFLUENT + 2 * later;
    return state >= CROSSING ? CONFLUENT : state;
}

static uint32_t neumann_next(const struct around *around, bool crosses)
{
    const uint32_t cell = around->cell;
    const struct inputs in = inputs_of(around);
    if (cell <= SENSITIZED_LAST)
        return sensitized_next(cell, in.ordinary || in.special);
    if (cell >= CONFLUENT)
        return confluent_next(cell, &in, crosses);
    if (is_ordinary(cell) ? in.special : in.ordinary)
        return GROUND;
    return quiet(cell) + (((in.ordinary | in.special) & ~in.facing) | in.confluent ? EXCITED : 0);
}

static uint32_t jvn29_next(const struct around *around)
{
    return neumann_next(around, false);
}

static uint32_t nobili32_next(const struct around *around)
{
    return neumann_next(around, true);
}

/* ---- Hutton32 ---------------------------------------------------------------------------------------------------- */

/* Golly's Help (Algorithms, JvN) tells how Hutton32 differs: the end of an ordinary line writes cells and retracts. */

/* The first excited cell that points here, in this order; 0: there is none. */
static uint32_t feeder(const struct around *around)
{
    static const uint8_t order[DIRECTIONS] = {2, 3, 0, 1};
    for (int i = 0; i < DIRECTIONS; i++) {
        const uint32_t state = around->state[order[i]];
        if (is_excited(state) && points_here(state, order[i]))
            return state;
    }
    return 0;
}

/* The state of kind ORDINARY or SPECIAL that points `turn` quarters to the left of the feeder. Without a feeder, the
 * numbers are those that Golly's arithmetic gives. */
static uint32_t turned(const struct around *around, uint32_t kind, uint32_t turn)
{
    const uint32_t from = feeder(around);
    if (from == 0)
        return (uint32_t) ((int) kind + ((int) turn - ORDINARY) % DIRECTIONS);
    return kind + (from - ORDINARY + turn) % DIRECTIONS;
}

static uint32_t hutton_sensitized(const struct around *around, bool fed)
{
    switch (around->cell) {
    case 4:
        return fed ? turned(around, ORDINARY, 2) : 8;
    case 5:
        return fed ? quiet(feeder(around)) + 8 : turned(around, ORDINARY, 3);
    case 6:
        return turned(around, SPECIAL, fed ? 2 : 1);
    case 7:
        return fed ? CONFLUENT : turned(around, SPECIAL, 3);
    case 8:
        return turned(around, ORDINARY, fed);
    default:
        return 2 * around->cell + fed;
    }
}

/* Will a sensitized cell in front of the cell stay sensitized at this step? */
static bool stays_sensitized(uint32_t cell, uint32_t front)
{
    return (front == GROUND && is_excited(cell)) || (front >= 1 && front <= 3) || (front == 4 && !is_ordinary(cell));
}

static bool becomes_ordinary(uint32_t cell, uint32_t front)
{
    return front == 8 || (front == 4 && is_excited(cell)) || (front == 5 && !is_excited(cell));
}

static uint32_t hutton_ordinary(const struct around *around, const struct inputs *in)
{
    const uint32_t cell = around->cell, front = around->state[around->to];
    const bool writes_confluent = front == 7 && is_excited(cell);
    if (in->special)
        return GROUND;
    if ((in->ordinary & ~in->facing) | in->confluent) {
        if (becomes_ordinary(cell, front) || (is_special(front) && !is_excited(front)))
            return GROUND;
        return writes_confluent ? 1 : quiet(cell) + EXCITED;
    }
    if (writes_confluent)
        return GROUND;
    return is_excited(cell) && stays_sensitized(cell, front) ? quiet(cell) + 12 : quiet(cell);
}

static uint32_t hutton_special(const struct around *around, const struct inputs *in)
{
    const uint32_t cell = around->cell, front = around->state[around->to];
    const bool marks = is_excited(cell) && front >= 1 && front <= SENSITIZED_LAST && in->into;
    if (marks && stays_sensitized(cell, front))
        return in->ordinary ? cell - 8 : cell;
    if (marks)
        return in->ordinary ? GROUND : quiet(cell) - 8;
    if (is_excited(cell) && front == GROUND)
        return in->special & ~in->facing ? cell : quiet(cell);
    if (in->ordinary)
        return GROUND;
    return quiet(cell) + ((in->special & ~in->facing) | in->confluent ? EXCITED : 0);
}

static uint32_t count(uint32_t directions)
{
    return (uint32_t) __builtin_popcount(directions);
}

static uint32_t hutton_confluent(const struct around *around, const struct inputs *in)
{
    uint32_t here = 0;
    for (uint32_t d = 0; d < DIRECTIONS; d++)
        here += points_here(around->state[d], d);
    const bool on = in->ordinary && !in->quiet;
    if (in->special)
        return GROUND;
    if (around->cell >= CROSSING || (around->cell == CONFLUENT && here == 2 && count(in->out_of) == 2))
        return crossing_of(in->ordinary);
    return around->cell % 2 == 0 ? 27 + on : CONFLUENT + on;
}

static uint32_t hutton32_next(const struct around *around)
{
    const struct inputs in = inputs_of(around);
    if (is_ordinary(around->cell))
        return hutton_ordinary(around, &in);
    if (is_special(around->cell))
        return hutton_special(around, &in);
    if (around->cell >= CONFLUENT)
        return hutton_confluent(around, &in);
    if (around->cell > GROUND)
        return hutton_sensitized(around, in.ordinary != 0);
    return in.ordinary ? 1 : in.special ? quiet(feeder(around)) - 8 : GROUND;
}

/* ---- The machine ------------------------------------------------------------------------------------------------- */

static const uint8_t colours[32][3] = {
    {48, 48, 48},    {255, 0, 0},     {255, 125, 0},  {255, 150, 25},  {255, 175, 50},  {255, 200, 75},
    {255, 225, 100}, {255, 250, 125}, {251, 255, 0},  {89, 89, 255},   {106, 106, 255}, {122, 122, 255},
    {139, 139, 255}, {27, 176, 27},   {36, 200, 36},  {73, 255, 73},   {106, 255, 106}, {235, 36, 36},
    {255, 56, 56},   {255, 73, 73},   {255, 89, 89},  {185, 56, 255},  {191, 73, 255},  {197, 89, 255},
    {203, 106, 255}, {0, 255, 128},   {255, 128, 64}, {255, 255, 128}, {33, 215, 215},  {27, 176, 176},
    {24, 156, 156},  {21, 137, 137}};

struct jvn {
    const char *name;
    uint32_t states;
    bool front; /* does the state of the cell in front matter? */
    uint32_t (*next)(const struct around *around);
};

static const struct jvn rules[] = {
    {"JvN29", 29, false, jvn29_next}, {"Nobili32", 32, false, nobili32_next}, {"Hutton32", 32, true, hutton32_next}};

/* A state that does the same to the cell as this one in that direction, if the cell does not look at it in front. */
static uint32_t alike(uint32_t state, uint32_t direction)
{
    if (is_transmission(state) && !points_here(state, direction))
        return ORDINARY + direction; /* it points away, whatever its kind */
    return is_transmission(state) ? state : excites(state, direction) ? 27 : GROUND;
}

/* The memory: five bits for the cell, and for each neighbour. */
static uint64_t read_input(const struct machine *machine, uint64_t seen, uint32_t input, uint32_t state)
{
    const struct jvn *rule = (const struct jvn *) machine->data;
    if (input == 0)
        return state;
    const bool whole = rule->front && direction_of(seen & 31) == input - 1;
    return seen | (uint64_t) (whole ? state : alike(state, input - 1)) << 5 * input;
}

static uint32_t next_state(const struct machine *machine, uint64_t seen)
{
    const struct jvn *rule = (const struct jvn *) machine->data;
    struct around around = {.cell = seen & 31, .to = direction_of(seen & 31)};
    for (uint32_t d = 0; d < DIRECTIONS; d++)
        around.state[d] = seen >> 5 * (d + 1) & 31;
    return rule->next(&around);
}

enum machine_found machine_jvn(const char *name, bool whole, struct rule *rule, struct rule_error *error)
{
    struct machine machine = {.inputs = 1 + DIRECTIONS,
                              .place = {{0, 0}, {1, 0}, {0, -1}, {-1, 0}, {0, 1}},
                              .colours = colours,
                              .read = read_input,
                              .next = next_state};
    const struct jvn *found = NULL;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcasecmp(name, rules[i].name) == 0)
            found = &rules[i];
    if (!found)
        return MACHINE_UNKNOWN;
    machine.states = found->states, machine.data = found;
    if (machine_unfold(&machine, whole, rule))
        return MACHINE_MADE;
    snprintf(error->text, sizeof error->text, "there is no memory for its tree");
    return MACHINE_WRONG;
}
