// SPDX-License-Identifier: Apache-2.0
//
// Those who log in, and the tokens of programs. What is shown once, a code or a token, is shown until the page is left.
import {choice, el, empty, field, fill, lineInput, table, tell} from './dom.js';
import {call, items, session} from './api.js';
import {redrawn, requestForm, sure} from './admin.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {time} from './format.js';

// A word that nobody can see again.
function once(title, hint, word) {
  const input = el('input', {readonly: true, value: word, onfocus: (event) => event.target.select()});
  const copy = el('button', {type: 'button', onclick: async () => {
    await navigator.clipboard?.writeText(word);
    tell('It is in the clipboard.');
  }}, 'Copy');

  return el('div.note.good', field(title, input, hint), copy);
}

function linkOf({user, code, expires}) {
  const address = new URL(`#login=${encodeURIComponent(code)}`, document.baseURI);

  return once(`The link with which ${user} logs in once`, `Give it to ${user} in a way that nobody else can read. It is valid until ${new Date(expires).toLocaleString()}, and shown only now.`, address);
}

function roles() {
  const all = ['read-only', 'user', 'admin'];

  return [...all, ...(session.role === 'superadmin' ? ['superadmin'] : [])].map((one) => [one, one]);
}

export function usersView({signal}) {
  const shown = el('div', {'aria-live': 'polite'});
  const name = lineInput('name', {required: true}), role = choice(roles(), 'user', {name: 'role'});
  const how = choice([['', 'with a link, and then a password'], ['oidc', 'at the organisation, without a password']], '', {name: 'how'});
  // A superadmin is one everywhere, so of no tenant.
  const values = () => ({name: name.value || 'USER', role: role.value, ...how.value && {oidc: true}});
  const row = (one, again) => [one.user, one.tenant ?? 'all', one.has_password ? 'yes' : 'not yet', one.seen ? time(one.seen) : 'never', one.by, el('span.row',
    el('button.small', {type: 'button', 'aria-label': `New link for ${one.user}`, title: commandLine(ACTIONS.userCode, {user: one.user}), onclick: async () => {
      fill(shown, linkOf(await call('POST /v1/users/{user}/code', {path: {user: one.user}, body: {}})));
    }}, 'New link'),
    sure('Delete', `Delete ${one.user}`, commandLine(ACTIONS.deleteUser, {user: one.user}), async () => {
      await call('DELETE /v1/users/{user}', {path: {user: one.user}, body: {}});
      tell(`${one.user} is deleted.`);
      await again();
    }))];

  return redrawn(async (again) => {
    const list = await items('GET /v1/users', {signal}), {provider} = await call('GET /v1/version', {signal});
    const send = async (body) => {
      const added = await call('POST /v1/users', {isOfNone: role.value === 'superadmin', body});
      fill(shown, added.code ? linkOf(added) : el('p.note.good', `${added.user} logs in at the organisation.`));
    };
    return [el('h1', 'Users'), el('p', 'People who can log in. What each may do in a tenant is set under Members.'), shown,
      list.length ? table('Users', ['User', 'Tenant', 'Password', 'Last login', 'Added by', 'Change'], list.map((one) => row(one, again)))
        : empty('Nobody logs in yet', 'Whoever uses the socket of the server’s machine needs no password. Add somebody who comes from elsewhere below.'),
      requestForm({title: 'Add a user', button: 'Add', action: ACTIONS.addUser, values, send, done: again, controls: [field('User', name), field('Role', role, `In the tenant ${session.tenant}.`), provider && field('Logs in', how)]}),
      commandView(commandLine(ACTIONS.users))];
  });
}

export function tokensView({signal}) {
  const shown = el('div', {'aria-live': 'polite'}), name = lineInput('name', {required: true});
  const role = choice([['', 'my own'], ...roles()], '', {name: 'role'}), lifetime = el('input', {name: 'lifetime', placeholder: '90d', autocomplete: 'off'});
  const values = () => ({name: name.value || 'NAME', role: role.value, lifetime: lifetime.value});
  const row = (one, again) => [one.name ?? '', one.of, one.user, one.role ?? '–', one.tenant ?? 'all', time(one.created), time(one.expires), one.address ?? '',
    sure(one.of === 'token' ? 'Revoke' : 'End', one.of === 'token' ? `Revoke ${one.name}` : 'End this session', commandLine(ACTIONS.deleteToken, {token: one.id}), async () => {
      await call('DELETE /v1/tokens/{token}', {path: {token: one.id}, body: {}});
      tell('It is not valid any more.');
      await again();
    })];

  return redrawn(async (again) => {
    const list = await items('GET /v1/tokens', {signal});
    const send = async (given) => {
      const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
      const made = await call('POST /v1/tokens', {body});
      fill(shown, once(`The token ${made.name}`, 'Programs send it as Authorization: Bearer TOKEN. It is shown only now.', made.token));
    };
    return [el('h1', 'Tokens'), el('p', 'With a token, a program acts as you. Sessions of browsers and of coopr login are listed as well.'), shown,
      list.length ? table('Tokens', ['Name', 'Kind', 'User', 'Role at most', 'Tenant', 'Made', 'Expires', 'From', 'Change'], list.map((one) => row(one, again)))
        : empty('No tokens', 'Make one below for a script or another machine.'),
      requestForm({title: 'Make a token', button: 'Make', action: ACTIONS.createToken, values, send, done: again,
        controls: [field('Name', name), field('Role', role, 'At most this role.'), field('Lifetime', lifetime, 'Such as 12h or 90d.')]}), commandView(commandLine(ACTIONS.tokens))];
  });
}
