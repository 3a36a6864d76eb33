"""A step of the wave equation in Triton.

`python3 wave.py` compiles the kernel and writes wave_ptx.h, which triton.cu includes. It needs no GPU.
"""
import hashlib
import pathlib

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def wave_step(height, velocity, next_height, next_velocity, nx, ny, pitch, square,
              ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A program computes a tile. The pointers are those of cell (0, 0), and `pitch` is the distance between rows.

    Ghost cells lie around the grid, so the neighbours of a cell that is inside are there."""
    tiles = tl.cdiv(nx, COLUMNS)
    x = tl.program_id(0) % tiles * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    y = tl.program_id(0) // tiles * ROWS + tl.arange(0, ROWS)[:, None]
    inside = (x < nx) & (y < ny)
    cell = y * pitch + x
    here = tl.load(height + cell, mask=inside)
    beside = tl.load(height + cell - 1, mask=inside) + tl.load(height + cell + 1, mask=inside)
    above = tl.load(height + cell - pitch, mask=inside) + tl.load(height + cell + pitch, mask=inside)
    moved = tl.load(velocity + cell, mask=inside) + square * (beside + above - 4 * here)
    tl.store(next_velocity + cell, moved, mask=inside)
    tl.store(next_height + cell, here + moved, mask=inside)


TYPES = {"height": "*fp32", "velocity": "*fp32", "next_height": "*fp32", "next_velocity": "*fp32",
         "nx": "i64", "ny": "i64", "pitch": "i64", "square": "fp32", "ROWS": "constexpr", "COLUMNS": "constexpr"}
TILE = {"ROWS": 4, "COLUMNS": 128}
# PTX for compute capability 8.0 runs on this GPU and on all later ones. No fused multiply-adds: the bits of the CPU.
TARGET = GPUTarget("cuda", 80, 32)
OPTIONS = {"num_warps": 4, "ptx_version": 80, "enable_fp_fusion": False}


def main():
    here = pathlib.Path(__file__)
    triton.knobs.compilation.disable_line_info = True  # it names this file's folder
    kernel = triton.compile(ASTSource(wave_step, TYPES, TILE), target=TARGET, options=OPTIONS)
    about = kernel.metadata
    # Triton 3.4 has no profile_scratch_size.
    if about.shared or about.global_scratch_size or getattr(about, "profile_scratch_size", 0):
        raise SystemExit("wave.py: the kernel needs shared or scratch memory, which triton.cu does not provide")
    digest = hashlib.sha256(here.read_bytes()).hexdigest()
    lines = ["/* clang-format off */",
             f"/* Triton {triton.__version__} made this file from wave.py, whose SHA-256 is",
             f" * {digest}. */",
             f"enum {{ WAVE_THREADS = {32 * about.num_warps}, WAVE_ROWS = {TILE['ROWS']}, "
             f"WAVE_COLUMNS = {TILE['COLUMNS']} }};",
             "static const char wave_ptx[] ="]
    for line in kernel.asm["ptx"].splitlines():
        code = line.split("//")[0].replace("\t", " ").strip()
        if code:
            lines.append(f'    "{code}\\n"')
    here.with_name("wave_ptx.h").write_text("\n".join(lines) + ";\n")


if __name__ == "__main__":
    main()
