#include <life/ptx.h>

LIFE_PTX_TEXT(generations_rule_ptx);
