/* Every action: its group of buttons, its name, text, keys and help, what it does, when it is there, and when its button
 * is pressed. A key is named as in KeyboardEvent.key, with "Ctrl+" in front of it. The keys are those of Golly and
 * LifeViewer where these have one. */
import {Film} from './film.js';

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

const grid = view => Boolean(view.shown?.cellAt && !view.shown.whole);
const edits = request => view => view.can(request) && view.shown?.editable;
const volume = view => view.shown?.volume;

const action = (group, name, label, keys, help, run, more) => ({group, name, label, keys, help, run, ...more});
const pan = (name, label, key, x, y) =>
    action('picture', name, label, [key], `moves the view: ${name}`, view => view.pan(x * PAN, y * PAN));
const mode = (name, label, key, help, there) =>
    action('edit', name, label, [key], help, view => view.setMode(name),
        {there, pressed: view => view.editor.mode === name});
const panel = (name, label, key, help) =>
    action('panels', name, label, [key], help, view => view.controls.toggle(name),
        {pressed: view => view.controls.isOpen(name)});

export const ACTIONS = [
    action('time', 'play', 'Play', ['Enter'], 'plays or pauses', view => view.togglePlaying(),
        {pressed: view => Boolean(view.now?.playing)}),
    action('time', 'step', 'Step', [' '], 'takes one step', view => view.step(1)),
    action('time', 'steps', 'Steps', ['Tab'],
        'takes the number of steps in the field beside it (as a key: while the picture has the focus)',
        view => view.step(view.controls.steps)),
    action('time', 'slower', '−', ['-'], 'plays slower', view => view.changeSpeed(-1)),
    action('time', 'faster', '+', ['=', '+'], 'plays faster', view => view.changeSpeed(1)),
    action('time', 'restart', 'Back to the start', ['r'], 'goes back to the first mark', view => view.backToStart()),
    action('time', 'mark', 'Mark', ['m'], 'remembers this state', view => view.act({do: 'mark'})),

    action('picture', 'zoom out', '⊖', ['['], 'zooms out', view => view.zoom(0.5)),
    action('picture', 'zoom in', '⊕', [']'], 'zooms in', view => view.zoom(2)),
    action('picture', 'fit', 'Fit', ['f'], 'shows everything', view => view.fit()),
    action('picture', 'one to one', '1:1', ['1'], 'shows a cell as a pixel', view => view.oneToOne(), {there: grid}),
    pan('left', '←', 'ArrowLeft', 1, 0),
    pan('right', '→', 'ArrowRight', -1, 0),
    pan('up', '↑', 'ArrowUp', 0, 1),
    pan('down', '↓', 'ArrowDown', 0, -1),
    action('picture', 'lines', 'Lines', ['x'], 'shows lines between the cells, from 8 pixels a cell on',
        view => view.toggle('lines'), {there: grid, pressed: view => view.shown.lines}),
    action('picture', 'sum', 'Sum', ['u'], 'shows the sum over all planes', view => view.toggle('sum'),
        {there: volume, pressed: view => view.shown.sum}),
    action('picture', 'next plane', 'Next plane', ['PageUp'], 'shows the next plane of a volume',
        view => view.showPlane(view.shown.plane + 1), {there: volume}),
    action('picture', 'previous plane', 'Previous plane', ['PageDown'], 'shows the previous plane',
        view => view.showPlane(view.shown.plane - 1), {there: volume}),
    action('picture', 'density', 'Density', ['u'], 'shows the density of all particles, if there are more than 50,000',
        view => view.toggle('density'), {there: view => view.shown?.crowded, pressed: view => view.shown.density}),

    mode('pan', 'Pan', 'h', 'a drag moves the view', grid),
    mode('draw', 'Draw', 'd', 'a drag sets cells to the value; the right button sets them to 0', edits('draw')),
    mode('erase', 'Erase', 'e', 'a drag sets cells to 0', edits('draw')),
    mode('select', 'Select', 's', 'a drag selects cells', grid),
    action('edit', 'all', 'Select all', ['Ctrl+a'], 'selects all cells', view => view.editor.selectAll(),
        {there: grid}),
    action('edit', 'none', 'Select none', ['k'], 'selects no cells', view => view.editor.selectNone(), {there: grid}),
    action('edit', 'fill', 'Fill', ['i'], 'sets the selected cells to the value',
        view => view.editor.fill(view.editor.value), {there: edits('fill')}),
    action('edit', 'clear', 'Clear', ['Delete', 'Backspace'], 'sets the selected cells to 0',
        view => view.editor.fill(0), {there: edits('fill')}),
    action('edit', 'copy', 'Copy', ['Ctrl+c'], 'copies the selected cells as RLE text', view => view.editor.copy(),
        {there: view => grid(view) && view.can('save')}),
    action('edit', 'paste', 'Paste', ['Ctrl+v'], 'pastes RLE text at the pointer', view => view.editor.paste(),
        {there: edits('paste'), byEvent: true}),
    action('edit', 'paste files', 'Paste files', ['p'], 'while it is down: a dropped file is pasted and not opened',
        view => view.editor.togglePasteFiles(),
        {there: edits('paste'), held: true, pressed: view => view.editor.pasteFiles}),

    action('file', 'open', 'Open', ['o'], 'opens a pattern, particles, an array or a snapshot',
        view => view.controls.chooseFile(), {there: view => view.can('open')}),
    action('file', 'save', 'Save', ['w'], 'saves in the format in the field beside it', view => view.save(),
        {there: view => view.can('save')}),
    action('file', 'film', 'Film', ['v'], 'begins or ends a film of what is seen', view => view.toggleFilm(),
        {there: () => Film.possible, pressed: view => view.film.running}),

    panel('marks', 'Marks', 'b', 'shows the states to go back to'),
    panel('curves', 'Curves', 'g', 'shows the metrics as curves'),
    panel('parameters', 'Parameters', 'a', 'shows the parameters and the implementation'),
    panel('configuration', 'Configuration', 't', 'shows the text of the configuration'),
    panel('keys', 'Keys', '?', 'lists the keys'),
];

/* The name of a key event, as in the table. */
export function keyOf(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    return (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + key;
}

const NAMES = {' ': 'Space', ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓'};

/* The name of a key for a reader. */
export function keyText(key) {
    return NAMES[key] ?? key.replace(/^(Ctrl)\+/, '$1-').replace(/(^|-)[a-z]$/, letter => letter.toUpperCase());
}
