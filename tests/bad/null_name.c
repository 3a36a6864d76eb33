/* Has no name. */
#define NAME NULL
#include "base.h"

PLUGIN
