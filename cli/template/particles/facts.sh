# Facts about the rule that do not come from its code.
#
# x(t) of a spring obeys x(t + dt) + x(t - dt) = (2 - (frequency dt)^2) x(t). With frequency dt = 1, it becomes -x(t) after
# three steps and x(t) again after six.
start=$(metric x_mean run.steps=0)
expect 'the particles begin beside the origin' 0.5 0.05 x_mean run.steps=0
expect 'three steps of a sixth of a period: the other side' "-($start)" 1e-6 x_mean run.steps=3 "@NAME@.dt=1"
expect 'after six steps all is as it was' "$start" 1e-6 x_mean run.steps=6 "@NAME@.dt=1"
expect 'x after two steps, from x after none and one' "-($start) + $(metric x_mean run.steps=1 "@NAME@.dt=1")" 1e-6 x_mean \
    run.steps=2 "@NAME@.dt=1"
expect 'the energy is conserved' "$(metric energy run.steps=0)" 1e-5 energy run.steps=5000
