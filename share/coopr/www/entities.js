// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of a tenant: its entities, their versions, and a form beside the JSON of one, which is checked while somebody writes.
import {check, choice, el, empty, field, fill, problem, reasonOf, settled, table, tell} from './dom.js';
import {call, items, text} from './api.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {clusterAddress} from './clusters.js';
import {differenceView} from './difference.js';
import {formOf, schemaOf} from './form.js';
import {time} from './format.js';
import {providerView} from './provider.js';

// The kinds: what a tab is called, and one entity.
const KINDS = [['clustertemplate', 'Templates', 'template'], ['partialtemplate', 'Partial templates', 'partial template'], ['service', 'Services', 'service'],
  ['hardwaretype', 'Hardware', 'hardware type'], ['imagetype', 'Images', 'image type'], ['provider', 'Providers', 'provider']];
const USERS = 20; // clusters of a template that are named
const NEW = '+'; // stands for the name of an entity that is not there yet

function address(...path) {
  return `#/${['entities', ...path].map(encodeURIComponent).join('/')}`;
}

export async function entitiesView({kind = 'clustertemplate', signal}) {
  const [, title, single] = KINDS.find(([one]) => one === kind) ?? [];
  if (!title)
    throw Object.assign(new Error('There is no such kind of entities.'), {title: 'Not found'});
  const list = await items('GET /v1/entities/{kind}', {path: {kind}, signal});
  const create = el('a.button.main', {href: address(kind, NEW)}, `New ${single}`);
  const rows = list.map((one) => [el('a', {href: address(kind, one.name)}, one.name), one.version, one.by, time(one.at), one.why ?? '']);

  return el('div', el('div.head', el('h1', 'Catalogue'), create),
    el('nav.tabs', {'aria-label': 'Kinds of entities'}, KINDS.map(([one, label]) => el('a', {href: address(one), 'aria-current': one === kind ? 'page' : null}, label))),
    rows.length ? table(title, ['Name', {name: 'Version', number: true}, 'By', 'Changed', 'Reason'], rows)
      : empty('None yet', 'Write one here, or import a catalogue: coopr import DIR.', el('a.button', {href: address(kind, NEW)}, `New ${single}`)),
    commandView(commandLine(ACTIONS.entities, {kind})));
}

// All that was said of what was refused; the reason stands last.
function refusedView(title, error, reason) {
  const lines = [...(error.messages ?? []).slice(0, -1), reason];

  return el('div.note.bad', el('strong', title), el('ul', lines.map((line) => el('li', line.replace(/^standard input: /, '')))));
}

// Says what is wrong with a document, or what it would make wrong elsewhere.
function verdict(error) {
  return refusedView('Not right yet', error, reasonOf(error));
}

// The document as JSON and as a form, each of which follows the other. read() gives it; undefined where the JSON is malformed.
function editor(schema, initial, changed, below) {
  const area = el('textarea.code', {rows: 24, spellcheck: 'false', 'aria-label': 'The document as JSON'}), side = el('div.form'), wrong = el('p.bad', {role: 'status'});
  let form, current = initial;

  const say = () => { area.value = `${JSON.stringify(current, null, 2)}\n`; };
  const fromForm = () => {
    current = form.read();
    say();
    fill(wrong);
    changed();
  };
  const draw = () => {
    form = formOf(schema, current, fromForm);
    fill(side, form.view);
  };
  const fromText = () => {
    try {
      current = JSON.parse(area.value);
      fill(wrong);
      draw();
    } catch (error) {
      current = undefined;
      fill(wrong, `This is no JSON: ${error.message}`);
    }
    changed();
  };
  say();
  draw();
  side.addEventListener('input', fromForm);
  area.addEventListener('input', settled(fromText, 300));
  return {view: el('div.split.even', el('section', el('h2', 'As a form'), side), el('section', el('h2', 'As JSON'), area, wrong, below)), read: () => current};
}

// The versions, and what is different between two of them.
async function versionsView(kind, name, query, signal) {
  const versions = await items('GET /v1/entities/{kind}/{name}/history', {path: {kind, name}, signal});
  const [newest] = versions.map((one) => one.version).sort((a, b) => b - a);
  const to = query.get('new') ?? String(newest), from = query.get('old') ?? String(Math.max(Number(to) - 1, 1));
  const options = versions.map((one) => [String(one.version), `version ${one.version}, by ${one.by}`]);
  const show = (old, later) => { location.hash = `${address(kind, name)}?old=${old}&new=${later}`; };
  const lines = versions.length > 1 ? await text('GET /v1/entities/{kind}/{name}/diff', {path: {kind, name}, query: {old: from, new: to}, signal}) : '';

  return {newest, view: el('section', el('h2', 'Versions'), versions.length < 2 ? el('p.quiet', `This is version ${newest}, and there is no other.`)
    : [el('p.filters', el('label', 'From ', choice(options, from, {onchange: (event) => show(event.target.value, to)})),
      el('label', 'to ', choice(options, to, {onchange: (event) => show(from, event.target.value)})),
      Number(from) !== newest && el('a', {href: `${address(kind, name)}?restore=${from}`}, `Restore version ${from}`)), lines ? differenceView(lines) : el('p.quiet', 'They are the same.')])};
}

// Who needs an entity: what would be wrong without it, as the server finds it, and the clusters of a template.
async function usersView(kind, name, signal) {
  const path = {kind, name}, clusters = kind === 'clustertemplate' ? await items('GET /v1/clusters', {query: {template: name, limit: USERS}, signal}) : [];
  let lines = [];

  try {
    await call('DELETE /v1/entities/{kind}/{name}', {path, body: {'dry-run': true}, signal});
  } catch (error) {
    lines = error.messages ?? [];
  }
  const users = new Set(lines.flatMap((line) => line.match(/^(\w+)s\/([^/]+)\.json: /)?.slice(1, 3).join('/') ?? []));
  return el('section', el('h2', 'Used by'), users.size + clusters.length === 0 ? el('p.quiet', 'Nothing uses it.') : el('ul.columns',
    [...users].map((one) => el('li', el('a', {href: address(...one.split('/'))}, one))),
    clusters.map((one) => el('li', el('a', {href: clusterAddress(one.name)}, `cluster ${one.name}`)))));
}

export async function entityView({kind, name, query, signal}) {
  const isNew = name === NEW, path = {kind, name}, restored = query.get('restore');
  const [schema, initial, older] = await Promise.all([schemaOf(kind), isNew ? {name: ''} : call('GET /v1/entities/{kind}/{name}', {path, signal}),
    restored ? call('GET /v1/entities/{kind}/{name}', {path, query: {revision: restored}, signal}) : null]);
  const [versions, users] = isNew ? [{newest: 0}, null] : await Promise.all([versionsView(kind, name, query, signal), usersView(kind, name, signal)]);
  const state = el('div', {'aria-live': 'polite'}), reason = el('input', {autocomplete: 'off'}), force = check('Save it also where that makes something else wrong', {name: 'force'});
  const save = el('button.main', {type: 'button', disabled: true, onclick: put}, 'Save'), command = commandView('');
  const document = editor(schema, older ?? initial, () => { save.disabled = true; examine(); }, [state, field('Reason', reason, 'For the history; may be empty.'), force, el('p.row', save)]);
  const isForced = () => force.querySelector('input').checked;
  const asked = (more) => ({kind, expect: versions.newest, message: reason.value, force: isForced(), ...more});

  // Has the document checked as by coopr validate, then as if it were put.
  const examine = settled(async () => {
    const value = document.read();

    command.say(commandLine(ACTIONS.put, {file: `${value?.name || 'NAME'}.json`, ...asked()}));
    if (value === undefined || JSON.stringify(value) === JSON.stringify(initial))
      return fill(state);
    try {
      const body = JSON.stringify(value);
      await call('POST /v1/validate', {query: {kind}, body, signal});
      const {items: [{note} = {}]} = await call('POST /v1/entities', {query: asked({'dry-run': true}), body, signal});
      fill(state, note ? el('p.note', `The document can be saved, but perhaps it is not meant so: ${note}`)
        : el('p.note.good', 'The document is right, and nothing else becomes wrong by it.'));
      save.disabled = false;
    } catch (error) {
      if (error.name !== 'AbortError')
        fill(state, verdict(error));
    }
  }, 400);

  async function put() {
    save.disabled = true;
    try {
      await call('POST /v1/entities', {query: asked(), body: JSON.stringify(document.read())});
      tell('It is saved as a new version.');
      const target = address(kind, document.read().name);
      if (location.hash === target)
        window.dispatchEvent(new Event('hashchange'));
      else
        location.hash = target;
    } catch (error) {
      fill(state, problem(error));
    }
  }
  force.addEventListener('change', examine);
  reason.addEventListener('input', examine);
  if (older)
    examine();
  command.say(commandLine(ACTIONS.put, {file: isNew ? 'NAME.json' : `${name}.json`, ...asked()}));
  const [, title = kind, single = kind] = KINDS.find(([one]) => one === kind) ?? [];
  return el('div', el('p.crumbs', el('a', {href: address(kind)}, title)), el('div.head', el('h1', isNew ? `New ${single}` : name),
    !isNew && kind === 'clustertemplate' && el('a.button', {href: address(kind, name, 'rules')}, 'Rules'), !isNew && deletion(kind, name, versions.newest, state)), older && el('p.note', `This is version ${restored}. Saved, it is the newest again.`), document.view, command, versions.view, users,
    !isNew && kind === 'provider' && providerView(name, signal));
}

// A button that tells who uses the entity, which then cannot be deleted, or asks once more.
function deletion(kind, name, version, state) {
  const route = 'DELETE /v1/entities/{kind}/{name}', path = {kind, name};
  const sure = el('button.main.bad', {type: 'button', onclick: async () => {
    await call(route, {path, body: {expect: version}});
    tell(`${name} is deleted.`);
    location.hash = address(kind);
  }}, `Delete ${name}`);

  return el('button.bad', {type: 'button', onclick: async () => {
    try {
      await call(route, {path, body: {expect: version, 'dry-run': true}});
      fill(state, el('div.note', el('p', 'Nothing uses it. Its versions stay in the history.'), el('p.row', sure), commandView(commandLine(ACTIONS.deleteEntity, {kind, name}))));
      sure.focus();
    } catch (error) {
      fill(state, refusedView('It is in use', error, error.message));
    }
    state.scrollIntoView({block: 'nearest'});
  }}, 'Delete');
}
