#include <life/ptx.h>

LIFE_PTX_TEXT(life2d_batch_rule_ptx);
