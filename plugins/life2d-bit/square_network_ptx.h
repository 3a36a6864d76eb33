/* Writes the network of a rule that does not count neighbours into PTX text, as life/network_ptx.h does for networks of
 * up to seven inputs. A mark names the register of the result and then those of the nine cells, bit 0 of a square first. */
#ifndef LIFE2D_SQUARE_NETWORK_PTX_H
#define LIFE2D_SQUARE_NETWORK_PTX_H

#include "square_network.h"

#include <life/network_ptx.h>

/* Writes the operations that replace a mark. Returns the number of characters written. */
static inline int life2d_write_square(char *to, const struct life2d_square_network *net, const char *place)
{
    char signal[LIFE2D_SQUARE_CELLS + LIFE2D_SQUARE_NODES][LIFE_REGISTER], name[LIFE2D_SQUARE_CELLS + 1][LIFE_REGISTER];
    life_read_mark(place, LIFE2D_SQUARE_CELLS + 1, name);
    memcpy(signal, name + 1, sizeof name - sizeof name[0]);
    int at = sprintf(to, "{ .reg .b32 fate<%d>;\n", net->count);
    for (int i = 0; i < net->count; i++) {
        const struct life2d_square_node *n = &net->node[i];
        char *result = signal[LIFE2D_SQUARE_CELLS + i];
        if (i == net->count - 1)
            memcpy(result, name[0], LIFE_REGISTER);
        else
            snprintf(result, LIFE_REGISTER, "fate%d", i);
        at += sprintf(to + at, "lop3.b32 %s, %s, %s, %s, %d;\n", result, signal[n->input[0]], signal[n->input[1]],
                      signal[n->input[2]], n->lut);
    }
    return at + sprintf(to + at, "}\n");
}

/* Returns a copy of the PTX with the network in the place of each mark. The caller frees it. NULL: no memory. */
static inline char *life2d_write_squares(const char *ptx, const struct life2d_square_network *net)
{
    size_t places = 0;
    for (const char *place = ptx; (place = strstr(place, LIFE_RULE_MARK)) != NULL; place++)
        places++;
    char *text = (char *) malloc(strlen(ptx) + places * LIFE_OPERATION * (size_t) (net->count + 2) + 1), *to = text;
    if (!text)
        return NULL;
    for (const char *place; (place = strstr(ptx, LIFE_RULE_MARK)) != NULL; ptx = place + strcspn(place, "\n")) {
        memcpy(to, ptx, (size_t) (place - ptx));
        to += place - ptx;
        to += life2d_write_square(to, net, place);
    }
    strcpy(to, ptx);
    return text;
}

#endif
