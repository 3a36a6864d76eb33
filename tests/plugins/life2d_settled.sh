#!/bin/bash
# The kernel of life2d-bit/cuda that leaves out settled tiles, on the host.
. "$(dirname "$0")/kernels"

kernels_agree life2d_settled 14
plan
