alternate_uses      = $(addprefix life2d-bit/,cpu cpu_kernel square_code square_search)
alternate_uses_cuda = life2d-lut/cuda
