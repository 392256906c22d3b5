// SPDX-License-Identifier: Apache-2.0
//
// node page.cjs ADDRESS CODE ROUNDS: prints for a first visit of the list of clusters, and for a later one, the milliseconds until the screen
// is painted, and until all rows are, those of an empty page of the same bytes, requests and bytes.
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const {chromium} = require('playwright-core');

const [address, code, rounds] = process.argv.slice(2);
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
let padding = '';

const empty = http.createServer((request, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end(`<!doctype html><title>empty</title><main><h1>empty</h1></main><!--${padding}-->`);
});

// In a page: notes when as many rows as its screen has room for were painted, and when all were.
function note() {
  const times = {screen: 18, all: 50};

  window.times = {};
  new MutationObserver(() => Object.entries(times).forEach(([name, rows]) => {
    if (name in window.times || !document.querySelector(`tbody tr:nth-child(${rows}), body > main:only-child`))
      return;
    window.times[name] = null;
    requestAnimationFrame(() => setTimeout(() => {
      window.times[name] = performance.now();
      if (name === 'all')
        console.log('painted');
    }));
  })).observe(document, {childList: true, subtree: true});
}

// Returns what a new tab has taken to show that address.
async function visit(context, url) {
  const page = await context.newPage();

  await Promise.all([page.waitForEvent('console', (line) => line.text() === 'painted'), page.goto(url, {waitUntil: 'commit'})]);
  const result = await page.evaluate(() => {
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return {...window.times, requests: all.length, bytes: all.reduce((sum, one) => sum + one.decodedBodySize, 0)};
  });
  await page.close();
  return result;
}

// A browser of somebody who is logged in, and has visited nothing yet.
async function enter() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'browser.'));
  const context = await chromium.launchPersistentContext(folder, {executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage']});

  await context.addInitScript(note);
  return context;
}

async function main() {
  const visits = {first: [], later: []};
  let state;

  await new Promise((resolve) => empty.listen(0, '127.0.0.1', resolve));
  for (let i = 0; i < Number(rounds); i++) {
    const context = await enter();
    if (state)
      await context.addCookies(state);
    else
      await context.request.post(`${address}v1/session`, {data: {code}});
    state = await context.cookies();
    for (const which of ['first', 'later', 'later', 'later']) {
      const ours = await visit(context, `${address}#/clusters`);
      padding = 'x'.repeat(ours.bytes);
      visits[which].push({...ours, empty: (await visit(context, `http://127.0.0.1:${empty.address().port}/`)).all});
    }
    await context.close();
  }
  Object.entries(visits).forEach(([which, list]) => console.log(which, ...['screen', 'all', 'empty', 'requests', 'bytes'].map((name) => median(list.map((one) => one[name])))));
  process.exit(0);
}

main();
