/* The CUDA implementation of RULE. */
#include RULE

#include <engine/stencil.cuh>
