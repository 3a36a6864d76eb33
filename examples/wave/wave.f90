! A step of the wave equation for the rows `first` to `last`. fortran.c calls it.
!
! x is the first index, because it runs fastest in memory. Cells 1 to nx and 1 to ny are the grid. Cells 0, nx + 1 and
! ny + 1 are copies of cells at the other end of the torus: the engine fills them before every step.
subroutine wave_rows(nx, ny, pitch, first, last, square, height, velocity, next_height, next_velocity) bind(c)
    use, intrinsic :: iso_c_binding, only: c_float, c_int64_t
    implicit none
    integer(c_int64_t), value, intent(in) :: nx, ny, pitch, first, last
    real(c_float), value, intent(in) :: square
    real(c_float), dimension(0:pitch - 1, 0:ny + 1), intent(in) :: height, velocity
    real(c_float), dimension(0:pitch - 1, 0:ny + 1), intent(inout) :: next_height, next_velocity
    real(c_float) :: around, moved
    integer(c_int64_t) :: x, y

    do y = first, last
        do x = 1, nx
            around = (height(x - 1, y) + height(x + 1, y)) + (height(x, y - 1) + height(x, y + 1))
            moved = velocity(x, y) + square * (around - 4 * height(x, y))
            next_velocity(x, y) = moved
            next_height(x, y) = height(x, y) + moved
        end do
    end do
end subroutine wave_rows
