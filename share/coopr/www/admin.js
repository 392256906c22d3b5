// SPDX-License-Identifier: Apache-2.0
//
// What administrators of a tenant look at: members, quota, secrets, usage and the audit log.
import {choice, el, empty, field, fill, lineInput, problem, settled, table, tell} from './dom.js';
import {call, items, may} from './api.js';
import {columnsView} from './chart.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {amount, amountLabel, clock, time} from './format.js';

// A button that asks once more, with the command, before it does something that cannot be undone.
export function sure(label, question, line, act) {
  const first = el('button.small.bad', {type: 'button', onclick: () => {
    first.replaceWith(second);
    second.querySelector('button').focus();
  }}, label);
  const back = () => {
    second.replaceWith(first);
    first.focus();
  };
  const second = el('span.row', {role: 'group', 'aria-label': question, onkeydown: (event) => { if (event.key === 'Escape') back(); }},
    el('button.small.main.bad', {type: 'button', onclick: act}, question), el('button.small', {type: 'button', onclick: back}, 'No'), el('code.quiet', `$ ${line}`));

  return first;
}

// A form for one request: controls by the names of its values; what it says as a command; and what is done once it is through.
export function requestForm({title, button, controls, action, values, send, done}) {
  const trouble = el('div'), command = commandView(''), main = el('button.main', button);
  const say = () => command.say(commandLine(action, values()));
  const form = el('form.panel', {oninput: say, onsubmit: async (event) => {
    event.preventDefault();
    main.disabled = true;
    fill(trouble);
    try {
      await send(values());
      await done();
    } catch (error) {
      fill(trouble, problem(error));
    }
    main.disabled = false;
  }}, el('h2', title), el('div.fields', controls), trouble, main, command);

  say();
  return form;
}

// A page that draws itself again after each change.
export async function redrawn(draw) {
  const view = el('div');
  const again = async () => fill(view, await draw(again));

  await again();
  return view;
}

export function membersView({signal}) {
  const user = lineInput('user', {required: true}), role = choice(['read-only', 'user', 'admin'].map((one) => [one, one]), 'user', {name: 'role'}), groups = lineInput('groups');
  const values = () => ({user: user.value || 'USER', role: role.value, group: groups.value.split(/[\s,]+/).filter(Boolean)});
  const row = (one, again) => [one.user, one.role, one.groups.join(' '), el('span.row',
    el('button.small', {type: 'button', 'aria-label': `Change ${one.user}`, onclick: () => {
      user.value = one.user;
      role.value = one.role;
      groups.value = one.groups.join(' ');
      role.focus();
    }}, 'Change'),
    sure('Remove', `Remove ${one.user}`, commandLine(ACTIONS.deleteMember, {user: one.user}), async () => {
      await call('DELETE /v1/members/{user}', {path: {user: one.user}, body: {}});
      tell(`${one.user} is no member any more.`);
      await again();
    }))];

  return redrawn(async (again) => {
    const list = await items('GET /v1/members', {signal});
    const send = ({user: name, ...body}) => call('PUT /v1/members/{user}', {path: {user: name}, body});
    return [el('h1', 'Members'), list.length ? table('Members', ['User', 'Role', 'Groups', 'Change'], list.map((one) => row(one, again)))
      : empty('No members', 'Only superadmins may use this tenant. Add its first member below.'),
    requestForm({title: 'Add or change a member', button: 'Save', action: ACTIONS.setMember, values, send, done: again,
      controls: [field('User', user), field('Role', role), field('Groups', groups, 'With blanks between; may be empty.')]}), commandView(commandLine(ACTIONS.members))];
  });
}

// Amounts with their limits, as bars.
export function quotaBars(amounts) {
  return el('ul.bars', Object.entries(amounts).map(([name, {use, limit}]) => el('li', el('span', amountLabel(name)),
    limit === null ? el('span.quiet', 'no limit') : el('meter', {min: 0, max: limit || 1, value: use, high: limit * .9, 'aria-label': `${name}: ${use} of ${limit}`}),
    el('strong', `${amount(name, use)}${limit === null ? '' : ` of ${amount(name, limit)}`}`))));
}

export async function quotaView({signal}) {
  const quota = await call('GET /v1/quota', {signal});

  return el('div', el('h1', 'Quota'), el('p', 'What the clusters of this tenant use, and what they may use. A superadmin sets the limits of a tenant.'),
    quotaBars(quota.amounts), commandView(commandLine(ACTIONS.quota)));
}

export function secretsView({signal}) {
  const name = lineInput('name', {required: true, pattern: '[A-Za-z0-9_.\\-]+'}), value = el('input', {type: 'password', autocomplete: 'new-password', required: true});
  const row = (one, again) => [one.name, one.version, one.by, time(one.at), one.readers.length ? one.readers.join(' ') : 'all members', el('span.row',
    sure('Rotate', `Replace ${one.name} by a random value`, commandLine(ACTIONS.rotateSecret, {name: one.name}), async () => {
      await call('POST /v1/secrets/{name}/rotate', {path: {name: one.name}, body: {}});
      tell(`${one.name} has a new random value.`);
      await again();
    }),
    sure('Delete', `Delete ${one.name}`, commandLine(ACTIONS.deleteSecret, {name: one.name}), async () => {
      await call('DELETE /v1/secrets/{name}', {path: {name: one.name}, body: {}});
      tell(`${one.name} is deleted.`);
      await again();
    }))];

  return redrawn(async (again) => {
    const list = await items('GET /v1/secrets', {signal});
    const send = async () => {
      await call('PUT /v1/secrets/{name}', {path: {name: name.value}, body: value.value});
      value.value = '';
      tell(`${name.value} is set.`);
    };
    return [el('h1', 'Secrets'), el('p', 'A secret can be set and used, but never read here.'),
      list.length ? table('Secrets', ['Name', {name: 'Version', number: true}, 'By', 'Changed', 'Who may use it', 'Change'], list.map((one) => row(one, again)))
        : empty('No secrets', 'Passwords and keys of services belong here, and not into templates: set one below, and name it as {"secret": "NAME"} in a configuration.'),
      requestForm({title: 'Set a secret', button: 'Set', action: ACTIONS.setSecret, values: () => ({name: name.value || 'NAME'}), send, done: again,
        controls: [field('Name', name), field('Value', value)]}), commandView(commandLine(ACTIONS.secrets))];
  });
}

// The values of the filters of a page, which stand in its address.
function filterForm(path, query, filters, redraw) {
  const change = settled((name, value) => {
    if (value)
      query.set(name, value);
    else
      query.delete(name);
    history.replaceState(null, '', `#/${path}${query.size ? `?${query}` : ''}`);
    redraw();
  }, 250);

  return el('form.filters', {onsubmit: (event) => event.preventDefault()}, filters.map(([name, label, options]) => el('label', `${label} `, options
    ? choice(options, query.get(name) ?? '', {onchange: (event) => change(name, event.target.value)})
    : el('input', {type: 'search', value: query.get(name) ?? '', oninput: (event) => change(name, event.target.value)}))));
}

async function filtered(title, path, query, filters, draw) {
  const body = el('div');
  const redraw = async () => fill(body, await draw(Object.fromEntries(query)));
  const form = filterForm(path, query, filters, redraw);

  await redraw();
  return el('div', el('h1', title), form, body);
}

// What was used in each period, one after the other: also where that was nothing.
function usedAlong(records, period, part) {
  const stamp = (start) => period === 'hour' ? `${start.slice(5, 13).replace('T', ' ')} h` : period === 'day' ? start.slice(5, 10) : start.slice(0, 7);
  const times = records.map((one) => Date.parse(one.start)), step = {hour: 3600000, day: 86400000}[period], all = [];

  for (let time = Math.min(...times); step && time <= Math.max(...times); time += step)
    all.push({column: stamp(new Date(time).toISOString()), part: records[0][part] ?? '–', value: 0});
  return [...all, ...records.map((one) => ({column: stamp(one.start), part: one[part] ?? '–', value: one.node_hours}))];
}

export function usageView({query, signal}) {
  const groups = [['', 'Cluster'], ['template', 'Template'], ['user', 'User'], ['hardwaretype', 'Hardware'], ['day', 'Day'], ['month', 'Month']];
  const ranges = [['', 'Since the first machine'], ['now-1d', 'The last day'], ['now-7d', 'The last 7 days'], ['now-30d', 'The last 30 days']];

  return filtered('Usage', 'usage', query, [['by', 'By', groups], ['start', 'Time', ranges]], async ({by = 'cluster', start}) => {
    const list = await items('GET /v1/usage', {query: {by, start}, signal}), measure = list.some((one) => one.cost > 0) ? 'cost' : 'node_hours', most = Math.max(...list.map((one) => one[measure]), 0);
    const days = list.length && (Date.parse(list[0].end) - Math.min(...list.map((one) => Date.parse(one.start)))) / 86400000, period = days <= 2 ? 'hour' : days <= 62 ? 'day' : 'month';
    const parts = ['day', 'month'].includes(by) ? 'template' : by, along = list.length ? await items('GET /v1/usage', {query: {by: `${period},${parts}`, start}, signal}) : [];
    const name = (one) => ['day', 'month'].includes(by) ? new Date(one.start).toLocaleDateString() : one[by] ?? one.name ?? '–';
    const columns = [groups.find(([key]) => (key || 'cluster') === by)[1], {name: 'Cost', number: true}, 'Share', {name: 'Node-hours', number: true}, {name: 'Machines', number: true}];
    const used = usedAlong(along, period, parts);
    return [used.some((one) => one.value > 0) && columnsView(`Use by ${period} and ${parts}, in UTC`, used, 'node-hours'), list.length ? table('Usage', columns, list.map((one) => [name(one), Number(one.cost.toFixed(3)),
      el('meter', {min: 0, max: most || 1, value: one[measure], 'aria-label': `${measure === 'cost' ? 'Cost' : 'Node-hours'} of ${name(one)}`}), Number(one.node_hours.toFixed(2)), one.nodes]))
      : empty('Nothing was used', 'No cluster of this tenant had a machine in that time.'), commandView(commandLine(ACTIONS.usage, {by, start}))];
  });
}

export function auditView({query, signal}) {
  const filters = [['user', 'User'], ['cluster', 'Cluster'], ['start', 'Time', [['', 'All'], ['now-1d', 'The last day'], ['now-7d', 'The last 7 days']]],
    ...(may('superadmin') ? [['all', 'Of', [['', 'this tenant'], ['true', 'all tenants']]]] : [])];

  return filtered('Audit log', 'audit', query, filters, async ({user, cluster, start, all}) => {
    const isOfNone = all === 'true', asked = {user, cluster, start, limit: 200, 'all-tenants': isOfNone};
    const list = await items('GET /v1/audit', {query: asked, isOfNone, signal});
    const columns = ['Time', ...(isOfNone ? ['Tenant'] : []), 'User', 'Action', 'Object', 'Command', 'From', 'Reason'];
    return [list.length ? table('Audit log', columns, list.slice().reverse().map((one) => [clock(one.at), ...(isOfNone ? [one.tenant] : []), one.user === one.login ? one.user : `${one.user} (${one.login})`,
      one.action, one.object ?? one.cluster ?? '', one.program?.replace('-', ' '), one.address ?? one.host ?? '', one.reason ?? '']))
      : empty('No entries', 'Nothing that matches has been changed.'), commandView(commandLine(ACTIONS.audit, asked))];
  });
}
