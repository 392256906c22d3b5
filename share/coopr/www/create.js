// SPDX-License-Identifier: Apache-2.0
//
// A new cluster: the catalogue of templates, and the form that is made from one, beside the layout that the solver finds for it.
import {check, choice, el, empty, field, fill, lineInput, problem, tell} from './dom.js';
import {call, items, text} from './api.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {clusterAddress} from './clusters.js';
import {changedAt, valueField, valueOf, valuesOf, written} from './config.js';
import {cost, count, duration} from './format.js';
import {layoutView} from './layout.js';
import {previewer} from './preview.js';

const SLIDER = 100; // machines that the slider reaches, at most

async function catalogue(signal) {
  return items('GET /v1/export', {signal});
}

function card(template) {
  const size = template.constraints?.size ?? {};
  const range = size.max ? `${size.min ?? 1} to ${size.max} machines` : `${size.min ?? 1} machines or more`;

  return el('li.card', el('h2', el('a', {href: `#/create/${encodeURIComponent(template.name)}`}, template.label ?? template.name)),
    el('p', template.description), el('p.tags', (template.defaults?.services ?? []).map((service) => el('span.tag', service))),
    el('p.quiet', `${range}, ${template.defaults?.provider ?? 'any provider'}`));
}

export async function templatesView({signal}) {
  const templates = (await catalogue(signal)).filter((one) => one.kind === 'clustertemplate');

  return el('div', el('h1', 'Create a cluster'), templates.length === 0
    ? empty('No templates', 'This tenant has no templates. An administrator writes them, or imports a catalogue: coopr import DIR.', el('a.button', {href: '#/entities'}, 'Catalogue'))
    : [el('p', 'Choose a template.'), el('ul.cards', templates.map(card))]);
}

// The machines: a number, and a slider for what is usual. Where nothing bounds their number, it has to be said.
function machinesControl(template, changed) {
  const {min = 1, max} = template.constraints?.size ?? {};
  const isFree = max !== undefined || template.objective?.some((one) => one === 'cost' || one === 'machines');
  const input = el('input', {type: 'number', min: 1, max, inputmode: 'numeric', ...(isFree ? {placeholder: 'the best number'} : {required: true, value: min})});
  const slider = el('input', {type: 'range', min, max: Math.min(max ?? SLIDER, Math.max(SLIDER, min * 2)), value: min, 'aria-label': 'Machines, as a slider'});

  slider.addEventListener('input', () => { input.value = slider.value; changed(); });
  input.addEventListener('input', () => { slider.value = input.value || min; });
  return {view: el('div', field('Machines', input, `The template allows ${min}${max ? ` to ${max}` : ' or more'}.${isFree ? ' If empty, coopr chooses the best number.' : ''}`), slider),
    read: (values) => { if (input.value) values.machines = Number(input.value); }, suggest: (number) => { if (!input.value) slider.value = number; }};
}

function servicesControl(template) {
  const all = template.compatibility?.services ?? template.defaults?.services ?? [], chosen = template.defaults?.services ?? [];
  const boxes = all.map((service) => check(service, {value: service, checked: chosen.includes(service)}));
  const picked = () => boxes.map((box) => box.querySelector('input')).filter((input) => input.checked).map((input) => input.value);

  return {view: el('fieldset', el('legend', 'Services'), el('div.columns', boxes)), read: (values) => {
    const list = picked();
    if (list.length !== chosen.length || list.some((one) => !chosen.includes(one)))
      values.services = list;
  }};
}

function instancesControl(template) {
  const rules = Object.entries(template.constraints?.services ?? {});
  const inputs = rules.map(([service, rule]) => el('input', {type: 'number', name: service, min: rule.quantities?.min ?? 0, max: rule.quantities?.max, placeholder: 'as is best'}));

  return inputs.length === 0 ? null : {view: el('details', el('summary', 'Instances of services'), inputs.map((input) => field(input.name, input,
    `${input.min}${input.max ? ` to ${input.max}` : ' or more'}`))), read: (values) => {
    const list = inputs.filter((input) => input.value).map((input) => `${input.name}=${input.value}`);
    if (list.length)
      values.instances = list;
  }};
}

function choiceControl(name, label, entities, kind, initial, allowed) {
  const names = entities.filter((one) => one.kind === kind && (!allowed?.length || allowed.includes(one.name)));
  const input = choice([['', initial ? `the template’s: ${initial}` : 'whichever is best'], ...names.map((one) => [one.name, one.label ?? one.name])], '');

  return {view: field(label, input), read: (values) => { if (input.value) values[name] = input.value; }};
}

function configControl(template, entities) {
  const {services = [], config} = template.defaults ?? {}, named = template.compatibility?.services ?? services;
  const all = valuesOf(config, entities.filter((one) => one.kind === 'service' && named.includes(one.name))).map((one) => ({...one, ...valueField(one)}));
  const plain = (path) => path.every((word) => /^[\w-]+$/.test(word));

  return all.length === 0 ? null : {view: el('details', el('summary', 'Configuration'), el('p.hint', 'Values with % are macros, see coopr-macros(7).'), all.map((one) => one.view)), read: (values) => {
    const changed = all.filter(({input, value}) => input.value !== written(value));
    if (changed.length === 0)
      return;
    if (changed.every(({path}) => plain(path)))
      values.set = changed.map(({path, input}) => `${path.join('.')}=${input.value}`);
    else
      values.config = changed.reduce((whole, one) => changedAt(whole, one.path, valueOf(one.input.value, one)), config);
  }};
}

function lineControl(name, label, hint, attributes) {
  const input = lineInput(name, attributes);

  return {view: field(label, input, hint), read: (values) => { if (input.value) values[name] = input.value; }};
}

// What the machines of a layout cost, where the solver did not look at that.
function price(cluster, nodes, entities) {
  const offers = new Map(entities.filter((one) => one.kind === 'hardwaretype').map((one) => [one.name, one.providermap?.[cluster.provider?.name]?.cost]));

  return cluster.solution?.objective?.cost ?? (nodes.every((node) => offers.get(node.hardwaretype) !== undefined)
    ? nodes.reduce((sum, node) => sum + Number(offers.get(node.hardwaretype)), 0) : null);
}

function found(records, lines, entities) {
  const nodes = records.filter((one) => one.kind === 'node'), cluster = records.find((one) => one.kind === 'cluster'), job = records.find((one) => one.kind === 'job');
  const takes = job.expected_s ?? job.critical_path_s;

  return [el('dl.figures', [['Machines', nodes.length], ['Cost', cost(price(cluster, nodes, entities))], ['Time', takes === undefined ? '–' : duration(takes)], ['Tasks', job.tasks]]
    .map(([name, value]) => el('div', el('dt', name), el('dd', value)))),
  el('p.unseen', `A layout was found: ${count(nodes.length, 'machine')}.`), layoutView(nodes),
  el('details', el('summary', 'What would be done'), el('pre', lines))];
}

function controlsOf(template, entities, changed) {
  const machines = machinesControl(template, () => changed()), {defaults = {}, compatibility = {}} = template;

  return [lineControl('name', 'Name', 'Letters and digits; between them also - _ and a dot.', {required: true, pattern: '[A-Za-z0-9][A-Za-z0-9_.\\-]*'}), machines, servicesControl(template), instancesControl(template),
    choiceControl('provider', 'Provider', entities, 'provider', defaults.provider),
    choiceControl('hardwaretype', 'Hardware', entities, 'hardwaretype', defaults.hardwaretype, compatibility.hardwaretypes),
    choiceControl('imagetype', 'Image', entities, 'imagetype', defaults.imagetype, compatibility.imagetypes),
    lineControl('lease', 'Lease', 'Such as 12h or 2d; when it ends, the cluster is deleted. If empty, as the template says.'), configControl(template, entities),
    lineControl('message', 'Reason', 'For the history; may be empty.')].filter(Boolean);
}

export async function createView({template: name, signal}) {
  const entities = await catalogue(signal), own = entities.find((one) => one.kind === 'clustertemplate' && one.name === name);
  const stand = `preview-${Math.random().toString(36).slice(2, 10)}`; // where no name is chosen yet

  if (!own)
    throw Object.assign(new Error(`There is no template "${name}". Choose one of the catalogue.`), {title: 'Not found'});
  const template = await call('GET /v1/entities/{kind}/{name}', {path: {kind: 'clustertemplate', name}, query: {resolved: true}, signal}), action = ACTIONS.create, [route] = action;
  const view = el('div.preview', {'aria-live': 'polite'}), trouble = el('div'), command = commandView(''), button = el('button.main', {disabled: true}, 'Create');
  let canBe = null, isSending = false;
  const controls = controlsOf(template, entities, () => changed());
  const values = () => controls.reduce((all, control) => (control.read(all), all), {template: name});
  const decide = () => { button.disabled = isSending || !canBe || !form.checkValidity(); };
  const ask = async (given, mine) => {
    const body = {...given, name: given.name ?? stand, 'dry-run': true};
    return Promise.all([items(route, {body, signal: mine}), text(route, {body, signal: mine})]);
  };
  const look = previewer(view, ask, ([records, lines]) => found(records, lines, entities), signal, (answer) => { canBe = answer; decide(); });

  function changed() {
    const {template: chosen, ...others} = values();

    command.say(commandLine(action, {name: others.name ?? 'NAME', template: chosen, ...others}));
    fill(trouble);
    look({template: chosen, ...others});
  }
  async function submit(event) {
    event.preventDefault();
    isSending = true;
    decide();
    try {
      const given = values();
      await call(route, {body: given});
      tell(`The cluster ${given.name} is being created.`);
      location.hash = clusterAddress(given.name, 'activity');
    } catch (error) {
      fill(trouble, problem(error));
    }
    isSending = false;
    decide();
  }
  const form = el('form', {oninput: changed, onsubmit: submit}, controls.map((control) => control.view), trouble, el('p.row', button, el('a.button', {href: '#/create'}, 'Other templates')));

  changed();
  return el('div', el('p.crumbs', el('a', {href: '#/create'}, 'Create a cluster'), ' / ', name), el('h1', 'New cluster: ', template.label ?? name), el('p', template.description),
    el('div.split', form, el('section', {'aria-label': 'Layout'}, el('h2', 'Layout'), view)), command);
}
