// SPDX-License-Identifier: Apache-2.0
//
// A terminal to a node, at terminal#/CLUSTER/NODE?tenant=TENANT: the command coopr ssh, as POST /v1/run runs it. What it prints comes as
// frames in the answer, and what is typed goes as frames to POST /v1/run/{run}, coopr-api(7).
import {call, session} from './api.js';

const OUT = 1, ERR = 2, EXIT = 3, BEGUN = 4, CALL = 7, INPUT = 8, WINDOW = 10;
const HEAD = 5;

const state = document.getElementById('state');
const again = document.getElementById('again');
const main = document.getElementById('main');
const encoder = new TextEncoder(), decoder = new TextDecoder();

function frame(kind, bytes) {
  const all = new Uint8Array(HEAD + bytes.length);

  all[0] = kind;
  new DataView(all.buffer).setUint32(1, bytes.length);
  all.set(bytes, HEAD);
  return all;
}

function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));

  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

// Sends frames. They are sent once: what was typed must not arrive twice.
function post(path, body, signal) {
  return fetch(new URL(path, document.baseURI), {method: 'POST', body, signal, credentials: 'same-origin', cache: 'no-store',
    headers: {'Content-Type': 'application/x-coopr-frames', ...(session.csrf ? {'X-CSRF-Token': session.csrf} : {})}});
}

async function refusal(response) {
  try {
    return (await response.json()).detail;
  } catch {
    return `The server refuses: ${response.status}.`;
  }
}

// Calls take(kind, bytes) for each frame of the answer.
async function read(response, take) {
  const reader = response.body.getReader();
  let pending = new Uint8Array(0);

  for (let part; !(part = await reader.read()).done;) {
    pending = join([pending, part.value]);
    for (;;) {
      const length = pending.length < HEAD ? Infinity : new DataView(pending.buffer, pending.byteOffset).getUint32(1);
      if (pending.length < HEAD + length)
        break;
      take(pending[0], pending.subarray(HEAD, HEAD + length));
      pending = pending.slice(HEAD + length);
    }
  }
}

// What is to be told to the command that runs: one request at a time, so that it arrives in its order.
function teller(signal) {
  let waiting = [], name = null, busy = false;

  async function flush() {
    while (name && !busy && waiting.length > 0) {
      const body = join(waiting);
      waiting = [];
      busy = true;
      const response = await post(`v1/run/${name}`, body, signal).catch(() => null);
      busy = false;
      if (response?.status === 404)
        return;
    }
  }
  return {
    tell(kind, bytes) {
      waiting.push(frame(kind, bytes));
      flush();
    },
    begin(run) {
      name = run;
      flush();
    },
  };
}

function size(terminal) {
  return new Uint8Array([terminal.cols >> 8, terminal.cols & 255, terminal.rows >> 8, terminal.rows & 255]);
}

// Runs the command until it ends, and returns what is to be said then.
async function run(terminal, words) {
  const leaving = new AbortController(), {tell, begin} = teller(leaving.signal), {version} = await call('GET /v1/version');
  const listeners = [terminal.onData((text) => tell(INPUT, encoder.encode(text))), terminal.onResize(() => tell(WINDOW, size(terminal)))];
  const record = {version, argv: words, terminals: [0, 1, 2], joined: true, whole: true, input_follows: true, columns: terminal.cols,
    lines: terminal.rows, environment: {TERM: 'xterm-256color'}};
  let end = 'The connection was lost.';

  window.addEventListener('pagehide', () => leaving.abort(), {once: true});
  try {
    const response = await post('v1/run', frame(CALL, encoder.encode(JSON.stringify(record))), leaving.signal);
    if (!response.ok)
      return await refusal(response);
    await read(response, (kind, bytes) => {
      if (kind === OUT || kind === ERR)
        terminal.write(bytes.slice());
      else if (kind === BEGUN)
        begin(decoder.decode(bytes));
      else if (kind === EXIT)
        end = `Ended with exit code ${bytes[0]}.`;
    });
  } catch (error) {
    end = `The connection was lost: ${error.message}`;
  } finally {
    listeners.forEach((one) => one.dispose());
  }
  return end;
}

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?'), [cluster, node] = path.split('/').map(decodeURIComponent);

  return {cluster, node, tenant: new URLSearchParams(query).get('tenant')};
}

// Asks who is logged in, of that tenant; returns why nobody is, if so.
async function enter(tenant) {
  try {
    Object.assign(session, await call('GET /v1/session', {query: {tenant}}));
    return null;
  } catch (error) {
    return error.status === 401 ? 'Nobody is logged in. Log in on the page, and connect again.' : error.message;
  }
}

async function connect(terminal, {cluster, node, tenant}) {
  again.hidden = true;
  state.textContent = 'Connecting';
  terminal.reset();
  let end = await enter(tenant);
  if (!end) {
    state.textContent = `coopr ssh ${cluster}/${node}`;
    terminal.focus();
    end = await run(terminal, ['ssh', ...(tenant ? ['--tenant', tenant] : []), '--', `${cluster}/${node}`]);
    end = await enter(tenant) ?? end; // a session that ends ends the command
  }
  state.textContent = end;
  again.hidden = false;
  again.focus();
}

function open() {
  const where = place(), fit = new window.FitAddon.FitAddon();
  const terminal = new window.Terminal({screenReaderMode: true, cursorBlink: true, scrollback: 5000});

  document.getElementById('title').textContent = `${where.cluster}/${where.node}`;
  document.title = `${where.cluster}/${where.node} - coopr`;
  document.getElementById('back').href = `./#/clusters/${encodeURIComponent(where.cluster)}`;
  terminal.loadAddon(fit);
  terminal.open(main);
  fit.fit();
  new ResizeObserver(() => fit.fit()).observe(main);
  again.addEventListener('click', () => connect(terminal, where));
  connect(terminal, where);
}

open();
