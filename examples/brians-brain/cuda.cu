/* Brian's Brain on a GPU. */
#include "brians-brain.h"

#include <engine/stencil.cuh>
