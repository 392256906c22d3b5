// SPDX-License-Identifier: Apache-2.0
//
// What a provider that is stored can be asked: whether it works, which fields it has, and the hardware types that its flavors make.
import {el, field, fill, lineInput, problem, table, tell} from './dom.js';
import {call, items} from './api.js';
import {requestForm} from './admin.js';
import {ACTIONS, commandLine, commandView} from './command.js';
import {badge} from './format.js';

// A part of the page that is asked for once somebody wants it.
function asked(label, draw, command) {
  const result = el('div', {'aria-live': 'polite'});
  const button = el('button', {type: 'button', onclick: async () => {
    button.disabled = true;
    fill(result, el('p.quiet', 'One moment …'));
    try {
      fill(result, await draw());
    } catch (error) {
      fill(result, problem(error));
    }
    button.disabled = false;
  }}, label);

  return el('div', el('p.row', button), result, commandView(command));
}

async function checks(provider, signal) {
  const list = await items('GET /v1/providers/{provider}/test', {path: {provider}, signal});

  return table('Checks', ['State', 'What', 'Found', 'Remedy'], list.map((one) => [badge(one.status), one.name, one.text, one.remedy ?? '']));
}

async function fields(provider, signal) {
  const list = await items('GET /v1/providers/{provider}/fields', {path: {provider}, signal});
  const kinds = (one) => [one.required && 'required', one.secret && 'the name of a secret', one.of === 'installation' && 'for superadmins'].filter(Boolean).join(', ');

  return table('Fields', ['Field', 'Type', 'Default', 'Rules', 'Description'], list.map((one) => [one.name, one.type ?? '', one.default ?? '', kinds(one), one.description ?? '']));
}

function flavorsForm(provider) {
  const flavors = lineInput('flavors');
  const values = () => ({provider, flavors: flavors.value.split(/[\s,]+/).filter(Boolean)});
  const send = async (given) => {
    const {items: made} = await call('POST /v1/providers/{provider}/import-flavors', {path: {provider}, body: {flavors: given.flavors}});

    tell(made.length > 0 ? `Hardware types that are new or changed: ${made.length}.` : 'All hardware types are as they were.');
  };

  return requestForm({title: 'Hardware types', button: 'Import flavors', action: ACTIONS.importFlavors, values, send, done: () => {},
    controls: [field('Flavors', flavors, 'Such as s-*, with blanks between; empty: all that the cloud has.')]});
}

export function providerView(provider, signal) {
  return el('section', el('h2', 'Try it'), el('p.quiet', 'Credentials, quota, images, flavors and network are tried; nothing is made.'),
    asked('Test', () => checks(provider, signal), commandLine(ACTIONS.testProvider, {provider})),
    el('h2', 'Its fields'), asked('Show the fields', () => fields(provider, signal), commandLine(ACTIONS.providerFields, {provider})), flavorsForm(provider));
}
