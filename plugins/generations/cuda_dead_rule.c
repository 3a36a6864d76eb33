#include <life/ptx.h>

LIFE_PTX_TEXT(generations_dead_rule_ptx);
