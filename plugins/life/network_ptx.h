/* Writes a network into PTX text. A kernel whose rule is not known yet has a mark in the place of the operations,
 *
 *     asm("// LIFE_RULE %0 %1 %2 %3" : "=r"(result) : "r"(a), "r"(b), "r"(c));
 *
 * with the result first, and then the inputs of the network. nvcc leaves it in the PTX as a comment that names the
 * registers. The mark
 *
 *     // LIFE_RULE %r9 %r4 %r5 %r6
 *
 * becomes, for a network of two nodes,
 *
 *     { .reg .b32 fate<2>;
 *     lop3.b32 fate0, %r4, %r5, %r6, 150;
 *     lop3.b32 %r9, fate0, %r5, %r6, 232;
 *     }
 */
#ifndef LIFE_NETWORK_PTX_H
#define LIFE_NETWORK_PTX_H

#include <life/network.h>

#include <stdio.h>
#include <stdlib.h>

#define LIFE_RULE_MARK "// LIFE_RULE "

enum { LIFE_REGISTER = 24, LIFE_OPERATION = 128 }; /* the most characters of a register's name, and of an operation */

/* Reads the names of the registers in a mark. */
static inline void life_read_mark(const char *place, int count, char (*name)[LIFE_REGISTER])
{
    place += sizeof LIFE_RULE_MARK - 1;
    for (int i = 0; i < count; i++) {
        name[i][0] = '\0';
        sscanf(place, "%23s", name[i]);
        place += strcspn(place, " \n");
        place += strspn(place, " ");
    }
}

/* Writes the operations of `count` nodes that replace a mark. Returns the number of characters written. `name` has room
 * for the names of all signals and one more. */
static inline int life_write_operations(char *to, int inputs, const struct life_node *node, int count,
                                        const char *place, char (*name)[LIFE_REGISTER])
{
    char(*signal)[LIFE_REGISTER] = name + 1;
    life_read_mark(place, inputs + 1, name);
    int at = sprintf(to, "{ .reg .b32 fate<%d>;\n", count);
    for (int i = 0; i < count; i++) {
        const struct life_node *n = &node[i];
        char *result = signal[inputs + i];
        if (i == count - 1)
            memcpy(result, name[0], LIFE_REGISTER);
        else
            snprintf(result, LIFE_REGISTER, "fate%d", i);
        at += sprintf(to + at, "lop3.b32 %s, %s, %s, %s, %d;\n", result, signal[n->input[0]], signal[n->input[1]],
                      signal[n->input[2]], n->lut);
    }
    return at + sprintf(to + at, "}\n");
}

/* Returns a copy of the PTX with the network of `count` nodes in the place of each mark. Signals are counted as in
 * struct life_network. The caller frees the copy. NULL: no memory. */
static inline char *life_write_nodes(const char *ptx, int inputs, const struct life_node *node, int count)
{
    size_t places = 0;
    for (const char *place = ptx; (place = strstr(place, LIFE_RULE_MARK)) != NULL; place++)
        places++;
    char(*name)[LIFE_REGISTER] = (char(*)[LIFE_REGISTER]) malloc((size_t) (1 + inputs + count) * LIFE_REGISTER);
    char *text = (char *) malloc(strlen(ptx) + places * LIFE_OPERATION * (size_t) (count + 2) + 1), *to = text;
    if (name && text) {
        for (const char *place; (place = strstr(ptx, LIFE_RULE_MARK)) != NULL; ptx = place + strcspn(place, "\n")) {
            memcpy(to, ptx, (size_t) (place - ptx));
            to += place - ptx;
            to += life_write_operations(to, inputs, node, count, place, name);
        }
        strcpy(to, ptx);
    } else {
        free(text);
        text = NULL;
    }
    free(name);
    return text;
}

static inline char *life_write_network(const char *ptx, const struct life_network *net)
{
    return life_write_nodes(ptx, net->inputs, net->node, net->count);
}

#endif
