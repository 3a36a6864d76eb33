/* gray-scott on a GPU. */
#include "gray-scott.h"

#include <engine/stencil.cuh>
