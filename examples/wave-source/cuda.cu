/* wave-source on a GPU. */
#include "wave-source.h"

#include <engine/stencil.cuh>
