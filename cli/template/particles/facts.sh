# Facts about the rule that do not come from its code.
#
# With a long reach, N particles are all on springs, and each one swings around the centre of all: its distance y from
# there obeys y(t + dt) + y(t - dt) = (2 - N stiffness dt^2) y(t). With N stiffness dt^2 = 1, it becomes -y(t) after
# three steps and y(t) again after six. The centre moves on straight. So the mean of y^2, which is that of x^2 less the
# square of the mean of x, is the same again after three steps.
all='particles.count=100 @NAME@.reach=20 @NAME@.stiffness=0.01 @NAME@.dt=1'
centre() { metric x_mean $all run.steps="$1"; }
expect 'the particles begin beside the origin' 0.5 0.1 x_mean $all run.steps=0
expect 'the centre moves on straight' "2 * ($(centre 1)) - ($(centre 0))" 1e-5 x_mean $all run.steps=2
for steps in 3 6; do
    expect "after $steps steps, the particles are as far from the centre as at the start" \
        "$(metric x_square $all run.steps=0) - ($(centre 0)) ^ 2 + ($(centre $steps)) ^ 2" 2e-5 x_square $all \
        run.steps=$steps
done
# With a short reach and few particles, hardly any is on a spring.
free='particles.count=2 @NAME@.reach=0.001'
expect 'without neighbours, particles move on straight' \
    "50 * ($(metric x_mean $free run.steps=1)) - 49 * ($(metric x_mean $free run.steps=0))" 1e-4 x_mean $free \
    run.steps=50
