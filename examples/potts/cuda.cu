/* potts on a GPU. */
#include "potts.h"

#include <engine/stencil.cuh>
