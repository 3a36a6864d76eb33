/* The plugin's name differs from the name of its file. */
#define NAME "another-name"
#include "base.h"

PLUGIN
