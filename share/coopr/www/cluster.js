// SPDX-License-Identifier: Apache-2.0
//
// One cluster: its machines, what happens to it, its log, its history and its configuration. It follows the events of the cluster, and
// looks again when something has happened.
import {el, empty, fill, table, tell} from './dom.js';
import {call, items, may, send, session, text} from './api.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {differenceView} from './difference.js';
import {amount, amountLabel, badge, cost, count, duration, time} from './format.js';
import {clusterAddress, keyOf} from './clusters.js';
import {follow, looking} from './follow.js';
import {layoutView, machineDetails} from './layout.js';
import {timelineView} from './timeline.js';

const TABS = [['machines', 'Machines'], ['activity', 'Activity'], ['log', 'Log'], ['history', 'History'], ['config', 'Configuration']];
const LOG = 65536; // bytes of a log that are shown first
const CHANGES = [['expand', 'Add machines'], ['shrink', 'Remove machines'], ['scale', 'Scale services'], ['restart', 'Restart services'],
  ['start', 'Start services'], ['stop', 'Stop services'], ['add', 'Set up services'], ['remove', 'Take services down'], ['replace', 'Replace machines'],
  ['upgrade', 'Upgrade'], ['clone', 'Clone'], ['rename', 'Rename'], ['lease', 'Change the lease'], ['rollback', 'Roll back']];

async function control(name, cluster) {
  const [route] = ACTIONS[name];

  await call(route, {path: {cluster}, body: {}});
  tell({pause: 'No further task is started.', resume: 'The operation continues.', abort: 'The operation is being cancelled.'}[name]);
}

function underwayView(cluster) {
  const {action, tasks = {}, jobstatus, begun, by} = cluster.underway;
  const isPaused = jobstatus === 'paused';
  const {done = 0, total = 0, failed = 0} = tasks;
  const button = (name, label, kind = 'button') => el(kind, {type: 'button', 'data-key': `control-${name}`,
    title: commandLine(ACTIONS[name], {cluster: keyOf(cluster)}), onclick: () => control(name, cluster.name)}, label);

  return el('section.underway', {'aria-label': 'The operation in progress'},
    el('p', el('strong', `${action} `), badge(jobstatus ?? 'running'), el('span.quiet', ` by ${by}, began `, time(begun))),
    el('progress', {value: done, max: total || 1, 'aria-label': 'Tasks that are done'}),
    el('p.row', el('span', `${done} of ${count(total, 'task')}`, failed > 0 && el('strong.bad', `, ${failed} failed`)), el('span.space'),
      el('a', {href: clusterAddress(keyOf(cluster), 'activity')}, 'Timeline'),
      may('user') && [isPaused ? button('resume', 'Resume') : button('pause', 'Pause'), button('abort', 'Cancel', 'button.bad')]));
}

function figures(cluster) {
  const isMade = cluster.nodes > 0 || !cluster.underway; // while the first machines are made, their number and cost are not known
  const list = [['Machines', isMade ? cluster.nodes : null], ['Services', isMade ? `${cluster.ready} of ${cluster.instances}` : null], ['Cost', cost(isMade ? cluster.cost : null)],
    ...Object.entries(cluster.resources ?? {}).map(([name, value]) => [amountLabel(name), amount(name, value)]),
    ['Expires', cluster.expires ? time(cluster.expires) : 'never'], ['Template', cluster.template], ['Provider', cluster.provider], ['Owner', cluster.owner]];

  return el('dl.figures', list.map(([name, value]) => el('div', el('dt', name), el('dd', value ?? '–'))));
}

// What to do next, where something is not well.
function advice(cluster) {
  if (cluster.underway || cluster.state === 'terminated')
    return null;
  const act = (name, label, kind = 'a.button') => may('user') && el(kind, {href: clusterAddress(keyOf(cluster), 'do', name)}, label);

  if (cluster.status === 'incomplete' || cluster.status === 'inconsistent' || cluster.state === 'failed')
    return el('div.problem', {role: 'alert'}, el('strong', 'The last operation failed'), cluster.message && el('p', cluster.message),
      el('p.row', act('retry', 'Retry', 'a.button.main'), act('rollback', 'Roll back'), el('a', {href: clusterAddress(keyOf(cluster), 'activity')}, 'See what failed')));
  if (cluster.condition === 'down' || cluster.condition === 'degraded')
    return el('div.problem', {role: 'alert'}, el('strong', 'Not all services are well'), cluster.message && el('p', cluster.message),
      el('p.row', act('start', 'Start services', 'a.button.main'), act('restart', 'Restart services'), act('replace', 'Replace machines')));
  if (cluster.condition === 'stopped')
    return el('p.row', 'All services were stopped.', act('start', 'Start services', 'a.button.main'));
  return null;
}

// Who may only read logs in nowhere, and others only where the server has terminals.
function terminalLink({terminal}, cluster, {nodenum}) {
  const query = session.tenant ? `?tenant=${encodeURIComponent(session.tenant)}` : '';

  return terminal && session.role !== 'read-only' && el('a', {href: `terminal#/${encodeURIComponent(cluster.name)}/${nodenum}${query}`, target: '_blank', rel: 'noopener',
    'aria-label': `Terminal of ${nodenum}`}, 'Terminal');
}

// What repairs a service that does not run, or a machine that does not answer.
function repairLink(cluster, {service}, {nodenum}) {
  const link = (action, query, label) => el('a', {href: `${clusterAddress(keyOf(cluster), 'do', action)}?${new URLSearchParams(query)}`}, label);

  if (cluster.underway || !may('user'))
    return null;
  return service ? link('start', {services: service, node: nodenum}, `Start ${service}`) : link('replace', {nodes: nodenum}, `Replace ${nodenum}`);
}

async function machinesTab(cluster, signal) {
  const [records, server] = await Promise.all([items('GET /v1/clusters/{cluster}/nodes', {path: {cluster: cluster.id}, signal}), call('GET /v1/version')]);
  const nodes = records.filter((one) => one.kind === 'node'), observations = records.filter((one) => one.kind === 'observation');
  const links = records.filter((one) => one.kind === 'link');
  const columns = ['Machine', 'Hardware', 'Image', 'Address', 'Services'];

  if (nodes.length === 0)
    return empty('No machines', cluster.state === 'terminated' ? 'The cluster was deleted; its history stays.' : 'Machines appear here as soon as they exist.');
  return [links.length > 0 && el('p.row', links.map((one) => el('a.button', {href: one.url, rel: 'noreferrer', target: '_blank'}, one.label, el('span', {'aria-hidden': 'true'}, '↗')))),
    layoutView(nodes, machineDetails(observations, cluster.condition === 'unknown', (node) => terminalLink(server, cluster, node), (...what) => repairLink(cluster, ...what))),
    el('details', el('summary', 'As a table'), table('Machines', columns, nodes.map((node) => [node.hostname, node.hardwaretype, node.imagetype,
      Object.entries(node.ipaddresses ?? {}).map(([name, address]) => `${name} ${address}`).join(', '), node.services.join(' ')]))),
    commandView(commandLine(ACTIONS.nodes, {cluster: keyOf(cluster)}))];
}

function operationsOf(cluster, signal) {
  return items('GET /v1/clusters/{cluster}/operations', {path: {cluster: cluster.id}, signal});
}

// Returns the number of the last operation with tasks, as text; '' where there was none.
function newest(operations) {
  return String(Math.max(...operations.filter((one) => one.job).map((one) => one.number), 0) || '');
}

function operationChoice(cluster, operations, chosen, tab) {
  const options = operations.filter((one) => one.job).map(({number, action, status}) => el('option', {value: number, selected: String(number) === chosen}, `${number}: ${action}, ${status}`));

  return el('label', 'Operation ', el('select', {'data-key': 'operation', onchange: (event) => {
    location.hash = `${clusterAddress(keyOf(cluster), tab)}?operation=${event.target.value}`;
  }}, options));
}

async function activityTab(cluster, signal, query) {
  const operations = await operationsOf(cluster, signal), operation = query.get('operation') ?? newest(operations);
  if (!operation)
    return empty('Nothing has happened yet', 'There was no operation with tasks.');
  const records = await items('GET /v1/clusters/{cluster}/report', {path: {cluster: cluster.id}, query: {operation}, signal});
  const report = records.find((one) => one.kind === 'report'), attempts = records.filter((one) => one.kind === 'attempt');
  const failed = attempts.filter((one) => one.status === 'failed');
  const columns = ['Task', 'Machine', 'Service', 'State', {name: 'Took', number: true}];

  return [el('div.filters', operationChoice(cluster, operations, operation, 'activity')),
    report && el('dl.figures', [['State', badge(report.status)], ['Duration', duration(report.makespan_s)], ['Expected', duration(report.planned_critical_path_s)],
      ['Work', duration(report.work_s)], ['Tasks', report.tasks], ['In parallel', report.peak]].map(([name, value]) => el('div', el('dt', name), el('dd', value ?? '–')))),
    failed.map((one) => el('div.problem', el('strong', `${one.action} ${one.service ?? ''} failed on ${one.hostname}`), one.message && el('p', one.message),
      one.stderr && el('pre', one.stderr))),
    attempts.length > 0 ? timelineView(attempts, report?.status === 'running') : empty('Nothing has begun yet', 'The tasks appear as soon as a worker takes them; coopr work runs one.'),
    attempts.length > 0 && el('details', el('summary', `Attempts: ${attempts.length}`), table('Attempts', columns,
      attempts.map((one) => [`${one.task} ${one.action}`, one.hostname ?? one.node, one.service ?? '', badge(one.status), duration(one.took_s)]))),
    commandView(commandLine(ACTIONS.report, {cluster: keyOf(cluster), operation}))];
}

// The end of a log, so many bytes of it, from the beginning of a line; and how many bytes there are.
async function logEnd(cluster, operation, last, signal) {
  const response = await send('GET /v1/clusters/{cluster}/log', {path: {cluster: cluster.id}, query: {operation}, accept: 'text/plain', headers: {Range: `bytes=-${last}`}, signal});
  const [, from, all] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? [null, 0, 0], lines = await response.text();

  return {lines: from > 0 ? lines.slice(lines.indexOf('\n') + 1) : lines, isCut: from > 0, all: Number(all)};
}

async function logTab(cluster, signal, query) {
  const operations = await operationsOf(cluster, signal), operation = query.get('operation') ?? newest(operations), last = Number(query.get('last')) || LOG;
  if (!operation)
    return empty('No output', 'There was no operation with tasks.');
  const {lines, isCut, all} = await logEnd(cluster, operation, last, signal);
  const earlier = (bytes, label) => el('a', {href: `${clusterAddress(keyOf(cluster), 'log')}?${new URLSearchParams({operation, last: bytes})}`, 'data-key': label}, label);

  return [el('div.filters', operationChoice(cluster, operations, operation, 'log'), isCut && [el('span', `The last ${Math.round(last / 1024)} of ${Math.ceil(all / 1024)} kB`), earlier(last * 4, 'Earlier'), earlier(all, 'All')]),
    lines ? el('pre.log', {tabindex: '0', role: 'log', 'aria-label': 'Log', 'aria-live': 'off', 'data-key': 'log'}, lines)
      : empty('No output', 'The tasks of this operation have printed nothing so far.'),
    commandView(commandLine(ACTIONS.log, {cluster: keyOf(cluster), operation}))];
}

async function historyTab(cluster, signal, query) {
  const [operations, difference] = await Promise.all([operationsOf(cluster, signal), differenceOf(cluster, signal, query.get('diff'))]);
  const columns = [{name: 'No.', number: true}, 'Operation', 'State', 'By', 'Began', {name: 'Took', number: true}, 'Reason', 'See'];
  const now = Math.max(...operations.map((one) => one.status === 'complete' ? one.revision ?? 0 : 0)); // what the cluster is
  const rows = operations.map((one) => [one.number, one.action, badge(one.status), one.by, time(one.begun),
    one.ended ? duration((Date.parse(one.ended) - Date.parse(one.begun)) / 1000) : '–', one.why ?? one.message ?? '',
    el('span.row', one.job && el('a', {href: `${clusterAddress(keyOf(cluster), 'activity')}?operation=${one.number}`}, 'timeline'),
      el('a', {href: `${clusterAddress(keyOf(cluster), 'history')}?diff=${one.number}`, 'data-key': `diff-${one.number}`}, 'difference'),
      one.revision && one.revision !== now && !cluster.underway && cluster.state !== 'terminated' && may('user') && el('a', {href: `${clusterAddress(keyOf(cluster), 'do', 'rollback')}?to=${one.revision}`}, `roll back to ${one.revision}`))]);

  return [difference, table('Operations', columns, rows), commandView(commandLine(ACTIONS.history, {cluster: keyOf(cluster), ...(query.get('diff') ? {diff: query.get('diff')} : {})}))];
}

async function differenceOf(cluster, signal, number) {
  if (!number)
    return null;
  const lines = await text('GET /v1/clusters/{cluster}/operations', {path: {cluster: cluster.id}, query: {diff: number}, signal});

  return el('section', {'aria-label': `What operation ${number} has changed`}, el('h2', `What operation ${number} has changed`), differenceView(lines));
}

async function configTab(cluster, signal) {
  const config = await call('GET /v1/clusters/{cluster}/config', {path: {cluster: cluster.id}, signal});

  return [may('user') && cluster.state !== 'terminated' && el('p.row', el('a.button.main', {href: clusterAddress(keyOf(cluster), 'do', 'config')}, 'Change the configuration')),
    el('pre', {tabindex: '0', 'aria-label': 'Configuration'}, JSON.stringify(config, null, 2)), commandView(commandLine(ACTIONS.showConfig, {cluster: keyOf(cluster)}))];
}

const CONTENT = {machines: machinesTab, activity: activityTab, log: logTab, history: historyTab, config: configTab};

// Asks each machine and each service, and shows what was seen: again().
function lookButton(cluster, again) {
  const [route] = ACTIONS.probe;

  return el('button', {type: 'button', 'data-key': 'look', title: commandLine(ACTIONS.probe, {cluster: keyOf(cluster), probe: true}), onclick: async (event) => {
    const button = event.target;
    if (button.ariaBusy === 'true')
      return;
    button.ariaBusy = 'true'; // one that is disabled would lose the focus
    try {
      const seen = await items(route, {path: {cluster: cluster.id}});
      tell(seen.length > 1 ? `${count(seen.length - 1, 'problem')} found.` : 'All machines and services are well.', seen.length > 1 ? 'bad' : 'good');
      await again();
    } finally {
      button.ariaBusy = null;
    }
  }}, 'Check now');
}

// The tabs stand under the same name as the view, address.
function header(cluster, tab, again, address) {
  const changes = el('details.menu', el('summary.button', 'Change'), el('ul', CHANGES.map(([name, label]) =>
    el('li', el('a', {href: clusterAddress(keyOf(cluster), 'do', name)}, label)))));

  changes.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      changes.open = false;
      changes.querySelector('summary').focus();
    }
  });
  return [el('p.crumbs', el('a', {href: '#/clusters'}, 'Clusters'), ' / ', cluster.tenant),
    el('div.head', el('h1', {'data-title': cluster.name}, cluster.name, ' ', el('span.badges')), lookButton(cluster, again), may('user') && changes,
      may('user') && el('a.button.bad', {href: clusterAddress(keyOf(cluster), 'do', 'delete')}, 'Delete')),
    el('div.state'),
    el('nav.tabs', {'aria-label': 'About this cluster'}, TABS.map(([name, label]) => el('a', {href: clusterAddress(address, name),
      'aria-current': name === tab ? 'page' : null}, label)))];
}

export async function clusterView({cluster: name, tab = 'machines', query, signal}) {
  if (!CONTENT[tab])
    throw Object.assign(new Error('There is no such page of a cluster.'), {title: 'Not found'});
  const body = el('div.content'), look = (id) => call('GET /v1/clusters/{cluster}', {path: {cluster: id}, signal});
  const first = await look(name), {id} = first; // others may take its name once it is deleted, and may rename it
  const view = el('div', header(first, tab, () => again(), name), body);
  const grows = ['activity', 'log'].includes(tab); // also while nothing happens that is an event
  let took = 0, tick;

  async function draw(cluster) {
    const began = performance.now(), content = await CONTENT[tab](cluster, signal, query);
    const log = body.querySelector('.log'), atEnd = !log || log.scrollTop + log.clientHeight >= log.scrollHeight - 30, at = log?.scrollTop ?? 0;
    const open = [...body.querySelectorAll('details')].map((one) => one.open);

    fill(view.querySelector('.badges'), badge(cluster.state), cluster.condition && badge(cluster.condition),
      cluster.condition && cluster.observed && el('small.quiet.seen', 'seen ', time(cluster.observed)));
    view.querySelectorAll('.head > :not(h1)').forEach((one) => { one.hidden = cluster.state === 'terminated'; }); // nothing is left to be changed
    fill(view.querySelector('.state'), cluster.underway ? underwayView(cluster) : advice(cluster), figures(cluster));
    fill(body, content);
    body.querySelectorAll('details').forEach((one, i) => { one.open = open[i] ?? false; });
    const drawn = body.querySelector('.log');
    if (drawn)
      drawn.scrollTop = atEnd ? drawn.scrollHeight : at;
    took = performance.now() - began;
    clearTimeout(tick);
    if (cluster.underway && grows && !signal.aborted)
      tick = setTimeout(grow, Math.max(1000, took * 8));
  }
  // Whoever reads or chooses something there is left in peace.
  function grow() {
    const {activeElement: at} = document;

    if (document.hidden || !getSelection().isCollapsed || ([body, view.querySelector('.state')].some((one) => one.contains(at)) && (at.tagName === 'SELECT' || !at.dataset.key)))
      tick = setTimeout(grow, 1000);
    else
      again();
  }
  const again = looking(async () => draw(await look(id)), signal);

  await draw(first);
  follow(id, signal, again);
  signal.addEventListener('abort', () => clearTimeout(tick));
  return view;
}

