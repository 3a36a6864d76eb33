/* heat on a GPU. */
#include "heat.h"

#include <engine/stencil.cuh>
