/* plate on a GPU. */
#include "plate.h"

#include <engine/stencil.cuh>
