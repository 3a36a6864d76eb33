/* Has another name than its file. */
#define NAME "another-name"
#include "base.h"

PLUGIN
