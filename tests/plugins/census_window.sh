#!/bin/bash
# The kernels of census/cuda on the host.
. "$(dirname "$0")/kernels"

kernels_agree census_window 16
plan
