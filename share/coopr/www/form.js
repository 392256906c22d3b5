// SPDX-License-Identifier: Apache-2.0
//
// A form made from a JSON Schema of share/coopr/schema. What it cannot show as fields, it shows as JSON; members that the schema does not
// name stay as they are.
import {el, field, fill, fresh} from './dom.js';
import {call} from './api.js';

const loaded = new Map();

async function load(kind) {
  if (!loaded.has(kind))
    loaded.set(kind, call('GET /v1/schemas/{kind}', {path: {kind}}));
  return loaded.get(kind);
}

// Loads the schema of a kind of entities, and those that it refers to. Returns {schema, root, all} for formOf.
export async function schemaOf(kind) {
  const all = {}, waiting = [`${kind}.json`];

  while (waiting.length) {
    const name = waiting.pop();
    if (all[name])
      continue;
    all[name] = await load(name.replace(/\.json$/, ''));
    for (const [, other] of JSON.stringify(all[name]).matchAll(/"\$ref":"([a-z]+\.json)#?/g))
      waiting.push(other);
  }
  return {schema: all[`${kind}.json`], root: `${kind}.json`, all};
}

// Follows references, and of alternatives takes the first one that is not null.
function follow({schema, root, all}) {
  if (schema.$ref) {
    const [file, pointer = ''] = schema.$ref.split('#'), target = file || root;
    const found = pointer.split('/').filter(Boolean).reduce((at, name) => at[name], all[target]);
    const inner = follow({schema: found, root: target, all});
    return {...inner, schema: {...inner.schema, ...schema, $ref: undefined, properties: {...inner.schema.properties, ...schema.properties}}};
  }
  if (schema.anyOf) {
    const inner = follow({schema: schema.anyOf.find((one) => one.type !== 'null'), root, all});
    return {...inner, schema: {...inner.schema, description: schema.description ?? inner.schema.description}};
  }
  return {schema, root, all};
}

function typeOf(schema) {
  const types = [schema.type].flat().filter((one) => one && one !== 'null');

  return schema.enum ? 'enum' : types[0];
}

function lineField(label, hint, value, read) {
  const input = el('input', {value: value ?? '', spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off'});

  return {view: field(label, input, hint), read: () => read(input.value)};
}

function numberOf(word) {
  const number = Number(word);

  return word === '' ? undefined : Number.isNaN(number) ? word : number;
}

function enumField(label, hint, schema, value) {
  const options = schema.enum.filter((one) => one !== null);
  const input = el('select', el('option', {value: ''}, '–'), options.map((one) => el('option', {value: one, selected: one === value}, one)));

  return {view: field(label, input, hint), read: () => input.value || undefined};
}

function flagField(label, hint, value) {
  const input = el('input', {type: 'checkbox', checked: value === true});

  return {view: el('div.field', el('label.check', input, label), hint && el('p.hint', hint)), read: () => input.checked || (value === false ? false : undefined)};
}

// A list of names, one a line; of lists of names, one list a line.
function listField(label, hint, value, isNested) {
  const input = el('textarea', {rows: Math.min(Math.max(value?.length ?? 0, 1), 8), spellcheck: 'false', autocapitalize: 'none'});

  input.value = (value ?? []).map((one) => isNested ? one.join(' ') : one).join('\n');
  return {view: field(label, input, `${hint ? `${hint} ` : ''}One a line${isNested ? ', with blanks between its names' : ''}.`), read: () => {
    const lines = input.value.split('\n').map((one) => one.trim()).filter(Boolean);
    return lines.length === 0 && !value ? undefined : lines.map((one) => isNested ? one.split(/\s+/) : one);
  }};
}

function jsonField(label, hint, value) {
  const input = el('textarea.code', {rows: 4, spellcheck: 'false'});

  input.value = value === undefined ? '' : JSON.stringify(value, null, 2);
  return {view: field(label, input, hint ?? 'As JSON.'), read: () => {
    try {
      input.removeAttribute('aria-invalid');
      return input.value.trim() === '' ? undefined : JSON.parse(input.value);
    } catch {
      input.setAttribute('aria-invalid', 'true');
      return value;
    }
  }};
}

const LARGE = 300; // characters of a value that is not shown until somebody opens it

function group(label, hint, contents, isOpen) {
  return el('details.group', {open: isOpen}, el('summary', label), hint && el('p.hint', hint), contents);
}

function objectField(at, value, label, isTop) {
  const {schema} = at, known = Object.keys(schema.properties ?? {}).filter((name) => !isTop || !['kind', 'of'].includes(name));
  const parts = known.map((name) => [name, fieldOf({...at, schema: schema.properties[name]}, value?.[name], name)]);

  const read = () => {
    const result = {...value};
    parts.forEach(([name, part]) => {
      const one = part.read();
      if (one === undefined)
        delete result[name];
      else
        result[name] = one;
    });
    return isTop || value || Object.keys(result).length ? result : undefined;
  };
  const contents = parts.map(([, part]) => part.view);
  return {view: isTop ? el('div', contents) : group(label, schema.description, contents, value !== undefined && Object.keys(value ?? {}).length > 0 && JSON.stringify(value).length < LARGE), read};
}

// An object whose members are named by the user.
function mapField(at, value, label, changed) {
  const {schema} = at, list = el('div'), id = fresh('map');
  let entries = Object.entries(value ?? {}).map(([name, one]) => ({name, part: fieldOf({...at, schema: schema.additionalProperties}, one, name)}));

  const draw = () => fill(list, entries.map((entry) => el('div.entry', entry.part.view, el('button.small', {type: 'button', 'aria-label': `Remove ${entry.name}`, onclick: () => {
    entries = entries.filter((one) => one !== entry);
    draw();
    changed();
  }}, 'Remove'))));
  const name = el('input', {id, placeholder: 'name', spellcheck: 'false', autocapitalize: 'none'});
  const more = el('button.small', {type: 'button', onclick: () => {
    if (!name.value || entries.some((one) => one.name === name.value))
      return name.focus();
    entries.push({name: name.value, part: fieldOf({...at, schema: schema.additionalProperties}, undefined, name.value)});
    name.value = '';
    draw();
    changed();
  }}, 'Add');

  draw();
  return {view: group(label, schema.description, [list, el('p.row', el('label.unseen', {for: id}, `Name of a new entry of ${label}`), name, more)], entries.length > 0 && JSON.stringify(value).length < LARGE), read: () => {
    const read = Object.fromEntries(entries.map((entry) => [entry.name, entry.part.read() ?? (typeOf(follow({...at, schema: schema.additionalProperties}).schema) === 'object' ? {} : null)]));
    return entries.length || value ? read : undefined;
  }};
}

function fieldOf(from, value, label, isTop = false) {
  const at = {...from, ...follow(from)}, {schema} = at, hint = schema.description;

  switch (typeOf(schema)) {
  case 'enum':
    return enumField(label, hint, schema, value);
  case 'boolean':
    return flagField(label, hint, value);
  case 'integer':
  case 'number':
    return lineField(label, hint, value, numberOf);
  case 'array': {
    const items = follow({...at, schema: schema.items ?? {}}), type = typeOf(items.schema);
    const isNested = type === 'array' && typeOf(follow({...items, schema: items.schema.items ?? {}}).schema) === 'string';
    return type === 'string' || type === 'enum' || isNested ? listField(label, hint, value, isNested) : jsonField(label, hint, value);
  }
  case 'object':
    if (schema.properties && Object.keys(schema.properties).length)
      return objectField(at, value, label, isTop);
    return schema.additionalProperties && typeof schema.additionalProperties === 'object' ? mapField(at, value, label, at.changed) : jsonField(label, hint, value);
  default:
    return (value === undefined && typeof schema.examples?.[0] !== 'object') || typeof value === 'string' ? lineField(label, hint, value, (word) => word || undefined) : jsonField(label, hint, value);
  }
}

// Makes a form of what schemaOf has loaded: {view, read}. changed is called where the form changes without an event of a control.
export function formOf(loadedSchema, value, changed) {
  return fieldOf({...loadedSchema, changed}, value, '', true);
}
