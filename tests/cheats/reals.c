/* Honest: the problem that the dishonest plugins with real numbers are given. */
#include "real.h"

REAL_CHEAT("reals", turn);
