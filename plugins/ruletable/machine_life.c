/* Families that add states to a rule of Life, as Golly names them: B3/S23History, B3/S23Super, B3/S23Investigator, and
 * Generations whose rule has letters, H, V or MAP, as in 12/2-a/3. The rule of Life is a diagram here: what counts of
 * the neighbours that were read is one of its nodes.
 *
 * The states of Super are explained at conwaylife.com/wiki/OCA:LifeSuper, and those of Investigator at
 * conwaylife.com/wiki/OCA:LifeInvestigator. History has the first seven states of Super. */
#include "machine.h"

#include <common/fading.h>
#include <life/rule.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { CHILDREN_MAX = 2048, NAME_MAX_CHARS = 200 };

struct family;

struct life_machine {
    const struct family *family;
    uint32_t states, inputs;
    uint32_t square[RULE_INPUTS_MAX]; /* the bit of each input in a square */

    /* Node n > 1 has the children child[n - 2], for a dead and a live cell at the next input. Behind the last input,
     * the next states 0 and 1 stand for nodes. */
    uint32_t child[CHILDREN_MAX][2], children;
    uint32_t root[2]; /* behind a dead and a live cell */
};

struct family {
    const char *ending;
    uint32_t states;  /* 0: the name states them */
    uint32_t counted; /* the rule of Life counts for the states below this */
    const uint8_t (*colours)[3];
    bool (*alive)(uint32_t cell, uint32_t state); /* does a neighbour of that state count? */
    uint32_t (*near)(const struct life_machine *life, uint32_t cell,
                     uint32_t near); /* leaves out what does not count */
    uint32_t (*next)(const struct life_machine *life, uint32_t cell, bool lives, uint32_t near);
};

#define STATE(s) (1u << (s))

/* ---- History and Super ------------------------------------------------------------------------------------------- */

/* Live states: marked 3 and 5, coloured 7 to 25. SPECIAL are those that two of them make one of 13. */
#define PLAIN   (STATE(1) | STATE(5))
#define PAIRED  (STATE(9) | STATE(11))
#define SPECIAL (STATE(13) | STATE(15) | STATE(17) | STATE(19) | STATE(21) | STATE(23) | STATE(25))
#define ODD     (PLAIN | STATE(3) | STATE(7) | PAIRED | SPECIAL)

static bool single(uint32_t states)
{
    return states != 0 && (states & (states - 1)) == 0;
}

static bool is_odd(uint32_t cell, uint32_t state)
{
    (void) cell;
    return state & 1;
}

/* The neighbours that turn a dead cell of states 16 to 24, and what it becomes. */
static const struct {
    uint32_t near, next;
} turns[] = {
    {ODD | STATE(14), 14}, {STATE(22), 22}, {STATE(18), 18}, {STATE(20), 20}, {ODD | STATE(14) | STATE(18), 18}};

static uint32_t turn_of(uint32_t cell)
{
    return cell >= 16 && cell % 2 == 0 ? turns[cell / 2 - 8].near : 0;
}

static uint32_t super_near(const struct life_machine *life, uint32_t cell, uint32_t near)
{
    const bool born = cell % 2 == 0 && cell != 4 && cell != 6 && cell != 8;
    near &= STATE(6) | (born && life->states > 7 ? ODD : 0) | turn_of(cell);
    if (near & PLAIN)
        return (near & ~ODD) | STATE(1);
    return single(near & SPECIAL) || !(near & SPECIAL) ? near : (near & ~SPECIAL) | STATE(13) | STATE(15);
}

/* The state of a new cell beside these live states. */
static uint32_t super_born(uint32_t near)
{
    const uint32_t special = near & SPECIAL, paired = near & PAIRED, coloured = special | paired;
    const uint32_t first = near & (PLAIN | STATE(3) | STATE(7));
    if (!first && single(coloured))
        return (uint32_t) __builtin_ctz(coloured);
    if (first == STATE(3) && single(special) && !paired)
        return (uint32_t) __builtin_ctz(special);
    if (first == STATE(7) && single(paired) && !special)
        return (uint32_t) __builtin_ctz(paired);
    return (special || first & STATE(7)) && !(near & (PLAIN | STATE(3) | PAIRED)) ? 13 : 1;
}

/* State 6 destroys what lives beside it. Returns the state that the cell keeps if it is not destroyed. */
static uint32_t beside_6(uint32_t cell)
{
    if (cell == 7 || cell == 8 || cell >= 13)
        return 0;
    return cell % 2 == 0 ? cell : cell == 3 ? 4 : cell == 5 ? 4 : cell + 1;
}

static uint32_t super_next(const struct life_machine *life, uint32_t cell, bool lives, uint32_t near)
{
    (void) life;
    if (near & STATE(6) && beside_6(cell) != cell)
        return beside_6(cell);
    if (lives && cell % 2 == 0)
        return cell == 4 ? 3 : cell == 6 ? 6 : cell == 8 ? 7 : super_born(near);
    if (lives)
        return cell;
    if (cell % 2 == 1)
        return cell > 11 ? 0 : cell == 5 ? 4 : cell + 1;
    return cell == 14 ? 0 : near & turn_of(cell) ? turns[cell / 2 - 8].next : cell;
}

static const uint8_t history_colours[7][3] = {{48, 48, 48}, {0, 255, 0},   {0, 0, 128}, {216, 255, 216},
                                              {255, 0, 0},  {255, 255, 0}, {96, 96, 96}};
static const uint8_t super_colours[26][3] = {
    {48, 48, 48},    {0, 255, 0},     {0, 0, 160},     {255, 216, 255}, {255, 0, 0},     {255, 255, 0}, {96, 96, 96},
    {255, 105, 180}, {128, 0, 128},   {0, 191, 255},   {0, 64, 128},    {64, 224, 208},  {0, 128, 64},  {255, 255, 255},
    {255, 99, 71},   {250, 128, 114}, {219, 112, 147}, {255, 165, 0},   {245, 222, 179}, {0, 255, 255}, {192, 192, 192},
    {192, 255, 128}, {255, 182, 193}, {0, 255, 127},   {1, 1, 1},       {255, 0, 127}};

/* ---- Investigator ------------------------------------------------------------------------------------------------ */

/* States from 2 on are tools. Beside some of them a live cell dies or a dead one is born, or a dead cell is born only
 * if a cell of state 1 is near. The others count as alive or dead for the cells beside them. */
#define KILLS   (STATE(2) | STATE(3) | STATE(6) | STATE(7) | STATE(14) | STATE(16))
#define CREATES (STATE(8) | STATE(9) | STATE(12) | STATE(13) | STATE(14))
#define NEEDS_1 (STATE(15) | STATE(16))
#define COUNTS  (STATE(1) | STATE(2) | STATE(4) | STATE(6) | STATE(8) | STATE(10) | STATE(12) | STATE(15) | STATE(16))

static bool investigator_alive(uint32_t cell, uint32_t state)
{
    return (COUNTS | (cell ? STATE(18) | STATE(20) : STATE(17) | STATE(19))) >> state & 1;
}

static uint32_t investigator_near(const struct life_machine *life, uint32_t cell, uint32_t near)
{
    (void) life;
    return near & (cell == 0 ? CREATES | NEEDS_1 | STATE(1) : cell == 1 ? KILLS : 0);
}

static uint32_t investigator_next(const struct life_machine *life, uint32_t cell, bool lives, uint32_t near)
{
    static const uint8_t tools[21] = {0, 1, 2, 3, 4, 5, 7, 6, 8, 9, 11, 10, 13, 12, 14, 15, 16, 17, 18, 20, 19};
    (void) life;
    if (cell > 1)
        return tools[cell];
    if (near & (cell ? KILLS : CREATES))
        return 1 - cell;
    return lives && (cell || !(near & NEEDS_1) || near & STATE(1));
}

static const uint8_t investigator_colours[21][3] = {
    {0, 0, 0},    {0, 236, 91},    {0, 192, 254},   {254, 0, 0},     {254, 254, 254}, {75, 75, 75},  {239, 41, 254},
    {64, 0, 128}, {254, 230, 0},   {150, 128, 0},   {130, 200, 0},   {0, 120, 40},    {254, 140, 0}, {140, 70, 0},
    {0, 0, 254},  {192, 192, 192}, {128, 128, 128}, {254, 112, 140}, {174, 0, 168},   {0, 152, 127}, {0, 73, 59}};

/* ---- Generations ------------------------------------------------------------------------------------------------- */

static bool is_1(uint32_t cell, uint32_t state)
{
    (void) cell;
    return state == 1;
}

static uint32_t none_near(const struct life_machine *life, uint32_t cell, uint32_t near)
{
    return (void) life, (void) cell, (void) near, 0;
}

static uint32_t generations_next_state(const struct life_machine *life, uint32_t cell, bool lives, uint32_t near)
{
    (void) near;
    if (lives || cell == 0)
        return lives;
    return cell + 1 < life->states ? cell + 1 : 0;
}

static const struct family families[] = {
    {"History", 7, 7, history_colours, is_odd, super_near, super_next},
    {"Super", 26, 26, super_colours, is_odd, super_near, super_next},
    {"Investigator", 21, 2, investigator_colours, investigator_alive, investigator_near, investigator_next},
    {"", 0, 2, NULL, is_1, none_near, generations_next_state},
};
enum { FAMILIES = sizeof families / sizeof families[0], GENERATIONS = FAMILIES - 1 };

/* ---- The machine ------------------------------------------------------------------------------------------------- */

/* The memory: the cell in bits 0 to 7, the node of the rule of Life from bit 8, and from bit 32 the states near. */
enum { NODE_AT = 8, NEAR_AT = 32, NODE_MASK = 0xffff };

static uint64_t read_input(const struct machine *machine, uint64_t seen, uint32_t input, uint32_t state)
{
    const struct life_machine *life = (const struct life_machine *) machine->data;
    const struct family *family = life->family;
    if (input == 0)
        return state | (uint64_t) (state < family->counted ? life->root[family->alive(1, state)] : 0) << NODE_AT;
    const uint32_t cell = seen & 0xff, node = seen >> NODE_AT & NODE_MASK;
    const uint32_t next = node > 1 ? life->child[node - 2][family->alive(cell, state)] : node;
    const uint32_t near = (uint32_t) (seen >> NEAR_AT) | (state < 32 ? STATE(state) : 0);
    return cell | (uint64_t) next << NODE_AT | (uint64_t) family->near(life, cell, near) << NEAR_AT;
}

static uint32_t next_state(const struct machine *machine, uint64_t seen)
{
    const struct life_machine *life = (const struct life_machine *) machine->data;
    return life->family->next(life, seen & 0xff, seen >> NODE_AT & 1, (uint32_t) (seen >> NEAR_AT));
}

/* Returns the node for the squares that begin with the cells of `square`, of which `input` cells were read. */
static uint32_t node_of(struct life_machine *life, const struct life_rule *rule, uint32_t input, uint32_t square)
{
    if (input == life->inputs)
        return life_rule_next(rule, square);
    const uint32_t dead = node_of(life, rule, input + 1, square);
    const uint32_t live = node_of(life, rule, input + 1, square | life->square[input]);
    uint32_t at = 0;
    while (at < life->children && (life->child[at][0] != dead || life->child[at][1] != live))
        at++;
    if (at == life->children)
        life->child[life->children][0] = dead, life->child[life->children++][1] = live;
    return at + 2;
}

static void add_input(struct life_machine *life, struct machine *machine, uint32_t bit)
{
    const int place = 8 - __builtin_ctz(bit);
    machine->place[life->inputs] = (struct rule_place){(int8_t) (place % 3 - 1), (int8_t) (place / 3 - 1)};
    life->square[life->inputs++] = bit;
}

static enum machine_found make(const struct family *family, uint32_t states, const struct life_rule *rule, bool whole,
                               struct rule *made, struct rule_error *error)
{
    struct life_machine life = {.family = family, .states = states};
    struct machine machine = {
        .states = states, .colours = family->colours, .data = &life, .read = read_input, .next = next_state};
    uint8_t fading[RULE_STATES_MAX][3];
    uint32_t count = 0;
    add_input(&life, &machine, LIFE_CELL);
    for (uint32_t bit = LIFE_SQUARES / 2; bit; bit /= 2)
        if (rule->neighbours & bit)
            add_input(&life, &machine, bit);
    machine.inputs = life.inputs;
    life.root[0] = node_of(&life, rule, 1, 0);
    life.root[1] = node_of(&life, rule, 1, LIFE_CELL);
    fading_colours(states, fading, &count);
    if (!family->colours && count > 0)
        machine.colours = (const uint8_t(*)[3]) fading;
    if (machine_unfold(&machine, whole, made))
        return MACHINE_MADE;
    snprintf(error->text, sizeof error->text, "its tree would be too large");
    return MACHINE_WRONG;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Returns the family of a name, and cuts off its ending; NULL: the name is of none. */
static const struct family *find_ending(char *name)
{
    for (int i = 0; i < GENERATIONS; i++) {
        const size_t length = strlen(name), ending = strlen(families[i].ending);
        if (length > ending && strcasecmp(name + length - ending, families[i].ending) == 0) {
            name[length - ending] = '\0';
            return &families[i];
        }
    }
    return NULL;
}

/* Is it 12/2-a/3, 12/2/3V or B2-a/S12/G3? Then cuts off the number of states, so that H or V follows the rule. */
static bool cut_states(char *name, uint32_t *states)
{
    char *slash = strrchr(name, '/'), *at = slash ? slash + 1 : name;
    if (!slash || !strpbrk(name, "/_") || (strncasecmp(name, "MAP", 3) != 0 && strpbrk(name, "/_") == slash))
        return false;
    at += *at != '\0' && strchr("gGcC", *at) != NULL;
    const size_t digits = strspn(at, "0123456789");
    *states = digits > 0 && digits < 4 ? (uint32_t) atoi(at) : 0;
    at += digits;
    if (digits == 0 || (*at != '\0' && (strchr("hHvV", *at) == NULL || at[1] != '\0')))
        return false;
    slash[0] = *at, slash[1] = '\0';
    return true;
}

enum machine_found machine_life(const char *name, bool whole, struct rule *rule, struct rule_error *error)
{
    char cut[NAME_MAX_CHARS];
    struct life_rule life;
    size_t place;
    if (strlen(name) >= sizeof cut)
        return MACHINE_UNKNOWN;
    strcpy(cut, name);
    const struct family *family = find_ending(cut);
    uint32_t states = family ? family->states : 0;
    if (!family && !cut_states(cut, &states))
        return MACHINE_UNKNOWN;
    const char *wrong = life_rule_parse(cut, &life, &place);
    if (!wrong && (states < 2 || states > RULE_STATES_MAX))
        wrong = "the number of states is not from 2 to 256";
    if (!wrong && family && life_rule_next(&life, 0))
        wrong = "cells are born beside no live neighbour, which this family does not take";
    if (!wrong)
        return make(family ? family : &families[GENERATIONS], states, &life, whole, rule, error);
    snprintf(error->text, sizeof error->text, "%.60s: %s", cut, wrong);
    return MACHINE_WRONG;
}
