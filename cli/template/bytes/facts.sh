# Facts about the rule that do not come from its code: populations that follow from the start of one cell.
expect 'one cell has eight neighbours' 8 0 population run.steps=1 grid.size='50 50'
expect 'after 2^n steps there are eight copies of the pattern' 8 0 population run.steps=16 grid.size='50 50'
expect 'step 3: eight rings of eight cells, two apart; cells where two rings overlap cancel' 24 0 population \
    run.steps=3 grid.size='50 50'
expect 'a torus of one cell: the cell is its own neighbour eight times, which is even' 0 0 population run.steps=1 \
    grid.size='1 1'
expect 'the even rule: all cells but the eight neighbours' 2492 0 population run.steps=1 grid.size='50 50' \
    "@NAME@.parity=0"
