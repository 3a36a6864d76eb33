#include <life/ptx.h>

LIFE_PTX_TEXT(life2d_dead_y_rule_ptx);
