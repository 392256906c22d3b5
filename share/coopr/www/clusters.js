// SPDX-License-Identifier: Apache-2.0
//
// The list of clusters: fifty at a time, with filters that stand in the address.
import {add, el, choice, check, empty, fill, painted, settled, table, tableRows} from './dom.js';
import {call, items, may} from './api.js';
import {badge, cost, time} from './format.js';

const PAGE = 50;
const ROW_HEIGHT = 36; // of the lowest, in pixels
const ENDED = ['complete', 'failed', 'cancelled'];
const STATUSES = [['', 'All that exist'], ['updating', 'Updating'], ['active', 'Active'], ['failed', 'Failed'],
  ['terminated', 'Terminated'], ['all', 'All, also terminated']];
const COLUMNS = ['Name', 'State', 'Health', {name: 'Machines', number: true}, {name: 'Cost', number: true}, 'Template', 'Owner', 'Expires', 'Changed'];

export function clusterAddress(name, ...more) {
  return `#/${['clusters', name, ...more].map(encodeURIComponent).join('/')}`;
}

// What names a cluster: once it is deleted, others may take its name.
export function keyOf(cluster) {
  return cluster.state === 'terminated' ? cluster.id : cluster.name;
}

export function progress(underway) {
  const {done = 0, total = 0} = underway.tasks ?? {};

  return el('span.progress', `${underway.action} `,
    el('progress', {value: done, max: total || 1, 'aria-label': `${underway.action}: ${done} of ${total} tasks`}), el('small', ` ${done}/${total}`));
}

function row(cluster) {
  return [el('a', {href: clusterAddress(keyOf(cluster)), 'data-key': cluster.id}, cluster.name),
    cluster.underway ? progress(cluster.underway) : badge(cluster.state), cluster.condition ? badge(cluster.condition) : '–', cluster.nodes, cost(cluster.cost), cluster.template,
    cluster.owner, cluster.expires ? time(cluster.expires) : 'never', time(cluster.changed)];
}

function wanted(query) {
  return {search: query.get('search'), status: query.get('status'), template: query.get('template'), unhealthy: query.get('unhealthy') === 'true',
    after: query.get('after')};
}

function address(filters) {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value));

  return `#/clusters${query.size ? `?${query}` : ''}`;
}

function nothing(filters) {
  if (filters.after)
    return empty('No more clusters', 'This was the last page.', el('a.button', {href: address({...filters, after: null})}, 'First page'));
  if (Object.values(filters).some(Boolean))
    return empty('No cluster is like that', 'No cluster of this tenant matches the filters.', el('a.button', {href: '#/clusters'}, 'Remove the filters'));
  return empty('No clusters yet', 'A cluster is made from a template: choose one, and coopr finds the machines that it needs.',
    may('user') && el('a.button.main', {href: '#/create'}, 'Create a cluster'));
}

function pages(filters, list) {
  return el('nav.row', {'aria-label': 'Pages'},
    filters.after && el('a.button', {href: address({...filters, after: null}), 'data-key': 'first'}, '« First page'),
    list.length > PAGE && el('a.button', {href: address({...filters, after: list[PAGE - 1].name}), 'data-key': 'next'}, `Next ${PAGE} »`));
}

export async function clustersView({query, signal}) {
  const filters = wanted(query);
  const body = el('div'), command = el('div');
  const list = () => items('GET /v1/clusters', {query: {...filters, limit: PAGE + 1}, signal});

  let drawn; // a list that has not changed stays as it is
  function draw(clusters) {
    const now = JSON.stringify(clusters);

    if (now === drawn)
      return;
    const rows = clusters.slice(0, PAGE), fit = drawn ? PAGE : Math.ceil(window.innerHeight / ROW_HEIGHT);
    const shown = table('Clusters', COLUMNS, rows.slice(0, fit).map(row));

    drawn = now;
    fill(body, clusters.length === 0 ? nothing(filters) : [shown, pages(filters, clusters)]);
    if (rows.length > fit) // what is below the screen comes behind that
      painted().then(() => add(shown.querySelector('tbody'), tableRows(COLUMNS, rows.slice(fit).map(row))));
  }
  // Whoever looks at a cluster has the end of its operation recorded; a list does not.
  async function load() {
    const clusters = await list(), ended = clusters.filter((one) => ENDED.includes(one.underway?.jobstatus));

    await Promise.all(ended.map((one) => call('GET /v1/clusters/{cluster}', {path: {cluster: one.id}, signal}).catch(() => null)));
    return ended.length ? list() : clusters;
  }
  const search = el('input', {type: 'search', value: filters.search ?? '', placeholder: 'Part of a name', oninput: settled(() => choose('search', search.value), 250)});

  async function sayCommand() {
    const {ACTIONS, commandLine, commandView} = await import('./command.js'); // once the list is there

    fill(command, commandView(commandLine(ACTIONS.list, filters)));
  }

  // A filter changes the address without a new entry of the history, and the list below.
  async function choose(name, value) {
    filters[name] = value;
    filters.after = null;
    history.replaceState(null, '', address(filters));
    sayCommand();
    draw(await load());
  }
  const form = el('form.filters', {role: 'search', onsubmit: (event) => event.preventDefault()},
    el('label', 'Search ', search),
    el('label', 'State ', choice(STATUSES, filters.status ?? '', {onchange: (event) => choose('status', event.target.value)})),
    check('Only unhealthy', {checked: filters.unhealthy, onchange: (event) => choose('unhealthy', event.target.checked)}));

  draw(await load());
  sayCommand();
  import('./follow.js').then(({follow, looking}) => follow(null, signal, looking(async () => draw(await load()), signal)));
  return el('div', el('div.head', el('h1', 'Clusters'), may('user') && el('a.button.main', {href: '#/create'}, 'Create a cluster')), form, body, command);
}
