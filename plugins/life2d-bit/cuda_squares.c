/* cuda_squares.ptx.cu, compiled to PTX: text of this plugin, which the driver compiles once a rule is written into
 * it. */
#include <life/ptx.h>

LIFE_PTX_TEXT(life2d_squares_ptx);
