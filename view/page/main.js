/* The page that `engine view` serves. Another host of the view imports mount from view.js and brings its own send. */
import {pack, unpack} from './connection.js';
import {mount} from './view.js';

history.replaceState(null, '', location.pathname); /* the address had the token */

async function send(head, bytes) {
    const response = await fetch('/message', {
        method: 'POST',
        headers: {'Content-Type': 'application/octet-stream'},
        body: pack(head, bytes),
    });
    if (response.status === 403) {
        const error = new Error('the server refuses this page; open the address that engine view has printed');
        error.refused = true;
        throw error;
    }
    if (!response.ok)
        return {head: {error: (await response.text()).trim()}, bytes: null};
    return unpack(await response.arrayBuffer());
}

mount(document.body, send, text => document.title = text).canvas.focus();
