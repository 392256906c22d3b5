// SPDX-License-Identifier: Apache-2.0
//
// The forms to log in: with a password, or with the code of a link, which is valid once.
import {el, field, fill, problem} from './dom.js';
import {call} from './api.js';

// A form that sends what body(button) gives to begin a session, and goes on with entered().
function sessionForm(body, entered, ...parts) {
  const trouble = el('div');

  return el('form', {onsubmit: async (event) => {
    const buttons = event.target.querySelectorAll('button');

    event.preventDefault();
    buttons.forEach((one) => { one.disabled = true; });
    fill(trouble);
    try {
      await call('POST /v1/session', {body: body(event.submitter)});
      await entered();
    } catch (error) {
      fill(trouble, problem(Object.assign(error, {title: 'Not logged in'})));
      buttons.forEach((one) => { one.disabled = false; });
    }
  }}, parts, trouble);
}

// Where somebody comes back from the provider, what begins the session; null otherwise. It was this page that has sent them there.
export function returned() {
  const query = new URLSearchParams(location.search);
  const begun = JSON.parse(sessionStorage.getItem('provider') ?? 'null');

  if (!query.has('state'))
    return null;
  sessionStorage.removeItem('provider');
  history.replaceState(null, '', location.pathname + (begun?.hash ?? ''));
  if (!begun || begun.state !== query.get('state'))
    return {reason: 'That login was not begun here. Try again.'};
  if (!query.has('code'))
    return {reason: `The provider says: ${query.get('error_description') ?? query.get('error') ?? 'no'}`};
  return {body: {provider_code: query.get('code'), verifier: begun.verifier, nonce: begun.nonce}};
}

// A button to log in at the OpenID provider of the installation, if it has one.
function providerButton() {
  const place = el('div');
  const button = el('button', {type: 'button', onclick: async () => {
    button.disabled = true;
    try {
      const begun = await call('POST /v1/session/provider', {body: {}});
      sessionStorage.setItem('provider', JSON.stringify({...begun, hash: location.hash}));
      location.assign(begun.address);
    } catch (error) {
      fill(place, button, problem(Object.assign(error, {title: 'Not logged in'})));
      button.disabled = false;
    }
  }}, 'Log in with your organisation');

  call('GET /v1/version').then((version) => version.provider && fill(place, button)).catch(() => {});
  return place;
}

export function loginView(entered, reason) {
  const user = el('input', {name: 'user', autocomplete: 'username', required: true, autocapitalize: 'none', spellcheck: 'false'});
  const password = el('input', {name: 'password', type: 'password', autocomplete: 'current-password', required: true});

  return el('div.login', el('h1', 'Log in to coopr'), reason && el('p.note', reason),
    sessionForm(() => ({user: user.value, password: password.value}), entered, field('User', user), field('Password', password), el('button.main', 'Log in')), providerButton(),
    el('p.quiet', 'An administrator adds users, and makes links to log in once.'));
}

// The code alone logs in; who wants to come again chooses a password now.
export function codeView(code, entered) {
  const password = el('input', {name: 'new_password', type: 'password', autocomplete: 'new-password', minlength: 10, required: true});
  const body = (button) => button?.value === 'once' ? {code} : {code, new_password: password.value};

  return el('div.login', el('h1', 'Welcome to coopr'), el('p', 'This link logs you in once. To come back, choose a password.'),
    sessionForm(body, entered, field('New password', password, 'At least ten characters.'), el('button.main', 'Choose it and log in'),
      el('button', {value: 'once', formnovalidate: true}, 'Log in this once')));
}
