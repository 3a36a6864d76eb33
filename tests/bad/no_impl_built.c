/* Its only implementation was not compiled in. */
#define NAME    "no_impl_built"
#define ADVANCE NULL
#include "base.h"

PLUGIN
