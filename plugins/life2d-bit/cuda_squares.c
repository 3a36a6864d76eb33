#include <life/ptx.h>

LIFE_PTX_TEXT(life2d_squares_ptx);
