// SPDX-License-Identifier: Apache-2.0
//
// The rules of a template as a picture: which services stand together, which apart, how many there are, and how many for each other.
// They are tried at once, on all sizes that are of interest, by the solver.
import {choice, el, empty, field, fill, problem, settled, table, tell} from './dom.js';
import {call, items} from './api.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {cost, count} from './format.js';
import {hue, layoutView} from './layout.js';

const KINDS = [['mustcoexist', 'Always together'], ['mutuallyexclusive', 'Never two of them'], ['cantcoexist', 'Never all of them']];
const SIZE = 340, TRIED = 12; // the picture's side in pixels; sizes that are tried unless others are wanted

const nameOf = (service) => service.name ?? service;
const equal = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function placesOf(services) {
  return new Map(services.map((service, i) => {
    const angle = 2 * Math.PI * i / services.length - Math.PI / 2;

    return [service, {x: SIZE / 2 + Math.cos(angle) * SIZE * .36, y: SIZE / 2 + Math.sin(angle) * SIZE * .41}];
  }));
}

// Lines between the services of each set.
function linesOf(layout, places) {
  return KINDS.flatMap(([kind]) => (layout[kind] ?? []).flatMap((set) => set.flatMap((one, i) => set.slice(i + 1).map((other) => {
    const from = places.get(one), to = places.get(other);

    return from && to && el(`line.rule-${kind}`, {x1: from.x, y1: from.y, x2: to.x, y2: to.y});
  }))));
}

// The picture: a button for each service, which puts it into the set that becomes a rule.
function picture(services, layout, picked, toggle) {
  const places = placesOf(services);

  return el('div.rules-picture', {role: 'group', 'aria-label': 'Services; choose those of a rule'},
    el('svg', {viewBox: `0 0 ${SIZE} ${SIZE}`, 'aria-hidden': 'true'}, linesOf(layout, places)),
    services.map((service) => el('button', {type: 'button', 'data-key': `service-${service}`, 'data-hue': hue(service, services), 'aria-pressed': String(picked.has(service)),
      style: {left: `${places.get(service).x / SIZE * 100}%`, top: `${places.get(service).y / SIZE * 100}%`}, onclick: () => toggle(service)}, service)));
}

function removal(label, act) {
  return el('button.small', {type: 'button', 'aria-label': `Remove: ${label}`, onclick: act}, 'Remove');
}

function ruleList(rules, changed) {
  const rows = [
    ...KINDS.flatMap(([kind, label]) => (rules.layout[kind] ?? []).map((set) => [`${label}: ${set.join(', ')}`, () => {
      rules.layout[kind] = rules.layout[kind].filter((one) => one !== set);
    }])),
    ...rules.counts.map((rule) => [rule.name ?? JSON.stringify(rule.terms), () => { rules.counts = rules.counts.filter((one) => one !== rule); }])];

  return rows.length === 0 ? el('p.quiet', 'No rules yet: choose services in the picture.') : el('ul.rules', rows.map(([label, remove]) => el('li', el('span', label),
    removal(label, () => { remove(); changed(); }))));
}

// How many instances there are of one service for so many of another.
function ratioForm(services, add) {
  const bound = choice([['min', 'At least'], ['max', 'At most']], 'min', {'aria-label': 'Bound'}), one = choice(services.map((name) => [name, name]), services[0], {'aria-label': 'Of the service'});
  const each = choice(services.map((name) => [name, name]), services[1] ?? services[0], {'aria-label': 'For the service'});
  const few = el('input', {type: 'number', min: 1, value: 1, 'aria-label': 'Instances'}), many = el('input', {type: 'number', min: 1, value: 2, 'aria-label': 'For so many'});

  return el('fieldset', el('legend', 'Ratio'), el('p.row.ratio', bound, few, 'of', one, 'for', many, 'of', each, el('button', {type: 'button', onclick: () => {
    if (one.value === each.value)
      return one.focus();
    add({name: `${bound.value === 'min' ? 'at least' : 'at most'} ${few.value} ${one.value} for ${many.value} ${each.value}`,
      terms: {[one.value]: Number(many.value), [each.value]: -Number(few.value)}, [bound.value]: 0});
  }}, 'Add')));
}

function number(value, label, write) {
  const input = el('input', {type: 'number', min: 0, value: value ?? '', 'aria-label': label, oninput: () => write(input.value === '' ? undefined : Number(input.value))});

  return input;
}

// The least and the most of each service.
function quantityTable(services, rules, changed) {
  const write = (service, bound) => (value) => {
    const rule = rules.services[service] ?? {}, {[bound]: before, ...others} = rule.quantities ?? {};
    const quantities = value === undefined ? others : {...others, [bound]: value};
    rules.services[service] = {...rule, quantities};
    if (Object.keys(quantities).length === 0)
      delete rules.services[service].quantities;
    if (Object.keys(rules.services[service]).length === 0)
      delete rules.services[service];
    changed();
  };

  return table('Instances of services', ['Service', 'At least', 'At most'], services.map((service) => [service, ...['min', 'max'].map((bound) =>
    number(rules.services[service]?.quantities?.[bound], `${bound === 'min' ? 'Least' : 'Most'} ${service}`, write(service, bound)))]));
}

// The rules of a template, to be changed; what is left of them as a member constraints.
function rulesOf(template) {
  const {layout = {}, counts, services, size, ...others} = structuredClone(template.constraints ?? {});

  return {layout, counts: counts ?? [], services: services ?? {}, size: size ?? {}, others};
}

function constraintsOf({layout, counts, services, size, others}) {
  const sets = Object.fromEntries(Object.entries(layout).filter(([, list]) => list?.length)), parts = {layout: sets, services, size};

  return {...others, ...(counts.length ? {counts} : {}), ...Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length))};
}

// What a template inherits stays as it is; its own rules are those that are being written.
function merged(resolved, own, constraints) {
  const before = own.constraints ?? {}, all = resolved.constraints ?? {}, now = {...all, ...constraints};
  const list = (whole, mine, written) => [...(whole ?? []).filter((one) => !(mine ?? []).some((other) => equal(one, other))), ...(written ?? [])];

  if (!own.extends && !own.includes)
    return {...resolved, constraints};
  now.layout = Object.fromEntries(KINDS.map(([kind]) => [kind, list(all.layout?.[kind], before.layout?.[kind], constraints.layout?.[kind])]));
  now.counts = list(all.counts, before.counts, constraints.counts);
  now.services = {...all.services, ...constraints.services};
  return {...resolved, constraints: now};
}

// The request for a cluster of so many machines, as coopr request makes it.
function requestOf(template, machines, entities) {
  const {services = [], provider, hardwaretype = null, imagetype = null} = template.defaults ?? {}, of = (kind) => entities.filter((one) => one.kind === kind);

  return {kind: 'request', template, provider: of('provider').find((one) => one.name === provider) ?? of('provider')[0], hardwaretypes: of('hardwaretype'), imagetypes: of('imagetype'),
    services: of('service'), nodes: [], cluster: {id: '00000001', name: 'try', numMachines: machines, services: services.map(nameOf), hardwaretype, imagetype, config: {}}};
}

// Returns the records of the layout, or why there is none.
async function solve(template, machines, entities, signal) {
  try {
    const records = await items('POST /v1/solve', {body: JSON.stringify(requestOf(template, machines, entities)), signal});
    return {machines, records, because: records.find((one) => one.kind === 'unsatisfiable')?.because};
  } catch (error) {
    if (error.status !== 422)
      throw error;
    return {machines, because: error.message};
  }
}

function answerView({machines, records, because}) {
  if (because)
    return el('div.note.bad', el('strong', `No layout of ${count(machines, 'machine')}`), el('p', because));
  const nodes = records.filter((one) => one.kind === 'node'), [cluster] = records.filter((one) => one.kind === 'cluster'), price = cluster.solution?.objective?.cost;

  return [el('p', `${count(nodes.length, 'machine')}${price === undefined ? '' : `, ${cost(price)}`}`), layoutView(nodes)];
}

// Tries the sizes one after the other, and shows what is chosen among the answers.
function trial(size, signal) {
  const from = el('input', {type: 'number', min: 1, value: Math.max((size.min ?? 1) - 1, 1), 'aria-label': 'From'});
  const to = el('input', {type: 'number', min: 1, value: Math.min((size.max ?? Infinity) + 1, Number(from.value) + TRIED - 1), 'aria-label': 'to'});
  const tiles = el('div.tiles', {role: 'group', 'aria-label': 'Sizes'}), shown = el('div', {'aria-live': 'polite'});
  let chosen, running = new AbortController(), wanted;

  const show = (answer) => {
    chosen = answer.machines;
    fill(shown, answerView(answer));
    tiles.querySelectorAll('button').forEach((one) => one.setAttribute('aria-pressed', String(one.value === String(chosen))));
  };
  const tile = (answer) => el('button', {type: 'button', value: answer.machines, 'data-kind': answer.because ? 'bad' : 'good', 'data-key': `size-${answer.machines}`,
    'aria-pressed': String(answer.machines === chosen), 'aria-label': `${count(answer.machines, 'machine')}: ${answer.because ? 'no layout' : 'a layout'}`, onclick: () => show(answer)},
  String(answer.machines), el('span', {'aria-hidden': 'true'}, answer.because ? ' ✗' : ' ✓'));

  const run = settled(async () => {
    running.abort();
    running = new AbortController();
    const mine = AbortSignal.any([running.signal, signal]), answers = [];
    tiles.setAttribute('aria-busy', 'true');
    for (let machines = Number(from.value); machines <= Number(to.value); machines++) {
      answers.push(await solve(wanted.template, machines, wanted.entities, mine));
      fill(tiles, answers.map(tile));
    }
    tiles.removeAttribute('aria-busy');
    show(answers.find((one) => one.machines === chosen) ?? answers.find((one) => !one.because) ?? answers[0]);
  }, 300);
  from.addEventListener('input', run);
  to.addEventListener('input', run);
  signal.addEventListener('abort', run.cancel);
  return {view: el('section', el('h2', 'Tried'), el('p.row', 'Sizes', from, 'to', to), tiles, shown), run: (template, entities) => {
    wanted = {template, entities};
    run();
  }};
}

export async function rulesView({name, signal}) {
  const path = {kind: 'clustertemplate', name};
  const [own, resolved, versions, entities] = await Promise.all([call('GET /v1/entities/{kind}/{name}', {path, signal}),
    call('GET /v1/entities/{kind}/{name}', {path, query: {resolved: true}, signal}), items('GET /v1/entities/{kind}/{name}/history', {path, signal}), items('GET /v1/export', {signal})]);
  const services = [...new Set([...(resolved.defaults?.services ?? []), ...(resolved.compatibility?.services ?? [])].map(nameOf))];
  const back = `#/entities/clustertemplate/${encodeURIComponent(name)}`;

  if (services.length === 0)
    return el('div', el('h1', `Rules: ${name}`), empty('No services', 'Rules are about services. Name those of the template first.', el('a.button', {href: back}, 'The template')));
  const rules = rulesOf(own), picked = new Set(), drawing = el('div'), list = el('div'), kind = choice(KINDS, 'mutuallyexclusive', {'aria-label': 'Kind of rule'}), trouble = el('div');
  const tried = trial(rules.size, signal), reason = el('input', {autocomplete: 'off'}), {version} = versions.at(-1);
  const add = el('button', {type: 'button', disabled: true, onclick: () => {
    rules.layout[kind.value] = [...(rules.layout[kind.value] ?? []), [...picked]];
    picked.clear();
    changed();
  }}, 'Add the rule');

  function draw() {
    fill(drawing, picture(services, rules.layout, picked, (service) => {
      if (!picked.delete(service))
        picked.add(service);
      draw();
    }));
    fill(list, ruleList(rules, changed));
    add.disabled = picked.size < 2;
  }
  function changed() {
    const constraints = constraintsOf(rules);

    draw();
    save.disabled = equal(constraints, own.constraints ?? {});
    tried.run(merged(resolved, own, constraints), entities);
  }
  const bound = (which) => number(rules.size[which], `${which === 'min' ? 'Least' : 'Most'} machines`, (value) => {
    rules.size = {...rules.size, [which]: value};
    changed();
  });
  const asked = () => ({kind: 'clustertemplate', expect: version, message: reason.value});
  const save = el('button.main', {type: 'button', disabled: true, onclick: async () => {
    try {
      await call('POST /v1/entities', {query: asked(), body: JSON.stringify({...own, constraints: constraintsOf(rules)})});
      tell('The rules are saved as a new version of the template.');
      location.hash = back;
    } catch (error) {
      fill(trouble, problem(error));
    }
  }}, 'Save');

  changed();
  return el('div', el('p.crumbs', el('a', {href: '#/entities/clustertemplate'}, 'Templates'), ' / ', el('a', {href: back}, name)), el('h1', `Rules: ${name}`),
    el('div.split.even', el('section', el('h2', 'Together and apart'), drawing, el('p.row', kind, add), list, ratioForm(services, (rule) => { rules.counts.push(rule); changed(); }),
      el('h2', 'How many'), el('p.row', 'Machines: from', bound('min'), 'to', bound('max')), quantityTable(services, rules, changed), field('Reason', reason, 'For the history; may be empty.'), trouble,
      el('p.row', save, el('a.button', {href: back}, 'The whole template'))), tried.view),
    commandView(commandLine(ACTIONS.put, {file: `${name}.json`, kind: 'clustertemplate', expect: version})));
}
