// SPDX-License-Identifier: Apache-2.0
//
// The commands that do the same as the actions of this page. An action is one row: its route and the command, as /v1/openapi.json names both
// (the tests compare them), and which values of the request are operands. All others are options.
import {el, tell} from './dom.js';
import {INSTALLATION, session} from './api.js';

export const ACTIONS = {
  list: ['GET /v1/clusters', 'coopr list'],
  create: ['POST /v1/clusters', 'coopr create', 'name'],
  status: ['GET /v1/clusters/{cluster}', 'coopr status', 'cluster'],
  probe: ['GET /v1/clusters/{cluster}/probe', 'coopr status', 'cluster'],
  nodes: ['GET /v1/clusters/{cluster}/nodes', 'coopr show', 'cluster'],
  history: ['GET /v1/clusters/{cluster}/operations', 'coopr history', 'cluster'],
  log: ['GET /v1/clusters/{cluster}/log', 'coopr log', 'cluster'],
  report: ['GET /v1/clusters/{cluster}/report', 'coopr report', 'cluster'],
  showConfig: ['GET /v1/clusters/{cluster}/config', 'coopr config', 'cluster'],
  delete: ['DELETE /v1/clusters/{cluster}', 'coopr delete', 'cluster'],
  config: ['POST /v1/clusters/{cluster}/config', 'coopr config', 'cluster'],
  lease: ['POST /v1/clusters/{cluster}/lease', 'coopr lease', 'cluster', 'time'],
  rename: ['POST /v1/clusters/{cluster}/rename', 'coopr rename', 'cluster', 'name'],
  expand: ['POST /v1/clusters/{cluster}/expand', 'coopr expand', 'cluster'],
  shrink: ['POST /v1/clusters/{cluster}/shrink', 'coopr shrink', 'cluster'],
  scale: ['POST /v1/clusters/{cluster}/scale', 'coopr scale', 'cluster', 'services'],
  add: ['POST /v1/clusters/{cluster}/add', 'coopr add', 'cluster', 'services'],
  remove: ['POST /v1/clusters/{cluster}/remove', 'coopr remove', 'cluster', 'services'],
  start: ['POST /v1/clusters/{cluster}/start', 'coopr start', 'cluster', 'services'],
  stop: ['POST /v1/clusters/{cluster}/stop', 'coopr stop', 'cluster', 'services'],
  restart: ['POST /v1/clusters/{cluster}/restart', 'coopr restart', 'cluster', 'services'],
  replace: ['POST /v1/clusters/{cluster}/replace', 'coopr replace', 'cluster', 'nodes'],
  upgrade: ['POST /v1/clusters/{cluster}/upgrade', 'coopr upgrade', 'cluster'],
  retry: ['POST /v1/clusters/{cluster}/retry', 'coopr retry', 'cluster'],
  rollback: ['POST /v1/clusters/{cluster}/rollback', 'coopr rollback', 'cluster'],
  clone: ['POST /v1/clusters/{cluster}/clone', 'coopr clone', 'cluster', 'name'],
  abort: ['POST /v1/clusters/{cluster}/abort', 'coopr abort', 'cluster'],
  pause: ['POST /v1/clusters/{cluster}/pause', 'coopr pause', 'cluster'],
  entities: ['GET /v1/entities/{kind}', 'coopr store list', 'kind'],
  put: ['POST /v1/entities', 'coopr store put', 'file'],
  deleteEntity: ['DELETE /v1/entities/{kind}/{name}', 'coopr store delete', 'kind', 'name'],
  providerFields: ['GET /v1/providers/{provider}/fields', 'coopr provider describe', 'provider'],
  testProvider: ['GET /v1/providers/{provider}/test', 'coopr provider test', 'provider'],
  importFlavors: ['POST /v1/providers/{provider}/import-flavors', 'coopr provider import-flavors', 'provider', 'flavors'],
  members: ['GET /v1/members', 'coopr member list'],
  setMember: ['PUT /v1/members/{user}', 'coopr member set', 'user'],
  deleteMember: ['DELETE /v1/members/{user}', 'coopr member delete', 'user'],
  quota: ['GET /v1/quota', 'coopr quota'],
  secrets: ['GET /v1/secrets', 'coopr secret list'],
  setSecret: ['PUT /v1/secrets/{name}', 'coopr secret set', 'name'],
  rotateSecret: ['POST /v1/secrets/{name}/rotate', 'coopr secret rotate', 'name'],
  deleteSecret: ['DELETE /v1/secrets/{name}', 'coopr secret delete', 'name'],
  usage: ['GET /v1/usage', 'coopr usage'],
  resources: ['GET /v1/resources', 'coopr resource list'],
  getResource: ['GET /v1/resources/{kind}/{plugin}/{type}/{name}', 'coopr resource get', 'resource'],
  diffResource: ['GET /v1/resources/{kind}/{plugin}/{type}/{name}/diff', 'coopr resource diff', 'resource', 'to'],
  upload: ['PUT /v1/resources/{kind}/{plugin}/{type}/{name}', 'coopr resource upload', 'resource', 'file'],
  stage: ['POST /v1/resources/{kind}/{plugin}/{type}/{name}/stage', 'coopr resource stage', 'resource'],
  recall: ['POST /v1/resources/{kind}/{plugin}/{type}/{name}/recall', 'coopr resource recall', 'resource'],
  sync: ['POST /v1/sync', 'coopr resource sync'],
  hooks: ['GET /v1/hooks', 'coopr hook list'],
  limits: ['PATCH /v1/limits', 'coopr queue limit'],
  settings: ['GET /v1/settings', 'coopr doctor'],
  deleteResource: ['DELETE /v1/resources/{kind}/{plugin}/{type}/{name}', 'coopr resource delete', 'resource'],
  volumes: ['GET /v1/volumes', 'coopr volume list'],
  snapshot: ['POST /v1/volumes/{volume}/snapshot', 'coopr volume snapshot', 'volume'],
  restoreVolume: ['POST /v1/volumes/{volume}/restore', 'coopr volume restore', 'volume', 'cluster'],
  deleteVolume: ['DELETE /v1/volumes/{volume}', 'coopr volume delete', 'volume'],
  users: ['GET /v1/users', 'coopr user list'],
  addUser: ['POST /v1/users', 'coopr user add', 'name'],
  userCode: ['POST /v1/users/{user}/code', 'coopr user code', 'user'],
  deleteUser: ['DELETE /v1/users/{user}', 'coopr user delete', 'user'],
  tokens: ['GET /v1/tokens', 'coopr token list'],
  deleteToken: ['DELETE /v1/tokens/{token}', 'coopr token delete', 'token'],
  createToken: ['POST /v1/tokens', 'coopr token create', 'name'],
  audit: ['GET /v1/audit', 'coopr audit'],
  queue: ['GET /v1/queue', 'coopr queue stats'],
  tenants: ['GET /v1/tenants', 'coopr tenant list'],
  createTenant: ['POST /v1/tenants', 'coopr tenant create', 'name'],
  changeTenant: ['PATCH /v1/tenants/{tenant}', 'coopr tenant change', 'tenant'],
  deleteTenant: ['DELETE /v1/tenants/{tenant}', 'coopr tenant delete', 'tenant'],
  resume: ['POST /v1/clusters/{cluster}/resume', 'coopr resume', 'cluster'],
};

function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${String(word).replace(/'/g, "'\\''")}'`;
}

function option([name, value]) {
  if (value === true)
    return [`--${name}`];
  if (Array.isArray(value))
    return value.flatMap((one) => option([name, one]));
  if (typeof value === 'object' && value !== null)
    return [`--${name}`, `${name}.json`];
  return value === false || value === null || value === undefined || value === '' ? [] : [`--${name}`, quote(value)];
}

// Returns the command line of an action with these values.
export function commandLine(action, values = {}) {
  const [route, command, ...operands] = action;
  const given = operands.flatMap((name) => values[name] ?? []).filter((value) => value !== '').map(quote);
  const options = Object.entries(values).filter(([name]) => !operands.includes(name)).flatMap(option);
  const tenant = session.tenant && session.tenant !== 'default' && !INSTALLATION.includes(route) ? ['--tenant', quote(session.tenant)] : [];

  return [command, ...given, ...options, ...tenant].join(' ');
}

// A line that shows the command, to be copied.
export function commandView(line) {
  const code = el('code', line);
  const copy = el('button.small', {type: 'button', 'aria-label': 'Copy the command', onclick: async () => {
    await navigator.clipboard?.writeText(code.textContent);
    tell('The command is in the clipboard.');
  }}, 'Copy');
  const view = el('div.command', el('span.unseen', 'The same as a command: '), el('span', {'aria-hidden': 'true'}, '$'), code, copy);

  view.say = (text) => { code.textContent = text; };
  return view;
}
