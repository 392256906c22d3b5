// SPDX-License-Identifier: Apache-2.0
//
// The rules of a template as a picture: which services stand together, which apart, how many there are, and how many for each other.
// They are tried at once, on all sizes that are of interest, by the solver.
import {choice, el, empty, field, fill, problem, settled, table, tell} from './dom.js';
import {call, items} from './api.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {cost, count} from './format.js';
import {hue, layoutView} from './layout.js';

// Rules about a set of services: their kind, and whether they are about a machine, so that the template has them in its layout.
const KINDS = [['mustcoexist', 'Always together', true], ['mutuallyexclusive', 'Never two of them', true], ['cantcoexist', 'Never all of them', true],
  ['oneof', 'Exactly one of them', false]];
const SPREAD = ['spread', 'In different zones'];
const SIZE = 340, RING = 34, TRIED = 12; // the picture's side, and a radius, in pixels; sizes that are tried unless others are wanted

const nameOf = (service) => service.name ?? service;
const equal = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function placesOf(services) {
  return new Map(services.map((service, i) => {
    const angle = 2 * Math.PI * i / services.length - Math.PI / 2;

    return [service, {x: SIZE / 2 + Math.cos(angle) * SIZE * .36, y: SIZE / 2 + Math.sin(angle) * SIZE * .41}];
  }));
}

// Lines between the services of each set, and rings around those that are spread.
function linesOf({sets, spread}, places) {
  const rings = spread.flatMap((one) => one.services).map((service) => places.get(service)).filter(Boolean).map(({x, y}) => el('circle.rule-spread', {cx: x, cy: y, r: RING}));

  return [...rings, ...KINDS.flatMap(([kind]) => sets[kind].flatMap((set) => set.flatMap((one, i) => set.slice(i + 1).map((other) => {
    const from = places.get(one), to = places.get(other);

    return from && to && el(`line.rule-${kind}`, {x1: from.x, y1: from.y, x2: to.x, y2: to.y});
  }))))];
}

// The picture: a button for each service, which puts it into the set that becomes a rule.
function picture(services, rules, picked, toggle) {
  const places = placesOf(services);

  return el('div.rules-picture', {role: 'group', 'aria-label': 'Services; choose those of a rule'},
    el('svg', {viewBox: `0 0 ${SIZE} ${SIZE}`, 'aria-hidden': 'true'}, linesOf(rules, places)),
    services.map((service) => el('button', {type: 'button', 'data-key': `service-${service}`, 'data-hue': hue(service, services), 'aria-pressed': String(picked.has(service)),
      style: {left: `${places.get(service).x / SIZE * 100}%`, top: `${places.get(service).y / SIZE * 100}%`}, onclick: () => toggle(service)}, service)));
}

function removal(label, act) {
  return el('button.small', {type: 'button', 'aria-label': `Remove: ${label}`, onclick: act}, 'Remove');
}

function spreadText({services, min}) {
  return `${SPREAD[1]}, at least ${min ?? 1}: ${services.join(', ')}`;
}

function ruleList(rules, changed) {
  const without = (name, rule) => () => { rules[name] = rules[name].filter((one) => one !== rule); };
  const rows = [
    ...KINDS.flatMap(([kind, label]) => rules.sets[kind].map((set) => [kind, `${label}: ${set.join(', ')}`, () => {
      rules.sets[kind] = rules.sets[kind].filter((one) => one !== set);
    }])),
    ...rules.spread.map((rule) => ['spread', spreadText(rule), without('spread', rule)]),
    ...rules.counts.map((rule) => ['counts', rule.name ?? JSON.stringify(rule.terms), without('counts', rule)])];

  return rows.length === 0 ? el('p.quiet', 'No rules yet: choose services in the picture.') : el('ul.rules', rows.map(([kind, label, remove]) => el('li', {'data-rule': kind}, el('span', label),
    removal(label, () => { remove(); changed(); }))));
}

// A rule about the services that are picked: its kind, and where they are spread, in how many zones.
function setForm(rules, picked, changed) {
  const kind = choice([...KINDS, SPREAD].map(([name, label]) => [name, label]), 'mutuallyexclusive', {'aria-label': 'Kind of rule', onchange: () => draw()});
  const zones = el('input', {type: 'number', min: 1, value: 2, 'aria-label': 'Zones at least'}), least = el('span.row', 'at least', zones, 'zones');
  const add = el('button', {type: 'button', onclick: () => {
    if (kind.value === 'spread')
      rules.spread.push({services: [...picked], over: 'zone', min: Number(zones.value) || 1});
    else
      rules.sets[kind.value].push([...picked]);
    picked.clear();
    changed();
  }}, 'Add the rule');
  const draw = () => {
    least.hidden = kind.value !== 'spread';
    add.disabled = picked.size < (kind.value === 'spread' ? 1 : 2);
  };

  draw();
  return {view: el('p.row.rule-form', kind, least, add), draw};
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

// Names with blanks between; none is any.
function namesInput(value, label, write) {
  return el('input', {value: (value ?? []).join(' '), placeholder: 'any', spellcheck: 'false', autocapitalize: 'none', 'aria-label': label, oninput: ({target}) => {
    const names = target.value.split(/\s+/).filter(Boolean);
    write(names.length ? names : undefined);
  }});
}

// The least and the most of each service, and on which hardware and images it stands.
function serviceTable(services, rules, changed) {
  const without = (object, name, value) => Object.fromEntries([...Object.entries(object).filter(([one]) => one !== name), ...(value === undefined ? [] : [[name, value]])]);
  const write = (service, name, value) => {
    const rule = without(rules.services[service] ?? {}, name, value);
    rules.services = without(rules.services, service, Object.keys(rule).length ? rule : undefined);
    changed();
  };
  const bound = (service, name) => number(rules.services[service]?.quantities?.[name], `${name === 'min' ? 'Least' : 'Most'} ${service}`, (value) => {
    const quantities = without(rules.services[service]?.quantities ?? {}, name, value);
    write(service, 'quantities', Object.keys(quantities).length ? quantities : undefined);
  });
  const names = (service, name, label) => namesInput(rules.services[service]?.[name], `${label} of ${service}`, (value) => write(service, name, value));

  return table('Services', ['Service', 'At least', 'At most', 'Only on hardware', 'Only on images'], services.map((service) => [service, bound(service, 'min'), bound(service, 'max'),
    names(service, 'hardwaretypes', 'Hardware'), names(service, 'imagetypes', 'Images')]), {'data-narrow': true});
}

// The rules of a template, to be changed; what is left of them as a member constraints.
function rulesOf(template) {
  const {layout = {}, counts, oneof, spread, services, size, ...others} = structuredClone(template.constraints ?? {});
  const sets = Object.fromEntries(KINDS.map(([kind, , isOfMachine]) => [kind, (isOfMachine ? layout?.[kind] : oneof) ?? []]));

  return {sets, counts: counts ?? [], spread: spread ?? [], services: services ?? {}, size: size ?? {}, others};
}

function constraintsOf({sets, counts, spread, services, size, others}) {
  const layout = Object.fromEntries(KINDS.filter(([kind, , isOfMachine]) => isOfMachine && sets[kind].length).map(([kind]) => [kind, sets[kind]]));
  const parts = {layout, counts, oneof: sets.oneof, spread, services, size};

  return {...others, ...Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length))};
}

// What a template inherits stays as it is; its own rules are those that are being written.
function merged(resolved, own, constraints) {
  const before = own.constraints ?? {}, all = resolved.constraints ?? {}, now = {...all, ...constraints};
  const list = (whole, mine, written) => [...(whole ?? []).filter((one) => !(mine ?? []).some((other) => equal(one, other))), ...(written ?? [])];

  if (!own.extends && !own.includes)
    return {...resolved, constraints};
  now.layout = Object.fromEntries(KINDS.filter(([, , isOfMachine]) => isOfMachine).map(([kind]) => [kind, list(all.layout?.[kind], before.layout?.[kind], constraints.layout?.[kind])]));
  ['counts', 'oneof', 'spread'].forEach((name) => { now[name] = list(all[name], before[name], constraints[name]); });
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
  return {view: el('section', el('h2', 'Tried on sizes'), el('p.row', 'From', from, 'to', to, 'machines'), tiles, shown), run: (template, entities) => {
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
  const rules = rulesOf(own), before = constraintsOf(rulesOf(own)), picked = new Set(), drawing = el('div'), list = el('div'), trouble = el('div');
  const tried = trial(rules.size, signal), reason = el('input', {autocomplete: 'off'}), {version} = versions.at(-1);
  const rule = setForm(rules, picked, () => changed());

  function draw() {
    fill(drawing, picture(services, rules, picked, (service) => {
      if (!picked.delete(service))
        picked.add(service);
      draw();
    }));
    fill(list, ruleList(rules, changed));
    rule.draw();
  }
  function changed() {
    const constraints = constraintsOf(rules);

    draw();
    save.disabled = equal(constraints, before);
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
    el('div.split.even', el('section', el('h2', 'Together and apart'), drawing, rule.view, list, ratioForm(services, (ratio) => { rules.counts.push(ratio); changed(); }),
      el('h2', 'How many'), el('p.row', 'Machines: from', bound('min'), 'to', bound('max')), serviceTable(services, rules, changed), field('Reason', reason, 'For the history; may be empty.'), trouble,
      el('p.row', save, el('a.button', {href: back}, 'The whole template'))), tried.view),
    commandView(commandLine(ACTIONS.put, {file: `${name}.json`, kind: 'clustertemplate', expect: version})));
}
