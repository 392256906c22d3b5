// SPDX-License-Identifier: Apache-2.0
//
// The frame of the page: who is there, the navigation, and the view that the address names. An address is #/PATH?QUERY, so it can be sent.
import {el, fill, problem, tell} from './dom.js';
import {call, hold, may, session} from './api.js';
import * as clusters from './clusters.js'; // most begin with the list

// A view: its path, whose {words} it is given; the module that has it, and the function there; where it stands in the navigation.
const VIEWS = [
  ['clusters', () => clusters, 'clustersView', 'clusters'],
  ['clusters/{cluster}', () => import('./cluster.js'), 'clusterView', 'clusters'],
  ['clusters/{cluster}/do/{action}', () => import('./change.js'), 'changeView', 'clusters'],
  ['clusters/{cluster}/{tab}', () => import('./cluster.js'), 'clusterView', 'clusters'],
  ['create', () => import('./create.js'), 'templatesView', 'create'],
  ['create/{template}', () => import('./create.js'), 'createView', 'create'],
  ['entities', () => import('./entities.js'), 'entitiesView', 'entities'],
  ['entities/{kind}', () => import('./entities.js'), 'entitiesView', 'entities'],
  ['entities/clustertemplate/{name}/rules', () => import('./rules.js'), 'rulesView', 'entities'],
  ['entities/{kind}/{name}', () => import('./entities.js'), 'entityView', 'entities'],
  ['members', () => import('./admin.js'), 'membersView', 'members'],
  ['quota', () => import('./admin.js'), 'quotaView', 'quota'],
  ['secrets', () => import('./admin.js'), 'secretsView', 'secrets'],
  ['usage', () => import('./admin.js'), 'usageView', 'usage'],
  ['audit', () => import('./admin.js'), 'auditView', 'audit'],
  ['resources', () => import('./resources.js'), 'resourcesView', 'resources'],
  ['resources/{kind}/{plugin}/{type}/{name}', () => import('./resources.js'), 'resourceView', 'resources'],
  ['volumes', () => import('./volumes.js'), 'volumesView', 'volumes'],
  ['users', () => import('./accounts.js'), 'usersView', 'users'],
  ['tokens', () => import('./accounts.js'), 'tokensView', 'tokens'],
  ['queue', () => import('./installation.js'), 'queueView', 'queue'],
  ['hooks', () => import('./installation.js'), 'hooksView', 'hooks'],
  ['settings', () => import('./installation.js'), 'settingsView', 'settings'],
  ['tenants', () => import('./installation.js'), 'tenantsView', 'tenants'],
  ['tenants/{tenant}', () => import('./installation.js'), 'tenantView', 'tenants'],
];

// The navigation: who sees it at least, and its entries.
const SECTIONS = [
  ['Clusters', 'read-only', [['clusters', 'Clusters'], ['create', 'Create a cluster', 'user'], ['volumes', 'Volumes'], ['quota', 'Quota'], ['usage', 'Usage'], ['tokens', 'Tokens']]],
  ['Administration', 'admin', [['entities', 'Catalogue'], ['resources', 'Resources'], ['members', 'Members'], ['users', 'Users'], ['secrets', 'Secrets'], ['audit', 'Audit log']]],
  ['Installation', 'superadmin', [['queue', 'Queue'], ['tenants', 'Tenants'], ['hooks', 'Hooks'], ['settings', 'Settings']]],
];
// What is said to somebody who was sent the address of a view that the role does not allow.
const NEEDED = {user: 'A user of the tenant may do this; you may only read.', admin: 'An administrator of the tenant may do this.', superadmin: 'A superadmin may do this.'};
const main = document.getElementById('main');
const nav = document.getElementById('nav');
const bar = document.getElementById('bar');
let leaving = new AbortController();
let isFirst = true;
let entered = Promise.resolve(); // that it is known who asks

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');

  return {path: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query)};
}

function match(path) {
  for (const [pattern, load, name, section] of VIEWS) {
    const words = pattern.split('/'), values = {};
    if (words.length === path.length && words.every((word, i) => word.startsWith('{') ? (values[word.slice(1, -1)] = path[i], true) : word === path[i]))
      return {load, name, section, values};
  }
  return null;
}

function drawNav(section) {
  nav.hidden = false;
  fill(nav, SECTIONS.filter(([, role]) => may(role)).map(([title, , entries]) => [
    el('h2', title),
    el('ul', entries.filter(([, , role]) => may(role ?? 'read-only')).map(([path, label]) => el('li',
      el('a', {href: `#/${path}`, 'aria-current': path === section ? 'page' : null, 'data-key': `nav-${path}`}, label))))]));
}

async function leave() {
  await call('DELETE /v1/session');
  Object.assign(session, {user: null, tenant: null, role: null, tenants: [], csrf: null});
  askWho();
}

// The picture of icon.svg, which is asked for by itself otherwise.
function logo() {
  return el('svg', {viewBox: '0 0 32 32', width: '22', height: '22', 'aria-hidden': 'true'}, el('rect', {width: '32', height: '32', rx: '7', fill: '#2457c5'}),
    [[7, 8, 1], [17, 8, .7], [7, 17, .7], [17, 17, 1]].map(([x, y, opacity]) => el('rect', {x, y, width: '8', height: '7', rx: '1.5', fill: '#fff', opacity})));
}

function drawBar() {
  const menu = el('button.menu', {type: 'button', 'aria-expanded': 'false', 'aria-controls': 'nav', onclick: () => {
    const open = nav.classList.toggle('open');
    menu.setAttribute('aria-expanded', String(open));
  }}, 'Menu');
  const tenants = session.tenants.map((one) => one.name);

  bar.hidden = false;
  fill(bar, menu, el('a.brand', {href: '#/clusters'}, logo(), 'coopr'),
    el('span.space'),
    tenants.length > 1 && el('label.inline', el('span', 'Tenant '), el('select', {onchange: (event) => changeTenant(event.target.value)},
      tenants.map((name) => el('option', {value: name, selected: name === session.tenant}, name)))),
    tenants.length === 1 && el('span.quiet', tenants[0]),
    session.user && el('span.who', session.user, session.role && el('small', ` ${session.role}`)),
    session.csrf && el('button.small', {type: 'button', onclick: leave}, 'Log out'));
}

function changeTenant(name) {
  session.tenant = name;
  session.role = session.tenants.find((one) => one.name === name)?.role ?? session.role;
  sessionStorage.setItem('tenant', name);
  drawBar();
  show();
}

// Shows the view that the address names.
async function show() {
  const {path, query} = place();
  const found = match(path);

  leaving.abort();
  leaving = new AbortController();
  const {signal} = leaving;
  nav.classList.remove('open');
  bar.querySelector('.menu')?.setAttribute('aria-expanded', 'false');
  if (path.length === 0) {
    history.replaceState(null, '', '#/clusters');
    show();
    return;
  }
  if (!bar.hidden)
    drawNav(found?.section);
  main.setAttribute('aria-busy', 'true');
  let content;
  try {
    if (!found)
      throw Object.assign(new Error('There is no such page. Choose one from the menu.'), {title: 'Not found'});
    const module = await found.load();
    if (found.section !== 'clusters')
      await entered; // the others look at the role before they ask for anything
    const least = SECTIONS.flatMap(([, role, entries]) => entries.map(([entry, , own]) => [entry, own ?? role])).find(([entry]) => entry === found.section)[1];
    if (least in NEEDED && !may(least))
      throw Object.assign(new Error(NEEDED[least]), {title: 'Not permitted', status: 403});
    content = await module[found.name]({...found.values, query, signal});
  } catch (error) {
    if (error.name === 'AbortError')
      return;
    content = el('div', el('h1', 'This cannot be shown'), problem(error),
      el('p.row', !error.status && found && el('button.main', {type: 'button', onclick: show}, 'Try again'), el('a.button', {href: '#/clusters'}, 'Go to the clusters')));
  }
  if (signal.aborted)
    return;
  fill(main, content);
  main.removeAttribute('aria-busy');
  const heading = main.querySelector('h1');
  document.title = heading ? `${heading.dataset.title ?? heading.textContent} – coopr` : 'coopr';
  if (!isFirst && heading && !main.contains(document.activeElement)) {
    heading.tabIndex = -1;
    heading.focus({preventScroll: true});
    window.scrollTo(0, 0);
  }
  isFirst = false;
}

function showAlone(view) {
  leaving.abort();
  nav.hidden = true;
  bar.hidden = true;
  main.removeAttribute('aria-busy');
  document.title = 'Log in – coopr';
  fill(main, view);
  main.querySelector('input')?.focus();
}

// Asks the user to log in; then what the address names is shown.
async function askWho(reason) {
  leaving.abort();
  session.tenant = null;
  const {loginView} = await import('./login.js');

  showAlone(loginView(begin, reason));
}

// Asks who is there. Meanwhile what the address names is asked for as well, of the tenant of before.
function begin() {
  const asked = call('GET /v1/session');

  session.tenant = sessionStorage.getItem('tenant');
  entered = asked.then(enter);
  hold(entered);
  show();
  return entered;
}

function enter(record) {
  const chosen = session.tenant, isMember = record.tenants?.some((one) => one.name === chosen);

  Object.assign(session, record);
  if (isMember)
    session.tenant = chosen;
  drawBar();
  drawNav(match(place().path)?.section);
  if (chosen && !isMember)
    show();
}

async function start() {
  const code = /^#login=(.+)$/.exec(location.hash)?.[1];

  try {
    const back = location.search && (await import('./login.js')).returned();

    if (back?.reason) {
      askWho(back.reason);
    } else if (back) {
      await call('POST /v1/session', {body: back.body});
      await begin();
    } else if (code) {
      const {codeView} = await import('./login.js');
      history.replaceState(null, '', '#/clusters'); // the code is in no history, and is not sent on
      showAlone(codeView(decodeURIComponent(code), begin));
    } else {
      await begin();
    }
  } catch (error) {
    if (error.status !== 401)
      throw error;
    askWho(error.messages.length ? error.message : undefined);
  }
}

window.addEventListener('hashchange', () => { if (!bar.hidden) show(); });
window.addEventListener('logged-out', () => { if (!bar.hidden) askWho('The session has ended. Log in again.'); });
window.addEventListener('unhandledrejection', (event) => {
  if (event.reason?.name !== 'AbortError')
    tell(event.reason?.message ?? 'That did not work.', 'bad');
  event.preventDefault();
});
start().catch((error) => { fill(main, el('div', el('h1', 'coopr'), problem(error))); });
