/* The name is NULL. */
#define NAME NULL
#include "base.h"

PLUGIN
