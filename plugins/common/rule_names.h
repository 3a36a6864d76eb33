/* Names of rules, as LifeWiki (conwaylife.com/wiki) gives them. They stand for a rule in the header of a pattern file and
 * in a configuration, for every plugin that takes the rule. */
#ifndef COMMON_RULE_NAMES_H
#define COMMON_RULE_NAMES_H

#include <stddef.h>

static const struct {
    const char *name, *rule;
} rule_names[] = {{"2x2", "B36/S125"},
                  {"2x2 2", "B3678/S1258"},
                  {"34 Life", "B34/S34"},
                  {"9:43 at Knight", "237/34578/4"},
                  {"Amoeba", "B357/S1358"},
                  {"Anneal", "B4678/S35678"},
                  {"AntiLife", "B0123478/S01234678"},
                  {"Assimilation", "B345/S4567"},
                  {"Bacteria", "B34/S456"},
                  {"Banks-I", "B3e4ejr5cinqy6-ei78/S012-e3-ajk4-akqw5-ajk6-e78"},
                  {"Banners", "2367/3457/5"},
                  {"BelZhab", "23/23/8"},
                  {"BelZhab Sediment", "145678/23/8"},
                  {"Blinkers", "B345/S2"},
                  {"Bloomerang", "234/34678/24"},
                  {"Bombers", "345/24/25"},
                  {"Brain 5", "/2/5"},
                  {"Brain 6", "6/246/3"},
                  {"Brian's Brain", "/2/3"},
                  {"Bugs", "B3567/S15678"},
                  {"Burst", "0235678/3468/9"},
                  {"BurstII", "235678/3468/9"},
                  {"CarrierLife", "B2e3aceik/S23"},
                  {"Castles", "B3678/S135678"},
                  {"Caterpillars", "124567/378/4"},
                  {"Cheerios", "B35678/S34567"},
                  {"Chenille", "05678/24567/6"},
                  {"Christmas Life", "B1/S012345678"},
                  {"Circuit Genesis", "2345/1234/8"},
                  {"Coagulations", "B378/S235678"},
                  {"Constellations", "/23/3"},
                  {"Conway", "B3/S23"},
                  {"Conway's Game of Life", "B3/S23"},
                  {"Conway's Life", "B3/S23"},
                  {"Cooties", "23/2/8"},
                  {"Coral", "B3/S45678"},
                  {"Corrosion of Conformity", "B3/S124"},
                  {"Dance", "B34/S35"},
                  {"Day and Night", "B3678/S34678"},
                  {"Day & Night", "B3678/S34678"},
                  {"Diamoeba", "B35678/S5678"},
                  {"Diamonds and Spaceships", "34578/257/16"},
                  {"DirtyLife", "B3-cky5aq6ci7c/S23-ck4n6k7e"},
                  {"DLife", "B3-n/S23"},
                  {"DotLife", "B3/S023"},
                  {"DrighLife", "B367/S23"},
                  {"DryFlock", "B37/S12"},
                  {"DryLife", "B37/S23"},
                  {"DryLife without Death", "B37/S012345678"},
                  {"EasyHighLife", "B36-i/S23"},
                  {"Ebb&Flow", "012478/36/18"},
                  {"Ebb&Flow II", "012468/37/18"},
                  {"EightFlock", "B3/S128"},
                  {"EightLife", "B3/S238"},
                  {"Electrified Maze", "B45/S12345"},
                  {"Eppstein", "B35/S236"},
                  {"Faders", "2/2/25"},
                  {"Feux", "B1358/S0247"},
                  {"Fireballs", "346/2/4"},
                  {"Fireworks", "2/13/21"},
                  {"Flakes", "B3/S012345678"},
                  {"Flaming Starbows", "347/23/8"},
                  {"Flock", "B3/S12"},
                  {"Forest of Ls", "B168/S236"},
                  {"Fredkin", "B1357/S02468"},
                  {"Fredkin2", "B13/S024V"},
                  {"Free Star", "0345/2/10"},
                  {"Frogs", "12/34/3"},
                  {"Frozen spirals", "356/23/6"},
                  {"Fuzz", "B1/S014567"},
                  {"Gems", "B3457/S4568"},
                  {"Gems Minor", "B34578/S456"},
                  {"GeneroLife", "2356/3567/4"},
                  {"Geology", "B3578/S24678"},
                  {"GlideLife", "B34ek5ak/S2-c34z"},
                  {"Glisserati", "035678/245678/7"},
                  {"Glissergy", "035678/245678/5"},
                  {"Gnarl", "B1/S1"},
                  {"Goats", "B2in3/S123a"},
                  {"Grounded Life", "B35/S23"},
                  {"Hexagonal Life", "B2/S34H"},
                  {"HexParity", "B135/S0246H"},
                  {"HighFlock", "B36/S12"},
                  {"HighHexLife", "B25/S34H"},
                  {"HighLife", "B36/S23"},
                  {"HighLife without Death", "B36/S012345678"},
                  {"Holstein", "B35678/S4678"},
                  {"HoneyFlock", "B38/S128"},
                  {"HoneyLife", "B38/S238"},
                  {"H-Trees", "B1/S012345678"},
                  {"Iceballs", "B25678/S5678"},
                  {"InverseLife", "B012345678/S34678"},
                  {"Invertamaze", "B028/S0124"},
                  {"IronFlock", "B36/S128"},
                  {"IronLife", "B36/S238"},
                  {"Just Friends", "B2-a/S12"},
                  {"Land Rush", "B36/S234578"},
                  {"Lava", "12345/45678/8"},
                  {"LeapLife", "B2n3/S23-q"},
                  {"Life", "B3/S23"},
                  {"LifeH", "B3/S23H"},
                  {"Life SkyHigh", "B368/S236"},
                  {"LifeV", "B3/S23V"},
                  {"Life without Death", "B3/S012345678"},
                  {"Lines", "012345/458/3"},
                  {"Live Free or Die", "B2/S0"},
                  {"LivingOn TheEdge", "345/3/6"},
                  {"Logarithmic replicator rule", "B36/S245"},
                  {"LongLife", "B345/S5"},
                  {"LowDeath", "B368/S238"},
                  {"LowDeath without death", "B368/S012345678"},
                  {"LowFlockDeath", "B368/S128"},
                  {"LowLife", "B3/S13"},
                  {"Majority", "B45678/S5678"},
                  {"Maze", "B3/S12345"},
                  {"Mazectric", "B3/S1234"},
                  {"Mazectric with Mice", "B37/S1234"},
                  {"Maze with Mice", "B37/S12345"},
                  {"Meteor Guns", "01245678/3/8"},
                  {"Morley", "B368/S245"},
                  {"Move", "B368/S245"},
                  {"Neon Blobs", "B08/S4"},
                  {"Never happy", "B345/S0456"},
                  {"Nova", "45678/2478/25"},
                  {"OrthoGo", "3/2/4"},
                  {"Oscillators Rule", "B45/S1235"},
                  {"Parity", "B13/S13V"},
                  {"Pedestrian Flock", "B38/S12"},
                  {"Pedestrian Life", "B38/S23"},
                  {"Pedestrian Life without Death", "B38/S012345678"},
                  {"Persian Rug", "B234/S"},
                  {"Plow World", "B378/S012345678"},
                  {"Prairie on fire", "345/34/6"},
                  {"Pseudo Life", "B357/S238"},
                  {"Pulsar Life", "B3/S238"},
                  {"RainZha", "2/23/8"},
                  {"Rake", "3467/2678/6"},
                  {"Replicator", "B1357/S1357"},
                  {"Replicator 2", "B1357/S02468"},
                  {"Replicator Hex", "B135/S135H"},
                  {"Rings 'n' Slugs", "B56/S14568"},
                  {"Salad", "B2i34c/S2-i3"},
                  {"SediMental", "45678/25678/4"},
                  {"Seeds", "B2/S"},
                  {"Serviettes", "B234/S"},
                  {"Shoots and Roots", "B3/S245678"},
                  {"Slow Blob", "B367/S125678"},
                  {"Snake", "03467/25/6"},
                  {"Snakeskin", "B1/S134567"},
                  {"Snowflakes", "B2ci3ai4c8/S02ae3eijkq4iz5ar6i7e"},
                  {"SnowLife", "B3/S1237"},
                  {"SoftFreeze", "13458/38/6"},
                  {"Solid islands grow amongst static", "B12678/S15678"},
                  {"Spirals", "2/234/5"},
                  {"Stains", "B3678/S235678"},
                  {"Star Trek", "B3/S0248"},
                  {"Star Wars", "345/2/4"},
                  {"Sticks", "3456/2/6"},
                  {"Swirl", "23/34/8"},
                  {"Tadpoles", "0125678/345678/64"},
                  {"ThrillGrill", "1234/34/48"},
                  {"tlife", "B3/S2-i34q"},
                  {"Transers", "345/26/5"},
                  {"Transers 2", "0345/26/6"},
                  {"Transers 3", "0345/26/7"},
                  {"TransersII", "0345/26/6"},
                  {"Virus", "B36/S235"},
                  {"Vote", "B5678/S45678"},
                  {"Vote 4/5", "B4678/S35678"},
                  {"Walled Cities", "B45678/S2345"},
                  {"Wallplicators", "345/25678/7"},
                  {"Wanderers", "345/34678/5"},
                  {"Worms", "3467/25/6"},
                  {"Xtasy", "1456/2356/16"}};

/* Returns the next letter, small, or digit of a name, or the final '\0'. Blanks and signs do not count. */
static inline char rule_name_next(const char **at)
{
    for (; **at != '\0'; ++*at) {
        const char c = **at >= 'A' && **at <= 'Z' ? (char) (**at | 0x20) : **at;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            return ++*at, c;
    }
    return '\0';
}

/* Are these two texts the same name? */
static inline int rule_name_equals(const char *text, const char *name)
{
    char one, other;
    do {
        one = rule_name_next(&text);
        other = rule_name_next(&name);
    } while (one == other && one != '\0');
    return one == other;
}

/* Returns the rule of that name, or the text itself. */
static inline const char *rule_of_name(const char *text)
{
    for (size_t i = 0; i < sizeof rule_names / sizeof rule_names[0]; i++)
        if (rule_name_equals(text, rule_names[i].name))
            return rule_names[i].rule;
    return text;
}

#endif
