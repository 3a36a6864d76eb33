"""check.py STEPS FOLDER VISCOSITY SPEED FORCE MAGIC DIAMETER INFLOW WALLS

Takes steps in double precision from the state of step 0 in the folder of a run. Prints the largest differences to the
distributions, density, velocity and vorticity of step STEPS, the largest speed, the difference to drag and lift, and the
larger of these two. It shares no code with the plugin: it moves whole arrays.
"""
import sys
import numpy as np

steps, folder = int(sys.argv[1]), sys.argv[2]
viscosity, speed, force, magic, diameter = map(float, sys.argv[3:8])
inflow, walls = (word == "yes" for word in sys.argv[8:])
velocities = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)]
opposite = [velocities.index((-cx, -cy)) for cx, cy in velocities]
weights = [1 / 36 * 4 ** (2 - abs(cx) - abs(cy)) for cx, cy in velocities]


def load(name, step):
    return np.load(f"{folder}/{name}-{step:010d}.npy").astype(float)


def momentum(f):
    return [sum(c[axis] * g for c, g in zip(velocities, f)) for axis in (0, 1)]


f = np.moveaxis(load("f", 0), -1, 0)
height, width = f[0].shape
y, x = np.mgrid[:height, :width] + 0.5
solid = np.hypot(x - 2 * diameter, y - height / 2 + diameter / 20) < diameter / 2


def moved(values, cx, cy):
    return np.roll(values, (cy, cx), (0, 1))


def arrive(f):
    """Moves the distributions; those that meet a surface turn back. Returns them and the force on the obstacle."""
    ux, uy = momentum(f)
    result, push = f.copy(), np.zeros(2)
    for i, (cx, cy) in enumerate(velocities):
        back = f[opposite[i]]
        result[i] = moved(f[i], cx, cy)
        if inflow and cx > 0:
            at = y[:, 0] - cy / 2
            result[i][:, 0] = back[:, 0] + 24 * weights[i] * speed * at * (height - at) / height**2
        if inflow and cx < 0:
            along = 3 * (cx * ux + cy * uy)
            out = 2 * weights[i] * (along**2 / 2 - 1.5 * (ux**2 + uy**2)) - back
            result[i][:, -1] = out[:, -1]
        behind = moved(solid, cx, cy)
        if walls and cy:
            behind[0 if cy > 0 else -1] = True
        result[i] = np.where(behind, back, result[i])
        push += 2 * np.array((cx, cy)) * np.sum(f[i] * ~solid * moved(solid, -cx, -cy))
    return result, push


def step(f):
    f, push = arrive(f)
    density, (jx, jy) = f.sum(0), momentum(f)
    jx = jx + force / 2
    rho = 1 + density
    even, odd = 1 / (3 * viscosity + 0.5), 1 / (magic / (3 * viscosity) + 0.5)
    result = f.copy()
    for i, (cx, cy) in enumerate(velocities):
        along = 3 * (cx * jx + cy * jy)
        level = weights[i] * (density + (along**2 / 2 - 1.5 * (jx**2 + jy**2)) / rho)
        result[i] += even * (level - (f[i] + f[opposite[i]]) / 2)
        result[i] += odd * (weights[i] * along - (f[i] - f[opposite[i]]) / 2)
        result[i] += 3 * weights[i] * cx * force * (1 - odd / 2)
    result[:, solid] = 0
    return result, push


def velocity(f):
    jx, jy = momentum(f)
    return [(jx - force / 2) / (1 + f.sum(0)), jy / (1 + f.sum(0))]


def beside(u, dx, dy):
    there, edge, end = moved(u, -dx, -dy), moved(solid, -dx, -dy), np.zeros_like(solid)
    if walls and dy:
        edge[-1 if dy > 0 else 0] = True
    if inflow and dx:
        end[:, -1 if dx > 0 else 0] = True
    return np.where(edge, -u, np.where(end, u, there))


f[:, solid] = 0
for _ in range(steps):
    before = f
    f, push = step(f)

u, v = velocity(before)
vorticity = (beside(v, 1, 0) - beside(v, -1, 0) - beside(u, 0, 1) + beside(u, 0, -1)) / 2
density, (u, v) = 1 + f.sum(0), velocity(f)
fluid = ~solid
metrics = np.genfromtxt(f"{folder}/metrics.csv", delimiter=",", names=True)[-1]
print(
    abs((np.moveaxis(load("f", steps), -1, 0) - f) * fluid).max(),
    abs(load("density", steps) - density * fluid).max(),
    abs(load("velocity", steps) - (np.stack((u, v), -1) * fluid[..., None])).max(),
    abs(load("vorticity", steps) - vorticity * fluid).max(),
    np.hypot(u, v)[fluid].max(),
    abs(push - (metrics["drag"], metrics["lift"])).max(),
    abs(push).max(),
)
