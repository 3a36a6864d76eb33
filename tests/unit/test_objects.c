/* Objects and their names. The codes and periods are those of catagolue.hatsya.com and of the lists of LifeWiki. */
#include "objects/md5.h"
#include "objects/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 256 };

/* The rule with births and survival for these numbers of live neighbours. */
static struct object_rule rule_of(const char *births, const char *survivals)
{
    struct object_rule rule = {.counts = false};
    for (int cells = 0; cells < 512; cells++) {
        const char digit = (char) ('0' + __builtin_popcount((unsigned int) cells & ~16u));
        rule.next[cells] = strchr(cells & 16 ? survivals : births, digit) != NULL;
    }
    object_rule_count(&rule);
    return rule;
}

/* Steps of a rule that counts neighbours are those of its table. A rule that does not is found out. */
static void test_counts(void **state)
{
    (void) state;
    struct object_rule rules[] = {rule_of("3", "23"), rule_of("2", ""), rule_of("368", "0245"),
                                  rule_of("45678", "012345678")};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct object_rule table = rules[i];
        struct patch one, two;
        uint32_t random = 1;
        assert_true(table.counts);
        table.counts = false;
        assert_int_equal(patch_make(&one, 3, -4, 29, 41), 0);
        for (int cell = 0; cell < 29 * 41; cell++)
            one.cells[cell] = (random = random * 1664525 + 1013904223) >> 31;
        assert_int_equal(patch_trim(&one), 0);
        assert_int_equal(patch_copy(&one, &two), 0);
        for (int step = 0; step < 9; step++) {
            assert_int_equal(patch_step(&one, &rules[i]), 0);
            assert_int_equal(patch_step(&two, &table), 0);
            assert_true(patch_is(&one, &two));
        }
        patch_free(&one);
        patch_free(&two);
    }
    rules[0].next[1 | 2 | 4] = 0;
    object_rule_count(&rules[0]);
    assert_false(rules[0].counts);
}

static int64_t digit_of(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

/* The cells of the form of a code. */
static struct patch decode(const char *code)
{
    struct patch patch;
    int64_t x = 0, top = 0;
    assert_int_equal(patch_make(&patch, 0, 0, SIDE, SIDE), 0);
    for (const char *at = strchr(code, '_') + 1; *at; at++) {
        if (*at == 'z')
            x = 0, top += 5;
        else if (*at == 'y')
            x += 4 + digit_of(*++at);
        else if (*at == 'w' || *at == 'x')
            x += *at == 'w' ? 2 : 3;
        else {
            for (int64_t row = 0; row < 5; row++)
                *patch_cell(&patch, x, top + row) = digit_of(*at) >> row & 1;
            x++;
        }
    }
    assert_int_equal(patch_trim(&patch), 0);
    return patch;
}

/* The cells of rows of o, any other character being dead, with / between the rows. */
static struct patch draw(const char *rows)
{
    struct patch patch;
    int64_t x = 0, y = 0;
    assert_int_equal(patch_make(&patch, 0, 0, SIDE, SIDE), 0);
    for (; *rows; rows++) {
        if (*rows == '/')
            x = 0, y++;
        else
            *patch_cell(&patch, x++, y) = *rows == 'o';
    }
    assert_int_equal(patch_trim(&patch), 0);
    return patch;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Separates a patch and compares the codes of its objects, sorted, with blanks between them. */
static void finds(const struct object_rule *rule, struct patch patch, uint64_t window, const char *codes)
{
    const struct object_limits limits = {.window = window, .period = 1024, .cells = 1 << 20};
    struct object_list list = {0};
    const char *found[16];
    char text[4096] = "";
    assert_int_equal(objects_separate(rule, apgcode_symmetry(rule), &limits, &patch, &list), 0);
    assert_true(list.count <= 16);
    for (size_t i = 0; i < list.count; i++)
        found[i] = list.at[i].code;
    qsort(found, list.count, sizeof *found, by_text);
    for (size_t i = 0; i < list.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", found[i]);
    assert_string_equal(text, codes);
    objects_free(&list);
    patch_free(&patch);
}

static const char *const known[] = {
    "xs4_33",
    "xs4_252",
    "xp2_7",
    "xp3_4hh186z07",
    "xp4_37bkic",
    "xp4_ssj3744zw3",
    "xp5_y2g0k413zwo0a02z32",
    "xp6_ccb7w66z066",
    "xp7_0g88b5oz1255kk3033zy011",
    "xp7_o8bbc0sz017871x31e8",
    "xp7_o8y2gbdz0dl31w11156z011",
    "xp7_5b8b94gszw652y06a8o",
    "xp8_gk2gb3z11",
    "xp9_0c93wmk46z69bo7421",
    "xp10_c846l3wszy03wca6213",
    "xp11_y0dbzggci5ld3xog8oz0343",
    "xp11_08k8wg8e13zy13d115b8ozc453",
    "xp12_08ean1e8zoga3zwcikb73",
    "xp13_gy1gr3zd5a64210g8c4066zy2kr6og",
    "xp14_j9d0d9j",
    "xp15_4r4z4r4",
    "xp16_0c2w3vz33032988",
    "xp17_32acy1ca23zy27rszwo8a6y16a8o",
    "xp18_66625ak8zy177xcc0cczy1g8mwiozx91gp",
    "xp19_0c4gf9gy4c88gz69alld03xoy11108cy2g8oz0643y2c5y47xg0cabk4ozy9354cy3125t38dzym11",
    "xp20_35426ow37bkicz65123",
    "xp21_g8gw3jz01xqpwsszy111wc2w8k8zy566",
    "xp22_178cwggg2y2oo4kozy235433y28111w62sg",
    "xp23_02egoy1ca23zy4sgox4acga6zgs26y01y239czy3ccx6a8o",
    "xp24_xsssx4hh186z777y37",
    "xp25_32aczy0ooj64zy74cp33zyc6a8o",
    "xp28_033y133zo4maxam4oy1ggz1ppy1pp1xsta43",
    "xp30_w33z8kqrqk8zzzw33",
    "xp31_ccy04ajaeweaja4y0cczz66y04apaeweapa4y066",
    "xp46_033y133zzzckgsxsgkczz0cc",
    "xp60_vtvy037bkicz757",
    "xp72_3bg2kgzy011y7ok46zy268ga4w8k24ozxo8a6",
    "xp100_32aczy0ooj64zg88gy34cp33z125eey76a8o",
    "xp144_33y18kk8yb33zy8equzy9757wggzccyb1221y1cc",
    "xp177_y3343x6bacy6cab6x343zkk8yy8kkzgo8gywg8ogz0123yw321zzgo4syws4ogzgh1yy1hgz221yy122zy3c2cx6d53y635d6xc2c",
    "xs6_bd",
    "xs7_25ac",
    "xs8_178k8",
    "xs10_xg853z321",
    "xs13_4aarzx123",
    "xs16_m2s079cz11",
    "xs19_69b88gz69d11",
    "xp2_7e",
    "xp2_318c",
    "xp2_2a54",
    "xp2_0g0k053z32",
    "xp2_31a08zy0123cko",
    "xp2_g8gid1e8z1226",
    "xp2_rhewehr",
    "xp3_co9nas0san9oczgoldlo0oldlogz1047210127401",
    "xp3_695qc8zx33",
    "xp4_8eh5e0e5he8z178a707a871",
    "xp5_idiidiz01w1",
    "xp8_g3jgz1ut",
    "xp30_w33z8kqrqk8zzzx33",
    "xq4_153",
    "xq4_6frc",
    "xq4_27dee6",
    "xq4_27deee6",
    "xq7_3nw17862z6952"};

static void published_codes_come_back(void **state)
{
    const struct object_rule life = rule_of("3", "23");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        finds(&life, decode(known[i]), 256, known[i]);
}

static void other_phases_and_orientations_have_the_same_code(void **state)
{
    const struct object_rule life = rule_of("3", "23");
    finds(&life, draw(".o./..o/ooo"), 64, "xq4_153");
    finds(&life, draw("ooo/o../.o."), 64, "xq4_153");
    finds(&life, draw("o.o/.oo/.o."), 64, "xq4_153");
    finds(&life, draw(".oooo/o...o/....o/o..o."), 64, "xq4_6frc");
    finds(&life, draw("ooo"), 64, "xp2_7");
    finds(&life, draw("o/o/o"), 64, "xp2_7");
}

/* Each two of these interact in no step, although cells of both are neighbours of the same dead cells. */
static void pseudo_objects_are_cut(void **state)
{
    const struct object_rule life = rule_of("3", "23");
    finds(&life, draw("oo.oo/oo.oo"), 64, "xs4_33 xs4_33");
    finds(&life, draw("oo/oo/../oo/oo"), 64, "xs4_33 xs4_33");
    finds(&life, draw("oo.../oo.../...../...oo/...oo"), 64, "xs4_33 xs4_33");
    finds(&life, decode("xs10_2530352"), 64, "xs5_253 xs5_253");
    finds(&life, draw("oo.oo..../oo.oo..../.....oo../.....oo.."), 64, "xp2_318c xs4_33");
}

/* A dead cell between the parts has three live neighbours of one part, and stays dead because the other part adds one:
 * a table on a table, and a block between tables, need each other. */
static void strict_objects_stay_whole(void **state)
{
    const struct object_rule life = rule_of("3", "23");
    finds(&life, draw("o..o/oooo/..../oooo/o..o"), 64, "xs12_raar");
    finds(&life, draw(".oo./o..o/.o.o/..o."), 64, "xs7_2596");
    finds(&life, draw("..oo/o..o/oo.."), 64, "xs6_39c");
}

static void spaceships_are_cut_from_each_other(void **state)
{
    const struct object_rule life = rule_of("3", "23");
    /* Two gliders, one behind the other. */
    finds(&life, draw(".o./..o/ooo///......o./.......o/.....ooo"), 64, "xq4_153 xq4_153");
    /* Two gliders whose paths cross, where one is long after the other. */
    struct patch both = draw(".o./..o/ooo"), other = draw(".o./o../ooo");
    other.x = 20, other.y = -8;
    assert_int_equal(patch_add(&both, &other), 0);
    patch_free(&other);
    finds(&life, both, 64, "xq4_153 xq4_153");
    /* Two spaceships side by side: with an outer cell of one, the other one is as before for a period, and not longer. */
    finds(&life, draw(".ooo...ooo./o..o...o..o/...o...o.../...o...o.../o.o.....o.o"), 64, "xq4_6frc xq4_6frc");
    finds(&life, draw("ooo...ooo/o..o.o..o/o.......o/o.......o/.o.o.o.o."), 64, "xq4_6frc xq4_6frc");
    /* A glider that leaves a block. */
    finds(&life, draw("oo/oo///////......o/.......o/.....ooo"), 64, "xq4_153 xs4_33");
}

static void rules_with_other_neighbours(void **state)
{
    /* Only the neighbours that touch a cell along a side: B2 makes a birth between opposite corners. */
    const struct object_rule highlife = rule_of("36", "23"), seeds = rule_of("2", "");
    finds(&highlife, draw("oo/oo"), 64, "xs4_33");
    finds(&seeds, draw("o.o/.../..."), 0, "");
}

static void symmetries_of_rules(void **state)
{
    struct object_rule rule = rule_of("3", "23");
    assert_int_equal(apgcode_symmetry(&rule), APGCODE_SQUARE);
    for (int cells = 0; cells < 512; cells++) {
        const int count = __builtin_popcount((unsigned int) cells & 0652); /* without two corners */
        rule.next[cells] = count == 2;
    }
    assert_int_equal(apgcode_symmetry(&rule), APGCODE_ANY);
    for (int cells = 0; cells < 512; cells++)
        rule.next[cells] = __builtin_popcount((unsigned int) cells & 0653) == 2; /* 0, 1, 3, 5, 7 and 8 */
    assert_int_equal(apgcode_symmetry(&rule), APGCODE_HEXAGON);
    rule.next[1 << 1] ^= 1;
    assert_int_equal(apgcode_symmetry(&rule), APGCODE_ANY);
}

/* The checksum is in RFC 1321; the codes are those of the two switch engines. */
static void checksums(void **state)
{
    char sum[33];
    md5_text("", sum);
    assert_string_equal(sum, "d41d8cd98f00b204e9800998ecf8427e");
    md5_text("message digest", sum);
    assert_string_equal(sum, "f96b697d7cb7938d525a2f31aaf161d0");
    md5_text("abcdefghijklmnopqrstuvwxyz", sum);
    assert_string_equal(sum, "c3fcd3d76192e4007dfb496cca67e13b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(published_codes_come_back),
        cmocka_unit_test(other_phases_and_orientations_have_the_same_code),
        cmocka_unit_test(pseudo_objects_are_cut),
        cmocka_unit_test(strict_objects_stay_whole),
        cmocka_unit_test(spaceships_are_cut_from_each_other),
        cmocka_unit_test(rules_with_other_neighbours),
        cmocka_unit_test(symmetries_of_rules),
        cmocka_unit_test(checksums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
