/* The names of objects on catagolue.hatsya.com, apgcodes: "xp2_7" is the blinker. An x is followed by s and the
 * population of a still life, p and the period of an oscillator, or q and the period of a spaceship, and by the simplest
 * form of a phase in the extended Wechsler format. */
#ifndef OBJECTS_APGCODE_H
#define OBJECTS_APGCODE_H

#include "objects/patch.h"

/* As in apgsearch, a form has at most this many characters, and a phase at most this many cells with its margin. */
enum { APGCODE_FORM = 1280, APGCODE_CELLS = 10000, APGCODE_SIZE = APGCODE_FORM + 32 };

/* The rotations and reflections that a rule does not notice: of a square, of a hexagon as V and H of Golly lay it on
 * squares, or none. */
enum apgcode_symmetry { APGCODE_ANY = 0, APGCODE_SQUARE, APGCODE_HEXAGON };

enum apgcode_symmetry apgcode_symmetry(const struct object_rule *rule);

/* Puts the simplest form of a phase into `form` if it is simpler than what `form` holds. A form is simpler than another
 * if it is shorter, or as long and earlier in the order of bytes. `form` is empty before the first phase. The patch is
 * trimmed. Its cells have `states` states: 2, or more of a rule of Generations, whose form has a layer for each bit of
 * the number that apgsearch gives a state, with _ between the layers. Returns 0, or -1 if there is no memory. */
int apgcode_add_phase(const struct patch *phase, uint32_t states, enum apgcode_symmetry symmetry,
                      char form[APGCODE_FORM + 1]);

/* Writes the code of an object to `code`. `population` is that of its first phase. "ov_p3" is an object whose form is
 * too large. */
void apgcode_name(uint64_t period, bool moves, uint64_t population, const char *form, char code[APGCODE_SIZE]);

/* Writes the code of a pattern whose population grows linearly, "yl144_1_16_" and a checksum, from its populations in
 * `count` steps, of which the last third is looked at. `most` is the longest period, at most count / 9.
 * *period is the period of the growth, and *growth what a period adds on average. Returns false if the population does not
 * grow so. */
bool apgcode_linear(const uint64_t *populations, uint64_t count, uint64_t most, uint64_t *period, double *growth,
                    char code[APGCODE_SIZE]);

#endif
