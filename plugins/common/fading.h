/* Colours of automata whose cells take time to die: ENGINE_COLOURS. */
#ifndef COMMON_FADING_H
#define COMMON_FADING_H

#include <engine/pictures.h>

/* State 0 is black and state 1 the brightest. The states that follow fade from orange through red to violet. Rules of
 * two states stay black and white. */
static inline void fading_colours(uint32_t states, uint8_t (*colours)[3], uint32_t *count)
{
    static const uint8_t fires[3] = {255, 250, 205}, dies[][3] = {{255, 170, 50}, {200, 50, 45}, {60, 15, 80}};
    if (states <= 2)
        return;
    for (uint32_t state = 0; state < states; state++)
        for (int c = 0; c < 3; c++) {
            const uint32_t age = state > 0 ? 2 * (state - 1) : 0, half = age / (states - 1), along = age % (states - 1);
            const uint32_t from = dies[half][c], to = dies[half < 2 ? half + 1 : half][c];
            colours[state][c] = state == 0   ? 0
                                : state == 1 ? fires[c]
                                             : (uint8_t) ((from * (states - 1 - along) + to * along) / (states - 1));
        }
    *count = states;
}

#endif
