// SPDX-License-Identifier: Apache-2.0
//
// The values of a configuration: its leaves, and those that the services' schemas describe. Each has a path, the names of the members that
// lead to it.
import {choice, el, field, fill} from './dom.js';

// Returns the leaves as lists [path, value].
export function leaves(config, path = []) {
  return Object.entries(config ?? {}).flatMap(([name, value]) => value && typeof value === 'object' && !Array.isArray(value)
    ? leaves(value, [...path, name]) : [[[...path, name], value]]);
}

// Returns what a schema describes, as lists [path, rule].
function described(schema, path) {
  return Object.entries(schema?.properties ?? {}).filter(([name]) => name !== '__proto__').flatMap(([name, rule]) => rule?.properties
    ? described(rule, [...path, name]) : [[[...path, name], rule ?? {}]]);
}

// Returns all values, also those that are not set yet: {path, value, rule}. services are entities, which may have a schema.
export function valuesOf(config, services) {
  const rules = services.flatMap((one) => described(one.config, [one.name])), set = leaves(config), isOf = (path, other) => path.every((name, i) => name === other[i]);

  return [...set.map(([path, value]) => ({path, value, rule: rules.find(([one]) => isOf(one, path))?.[1] ?? {}})),
    ...rules.filter(([path]) => !set.some(([one]) => isOf(path, one))).map(([path, rule]) => ({path, rule}))];
}

// Returns a value as it is written in a field; valueOf reads it again: what was a text stays one.
export function written(value) {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

export function valueOf(word, {value, rule}) {
  if (word === '' && value === undefined)
    return undefined;
  if (typeof value === 'string' || (value === undefined && [rule.type].flat().includes('string')))
    return word;
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

// Returns a copy in which the value at the path is another one; undefined: there is none.
export function changedAt(config, path, value) {
  const copy = structuredClone(config ?? {}), parent = path.slice(0, -1).reduce((at, name) => at[name] ??= {}, copy);

  parent[path.at(-1)] = value;
  return copy;
}

// Says what is wrong with a word; '' where nothing is. A macro may become anything.
function objection(word, {type, minimum = -Infinity, maximum = Infinity}) {
  const isNumber = [type].flat().some((one) => one === 'integer' || one === 'number');

  if (word === '' || word.includes('%') || !isNumber)
    return '';
  if (Number.isNaN(Number(word)) || (type === 'integer' && !Number.isInteger(Number(word))))
    return `This is no ${type === 'integer' ? 'whole ' : ''}number.`;
  return Number(word) < minimum ? `At least ${minimum}.` : Number(word) > maximum ? `At most ${maximum}.` : '';
}

function hintOf({description, type, minimum, maximum}) {
  const bounds = minimum === undefined ? maximum === undefined ? '' : `At most ${maximum}.` : maximum === undefined ? `At least ${minimum}.` : `${minimum} to ${maximum}.`;

  return [typeof description === 'string' && description, type === 'integer' && !bounds ? 'A whole number.' : bounds].filter(Boolean).join(' ');
}

// A field for a value, as its rule wants it; changed(word) is called with what was written.
export function valueField({path, value, rule}, changed = () => {}) {
  const title = typeof rule.title === 'string' ? rule.title : path.join(' › '), words = rule.enum ?? (rule.type === 'boolean' ? [true, false] : null), initial = written(value), wrong = el('p.bad', {role: 'status'});
  const attributes = {'data-key': path.join('/'), spellcheck: 'false', autocapitalize: 'none', oninput: ({target}) => {
    fill(wrong, objection(target.value, rule));
    target.setCustomValidity(wrong.textContent);
    target.setAttribute('aria-invalid', String(!target.checkValidity()));
    changed(target.value);
  }};
  const input = Array.isArray(words) ? choice([...new Set([...(value === undefined ? [''] : []), initial, ...words.map(written)])].map((one) => [one, one || `not set${rule.default === undefined ? '' : `: ${written(rule.default)}`}`]), initial, attributes)
    : el('input', {value: initial, placeholder: rule.default === undefined ? null : written(rule.default), ...attributes});

  return {input, view: el('div', field(title, input, hintOf(rule) || undefined), wrong)};
}

// A control of a form: a field for each value, and all of them as the text that the control area is; each follows the other.
export function configControl(area, services) {
  const text = area.view.querySelector('textarea'), fields = el('div');
  const draw = () => {
    let config;
    try {
      config = JSON.parse(text.value);
    } catch {
      return; // area says so
    }
    fill(fields, valuesOf(config, services).map((one) => valueField(one, (word) => {
      text.value = JSON.stringify(changedAt(JSON.parse(text.value), one.path, valueOf(word, one)), null, 2);
    }).view));
  };

  text.addEventListener('input', draw);
  draw();
  return {view: el('div', fields, el('details', {open: fields.childElementCount === 0}, el('summary', 'As JSON'), area.view)), read: area.read};
}
