/* Needs what came with a later minor version. */
#define NAME "newer_minor"
#define ABI  ENGINE_ABI(ENGINE_ABI_MINOR + 1)
#include "base.h"

PLUGIN
