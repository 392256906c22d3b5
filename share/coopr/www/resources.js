// SPDX-License-Identifier: Apache-2.0
//
// Resources, the scripts and files that services need: their versions, what is in them, and what the next sync makes active.
import {check, choice, el, empty, field, fill, lineInput, table, tell} from './dom.js';
import {call, items, send, session, text} from './api.js';
import {redrawn, requestForm, sure} from './admin.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {differenceView} from './difference.js';
import {badge, count, time} from './format.js';

const FOLDERS = ['automator/shell/scripts', 'automator/shell/files'];
const SHOWN = 200000; // bytes of a text

const folderOf = ({plugin, type}) => `${plugin}/${type}`;
const isOwn = (one) => one.tenant === session.tenant;

function address({plugin, type, name}, query) {
  return `#/${['resources', ...plugin.split('/'), type, name].map(encodeURIComponent).join('/')}${query ? `?${new URLSearchParams(query)}` : ''}`;
}

// The parts of a resource's name, as the routes name them; version: NAME@VERSION.
function pathOf({plugin, type, name}, version) {
  const [kind, plain] = plugin.split('/');

  return {kind, plugin: plain, type, name: version ? `${name}@${version}` : name};
}

function wordOf(one, version) {
  return `${folderOf(one)}/${one.name}${version ? `@${version}` : ''}`;
}

// What waits for a sync, and the button for it.
function pending(versions, again) {
  const waiting = versions.filter((one) => isOwn(one) && (one.state === 'staged' || one.state === 'recalled'));

  return waiting.length > 0 && el('div.note', el('strong', `${count(waiting.length, 'change')} of what is active ${waiting.length === 1 ? 'waits' : 'wait'} for a sync`),
    el('ul', waiting.map((one) => el('li', wordOf(one, one.version), ' ', badge(one.state)))),
    el('p.row', el('button.main', {type: 'button', onclick: async () => {
      await call('POST /v1/sync', {body: {}});
      tell('What was staged is active now.');
      await again();
    }}, 'Sync')), commandView(commandLine(ACTIONS.sync)));
}

function uploadForm(versions, again) {
  const file = el('input', {type: 'file', name: 'file', required: true}), name = lineInput('name', {required: true});
  const folders = [...new Set([...FOLDERS, ...versions.map(folderOf)])], folder = choice(folders.map((one) => [one, one]), folders[0], {name: 'folder'});
  const stage = check('Stage it for the next sync', {name: 'stage', checked: true}), reason = el('input', {name: 'message', autocomplete: 'off'});
  const values = () => ({resource: `${folder.value}/${name.value || 'NAME'}`, file: file.files[0]?.name ?? 'FILE', stage: stage.querySelector('input').checked, message: reason.value});

  file.addEventListener('input', () => { name.value ||= file.files[0]?.name ?? ''; });
  return requestForm({title: 'Upload', button: 'Upload', action: ACTIONS.upload, values, done: again, controls: [field('File', file), field('Kind', folder), field('Name', name), field('Reason', reason), stage],
    send: async ({stage: isStaged, message}) => {
      const [kind, plugin, type] = folder.value.split('/');
      await send('PUT /v1/resources/{kind}/{plugin}/{type}/{name}', {path: {kind, plugin, type, name: name.value}, query: {stage: isStaged, message}, body: file.files[0]});
      tell(`${name.value} is uploaded.`);
    }});
}

export function resourcesView({signal}) {
  return redrawn(async (again) => {
    const versions = await items('GET /v1/resources', {signal}), byName = new Map();

    versions.forEach((one) => byName.set(wordOf(one), [...(byName.get(wordOf(one)) ?? []), one]));
    const rows = [...byName].map(([word, list]) => {
      const newest = list.at(-1), active = list.find((one) => one.state === 'active' || one.state === 'recalled');
      return [el('a', {href: address(newest)}, word), active?.version ?? 'none', newest.version, badge(newest.state), newest.bytes.toLocaleString(), isOwn(newest) ? newest.by : `of ${newest.tenant}`, time(newest.at)];
    });
    return [el('h1', 'Resources'), el('p', 'Scripts and files that the actions of services name. Clusters keep the versions that they were made with.'), pending(versions, again),
      rows.length ? table('Resources', ['Resource', {name: 'Active', number: true}, {name: 'Newest', number: true}, 'State', {name: 'Bytes', number: true}, 'By', 'Changed'], rows)
        : empty('No resources', 'Upload a script below, and name it in an action of a service.'),
      uploadForm(versions, again), commandView(commandLine(ACTIONS.resources))];
  });
}

// What a version contains, where that is text.
async function contents(one, version, signal) {
  const response = await send('GET /v1/resources/{kind}/{plugin}/{type}/{name}', {path: pathOf(one, version), accept: '*/*', signal});
  const bytes = new Uint8Array(await response.arrayBuffer());

  if (one.format !== 'file' || bytes.length > SHOWN || bytes.includes(0))
    return el('p.quiet', `${one.bytes.toLocaleString()} bytes, ${one.format === 'file' ? 'which are no text' : 'an archive'}; the command gets them.`);
  return el('pre', {tabindex: '0', 'aria-label': `Version ${version}`}, new TextDecoder().decode(bytes));
}

function versionRow(one, again) {
  const act = (action, route, done) => async () => {
    await call(route, {path: pathOf(one, action === 'recall' ? undefined : one.version), body: {}});
    tell(done);
    await again();
  };
  const isActive = one.state === 'active';
  const changes = isOwn(one) && [
    one.state === 'inactive' && el('button.small', {type: 'button', 'aria-label': `Stage version ${one.version}`, title: commandLine(ACTIONS.stage, {resource: wordOf(one, one.version)}),
      onclick: act('stage', 'POST /v1/resources/{kind}/{plugin}/{type}/{name}/stage', 'The next sync makes it active.')}, 'Stage'),
    (isActive || one.state === 'staged') && el('button.small', {type: 'button', 'aria-label': `Recall version ${one.version}`, title: commandLine(ACTIONS.recall, {resource: wordOf(one)}),
      onclick: act('recall', 'POST /v1/resources/{kind}/{plugin}/{type}/{name}/recall', isActive ? 'The next sync makes it inactive.' : 'It is not staged any more.')}, 'Recall'),
    one.state === 'inactive' && sure('Delete', `Delete version ${one.version}`, commandLine(ACTIONS.deleteResource, {resource: wordOf(one, one.version)}), act('delete', 'DELETE /v1/resources/{kind}/{plugin}/{type}/{name}', 'The version is deleted.'))];

  return [one.version, badge(one.state), one.bytes.toLocaleString(), one.by, time(one.at), one.why ?? '', el('span.row',
    el('a', {href: address(one, {version: one.version}), 'data-key': `show-${one.version}`}, 'show'), el('a', {href: address(one, {to: one.version}), 'data-key': `compare-${one.version}`}, 'compare'), changes)];
}

export function resourceView({kind, plugin, type, name, query, signal}) {
  const asked = {plugin: `${kind}/${plugin}`, type, name};

  return redrawn(async (again) => {
    const list = (await items('GET /v1/resources', {signal})).filter((one) => wordOf(one) === wordOf(asked)), newest = list.at(-1);
    const named = (name) => list.find((one) => String(one.version) === query.get(name)); // none, also where it was deleted since
    const version = named('version') ?? newest, to = named('to')?.version;

    if (!newest)
      throw Object.assign(new Error(`There is no resource "${wordOf(asked)}".`), {title: 'Not found'});
    const lines = to && await text('GET /v1/resources/{kind}/{plugin}/{type}/{name}/diff', {path: pathOf(asked), query: {to: wordOf(asked, to)}, signal});
    return [el('p.crumbs', el('a', {href: '#/resources'}, 'Resources'), ' / ', folderOf(asked)), el('h1', name), pending(list, again),
      table('Versions', [{name: 'Version', number: true}, 'State', {name: 'Bytes', number: true}, 'By', 'Changed', 'Reason', 'Change'], list.toReversed().map((one) => versionRow(one, again))),
      to ? el('section', el('h2', `From the active version to ${to}`), lines ? differenceView(lines) : el('p.quiet', 'They are the same.'), commandView(commandLine(ACTIONS.diffResource, {resource: wordOf(asked), to: wordOf(asked, to)})))
        : el('section', el('h2', `Version ${version.version}`), await contents(version, version.version, signal), commandView(commandLine(ACTIONS.getResource, {resource: wordOf(asked, version.version)})))];
  });
}
