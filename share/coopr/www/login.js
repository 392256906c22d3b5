// SPDX-License-Identifier: Apache-2.0
//
// The form to sign in.
import {el, field, fill, problem} from './dom.js';
import {call} from './api.js';

export function loginView(entered, reason) {
  const user = el('input', {name: 'user', autocomplete: 'username', required: true, autocapitalize: 'none', spellcheck: 'false'});
  const password = el('input', {name: 'password', type: 'password', autocomplete: 'current-password', required: true});
  const trouble = el('div');
  const button = el('button.main', 'Sign in');

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    fill(trouble);
    try {
      await call('POST /v1/session', {body: {user: user.value, password: password.value}});
      entered(await call('GET /v1/session'));
    } catch (error) {
      fill(trouble, problem(error.status === 401 ? Object.assign(new Error('User or password is wrong.'), {title: 'Not signed in'}) : error));
      password.value = '';
      password.focus();
    }
    button.disabled = false;
  }
  return el('div.login', el('h1', 'Sign in to coopr'), reason && el('p.note', reason),
    el('form', {onsubmit: submit}, field('User', user), field('Password', password), trouble, button),
    el('p.quiet', 'An administrator makes accounts, and links to sign in once.'));
}
