// SPDX-License-Identifier: Apache-2.0
//
// Requests to the server, coopr-api(7). A route is written as it stands there, 'GET /v1/clusters/{cluster}', so that the tests can compare
// all that this page asks with what the server answers.

// Who asks, as GET /v1/session says it.
export const session = {user: null, tenant: null, role: null, tenants: [], csrf: null};

const ROLES = ['read-only', 'user', 'admin', 'superadmin'];

// Tells whether who is there has at least that role.
export function may(role) {
  return !session.role || ROLES.indexOf(session.role) >= ROLES.indexOf(role);
}

// The routes that are not of one tenant.
export const INSTALLATION = [
  'POST /v1/session', 'POST /v1/session/provider', 'DELETE /v1/session', 'GET /v1/version', 'GET /v1/jobs', 'GET /v1/jobs/{job}', 'GET /v1/queue', 'GET /v1/limits', 'GET /v1/settings', 'GET /v1/checks',
  'GET /v1/schemas/{kind}',
  'POST /v1/tenants', 'GET /v1/tenants/{tenant}', 'PATCH /v1/tenants/{tenant}', 'DELETE /v1/tenants/{tenant}', 'POST /v1/solve', 'POST /v1/validate',
];

// What kind of answer it is, in other words than those of HTTP.
const TITLES = {400: 'This was refused', 403: 'Not permitted', 404: 'Not found', 409: 'This was refused', 412: 'It was changed meanwhile', 422: 'This was refused', 429: 'Too many requests',
  500: 'The server has failed', 503: 'The server has too much to do'};

// A refusal. wayOut is the member of the request with which the same is done, which commands call an option; forms have a box for some.
export class Problem extends Error {
  constructor(status, record) {
    const wayOut = record.errors?.find((one) => one.permits);

    super(wayOut?.detail || record.detail || record.title || 'The server did not say why.');
    this.wayOut = wayOut?.pointer.slice(1);
    this.status = status;
    this.title = TITLES[status] ?? record.title;
    this.errors = record.errors?.filter((one) => !one.permits);
    this.messages = record.messages ?? [];
  }
}

let known = Promise.resolve();

// Has the answers to what is asked from now on wait until the promise is settled: until it is known who asks.
export function hold(promise) {
  known = promise.catch(() => {});
}

function address(route, path, query, isOfNone) {
  const [, pattern] = route.split(' ');
  const url = new URL(pattern.slice(1).replace(/\{(\w+)\}/g, (all, name) => encodeURIComponent(path[name])), document.baseURI);

  url.hash = '';
  Object.entries(query).forEach(([name, value]) => {
    if (value !== null && value !== undefined && value !== '' && value !== false)
      url.searchParams.set(name, value);
  });
  if (session.tenant && !isOfNone && !INSTALLATION.includes(route) && !url.searchParams.has('tenant'))
    url.searchParams.set('tenant', session.tenant);
  return url;
}

async function refusal(response) {
  const text = await response.text();
  let record = {title: response.statusText || `Status ${response.status}`, detail: text.slice(0, 400)};

  if (response.headers.get('Content-Type')?.includes('json'))
    record = JSON.parse(text);
  if (response.status === 401 && !response.url.endsWith('/v1/session'))
    window.dispatchEvent(new Event('logged-out'));
  return new Problem(response.status, record);
}

// Changes that want a condition. What an entity was is said by its version, and what a cluster was by the preview.
const CONDITIONED = ['DELETE /v1/clusters/{cluster}', 'DELETE /v1/entities/{kind}/{name}', 'PATCH /v1/tenants/{tenant}', 'DELETE /v1/tenants/{tenant}'];

// Sends a change once more where the answer was lost: with the same key it is done once.
async function transmit(url, options) {
  if (options.method === 'GET')
    return fetch(url, options);
  options.headers['Idempotency-Key'] = Array.from(crypto.getRandomValues(new Uint32Array(4)), number => number.toString(36)).join('-');
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name === 'AbortError')
      throw error;
    await new Promise(resolve => setTimeout(resolve, 1000));
    return fetch(url, options);
  }
}

// Sends a request and returns the response. body is an object, or a text or a file that is a document; accept is a media type. It is of the chosen
// tenant, unless isOfNone.
export async function send(route, {path = {}, query = {}, body, accept = 'application/json', signal, headers = {}, isOfNone = false} = {}) {
  const [method] = route.split(' ');
  const options = {method, signal, credentials: 'same-origin', cache: 'no-cache', headers: {Accept: accept, ...headers}};
  let response;

  if (CONDITIONED.includes(route))
    options.headers['If-Match'] = '*';
  if (method !== 'GET' && session.csrf)
    options.headers['X-CSRF-Token'] = session.csrf;
  if (body !== undefined) {
    const isDocument = typeof body === 'string' || body instanceof Blob;
    options.body = isDocument ? body : JSON.stringify(body);
    options.headers['Content-Type'] = isDocument ? 'application/octet-stream' : 'application/json';
  }
  try {
    response = await transmit(address(route, path, query, isOfNone), options);
  } catch (error) {
    if (error.name === 'AbortError')
      throw error;
    throw new Problem(0, {title: 'The server does not answer', detail: 'Look whether coopr serve runs, and whether this machine reaches it; then try again.'});
  }
  if (route !== 'GET /v1/session')
    await known;
  if (!response.ok)
    throw await refusal(response);
  return response;
}

// What an answer has is data wherever it goes: el() takes nothing for attributes that has no prototype.
function data(name, value) {
  return value && typeof value === 'object' && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value;
}

export async function call(route, options) {
  const response = await send(route, options);

  return response.status === 204 ? null : JSON.parse(await response.text(), data);
}

export async function items(route, options) {
  return (await call(route, options)).items;
}

export async function text(route, options) {
  return (await send(route, {accept: 'text/plain', ...options})).text();
}
