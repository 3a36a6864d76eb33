#!/bin/bash
# The resident kernel of nbody/cuda on the host.
. "$(dirname "$0")/kernels"

kernels_agree nbody_resident 32
plan
