/* Buttons, fields and panels around the picture. */
import {ACTIONS, keyText, speedText} from './actions.js';
import {choice, make, short} from './dom.js';

const GROUPS = {time: 'time', picture: 'picture', edit: 'edit', file: 'files', panels: 'panels'};
const PANELS = ['marks', 'curves', 'parameters', 'configuration', 'keys'];

export class Controls {
    constructor(view) {
        Object.assign(this, {view, marks: [], buttons: new Map(), groups: {}, panels: {}, texts: {}});
        for (const name of ['title', 'step', 'rate', 'edited', 'place', 'notice', 'error', 'speed'])
            this.texts[name] = make('span', {className: name});
        for (const [group, label] of Object.entries(GROUPS))
            this.groups[group] = make('div', {className: 'group', role: 'toolbar', 'aria-label': label},
                ...ACTIONS.filter(action => action.group === group).map(action => this.button(action)));
        for (const name of PANELS)
            this.panels[name] = make('section', {className: name, hidden: true, 'aria-label': name});
        this.makeInputs();
        this.fillKeys();
        const {title, step, rate, edited, place, notice, error} = this.texts;
        [notice.role, error.role] = ['status', 'alert'];
        view.element.classList.add('engine-view');
        view.element.replaceChildren(
            make('header', {}, make('h1', {}, title), step, rate, edited),
            make('nav', {}, ...Object.values(this.groups)),
            make('div', {className: 'lines'}, notice, error, place),
            make('main', {}, view.canvas, make('aside', {}, ...Object.values(this.panels))));
    }

    /* ---- Buttons ---- */

    button(action) {
        const keys = action.keys.map(keyText).join(', ');
        const named = /[a-z]/.test(action.label) ? action.label : action.name;
        const button = make('button', {type: 'button', title: `${action.help} (${keys})`, 'data-action': action.name,
            'aria-label': named, 'aria-keyshortcuts': keys}, action.label);
        button.onclick = event => {
            if (this.view.shown)
                action.run(this.view);
            if (event.detail > 0) /* a click, not a key: the keys of the picture work again */
                this.view.canvas.focus();
        };
        this.buttons.set(action, button);
        return button;
    }

    focus() {
        this.buttons.values().next().value.focus();
    }

    say(name, text) {
        if (this.texts[name].textContent !== text)
            this.texts[name].textContent = text;
    }

    /* Shows what is there, and what is pressed. */
    update() {
        const {view} = this, {now, shown} = view;
        for (const [action, button] of this.buttons) {
            button.hidden = Boolean(action.there && !(shown && action.there(view)));
            if (action.pressed && !button.hidden)
                button.setAttribute('aria-pressed', shown ? action.pressed(view) : false);
        }
        if (!now)
            return;
        this.say('step', `step ${now.step}`);
        this.say('rate', now.playing ? `${short(now.rate)} steps/s` : 'paused');
        this.say('edited', view.editedText);
        this.say('speed', speedText(view.speed));
        if (now.trouble)
            this.say('error', now.trouble);
        const editable = Boolean(shown?.editable);
        this.valueLabel.hidden = !(editable && view.can('draw'));
        this.overLabel.hidden = !(editable && view.can('paste'));
        this.formatField.hidden = !view.can('save');
        this.selectedLabel.hidden = !view.can('save') || !shown?.cellAt || shown.whole;
        this.planeLabel.hidden = !shown?.volume;
        this.axisLabel.hidden = !shown?.volume && !shown?.density;
        if (shown?.volume) {
            this.plane.max = shown.field.extent[shown.depth] - 1;
            this.plane.value = shown.plane;
            this.planeText.textContent = shown.sum ? 'all' : `${shown.plane} of ${shown.field.extent[shown.depth]}`;
        }
    }

    /* ---- Fields beside the buttons ---- */

    makeInputs() {
        const {view} = this;
        this.stepsField = make('input', {type: 'number', min: 1, value: 10, 'aria-label': 'steps of Steps'});
        this.groups.time.insertBefore(this.stepsField, this.groups.time.querySelector('[data-action=slower]'));
        this.groups.time.insertBefore(this.texts.speed, this.groups.time.querySelector('[data-action=faster]'));
        this.field = make('span', {className: 'field'});
        this.axisLabel = choice('along', [[1, 'z'], [2, 'y'], [3, 'x']], 1, axis => view.showAxis(Number(axis)));
        this.plane = make('input', {type: 'range', min: 0, oninput: () => view.showPlane(Number(this.plane.value))});
        this.planeText = make('span');
        this.planeLabel = make('label', {}, 'plane ', this.plane, ' ', this.planeText);
        this.groups.picture.append(this.field, this.axisLabel, this.planeLabel);
        this.value = make('input', {type: 'number', value: 1, min: 0, step: 'any', className: 'value',
            oninput: () => view.editor.value = Number(this.value.value)});
        this.valueLabel = make('label', {}, 'value ', this.value);
        const over = make('input', {type: 'checkbox', className: 'over',
            onchange: () => view.editor.over = over.checked});
        this.overLabel = make('label', {title: 'zeros of a pasted pattern replace cells, too'}, over, ' paste zeros');
        this.groups.edit.append(this.valueLabel, this.overLabel);
        this.chooser = make('input', {type: 'file', hidden: true, onchange: () => this.fileChosen()});
        this.formatField = make('select', {className: 'format', 'aria-label': 'format of the button Save'});
        this.selectedBox = make('input', {type: 'checkbox', className: 'selected'});
        this.selectedLabel = make('label', {title: 'Save takes the selected cells alone'}, this.selectedBox,
            ' selection');
        this.groups.file.append(this.formatField, this.selectedLabel, this.chooser);
    }

    get steps() {
        return Math.max(1, Math.round(Number(this.stepsField.value)) || 1);
    }

    chooseFile() {
        this.chooser.value = '';
        this.chooser.click();
    }

    fileChosen() {
        if (this.chooser.files[0])
            this.view.editor.openFile(this.chooser.files[0], false);
    }

    /* ---- Panels ---- */

    panel(name) {
        return this.panels[name];
    }

    isOpen(name) {
        return !this.panels[name].hidden;
    }

    toggle(name) {
        this.panels[name].hidden = !this.panels[name].hidden;
        if (name === 'curves')
            this.view.charts.show(this.isOpen(name));
        if (name === 'marks')
            this.view.refresh(); /* another page may have made some */
        this.update();
        if (this.isOpen(name))
            this.panels[name].scrollIntoView({block: 'nearest'});
    }

    fillPanel(name, title, ...children) {
        this.panels[name].replaceChildren(make('h2', {}, title), ...children);
    }

    fillKeys() {
        const rows = ACTIONS.map(({keys, label, name, help}) => make('tr', {},
            make('td', {}, ...keys.flatMap(key => [make('kbd', {}, keyText(key)), ' '])),
            make('td', {}, label.length > 1 ? label : name), make('td', {}, help)));
        this.fillPanel('keys', 'Keys', make('table', {}, ...rows), make('p', {},
            'Escape leaves the picture, so that Tab goes through the buttons, and comes back. The wheel zooms at the ' +
            'pointer. A drag rotates particles; with Shift it moves them.'));
    }

    /* Shows what "hello" says. */
    describe(about, fields) {
        const {view} = this;
        this.say('title', about.title);
        const names = fields.map(([field, number]) => [number, field.name]);
        this.field.replaceChildren(choice('field', names, view.shown.number, number => view.show(Number(number))));
        this.field.hidden = fields.length < 2;
        this.value.max = view.shown.field.values >= 2 ? view.shown.field.values - 1 : '';
        this.showParameters(about);
        this.showMarks(about.marks);
        const format = ({name, help}) => make('option', {value: name, title: help}, name);
        this.formatField.replaceChildren(...about.formats.map(format));
        this.formatField.value = view.shown.pattern ?? 'snapshot';
        this.fillPanel('configuration', 'Configuration', make('pre', {tabIndex: 0}, about.config));
    }

    get format() {
        return this.formatField.value;
    }

    get selected() {
        return this.selectedBox.checked;
    }

    showMarks(marks) {
        this.marks = marks;
        this.fillPanel('marks', 'Go back to', ...marks.map(mark => make('button', {type: 'button', 'data-mark': mark.id,
            onclick: () => this.view.act({do: 'back', id: mark.id})}, `step ${mark.step}: ${mark.name}`)));
    }

    showParameters(about) {
        const set = async (key, value) => {
            if (!await this.view.act({do: 'set', key, value}))
                this.showParameters(about); /* the old value stands there again */
        };
        const field = ({key, value, choices}) => {
            if (choices)
                return choice(key, choices.map(one => [one, one]), value, other => set(key, other));
            const input = make('input', {value: value ?? '', onchange: () => set(key, input.value)});
            return make('label', {}, key, ' ', input);
        };
        const implementation = {key: 'run.implementation', value: about.implementation, choices: about.implementations};
        const rows = [implementation, ...about.parameters].map(parameter => {
            const label = field(parameter);
            label.querySelector('input, select').disabled = !this.view.can('set');
            label.querySelector('input, select').name = parameter.key;
            const unit = parameter.unit && `in ${parameter.unit}`;
            label.append(make('small', {}, [unit, parameter.help].filter(Boolean).join('; ')));
            return label;
        });
        const where = make('p', {}, `${about.plugin} on ${about.device ?? 'this machine'}`);
        this.fillPanel('parameters', 'Parameters', where, ...rows);
    }
}
