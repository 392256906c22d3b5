// SPDX-License-Identifier: Apache-2.0
//
// A change of a cluster: a form, beside it what the change would do, below the command that does the same. Each action is a row of FORMS.
import {check, el, field, fill, lineInput, problem, tell} from './dom.js';
import {call, items, text} from './api.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {clusterAddress} from './clusters.js';
import {configControl} from './config.js';
import {differenceView} from './difference.js';
import {previewer} from './preview.js';

// The controls of a form. Each gives {view, read}: what is shown, and a function that writes into the values of the request.
function number(name, label, value, hint, limits = {}) {
  const input = el('input', {type: 'number', name, value, inputmode: 'numeric', ...limits});

  return {view: field(label, input, hint), read: (values) => { if (input.value !== '') values[name] = Number(input.value); }};
}

function line(name, label, value, hint, attributes = {}) {
  const input = el('input', {name, value, autocapitalize: 'none', spellcheck: 'false', ...attributes});

  return {view: field(label, input, hint), read: (values) => { if (input.value) values[name] = input.value; }};
}

function flag(name, label, hint) {
  const view = check(label, {name});
  const input = view.querySelector('input');

  return {view: el('div', view, hint && el('p.hint', hint)), read: (values) => { if (input.checked) values[name] = true; }};
}

function some(name, label, options, chosen, hint) {
  const boxes = options.map((option) => check(option, {name, value: option, checked: chosen.includes(option)}));

  return {view: el('fieldset', el('legend', label), hint && el('p.hint', hint), boxes.length ? boxes : el('p.quiet', 'There are none.')),
    read: (values) => {
      const list = boxes.map((box) => box.querySelector('input')).filter((input) => input.checked).map((input) => input.value);
      if (list.length)
        values[name] = list;
    }};
}

function instances(cluster) {
  const inputs = cluster.counts.map(([service, count]) => el('input', {type: 'number', min: 0, name: service, value: count, 'data-count': count}));

  return {view: el('fieldset', el('legend', 'Instances of services'), inputs.map((input) => field(input.name, input))),
    read: (values) => {
      const changed = inputs.filter((input) => input.value !== '' && input.value !== input.dataset.count).map((input) => `${input.name}=${input.value}`);
      if (changed.length)
        values.services = changed;
    }};
}

// A document as text. Where it is malformed, the control says so itself.
function json(name, label, value, hint) {
  const input = el('textarea.code', {name, rows: 16, spellcheck: 'false'});

  input.value = JSON.stringify(value, null, 2);
  return {view: field(label, input, hint), read: (values) => {
    try {
      values[name] = JSON.parse(input.value);
      input.setCustomValidity('');
      input.removeAttribute('aria-invalid');
    } catch (error) {
      input.setCustomValidity(`This is no JSON: ${error.message}`);
      input.setAttribute('aria-invalid', 'true');
    }
  }};
}

const SERVICES_HINT = 'If none is chosen: all services.';

// Which services, and on which machines: what the address chooses is chosen.
function servicesOf(cluster, query) {
  const nodes = cluster.nodes.map((node) => String(node.nodenum)), chosen = query.getAll('node');
  const machines = some('node', 'Machines', nodes, chosen, 'If none is chosen: all machines.');

  return [some('services', 'Services', cluster.services, query.getAll('services'), SERVICES_HINT),
    {...machines, view: el('details', {open: chosen.length > 0}, el('summary', 'Only on some machines'), machines.view)}];
}

const FORMS = {
  expand: {title: 'Add machines', controls: (cluster) => [number('machines', 'Machines afterwards', cluster.nodes.length + 1, `There are ${cluster.nodes.length} now.`, {min: cluster.nodes.length + 1}),
    flag('allow-moves', 'Services may move to other machines')]},
  shrink: {title: 'Remove machines', controls: (cluster) => [number('machines', 'Machines afterwards', Math.max(cluster.nodes.length - 1, 1), `There are ${cluster.nodes.length} now.`, {min: 1, max: cluster.nodes.length - 1})]},
  scale: {title: 'Scale services', controls: (cluster) => [instances(cluster), flag('allow-moves', 'Other services may move to other machines')],
    needs: 'services', until: 'Change a number to see what would be done.'},
  restart: {title: 'Restart services', controls: servicesOf, keepsData: true},
  start: {title: 'Start services', controls: servicesOf, keepsData: true},
  stop: {title: 'Stop services', controls: servicesOf, keepsData: true},
  add: {title: 'Set up services', controls: (cluster) => [some('services', 'Services', cluster.further, [])], needs: 'services'},
  remove: {title: 'Take services down', controls: (cluster) => [some('services', 'Services', cluster.services, [])], needs: 'services'},
  replace: {title: 'Replace machines', controls: (cluster, query) => [some('nodes', 'Machines', cluster.nodes.map((node) => String(node.nodenum)), query.getAll('nodes'),
    cluster.nodes.map((node) => `${node.nodenum}: ${node.services.join(' ')}`).slice(0, 30).join('; '))], needs: 'nodes'},
  upgrade: {title: 'Upgrade', text: 'Brings the cluster up to date with its template and services.', controls: () => []},
  clone: {title: 'Clone', controls: () => [line('name', 'Name of the new cluster', '', 'Letters and digits; between them also - _ and a dot.', {required: true}), line('lease', 'Lease', '', 'Such as 12h or 2d; 0 is without an end.')], needs: 'name'},
  rename: {title: 'Rename', controls: () => [line('name', 'New name', '', null, {required: true})], needs: 'name', isPlain: true},
  lease: {title: 'Change the lease', controls: () => [line('time', 'It expires in', '', 'Such as 12h or 2d from now; 0 is never.', {required: true})], needs: 'time', isPlain: true},
  rollback: {title: 'Roll back', controls: (cluster, query) => [number('to', 'To revision', query.get('to') ?? '', 'Without a number, to the one before.', {min: 1})]},
  retry: {title: 'Retry', text: 'Continues the operation that failed with what is not done yet, along the plan that there is.', controls: () => [], isPlain: true, begins: true},
  config: {title: 'Change the configuration', controls: (cluster) => [configControl(json('config', 'Configuration', cluster.config, 'Values with % are macros, see coopr-macros(7).'), cluster.definitions), flag('no-restart', 'Configure services while they run')]},
  delete: {title: 'Delete', text: 'Deletes the cluster with all its machines.', controls: () => [flag('graceful', 'Stop and remove services first')], isDangerous: true},
};

// Returns what forms have to know of the cluster.
async function subject(name, action, signal) {
  const records = await items('GET /v1/clusters/{cluster}/nodes', {path: {cluster: name}, signal});
  const nodes = records.filter((one) => one.kind === 'node'), status = records.find((one) => one.kind === 'clusterstatus');
  const services = [...new Set(nodes.flatMap((node) => node.services))].sort();
  const counts = services.map((service) => [service, nodes.filter((node) => node.services.includes(service)).length]);
  const subjectOf = {...status, nodes, services, counts, further: []};

  if (action === 'config') {
    const [config, entities] = await Promise.all([call('GET /v1/clusters/{cluster}/config', {path: {cluster: name}, signal}), items('GET /v1/export', {signal})]);
    Object.assign(subjectOf, {config, definitions: entities.filter((one) => one.kind === 'service' && services.includes(one.name))});
  }
  if (action === 'add') {
    const template = await call('GET /v1/entities/{kind}/{name}', {path: {kind: 'clustertemplate', name: status.template}, query: {resolved: true}, signal}).catch(() => null);
    subjectOf.further = (template?.compatibility?.services ?? []).filter((service) => !services.includes(service));
  }
  return subjectOf;
}

// A name that has to be typed before a cluster is deleted.
function consent(cluster, changed) {
  const input = lineInput('confirm', {oninput: changed});

  return {view: field(`To confirm, type its name: ${cluster.name}`, input), isGiven: () => input.value === cluster.name};
}

export async function changeView({cluster: name, action, query, signal}) {
  const form = FORMS[action];

  if (!form)
    throw Object.assign(new Error('There is no such change of a cluster.'), {title: 'Not found'});
  const [route] = ACTIONS[action], cluster = await subject(name, action, signal);
  const controls = [...form.controls(cluster, query), ...(form.isPlain || form.keepsData ? [] : [flag('discard-data', 'Data of services may be lost')]),
    line('message', 'Reason', '', 'For the history; may be empty.')];
  const confirm = form.isDangerous && consent(cluster, () => decide());
  const view = el('div.preview', {'aria-live': 'polite'}), trouble = el('div'), command = commandView('');
  const button = el(form.isDangerous ? 'button.main.bad' : 'button.main', {disabled: true}, form.title);
  const begins = !form.isPlain || form.begins; // an operation
  let canBe = form.isPlain || null, isSending = false;

  const values = () => controls.reduce((all, control) => (control.read(all), all), {});
  const isComplete = (given) => !form.needs || given[form.needs] !== undefined;
  const ask = (given, mine) => text(route, {path: {cluster: name}, body: {...given, 'dry-run': true}, signal: mine});
  const look = previewer(view, ask, (lines) => lines.trim() ? differenceView(lines) : el('p.quiet', 'Nothing would change.'), signal, (answer) => { canBe = answer; decide(); });

  function decide() {
    button.disabled = isSending || !canBe || !isComplete(values()) || (confirm && !confirm.isGiven());
  }
  function changed() {
    const given = values();

    command.say(commandLine(ACTIONS[action], {cluster: name, ...given}));
    fill(trouble);
    if (form.isPlain)
      decide();
    else if (isComplete(given) && whole.checkValidity())
      look(given);
    else
      fill(view, el('p.quiet', form.until ?? 'Fill in the form to see what would be done.'));
    decide();
  }
  async function submit(event) {
    event.preventDefault();
    isSending = true;
    decide();
    try {
      const given = values();
      const begun = await call(route, {path: {cluster: name}, body: given});
      tell(begins && begun ? `${form.title}: the operation has begun.` : 'It is done.');
      location.hash = clusterAddress(action === 'clone' || action === 'rename' ? given.name : action === 'delete' ? cluster.id : name, begins ? 'activity' : 'machines');
    } catch (error) {
      fill(trouble, problem(error));
    }
    isSending = false;
    decide();
  }
  const whole = el('form', {onsubmit: submit, oninput: changed}, form.text && el('p', form.text), controls.map((control) => control.view),
    confirm && confirm.view, trouble, el('p.row', button, el('a.button', {href: clusterAddress(name)}, 'Back')));

  changed();
  return el('div', el('p.crumbs', el('a', {href: '#/clusters'}, 'Clusters'), ' / ', el('a', {href: clusterAddress(name)}, name)),
    el('h1', `${form.title}: ${name}`), cluster.underway && el('p.note', `The operation ${cluster.underway.action} is in progress; another one can begin when it has ended.`),
    el('div.split', whole, !form.isPlain && el('section', el('h2', 'What would be done'), view)), command);
}
