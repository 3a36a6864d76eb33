/* The only implementation was not compiled. */
#define NAME    "no_impl_built"
#define ADVANCE NULL
#include "base.h"

PLUGIN
