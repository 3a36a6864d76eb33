# Facts about the rule that do not come from its code.
#
# A cosine is an eigenvector of the sum of the neighbours. With a wave number k of 2 pi / width along x and of 2 pi /
# height along y, it swings as cos((t + 1/2) w) / cos(w / 2), where cos(w) = 1 - speed^2 (2 - cos(kx) - cos(ky)).
# swing WIDTH HEIGHT SPEED STEPS: prints the mean of its square.
swing()
{
    awk -v width="$1" -v height="$2" -v speed="$3" -v steps="$4" 'BEGIN {
        pi = atan2(0, -1)
        c = 1 - speed ^ 2 * (2 - cos(2 * pi / width) - cos(2 * pi / height))
        w = atan2(sqrt(1 - c * c), c)
        printf "%.9f\n", (cos((steps + 0.5) * w) / cos(w / 2)) ^ 2 / 2
    }'
}
for steps in 1 20 333; do
    expect "a wave of 40 x 30 cells swings as the theory says: step $steps" "$(swing 40 30 0.5 $steps)" 2e-5 square \
        init.source=wave run.steps=$steps grid.size='40 30' "@NAME@.speed=0.5"
done
# With two cells and a speed of 1/2, the heights are 1, 0, -1, -1, 0, 1 and again 1.
expect 'two cells swing with a period of six steps: zero at step 4' 0 0 square init.source=wave run.steps=4 \
    grid.size='2 1' \
    "@NAME@.speed=0.5"
expect 'and back at step 6' 1 0 square init.source=wave run.steps=6 grid.size='2 1' "@NAME@.speed=0.5"
expect 'the mean of a drop stays' "$(metric mean run.steps=0 grid.size='64 64')" 1e-6 mean run.steps=500 \
    grid.size='64 64'
