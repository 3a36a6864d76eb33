/* cuda_batch_rule.ptx.cu, compiled to PTX: text of this plugin, which the driver compiles once a rule is written into
 * it. */
#include <life/ptx.h>

LIFE_PTX_TEXT(life2d_batch_rule_ptx);
