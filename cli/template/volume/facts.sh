# Facts about the rule that do not come from its code.
#
# A cosine is an eigenvector of the sum of the neighbours. In each step a wave with the wave numbers k decays by the
# factor 1 - 2 rate (3 - cos(kx) - cos(ky) - cos(kz)).
# decayed WIDTH HEIGHT DEPTH RATE STEPS: prints the mean of its square.
decayed()
{
    awk -v width="$1" -v height="$2" -v depth="$3" -v rate="$4" -v steps="$5" 'BEGIN {
        pi = atan2(0, -1)
        factor = 1 - 2 * rate * (3 - cos(2 * pi / width) - cos(2 * pi / height) - cos(2 * pi / depth))
        printf "%.9f\n", factor ^ (2 * steps) / 2
    }'
}
for steps in 1 2 25; do
    expect "a wave of 20 x 16 x 12 cells decays as the theory says: step $steps" "$(decayed 20 16 12 0.1 $steps)" 1e-6 \
        square \
        init.source=wave run.steps=$steps grid.size='20 16 12' "@NAME@.rate=0.1"
done
expect 'a wave along each axis alone: z' "$(decayed 1 1 8 0.15 10)" 1e-6 square init.source=wave run.steps=10 \
    grid.size='1 1 8' \
    "@NAME@.rate=0.15"
expect 'heat is conserved' "$(metric mean run.steps=0 grid.size='24 20 16')" 1e-6 mean run.steps=300 \
    grid.size='24 20 16'
expect 'in the end the heat is everywhere the same' "$(metric mean run.steps=0 grid.size='6 5 4') ^ 2" 1e-6 square \
    run.steps=300 \
    grid.size='6 5 4'
