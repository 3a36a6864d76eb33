/* Every action that has a button: its group, name, text, keys, what it does, and when it is there. A key is named as in
 * KeyboardEvent.key, with "Ctrl+" in front of it. The keys are those of Golly and LifeViewer where these have one. */

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000, 1000000, 0]; /* 0: no limit */

export function speedText(speed) {
    return speed === 0 ? 'full speed' : `${speed} steps/s`;
}

/* The next speed of the list above or below. */
export function otherSpeed(speed, direction) {
    const last = SPEEDS.length - 1, found = SPEEDS.findIndex(one => one === 0 || one >= speed);
    const at = speed === 0 ? last : direction < 0 || SPEEDS[found] === speed ? found : found - 1;
    return SPEEDS[Math.min(last, Math.max(0, at + direction))];
}

const PAN = 0.1; /* of the canvas */

const edits = view => view.mayEdit && view.shown?.editable;
const grid = view => Boolean(view.shown?.cellAt && !view.shown.whole);
const mode = (name, key, help, there = edits) => ({group: 'edit', name, label: name[0].toUpperCase() + name.slice(1), keys: [key],
    help, there, run: view => view.setMode(name), pressed: view => view.editor.mode === name});
const pan = (name, label, key, x, y) => ({group: 'picture', name, label, keys: [key], help: `moves the view: ${name}`,
    run: view => view.pan(x * PAN, y * PAN)});
const panel = (name, label, key, help) => ({group: 'panels', name, label, keys: [key], help,
    run: view => view.controls.toggle(name), pressed: view => view.controls.isOpen(name)});

export const ACTIONS = [
    {group: 'time', name: 'play', label: 'Play', keys: ['Enter'], help: 'plays or pauses', run: view => view.togglePlaying(),
        pressed: view => Boolean(view.now?.playing)},
    {group: 'time', name: 'step', label: 'Step', keys: [' '], help: 'takes one step', run: view => view.step(1)},
    {group: 'time', name: 'steps', label: 'Steps', keys: ['Tab'],
        help: 'takes the number of steps in the field beside it (as a key: while the picture has the focus)',
        run: view => view.step(view.controls.steps)},
    {group: 'time', name: 'slower', label: '−', keys: ['-'], help: 'plays slower', run: view => view.changeSpeed(-1)},
    {group: 'time', name: 'faster', label: '+', keys: ['=', '+'], help: 'plays faster', run: view => view.changeSpeed(1)},
    {group: 'time', name: 'restart', label: 'Back to the start', keys: ['r'], help: 'goes back to the first mark',
        run: view => view.backToStart()},
    {group: 'time', name: 'mark', label: 'Mark', keys: ['m'], help: 'remembers this state', run: view => view.act({do: 'mark'})},

    {group: 'picture', name: 'zoom out', label: '⊖', keys: ['['], help: 'zooms out', run: view => view.zoom(0.5)},
    {group: 'picture', name: 'zoom in', label: '⊕', keys: [']'], help: 'zooms in', run: view => view.zoom(2)},
    {group: 'picture', name: 'fit', label: 'Fit', keys: ['f'], help: 'shows everything', run: view => view.fit()},
    {group: 'picture', name: 'one to one', label: '1:1', keys: ['1'], help: 'shows a cell as a pixel', there: grid,
        run: view => view.oneToOne()},
    pan('left', '←', 'ArrowLeft', 1, 0),
    pan('right', '→', 'ArrowRight', -1, 0),
    pan('up', '↑', 'ArrowUp', 0, 1),
    pan('down', '↓', 'ArrowDown', 0, -1),
    {group: 'picture', name: 'lines', label: 'Lines', keys: ['x'], help: 'shows lines between the cells, from 8 pixels a cell on',
        there: grid, run: view => view.toggle('lines'), pressed: view => view.shown.lines},
    {group: 'picture', name: 'sum', label: 'Sum', keys: ['u'], help: 'shows the sum over all planes',
        there: view => view.shown?.volume, run: view => view.toggle('sum'), pressed: view => view.shown.sum},
    {group: 'picture', name: 'next plane', label: 'Next plane', keys: ['PageUp'], help: 'shows the next plane of a volume',
        there: view => view.shown?.volume, run: view => view.showPlane(view.shown.plane + 1)},
    {group: 'picture', name: 'previous plane', label: 'Previous plane', keys: ['PageDown'], help: 'shows the previous plane',
        there: view => view.shown?.volume, run: view => view.showPlane(view.shown.plane - 1)},
    {group: 'picture', name: 'density', label: 'Density', keys: ['u'], help: 'shows the density of all particles',
        there: view => view.shown?.crowded, run: view => view.toggle('density'), pressed: view => view.shown.density},

    mode('pan', 'h', 'a drag moves the view', view => edits(view) || grid(view)),
    mode('draw', 'd', 'a drag sets cells to the value; the right button sets them to 0'),
    mode('erase', 'e', 'a drag sets cells to 0'),
    mode('select', 's', 'a drag selects cells', grid),
    {group: 'edit', name: 'all', label: 'Select all', keys: ['Ctrl+a'], help: 'selects all cells', there: grid,
        run: view => view.editor.selectAll()},
    {group: 'edit', name: 'fill', label: 'Fill', keys: ['i'], help: 'sets the selected cells to the value', there: edits,
        run: view => view.editor.fill(view.editor.value)},
    {group: 'edit', name: 'clear', label: 'Clear', keys: ['Delete', 'Backspace'], help: 'sets the selected cells to 0', there: edits,
        run: view => view.editor.fill(0)},
    {group: 'edit', name: 'copy', label: 'Copy', keys: ['Ctrl+c'], help: 'copies the selected cells as RLE text', there: grid,
        run: view => view.editor.copy()},
    {group: 'edit', name: 'paste', label: 'Paste', keys: ['Ctrl+v'], help: 'pastes RLE text at the pointer', there: edits,
        byEvent: true, run: view => view.editor.paste()},
    {group: 'edit', name: 'paste files', label: 'Paste files', keys: ['p'], help: 'while it is down: a dropped file is pasted and not opened',
        there: edits, held: true, run: view => view.editor.togglePasteFiles(), pressed: view => view.editor.pasteFiles},

    {group: 'file', name: 'open', label: 'Open', keys: ['o'], help: 'opens a pattern, particles, an array or a snapshot',
        there: view => view.mayEdit, run: view => view.controls.chooseFile()},
    {group: 'file', name: 'save', label: 'Save', keys: ['w'], help: 'saves in the format of the panel Save', run: view => view.save()},
    {group: 'file', name: 'film', label: 'Film', keys: ['v'], help: 'begins or ends a film of what is seen',
        there: view => view.filmPossible, run: view => view.toggleFilm(), pressed: view => view.film.running},

    panel('marks', 'Marks', 'k', 'shows the states to go back to'),
    panel('curves', 'Curves', 'g', 'shows the metrics as curves'),
    panel('parameters', 'Parameters', 'a', 'shows the parameters and the implementation'),
    panel('saving', 'Saving', 'l', 'shows the formats in which the state can be saved'),
    panel('configuration', 'Configuration', 't', 'shows the text of the configuration'),
    panel('keys', 'Keys', '?', 'lists the keys'),
];

/* The name of a key event, as in the table. */
export function keyOf(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    return (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + key;
}

export function keyText(key) {
    return {' ': 'Space', 'Ctrl+a': 'Ctrl-A', 'Ctrl+c': 'Ctrl-C', 'Ctrl+v': 'Ctrl-V'}[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}
