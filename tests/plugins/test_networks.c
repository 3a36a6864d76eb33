/* Networks of three-input operations for rules of Life: they compute the rule, have the expected lengths, and become
 * the expected PTX. */
#include <life/network_ptx.h>
#include <life2d-bit/cuda_network.h>
#include <life3d-packed/cuda_network.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ALL_2D = 0x1ff, ALL_3D = 0x7ffffff };

static uint32_t random_state = 1;

static uint32_t random_mask(uint32_t of)
{
    random_state = random_state * 1664525u + 1013904223u;
    const uint32_t high = random_state >> 16;
    random_state = random_state * 1664525u + 1013904223u;
    return (high << 16 | random_state >> 16) & of;
}

static uint32_t range(int first, int last)
{
    uint32_t mask = 0;
    for (int i = first; i <= last; i++)
        mask |= 1u << i;
    return mask;
}

/* T cells of which the cell may be one: what becomes of it by the rule. */
static int fate(uint32_t birth, uint32_t survive, int count, int cell)
{
    return cell ? survive >> (count - 1) & 1 : birth >> count & 1;
}

/* All that the adders may give for every T from 0 to 27, and both states of the cell, where they can be. Returns the
 * number of nodes. */
static int check_3d(uint32_t birth, uint32_t survive)
{
    const struct life_network net = life3d_find_network(birth, survive);
    assert_in_range(net.count, 1, 19);
    for (unsigned i = 0; i < 128; i++) {
        const int bit0 = i & 1, bit1 = i >> 1 & 1, four = i >> 2 & 1, more = i >> 3 & 1, eight = i >> 4 & 1;
        const int carry = i >> 5 & 1, cell = i >> 6, count = bit0 + 2 * bit1 + 4 * (four + more) + 8 * (eight + carry);
        if (count >= cell && count - cell <= 26 && life_network_result(&net, i) != fate(birth, survive, count, cell))
            fail_msg("B%x/S%x: T = %d, cell %d", birth, survive, count, cell);
    }
    return net.count;
}

/* Of the bits of T alone. */
static int check_bits(uint32_t birth, uint32_t survive)
{
    const struct life3d_rule rule = {birth, survive};
    const struct life_network net = life_find_network(6, life3d_bits_function(&rule), NULL, 0);
    for (int count = 0; count <= 27; count++)
        for (int cell = 0; cell < 2; cell++)
            if (!(cell && count == 0) && !(!cell && count == 27) &&
                life_network_result(&net, (unsigned) (count | cell << 5)) != fate(birth, survive, count, cell))
                fail_msg("B%x/S%x: T = %d, cell %d", birth, survive, count, cell);
    return net.count;
}

static int check_2d(uint32_t birth, uint32_t survive)
{
    const struct life_network net = life2d_find_network(birth, survive);
    for (unsigned i = 0; i < 32; i++) {
        const int low = i & 1, carry = i >> 1 & 1, odd = i >> 2 & 1, high = i >> 3 & 1, cell = i >> 4;
        const int count = low + 2 * (carry + odd) + 4 * high;
        if (count >= cell && count - cell <= 8 && life_network_result(&net, i) != fate(birth, survive, count, cell))
            fail_msg("B%x/S%x: T = %d, cell %d", birth, survive, count, cell);
    }
    return net.count;
}

/* ---- Do they do what the rule says? ------------------------------------------------------------------------- */

static void ranges_in_three_dimensions(void **state)
{
    (void) state;
    int i = 0;
    for (int birth = 0; birth <= 26; birth++)
        for (int survive = 0; survive <= 26; survive++)
            for (int width = 0; width < 4; width++, i++) {
                const uint32_t births = range(birth, birth + i % 3) & ALL_3D;
                const uint32_t survivals = range(survive, survive + width) & ALL_3D;
                check_bits(births, survivals);
                if (i % 17 == 0)
                    check_3d(births, survivals);
            }
}

static void any_rule_in_three_dimensions(void **state)
{
    (void) state;
    for (int i = 0; i < 20; i++)
        check_3d(random_mask(ALL_3D), random_mask(ALL_3D));
    for (int i = 0; i < 50; i++)
        check_3d(1u << i % 27 | 1u << i * 7 % 27, random_mask(random_mask(ALL_3D)) & random_mask(ALL_3D));
}

static void any_rule_in_two_dimensions(void **state)
{
    (void) state;
    for (int i = 0; i < 100; i++)
        assert_in_range(check_2d(random_mask(ALL_2D), random_mask(ALL_2D)), 1, 7);
}

/* A word of 32 cells at a time, as the kernels do it. */
static uint32_t numbers_fate(const struct life3d_numbers *numbers, const uint32_t *bit, uint32_t cell)
{
    uint32_t sum = 0;
    for (int i = 0; i < LIFE3D_TERMS; i++) {
        uint32_t product = bit[0] * numbers->change[i] + numbers->even[i];
        product &= i & 1 ? cell : ~0u;
        for (int b = 1; b < LIFE3D_COUNT_BITS; b++)
            product &= i >> b & 1 ? bit[b] : ~0u;
        sum ^= product;
    }
    return sum;
}

static void numbers_in_three_dimensions(void **state)
{
    (void) state;
    for (int i = 0; i < 2000; i++) {
        const uint32_t birth = random_mask(ALL_3D), survive = random_mask(ALL_3D);
        const struct life3d_numbers numbers = life3d_rule_numbers(birth, survive);
        for (int cell = 0; cell < 2; cell++) {
            uint32_t bit[LIFE3D_COUNT_BITS] = {0}, should = 0;
            for (int count = 0; count < 28; count++) /* T = 0 … 27 at bits 0 … 27 */
                for (int b = 0; b < LIFE3D_COUNT_BITS; b++)
                    bit[b] |= (uint32_t) (count >> b & 1) << count;
            for (int count = cell; count < 27 + cell; count++)
                should |= (uint32_t) fate(birth, survive, count, cell) << count;
            assert_int_equal(numbers_fate(&numbers, bit, cell ? ~0u : 0) & range(cell, 26 + cell), should);
        }
    }
}

/* ---- Are they short? ---------------------------------------------------------------------------------------- */

static void short_where_a_shortest_one_is_known(void **state)
{
    (void) state;
    assert_int_equal(check_bits(0, 0), 1);
    assert_int_equal(check_bits(ALL_3D, 0), 1);
    assert_int_equal(check_bits(0, ALL_3D), 1);            /* the cell */
    assert_int_equal(check_bits(0x2aaaaaa, 0x5555555), 1); /* the lowest bit of T */
    /* T of at least 14: bit 4, or bits 3, 2 and 1. Four inputs take two nodes. */
    assert_int_equal(check_bits(range(14, 26), range(13, 26)), 2);
    /* Exactly 16 of 26: bit 4 and no other, and not the cell. Six inputs take three. */
    assert_int_equal(check_bits(1u << 16, 0), 3);
    assert_int_equal(check_bits(range(6, 6), range(5, 7)), 3);

    assert_int_equal(check_3d(0, 0), 1);
    assert_int_equal(check_3d(0, ALL_3D), 1);
    assert_int_equal(check_3d(0x2aaaaaa, 0x5555555), 1);
    /* Births at 4: one of two fours, and none of the other five inputs. Seven inputs take three. */
    assert_int_equal(check_3d(1u << 4, 0), 3);
    assert_int_equal(check_3d(range(5, 5), range(4, 5)), 3); /* 4555 */
    assert_int_equal(check_3d(range(5, 5), range(5, 6)), 3); /* 5655 */
    /* As by hand: four, more and bit 1 are added, and the sum is to be 2. */
    assert_int_equal(check_3d(range(6, 6), range(5, 7)), 5); /* 5766 */
    assert_int_equal(check_3d(range(6, 7), range(6, 7)), 5); /* 6767 */

    assert_int_equal(check_2d(0xaa, 0xaa), 1);   /* Fredkin's replicator, the parity of the neighbours */
    assert_int_equal(check_2d(1u << 2, 0), 2);   /* Seeds */
    assert_int_equal(check_2d(1u << 3, 0xc), 3); /* Life */
    assert_int_equal(check_2d(0x48, 0xc), 4);    /* HighLife */
    assert_int_equal(check_2d(0x1c8, 0x1d8), 3); /* Day & Night */
}

/* The lengths of networks for rules in the plane, as found by a search of all networks of up to four nodes that begin
 * with a function of carry, odd and high, and of all of up to three. */
static void no_longer_than_by_exhaustion(void **state)
{
    (void) state;
    static const struct {
        uint32_t birth, survive;
        int nodes;
    } known[] = {{0xaa, 0x1e1, 2},  {0x9d, 0x4e, 2},   {0x1cf, 0x8, 2},  {0x17a, 0x191, 3}, {0xcd, 0xcc, 3},
                 {0x1, 0x170, 3},   {0x166, 0x1f, 3},  {0x119, 0x24, 3}, {0xa, 0x87, 3},    {0xb4, 0x1fd, 3},
                 {0x2a, 0x1d9, 3},  {0x1f5, 0x43, 4},  {0x13b, 0xaf, 4}, {0x150, 0x39, 4},  {0x73, 0x1e9, 4},
                 {0x1e3, 0x1e6, 4}, {0x1f2, 0x182, 4}, {0x72, 0x160, 4}, {0x178, 0x103, 4}, {0x7c, 0x1e8, 4},
                 {0xc1, 0x16e, 4},  {0x14d, 0xb6, 4},  {0x1b2, 0x88, 4}, {0x1a3, 0xe0, 4},  {0xdd, 0xfc, 4},
                 {0x9, 0x126, 4},   {0x15d, 0x181, 4}, {0x1b1, 0xf4, 5}, {0x68, 0x167, 5},  {0xd8, 0x1b5, 5},
                 {0x7e, 0x1a9, 5},  {0x4e, 0xe, 5},    {0x6d, 0x11b, 7}, {0x1a9, 0x1b8, 7}, {0x63, 0x5b, 7},
                 {0x79, 0x89, 7},   {0x7, 0x75, 7},    {0x4e, 0x31, 7},  {0xb9, 0xc1, 7},   {0xe9, 0x39, 7}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_true(check_2d(known[i].birth, known[i].survive) <= known[i].nodes);
}

/* ---- As text ------------------------------------------------------------------------------------------------ */

static void a_network_is_written_in_the_place_of_each_mark(void **state)
{
    (void) state;
    const struct life_network net = {.inputs = 3, .count = 2, .node = {{0x96, {0, 1, 2}}, {0x80, {3, 0, 1}}}};
    char *text = life_write_network("first\n\t// LIFE_RULE %r9 %r1 %r2 %r33\nmiddle\n"
                                    "// LIFE_RULE %r10 %r4 %r5 %r66\n",
                                    &net);
    assert_non_null(text);
    assert_string_equal(text, "first\n\t{ .reg .b32 fate<2>;\n"
                              "lop3.b32 fate0, %r1, %r2, %r33, 150;\n"
                              "lop3.b32 %r9, fate0, %r1, %r2, 128;\n}\n"
                              "\nmiddle\n"
                              "{ .reg .b32 fate<2>;\n"
                              "lop3.b32 fate0, %r4, %r5, %r66, 150;\n"
                              "lop3.b32 %r10, fate0, %r4, %r5, 128;\n}\n"
                              "\n");
    free(text);
    text = life_write_network("nothing to do\n", &net);
    assert_string_equal(text, "nothing to do\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_in_three_dimensions),
        cmocka_unit_test(any_rule_in_three_dimensions),
        cmocka_unit_test(any_rule_in_two_dimensions),
        cmocka_unit_test(numbers_in_three_dimensions),
        cmocka_unit_test(short_where_a_shortest_one_is_known),
        cmocka_unit_test(no_longer_than_by_exhaustion),
        cmocka_unit_test(a_network_is_written_in_the_place_of_each_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
