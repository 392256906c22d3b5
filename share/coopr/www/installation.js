// SPDX-License-Identifier: Apache-2.0
//
// What superadmins look at: the queue with its jobs, and the tenants with their limits.
import {check, el, empty, field, fill, lineInput, table, tell} from './dom.js';
import {call, items} from './api.js';
import {quotaBars, redrawn, requestForm, sure} from './admin.js';
import {clusterAddress} from './clusters.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {follow, looking} from './follow.js';
import {badge, duration, time} from './format.js';

const LIMITS = [['clusters', 'Clusters'], ['nodes', 'Machines'], ['cost', 'Cost an hour'], ['archives', 'Bytes of archives'], ['uploads', 'Bytes of uploads'], ['volumes', 'GiB of volumes']];
const JOBS = 100, LOOKED_INTO = 20; // jobs that are shown, and those whose tasks are, at most

function figures(list) {
  return el('dl.figures', list.map(([name, value]) => el('div', el('dt', name), el('dd', value ?? '–'))));
}

function clusterLink(job) {
  return job.cluster && job.tenant ? el('a', {href: clusterAddress(job.cluster, 'activity')}, job.cluster) : job.cluster ?? '';
}

function jobRow(job) {
  const {done = 0, total = 0, failed = 0} = job.tasks;

  return [job.job, clusterLink(job), job.tenant, job.action.replace('cluster_', ''), badge(job.status),
    el('span.progress', el('progress', {value: done, max: total || 1, 'aria-label': `${done} of ${total} tasks`}), ` ${done}/${total}${failed ? `, ${failed} failed` : ''}`), time(job.put_at)];
}

// Which actions fail, and how often.
function failuresView(attempts) {
  const failing = attempts.filter((one) => one.failed > 0).sort((a, b) => b.failed - a.failed);

  return failing.length > 0 && el('section', el('h2', 'Failures'), table('Failures', ['Action', 'Service', {name: 'Failed', number: true}, {name: 'Of', number: true}, 'Share'], failing.map((one) => [one.action,
    one.service ?? '', one.failed, one.failed + one.done, el('meter', {min: 0, max: one.failed + one.done, value: one.failed, 'aria-label': `Failures of ${one.action} ${one.service ?? ''}`})])));
}

// What the workers do: the tasks that run, of the oldest jobs that do.
async function runningTasks(jobs, signal) {
  const running = jobs.filter((one) => ['running', 'cancelling'].includes(one.status)).slice(0, LOOKED_INTO);
  const lists = await Promise.all(running.map((job) => items('GET /v1/jobs/{job}', {path: {job: job.job}, signal}).catch(() => [])));

  return lists.flatMap((list, i) => list.flatMap((one) => one.attention ?? []).filter((one) => one.status === 'running').map((one) => ({...one, of: running[i]})))
    .sort((a, b) => `${a.by} ${a.at}`.localeCompare(`${b.by} ${b.at}`));
}

function workersView(count, tasks) {
  const busy = new Set(tasks.map((one) => one.by)).size;

  return count > 0 && el('section', el('h2', 'Workers'), el('p.quiet', `${count} ${count === 1 ? 'worker has' : 'workers have'} joined${busy < count ? `; ${count - busy} ${count - busy === 1 ? 'waits' : 'wait'} for tasks` : ''}.`),
    tasks.length > 0 && table('What the workers do', ['Worker', 'Task', 'Service', 'Cluster', 'Machine', 'Since'], tasks.map((one) => [one.by, one.action, one.service ?? '', clusterLink(one.of), one.node, time(one.at)])));
}

async function queueParts(isActive, signal) {
  const [records, jobs] = await Promise.all([items('GET /v1/queue', {signal}), items('GET /v1/jobs', {query: {active: isActive}, signal})]);
  const tasks = await runningTasks(jobs, signal);
  const stats = records.find((one) => one.kind === 'stats') ?? {}, attempts = records.filter((one) => one.kind === 'attempts');
  const jobColumns = ['Job', 'Cluster', 'Tenant', 'Action', 'State', 'Tasks', 'Began'];
  const columns = ['Action', 'Service', 'Type', {name: 'Done', number: true}, {name: 'Failed', number: true}, {name: 'Median', number: true}, {name: '90th percentile', number: true}, {name: 'Longest', number: true}];

  return [figures([['Workers', stats.workers], ['Jobs running', stats.jobs?.running], ['Jobs waiting', stats.jobs?.waiting], ['Tasks running', stats.running], ['Tasks ready', stats.tasks?.ready],
    ['Done in the last hour', stats.done_last_hour], ['Failed jobs', stats.jobs?.failed]]),
  stats.workers === 0 && el('div.problem', el('strong', 'No worker runs'), el('p', 'Operations wait until there is one: coopr work, or systemctl start coopr-work.')),
  workersView(stats.workers ?? 0, tasks),
  el('h2', 'Jobs'), jobs.length ? table('Jobs', jobColumns, jobs.slice(-JOBS).reverse().map(jobRow)) : empty('No jobs', isActive ? 'Nothing is in progress.' : 'A job appears here as soon as a cluster is created or changed.'),
  jobs.length > JOBS && el('p.hint', `The newest ${JOBS} of ${jobs.length} are shown.`),
  failuresView(attempts),
  el('details', el('summary', 'How long tasks take'), table('Attempts', columns, attempts.map((one) => [one.action, one.service ?? '', one.type, one.done, one.failed,
    duration(one.p50_s), duration(one.p90_s), duration(one.max_s)])))];
}

export async function queueView({query, signal}) {
  const body = el('div.content'), isActive = query.get('active') === 'true';
  const draw = async () => {
    const isOpen = body.querySelector('details')?.open;
    fill(body, await queueParts(isActive, signal));
    body.querySelector('details').open = isOpen;
  };

  await draw();
  follow(null, signal, looking(draw, signal));
  return el('div', el('h1', 'Queue'), el('form.filters', check('Only jobs that are not finished', {checked: isActive, onchange: (event) => {
    location.hash = event.target.checked ? '#/queue?active=true' : '#/queue';
  }})), body, commandView(commandLine(ACTIONS.queue)));
}

function limitsSet(tenant) {
  return {clusters: tenant.maxClusters, nodes: tenant.maxNodes, ...tenant.quota};
}

function limitInputs(quota) {
  return LIMITS.map(([name, label]) => [name, label, el('input', {name, inputmode: 'decimal', placeholder: 'no limit', autocomplete: 'off', value: quota[name] ?? ''})]);
}

function limitsOf(inputs, before = {}) {
  return Object.fromEntries(inputs.filter(([name, , input]) => input.value !== String(before[name] ?? '')).map(([name, , input]) => [name, input.value || 'any']));
}

export function tenantsView({signal}) {
  const name = el('input', {name: 'name', required: true, pattern: '[A-Za-z0-9_.\\-]+', autocapitalize: 'none', spellcheck: 'false'}), description = el('input', {name: 'description'});
  const copy = check('Copy the catalogue of the tenant superadmin'), inputs = limitInputs({});
  const values = () => ({name: name.value || 'NAME', description: description.value, bootstrap: copy.querySelector('input').checked, ...limitsOf(inputs)});

  return redrawn(async (again) => {
    const list = await items('GET /v1/tenants', {signal});
    return [el('h1', 'Tenants'), el('p.quiet', 'The numbers are limits; where there is none, nothing bounds the tenant.'), table('Tenants', ['Name', 'Description', ...LIMITS.map(([, label]) => ({name: label, number: true}))], list.map((one) => [
      el('a', {href: `#/tenants/${encodeURIComponent(one.name)}`}, one.name), one.description ?? '', ...LIMITS.map(([name]) => limitsSet(one)[name] ?? '–')])),
      requestForm({title: 'Create a tenant', button: 'Create', action: ACTIONS.createTenant, values, done: again, send: async (body) => {
        const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== '' && value !== false));
        await call('POST /v1/tenants', {body: given});
        tell(`The tenant ${body.name} is there.`);
      }, controls: [field('Name', name), field('Description', description), inputs.map(([, label, input]) => field(label, input)), copy]}), commandView(commandLine(ACTIONS.tenants))];
  });
}

export function tenantView({tenant: name, signal}) {
  return redrawn(async (again) => {
    const [tenant, quota] = await Promise.all([call('GET /v1/tenants/{tenant}', {path: {tenant: name}, signal}), call('GET /v1/quota', {query: {tenant: name}, signal}).catch(() => null)]);
    const before = limitsSet(tenant);
    const inputs = limitInputs(before), description = el('input', {name: 'description', value: tenant.description ?? ''});
    const values = () => ({tenant: name, ...(description.value === (tenant.description ?? '') ? {} : {description: description.value}), ...limitsOf(inputs, before)});
    const send = ({tenant: one, ...body}) => call('PATCH /v1/tenants/{tenant}', {path: {tenant: one}, body}).then(() => tell('The tenant is changed.'));
    return [el('p.crumbs', el('a', {href: '#/tenants'}, 'Tenants')), el('div.head', el('h1', name), sure('Delete', `Delete ${name}`, commandLine(ACTIONS.deleteTenant, {tenant: name}), async () => {
      await call('DELETE /v1/tenants/{tenant}', {path: {tenant: name}, body: {}});
      tell(`The tenant ${name} is deleted.`);
      location.hash = '#/tenants';
    })), quota && quotaBars(quota.amounts),
    requestForm({title: 'Limits', button: 'Save', action: ACTIONS.changeTenant, values, send, done: again,
      controls: [field('Description', description), inputs.map(([, label, input]) => field(label, input, 'Empty: no limit.'))]})];
  });
}

export async function hooksView({signal}) {
  const list = await items('GET /v1/hooks', {signal});

  return el('div', el('h1', 'Hooks'), el('p', 'Programs and addresses that are told of operations on clusters. The file of settings names them, and the document of a tenant: see coopr-hooks(7).'),
    list.length ? table('Hooks', ['Hook', {name: 'Waiting', number: true}, 'Events', 'Operations', 'Called', 'From', 'Signed'], list.map((one) => [one.name, one.waiting, String(one.events ?? 'all'),
      String(one.operations ?? 'all'), String(one.called ?? ''), one.from, one.signed ? 'yes' : 'no']))
      : empty('No hooks', 'Nobody is told of operations. Name a program or an address in the settings, and try it: coopr hook try success create.'),
    commandView(commandLine(ACTIONS.hooks)));
}

// How many tasks run at once: in all, of a provider, of a tenant.
function limitForm(limits, again) {
  const total = el('input', {name: 'total', inputmode: 'numeric', autocomplete: 'off', placeholder: 'no limit', value: limits.find((one) => one.limit === 'total')?.max ?? ''});
  const line = (name) => lineInput(name, {placeholder: 'NAME=N', pattern: '[^=]+=([0-9]+|none)'});
  const provider = line('provider'), tenant = line('tenant');
  const values = () => Object.fromEntries([['total', total.value || 'none'], ['provider', provider.value], ['tenant', tenant.value]].filter(([, value]) => value));

  return requestForm({title: 'Tasks that run at once', button: 'Save', action: ACTIONS.limits, values, done: again, send: async (body) => {
    await call('PATCH /v1/limits', {isOfNone: true, body}); // tenant is whose limit it is
    tell('The limit is changed.');
  }, controls: [field('In all', total, 'Empty: no limit.'), field('Of a provider', provider, 'Such as sandbox=8; none: no limit.'), field('Of a tenant', tenant, 'Such as qa=4; none: no limit.')]});
}

export function settingsView({signal}) {
  return redrawn(async (again) => {
    const [settings, limits, checks] = await Promise.all([items('GET /v1/settings', {signal}), items('GET /v1/limits', {signal}), items('GET /v1/checks', {signal})]);
    const faults = checks.filter((one) => one.status !== 'ok');
    return [el('h1', 'Settings'), faults.length > 0 && el('section', el('h2', 'Problems'), table('Problems', ['Check', 'State', 'Found', 'Remedy'], faults.map((one) => [one.name, badge({fault: 'error', doubt: 'warning'}[one.status] ?? one.status), one.text, one.remedy ?? '']))),
      el('h2', 'Settings in force'), table('Settings', ['Setting', 'Value', 'From', 'Where'], settings.map((one) => [one.name, String(one.value ?? ''), one.from, one.where ?? ''])),
      el('h2', 'Limits of tasks'), table('Limits', ['Limit', 'Of', {name: 'At most', number: true}, {name: 'Running', number: true}], limits.map((one) => [one.limit, one.name ?? 'all', one.max ?? 'any', one.running])),
      limitForm(limits, again), commandView(commandLine(ACTIONS.settings, {settings: true}))];
  });
}
