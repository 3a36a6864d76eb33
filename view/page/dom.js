/* Small helpers for elements. */

/* An element with properties, or attributes where it has no such property. */
export function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties))
        if (name in element)
            element[name] = value;
        else
            element.setAttribute(name, value);
    element.append(...children);
    return element;
}

/* A choice of [value, text] pairs. */
export function choice(label, options, value, onchange) {
    const select = make('select', {onchange: () => onchange(select.value)});
    select.append(...options.map(([key, text]) => make('option', {value: key}, text)));
    select.value = value;
    return make('label', {}, label, ' ', select);
}

/* Saves bytes as a file of the reader. */
export function download(name, parts, type = 'application/octet-stream') {
    const url = URL.createObjectURL(new Blob(parts, {type}));
    make('a', {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/* A number with few digits. */
export function short(number) {
    const size = Math.abs(number);
    if (size !== 0 && (size >= 1e6 || size < 1e-3))
        return number.toExponential(2).replace('e+', 'e');
    return String(Number(number.toPrecision(4)));
}

/* Calls the function before the browser draws the next time, or a little later if it draws nothing. A hidden tab does
 * not draw. */
export function soon(call) {
    let called = false;
    const once = () => {
        if (!called)
            call();
        called = true;
    };
    requestAnimationFrame(once);
    setTimeout(once, 250);
}

/* Does the element take text, or keys of its own? */
export function takesKeys(element) {
    return /^(SELECT|TEXTAREA)$/.test(element.tagName) || element.tagName === 'INPUT' && element.type !== 'checkbox';
}
