// SPDX-License-Identifier: Apache-2.0
//
// A preview while somebody types: it is asked for once they pause, and what was asked before is given up.
import {el, fill, problem, reasonOf, settled} from './dom.js';

const PAUSE_MS = 250;

// Returns a function that asks for what ask(values, signal) gives, and shows what draw makes of it in view: also why it cannot be.
// decided(true or false) is told whether it can.
export function previewer(view, ask, draw, signal, decided = () => {}) {
  let asked = new AbortController();

  const now = async (values) => {
    asked.abort();
    asked = new AbortController();
    const mine = asked;
    const end = () => mine.abort();
    signal.addEventListener('abort', end, {once: true});
    view.setAttribute('aria-busy', 'true');
    try {
      const answer = await ask(values, mine.signal);
      if (mine.signal.aborted)
        return;
      fill(view, draw(answer));
      decided(true);
    } catch (error) {
      if (error.name === 'AbortError')
        return;
      fill(view, refused(error));
      decided(false);
    } finally {
      signal.removeEventListener('abort', end);
      if (mine === asked)
        view.removeAttribute('aria-busy');
    }
  };
  const later = settled(now, PAUSE_MS);

  return (values) => {
    asked.abort();
    decided(null);
    view.setAttribute('aria-busy', 'true');
    later(values);
  };
}

// Says why not: nothing was done yet, so this is an answer and no failure.
function refused(error) {
  return error.status === 409 || error.status === 422 ? el('div.note.bad', el('strong', 'This cannot be done'), el('p', reasonOf(error)),
    error.errors?.map((one) => el('p', el('code', one.pointer), ' ', one.detail))) : problem(error);
}
