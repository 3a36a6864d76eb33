/* forest-fire on a GPU. */
#include "forest-fire.h"

#include <engine/stencil.cuh>
