// SPDX-License-Identifier: Apache-2.0
//
// node page.cjs SOCKET|HOST:PORT SCENARIO: does in Chromium what a person does on the page of the server there, and fails where something
// is not as it should be. It needs the packages playwright-core and axe-core of npm, where NODE_PATH says.
'use strict';

const assert = require('node:assert');
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const {chromium} = require('playwright-core');
const {settle, tabTo, visit} = require('./page-tools.cjs');

const [socket, scenario, ...values] = process.argv.slice(2);
const VIEWS = ['clusters', 'clusters?search=nothing', 'clusters/shop', 'clusters/shop/activity', 'clusters/shop/log', 'clusters/shop/history',
  'clusters/shop/history?diff=1', 'clusters/shop/config', 'clusters/shop/do/expand', 'clusters/shop/do/scale', 'clusters/shop/do/config', 'clusters/shop/do/delete',
  'clusters/nothing', 'create', 'create/lamp', 'entities', 'entities/service', 'entities/clustertemplate/lamp', 'entities/clustertemplate/lamp/rules', 'entities/hardwaretype/+', 'members', 'volumes', 'quota',
  'secrets', 'users', 'tokens', 'usage', 'audit', 'audit?all=true', 'queue', 'tenants', 'tenants/default', 'resources', 'hooks', 'settings', 'usage?by=day&start=now-7d', 'entities/service/mysql?restore=1', 'nothing'];

// In the dark nothing but colours is another.
const SCREENS = [['light', 1280], ['dark', 1280, ['color-contrast', 'link-in-text-block']], ['light', 390]];

// Listens on a port: what arrives there is passed on to the socket.
function relay() {
  const server = net.createServer((from) => {
    const to = net.connect(socket);
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  });

  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

// Returns what axe finds on a page, by those rules, or by all; and whether it is wider than its screen.
async function examine(page, label, rules) {
  if (await page.evaluate(() => !window.axe))
    await page.evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const {violations} = await page.evaluate((values) => window.axe.run({resultTypes: ['violations'], iframes: false, ...values && {runOnly: values}}), rules);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

  return [...violations.map((one) => `${label}: ${one.id} ${one.nodes[0].html}`), ...(over > 0 ? [`${label}: ${over} pixels too wide`] : [])];
}

// Returns that of a page on all screens.
async function examineAll(page, view) {
  const findings = [];

  for (const [colorScheme, width, rules] of SCREENS) {
    await page.emulateMedia({colorScheme});
    await page.setViewportSize({width, height: 850});
    // What is busy is dimmed, and a terminal draws its new size in a frame of its own.
    await page.waitForFunction(() => !document.querySelector('[aria-busy=true]') && document.documentElement.scrollWidth <= window.innerWidth).catch(() => {});
    findings.push(...await examine(page, `${view} ${colorScheme} ${width}`, rules));
  }
  return findings;
}

const scenarios = {
  ...require('./page-cluster.cjs'),

  // From the list to a cluster that is active, with the layout shown beside the form, or the reason why there is none.
  async create(page, address) {
    await page.goto(address);
    await page.getByRole('link', {name: 'Create a cluster'}).first().click();
    await page.getByRole('link', {name: 'LAMP'}).click();
    await page.getByLabel('Name', {exact: true}).fill('shop');
    await page.getByLabel('Machines', {exact: true}).fill('1');
    await page.getByText('no layout satisfies the request').waitFor();
    assert(await page.getByRole('button', {name: 'Create'}).isDisabled());
    await page.getByLabel('Machines', {exact: true}).fill('5');
    await page.getByRole('list', {name: 'Layout: 5 machines'}).waitFor();
    await page.getByText('coopr create shop --template lamp --machines 5').waitFor();
    await page.locator('main button:has-text("Create"):enabled').click();
    await page.locator('h1 .badge:has-text("active")').waitFor();
    await page.locator('.timeline rect').first().waitFor({state: 'attached'});
    assert.match(page.url(), /#\/clusters\/shop\/activity$/);
  },

  // A shell on a node of the cluster hello, from its page: what is typed arrives, the size is the window's, and it ends with the session.
  async terminal(page, address) {
    await page.goto(`${address}#/clusters/hello`);
    const [terminal] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', {name: 'Terminal of 1000'}).click()]);
    const shows = async (text) => {
      await terminal.locator(`.xterm-rows:has-text("${text}")`).waitFor().catch(async (error) => {
        console.error(await terminal.locator('body').innerText());
        throw error;
      });
    };

    await terminal.locator('#state:has-text("coopr ssh hello/1000")').waitFor();
    await terminal.locator('.xterm-helper-textarea').focus();
    await shows('#'); // the prompt: what reads before the shell does may take what is typed too early
    await terminal.keyboard.type('echo on $(hostname); tty\n');
    await shows('on hello1-1000');
    await shows('/dev/pts/');
    await terminal.keyboard.type('echo sleeps-$((1)); sleep 1000\n');
    await shows('sleeps-1'); // an interrupt before that throws away what the shell has not read yet
    await terminal.keyboard.press('Control+c');
    await shows('^C');
    const lines = await terminal.locator('.xterm-rows > *').count();
    await terminal.setViewportSize({width: 900, height: 300});
    await terminal.waitForFunction((before) => document.querySelector('.xterm-rows').children.length < before, lines);
    await terminal.keyboard.type('stty size | tr " " x\n');
    await shows(`${await terminal.evaluate(() => document.querySelector('.xterm-rows').children.length)}x`);
    await terminal.keyboard.type('exit 3\n');
    await terminal.locator('#state:has-text("Ended with exit code 3.")').waitFor();
    await terminal.getByRole('button', {name: 'Connect again'}).click();
    await terminal.locator('#state:has-text("coopr ssh hello/1000")').waitFor();
    await terminal.locator('.xterm-helper-textarea').focus();
    await shows('#');
    await terminal.keyboard.type('echo again on $(hostname)\n');
    await shows('again on hello1-1000');
  },

  // The terminal of who has logged in: axe finds nothing in it, also on a phone; another site could not use it; and it ends with the session.
  async terminalSession(page, address, [code]) {
    await page.goto(`${address}#login=${code}`);
    await page.getByRole('button', {name: 'Log in this once'}).click();
    await page.getByRole('link', {name: 'hello', exact: true}).click();
    const [terminal] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', {name: 'Terminal of 1000'}).click()]);

    await terminal.locator('#state:has-text("coopr ssh hello/1000")').waitFor();
    await terminal.locator('.xterm-helper-textarea').focus();
    await terminal.locator('.xterm-rows:has-text("#")').waitFor();
    await terminal.keyboard.type('echo on $(hostname)\n');
    await terminal.locator('.xterm-rows:has-text("on hello1-1000")').waitFor();
    assert.deepStrictEqual(await examineAll(terminal, 'terminal'), []);
    assert.strictEqual(await terminal.evaluate(() => fetch('v1/run', {method: 'POST', body: 'x'}).then((response) => response.status)), 403);
    await page.getByRole('button', {name: 'Log out'}).click();
    await terminal.locator('#state:has-text("Nobody is logged in")').waitFor();
    await terminal.locator('#again:visible').waitFor();
  },

  // A server without terminals for browsers.
  async noTerminal(page, address) {
    await visit(page, address, 'clusters/shop');
    await page.locator('.machine').first().waitFor();
    assert.strictEqual(await page.getByRole('link', {name: /Terminal/}).count(), 0);
  },

  async keyboard(page, address) {
    await page.goto(address);
    await settle(page);
    await tabTo(page, 'a[href="#/create"]');
    await page.keyboard.press('Enter');
    await page.locator('h1:focus:has-text("Create a cluster")').waitFor();
    await tabTo(page, 'a[href="#/create/lamp"]');
    await page.keyboard.press('Enter');
    await page.locator('h1:focus:has-text("LAMP")').waitFor();
    await tabTo(page, 'input[name=name]');
    await page.keyboard.type('keys');
    await page.locator('main button:has-text("Create"):enabled').waitFor();
    await tabTo(page, 'button.main');
    await page.keyboard.press('Enter');
    await page.locator('h1:has-text("keys") .badge:has-text("active")').waitFor();
    await tabTo(page, 'summary.button');
    await page.keyboard.press('Enter');
    await tabTo(page, 'a[href$="/do/expand"]');
    await page.keyboard.press('Enter');
    await page.locator('h1:focus:has-text("Add machines")').waitFor();
    await page.locator('.difference [data-kind=plus]').first().waitFor();
    await tabTo(page, 'button.main:enabled');
    await page.keyboard.press('Enter');
    await page.locator('dl.figures div:has(dt:text-is("Machines")) dd:text-is("4")').waitFor();
  },

  // The answer that says who is there waits until the list was asked for, and the list until that: in sequence they would wait for ever.
  async chain(page, address) {
    await visit(page, address, 'clusters');
    await page.goto('about:blank');
    await visit(page, address, 'clusters');
    const sent = await page.evaluate(() => performance.getEntriesByType('resource').filter((one) => /\/ui\//.test(one.name)).map((one) => one.transferSize));
    assert(sent.length > 5 && sent.every((one) => one === 0), `files that were sent again: ${sent}`);
    await page.goto('about:blank');
    const asked = page.waitForRequest(/v1\/clusters/), who = page.waitForRequest(/v1\/session/);
    await page.route(/v1\/session/, async (route) => { await asked; await route.continue(); });
    await page.route(/v1\/clusters/, async (route) => { await who; await route.continue(); });
    await visit(page, address, 'clusters');
  },

  // A change with its preview, what it changed in the history, the way back, and the end.
  async change(page, address) {
    await visit(page, address, 'clusters/shop/do/expand');
    await page.getByLabel('Machines afterwards').fill('6');
    await page.locator('.difference [data-kind=plus]:has-text("2")').waitFor();
    await page.locator('button.main:enabled:has-text("Add machines")').click();
    await page.locator('h1 .badge:has-text("active")').waitFor();
    await visit(page, address, 'clusters/shop/history');
    await page.getByRole('link', {name: 'difference'}).first().click();
    await page.locator('.difference [data-kind=plus]').first().waitFor();
    await page.getByRole('link', {name: 'roll back to 1'}).click();
    await page.locator('.difference [data-kind=minus]').first().waitFor();
    await page.locator('button.main:enabled').click();
    await page.locator('dl.figures div:has(dt:text-is("Machines")) dd:text-is("4")').waitFor();
    await page.locator('h1 .badge:has-text("active")').waitFor();
    await visit(page, address, 'clusters/shop/do/scale');
    await page.getByText('Change a number to see what would be done.').waitFor();
    await visit(page, address, 'clusters/shop/do/delete');
    await page.locator('.difference [data-kind=minus]').first().waitFor();
    assert(await page.locator('button.main').isDisabled());
    await page.getByLabel('To confirm').fill('shop');
    await page.getByLabel('Data of services may be lost').check();
    await page.locator('button.main:enabled').click();
    await page.locator('h1 .badge:has-text("terminated")').waitFor();
    await page.locator('.head').getByRole('link', {name: 'Delete'}).waitFor({state: 'hidden'});
    assert(!(await page.locator('h1').innerText()).includes('null'));
    await page.getByRole('link', {name: 'History'}).click();
    await page.locator('th:text-is("3")').waitFor();
    assert.equal(await page.getByText('roll back to').count(), 0);
    await visit(page, address, 'clusters?status=terminated');
    await page.getByRole('link', {name: 'shop'}).click();
    await page.getByText('The cluster was deleted; its history stays.').waitFor();
  },

  // A service does not start: the page says which and why, and continues once the cause is gone.
  async repair(page, address) {
    await visit(page, address, 'clusters/shop');
    await page.getByText('The last operation failed').waitFor();
    await page.getByRole('link', {name: 'See what failed'}).click();
    await page.getByText('it is broken').first().waitFor();
    fs.unlinkSync('broken');
    await page.getByRole('link', {name: 'Retry'}).click();
    await page.locator('h1:has-text("Retry: shop")').waitFor();
    await page.locator('button.main:enabled:has-text("Retry")').click();
    await page.locator('h1 .badge:has-text("active")').waitFor();
  },

  // Which worker does what, for which cluster, as long as it does.
  async workers(page, address) {
    const row = page.getByRole('region', {name: 'What the workers do'}).locator('tr:has-text("start"):has-text("stubborn"):has-text("00000001-1000"):has-text("ago")');

    await visit(page, address, 'queue');
    await row.waitFor();
    await page.getByText('1 worker has joined').waitFor();
    fs.unlinkSync('wait');
    fs.writeFileSync('gate', '\n');
    await row.waitFor({state: 'detached'});
  },

  // What somebody else does is seen without doing anything; also what is done after a view was drawn, and before it hears of events.
  async follow(page, address) {
    const list = await page.context().browser().newPage(), views = [[page, 'queue'], [list, 'clusters']], hear = [];

    for (const [one, view] of views) {
      const held = new Promise((resolve) => { hear.push(resolve); });
      await one.route(/[/]v1[/]events/, (route) => held.then(() => route.continue()));
      await visit(one, address, view);
    }
    execFileSync('coopr-create', ['-yq', '--detach', '-t', 'lamp', '-P', 'dummy', 'other']);
    await page.waitForFunction(() => fetch('v1/clusters/other').then((answer) => answer.text()).then((text) => text.includes('"active"')));
    hear[0]();
    await page.getByRole('region', {name: 'Jobs'}).locator('tr:has-text("create"):has-text("complete")').waitFor();
    hear[1]();
    await list.getByRole('link', {name: 'other', exact: true}).waitFor();
    await list.locator('tr:has-text("other") .badge:has-text("active")').waitFor();
  },

  // A view is drawn again while events go on and on, one at a time.
  async looking(page, address) {
    await visit(page, address, 'clusters');
    const {looks, most} = await page.evaluate(async () => {
      const {looking} = await import(new URL('follow.js', document.querySelector('script[type=module]').src));
      const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
      let looks = 0, now = 0, most = 0;
      const again = looking(async () => {
        most = Math.max(most, ++now);
        looks++;
        await pause(100);
        now--;
      }, new AbortController().signal);

      for (const end = Date.now() + 20000; looks < 3 && Date.now() < end; await pause(20))
        again();
      return {looks, most};
    });
    assert.strictEqual(looks, 3);
    assert.strictEqual(most, 1);
  },

  async entities(page, address) {
    await visit(page, address, 'entities/hardwaretype/+');
    await page.getByLabel('name', {exact: true}).fill('not a name');
    await page.getByText('is not a name').waitFor();
    await page.getByLabel('name', {exact: true}).fill('tiny');
    await page.getByLabel('description', {exact: true}).fill('very small');
    await page.getByText('The document is right').waitFor();
    assert.deepStrictEqual(JSON.parse(await page.getByLabel('The document as JSON').inputValue()), {name: 'tiny', description: 'very small'});
    await page.getByRole('button', {name: 'Save'}).click();
    await page.locator('h1:text-is("tiny")').waitFor();
    await page.getByLabel('The document as JSON').fill('{"name": "tiny", "label": "Tiny"}');
    await page.locator('button:enabled:has-text("Save")').click();
    await page.getByText('- /description "very small"').waitFor();
    await page.getByRole('button', {name: 'Delete'}).click();
    await page.getByRole('button', {name: 'Delete tiny'}).click();
    await page.locator('h1:text-is("Catalogue")').waitFor();
    await visit(page, address, 'entities/hardwaretype/small');
    await page.getByRole('button', {name: 'Delete'}).click();
    await page.getByText('It is in use').waitFor();
  },

  // What the schema of a service describes has fields of its own, before and after the cluster is there.
  async schema(page, address) {
    await visit(page, address, 'create/lamp');
    await page.getByLabel('Name', {exact: true}).fill('shop');
    await page.locator('summary:text-is("Configuration")').click();
    await page.getByLabel('Address of the administrator').waitFor();
    await page.getByLabel('apache › workers').fill('99');
    await page.getByText('At most 64.').waitFor();
    assert(await page.getByRole('button', {name: 'Create'}).isDisabled());
    await page.getByLabel('apache › workers').fill('12');
    await page.getByLabel('apache › level').selectOption('info');
    await page.getByText('--set apache.level=info --set apache.workers=12').waitFor();
    await page.locator('main button:has-text("Create"):enabled').click();
    await page.locator('h1 .badge:has-text("active")').waitFor();
    await visit(page, address, 'clusters/shop/do/config');
    assert.strictEqual(await page.getByLabel('apache › level').inputValue(), 'info');
    await page.getByLabel('apache › workers').fill('x');
    await page.getByText('This is no whole number.').waitFor();
    await page.getByLabel('apache › workers').fill('13');
    await page.locator('.difference [data-kind=change]').first().waitFor();
    await page.locator('button.main:enabled').click();
    await page.locator('.timeline rect').first().waitFor({state: 'attached'});
    await page.locator('h1 .badge:has-text("active")').waitFor();
  },

  // Rules are drawn and tried: one that contradicts another is refused with the reason, others are saved.
  async rules(page, address) {
    const size = (machines) => page.getByRole('button', {name: `${machines} machines: a layout`});
    await visit(page, address, 'entities/clustertemplate/lamp');
    await page.getByRole('link', {name: 'Rules'}).click();
    await size(4).click();
    await page.getByRole('list', {name: 'Layout: 4 machines'}).waitFor();
    const before = await page.locator('.rules-picture line').count();
    await page.getByLabel('Kind of rule').selectOption('Always together');
    await page.getByRole('button', {name: 'haproxy', exact: true}).click();
    await page.getByRole('button', {name: 'mysql', exact: true}).click();
    await page.getByRole('button', {name: 'Add the rule'}).click();
    await page.getByText('No layout of 4 machines').waitFor();
    assert.strictEqual(await page.locator('.rules-picture line').count(), before + 1);
    await page.getByRole('button', {name: 'Remove: Always together: haproxy, mysql'}).click();
    await size(4).waitFor();
    await page.getByLabel('Kind of rule').selectOption('Exactly one of them');
    await page.getByRole('button', {name: 'haproxy', exact: true}).click();
    await page.getByRole('button', {name: 'mysql', exact: true}).click();
    await page.getByRole('button', {name: 'Add the rule'}).click();
    await page.getByText('No layout of 4 machines').waitFor();
    assert.strictEqual(await page.locator('.rules-picture line.rule-oneof').count(), 1);
    await page.getByRole('button', {name: 'Remove: Exactly one of them: haproxy, mysql'}).click();
    await page.getByLabel('Hardware of apache').fill('medium');
    await page.getByLabel('Of the service').selectOption('memcached');
    await page.getByLabel('For the service').selectOption('apache');
    await page.getByRole('button', {name: 'Add', exact: true}).click();
    await page.getByText('at least 1 memcached for 2 apache').waitFor();
    await page.getByLabel('Most machines').fill('8');
    await page.getByRole('button', {name: '9 machines: no layout'}).waitFor();
    await page.getByRole('button', {name: 'Save'}).click();
    await page.locator('h1:text-is("lamp")').waitFor();
  },

  // The same by keyboard: services are spread over zones, of which the provider has none.
  async rulesByKeyboard(page, address) {
    await visit(page, address, 'entities/clustertemplate/lamp/rules');
    await page.getByRole('button', {name: '4 machines: a layout'}).waitFor();
    await tabTo(page, '[data-key=service-apache]');
    await page.keyboard.press('Space');
    await page.locator('[data-key=service-apache][aria-pressed=true]:focus').waitFor();
    await tabTo(page, 'select[aria-label="Kind of rule"]');
    await page.keyboard.type('In different');
    await tabTo(page, 'input[aria-label="Zones at least"]');
    await page.keyboard.press('ArrowUp');
    await tabTo(page, '.rule-form button');
    await page.keyboard.press('Enter');
    await page.getByText('In different zones, at least 3: apache').waitFor();
    await page.locator('.rules-picture circle.rule-spread').waitFor({state: 'attached'});
    await page.getByText('No layout of').waitFor();
    await tabTo(page, 'button[aria-label^="Remove: In different zones"]');
    await page.keyboard.press('Enter');
    await page.getByRole('button', {name: '4 machines: a layout'}).waitFor();
    await tabTo(page, 'input[aria-label="Most machines"]');
    await page.keyboard.type('7');
    await tabTo(page, 'button.main:enabled');
    await page.keyboard.press('Enter');
    await page.locator('h1:text-is("lamp")').waitFor();
  },

  // A script is uploaded, made active, replaced and compared.
  async resources(page, address) {
    const upload = async (text) => {
      await visit(page, address, 'resources');
      await page.getByLabel('File').setInputFiles({name: 'web.sh', mimeType: 'text/plain', buffer: Buffer.from(text)});
      await page.getByText('coopr resource upload automator/shell/scripts/web.sh web.sh --stage').waitFor();
      await page.getByRole('button', {name: 'Upload'}).click();
      await page.getByText(/waits? for a sync/).waitFor();
    };
    await upload('#!/bin/sh\necho morning\n');
    await page.getByRole('button', {name: 'Sync', exact: true}).click();
    await page.locator('tr:has-text("web.sh") .badge:has-text("active")').waitFor();
    await upload('#!/bin/sh\necho evening\n');
    await page.getByRole('link', {name: 'automator/shell/scripts/web.sh'}).click();
    await page.locator('pre:has-text("echo evening")').waitFor();
    await page.getByRole('row', {name: /^2 /}).getByRole('link', {name: 'compare'}).click();
    await page.locator('.difference [data-kind=minus]:has-text("morning")').waitFor();
    await page.getByRole('button', {name: 'Recall version 2'}).click();
    await page.getByRole('button', {name: 'Delete', exact: true}).click();
    await page.getByRole('button', {name: 'Delete version 2'}).click();
    await page.getByText('The version is deleted').waitFor();
    await page.locator('pre:has-text("echo morning")').waitFor();
  },

  // A provider is tried, its fields are listed, and its flavors become hardware types; what it cannot do is told.
  async provider(page, address) {
    await visit(page, address, 'entities/provider/dummy');
    await page.getByText('coopr provider test dummy').waitFor();
    await page.getByRole('button', {name: 'Test', exact: true}).click();
    await page.getByRole('row', {name: /ok .*machines of this installation/}).waitFor();
    await page.getByRole('button', {name: 'Show the fields'}).click();
    await page.getByRole('row', {name: /^fail_percent .*How many of a hundred attempts fail/}).waitFor();
    await page.getByLabel('Flavors').fill('s-*');
    await page.getByText("coopr provider import-flavors dummy 's-*'").waitFor();
    await page.getByRole('button', {name: 'Import flavors'}).click();
    await page.getByText('Hardware types that are new or changed: 1.').waitFor();
    assert.deepEqual(await examineAll(page, 'entities/provider/dummy'), []);
    await visit(page, address, 'entities/provider/sandbox');
    await page.getByRole('button', {name: 'Import flavors'}).click();
    await page.locator('.problem:has-text("have no way to list flavors")').waitFor();
  },

  // A volume that a machine has is copied; one that none has is promised, and deleted.
  async volumes(page, address) {
    await visit(page, address, 'clusters');
    await page.getByRole('link', {name: 'Volumes'}).click();
    const used = page.getByRole('row', {name: /^v-000000000000000a/}), free = page.getByRole('row', {name: /^v-000000000000000b/});
    await used.locator('td:has-text("0.2 / h")').waitFor();
    assert.equal(await used.getByRole('button', {name: 'Delete'}).count(), 0);
    await used.getByRole('button', {name: 'Make a snapshot of v-000000000000000a'}).click();
    await page.getByRole('row', {name: /^s-.*snapshot of v-000000000000000a/}).waitFor();
    await page.getByLabel('Volume or snapshot').selectOption('v-000000000000000b');
    await page.getByLabel('Cluster').fill('other');
    await page.getByText('coopr volume restore v-000000000000000b other').waitFor();
    await page.getByRole('button', {name: 'Restore'}).click();
    await free.locator('td:has-text("other")').waitFor();
    assert.deepEqual(await examineAll(page, 'volumes'), []);
    await free.getByRole('button', {name: 'Delete'}).click();
    await page.getByText('coopr volume delete v-000000000000000b --discard-data').waitFor();
    await page.getByRole('button', {name: 'Delete v-000000000000000b with its data'}).click();
    await page.getByText('v-000000000000000b is deleted.').waitFor();
    await free.waitFor({state: 'detached'});
  },

  // An old version of an entity comes back as the newest; who needs it is named.
  async restore(page, address) {
    await visit(page, address, 'entities/hardwaretype/small');
    await page.getByRole('link', {name: 'clustertemplate/lamp'}).waitFor();
    await page.getByRole('link', {name: 'Restore version 1'}).click();
    await page.getByText('This is version 1.').waitFor();
    await page.locator('button:enabled:has-text("Save")').click();
    await page.locator('option[value="3"]').first().waitFor({state: 'attached'});
  },

  // Limits, settings, and what is wrong with the installation.
  async settings(page, address) {
    await visit(page, address, 'settings');
    await page.locator('tr:has-text("COOPR_SPOOL")').waitFor();
    await page.getByLabel('In all').fill('7');
    await page.getByLabel('Of a tenant').fill('default=3');
    await page.getByText('coopr queue limit --total 7 --tenant default=3').waitFor();
    await page.getByRole('button', {name: 'Save'}).click();
    await page.getByText('The limit is changed').waitFor();
    await page.locator('tr:has-text("tenant"):has-text("default"):has-text("3")').last().waitFor();
  },

  // Who may only read is offered nothing that would be refused.
  async reader(page, address, [code]) {
    await page.goto(`${address}#login=${code}`);
    await page.getByRole('button', {name: 'Log in this once'}).click();
    await page.getByRole('link', {name: 'shop'}).click();
    await page.locator('h1 .badge:has-text("active")').waitFor();
    for (const view of ['clusters', 'clusters/shop', 'clusters/shop/history', 'clusters/shop/config']) {
      await visit(page, address, view);
      const offered = await page.locator('a, button, summary').allInnerTexts();
      assert.deepStrictEqual(offered.filter((one) => /^(Create|Change|Delete|Add|Remove|roll back|Retry|Start|Restart)/i.test(one)), [], view);
    }
    await visit(page, address, 'members');
    await page.getByText('An administrator of the tenant may do this.').waitFor();
  },

  async members(page, address) {
    await visit(page, address, 'members');
    await page.getByLabel('User').fill('ann');
    await page.getByLabel('Role').selectOption('admin');
    await page.getByText('coopr member set ann --role admin').waitFor();
    await page.getByRole('button', {name: 'Save'}).click();
    await page.locator('tr:has-text("ann")').waitFor();
    await page.getByRole('button', {name: 'Remove', exact: true}).click();
    await page.getByText('coopr member delete ann').waitFor();
    await page.getByRole('button', {name: 'Remove ann'}).click();
    await page.getByText('No members').waitFor();
    await visit(page, address, 'secrets');
    await page.getByLabel('Name', {exact: true}).fill('db');
    await page.getByLabel('Value').fill('to be or not');
    await page.getByRole('button', {name: 'Set', exact: true}).click();
    await page.locator('tr:has-text("db")').waitFor();
    assert.doesNotMatch(await page.content(), /to be or not/);
  },

  // The rules of axe on every view, light, dark and on the screen of a phone.
  async axe(page, address) {
    const findings = [];

    for (const view of VIEWS) {
      await visit(page, address, view);
      findings.push(...await examineAll(page, view));
    }
    assert.deepStrictEqual(findings, []);
  },

  // What others have written is text, wherever it is shown: no element is made of it, no script runs, nothing is asked of another host.
  // A command that the page shows is those words in a shell, whatever the address was that somebody has sent.
  async pasted(page, address) {
    for (const words of ['$(id)', '`id`;id', "it's", "\\'", '"$HOME" \\\\ *', '-x', '!!', 'ä€']) {
      await visit(page, address, `clusters?search=${encodeURIComponent(words)}`);
      const line = await page.locator('.command code').innerText();
      assert.strictEqual(execFileSync('bash', ['-c', `coopr() { printf '%s|' "$@"; }; ${line}`], {encoding: 'utf8', env: {...process.env, LC_ALL: 'C.UTF-8'}}), `list|--search|${words}|`);
    }
  },

  async hostile(page, address) {
    const text = /onerror=|198\.51\.100\.1/, seen = new Set();

    for (const view of [...VIEWS, ...values]) {
      await visit(page, address, view);
      await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
      const made = await page.evaluate(() => ({ran: window.ran, images: document.querySelectorAll('main img, main script, main iframe').length,
        links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href')).filter((href) => href && (!/^(#|https?:|terminal#)/.test(href) || href.includes('198.51.100.1')))}));
      assert.deepStrictEqual(made, {ran: undefined, images: 0, links: []}, view);
      // Nothing turns the direction of what is written, nor would drive a terminal where somebody pastes it.
      assert.doesNotMatch(await page.locator('body').innerText(), /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/, view);
      if (text.test(await page.locator('main').innerText()) || await page.locator('textarea, input').evaluateAll((all, wanted) => all.some((one) => wanted.test(one.value)), text))
        seen.add(view);
    }
    ['clusters/shop/log', 'clusters/shop/history', 'create', 'create/lamp', 'audit', 'entities/service', 'clusters/shop/do/config', 'tenants', 'tenants/default', ...values].forEach((view) => assert(seen.has(view), `${view} shows nothing of it`));
  },
};

// Who comes by TCP is asked who it is: by a link that is valid once, then by the password that was chosen with it.
scenarios.login = async (page, address) => {
  const [code] = values;

  await page.goto(`${address}#/clusters/shop`);
  await page.getByRole('heading', {name: 'Log in to coopr'}).waitFor();
  await page.goto('about:blank');
  await page.goto(`${address}#login=${code}`);
  await page.getByLabel('New password').fill('ten characters or more');
  await page.getByRole('button', {name: 'Choose it and log in'}).click();
  await page.locator('h1:text-is("Clusters")').waitFor();
  assert.doesNotMatch(page.url(), /login/);
  await page.getByRole('link', {name: 'shop'}).click();
  await page.locator('h1 .badge:has-text("active")').waitFor();
  assert.deepStrictEqual(await page.evaluate(() => [document.cookie, Object.keys(localStorage)]), ['', []]);
  assert.strictEqual(await page.getByRole('link', {name: 'Members'}).count(), 0);
  await visit(page, address, 'clusters/shop/do/expand');
  await page.locator('button.main:enabled').click();
  await page.locator('dl.figures div:has(dt:text-is("Machines")) dd:text-is("5")').waitFor();
  await page.getByRole('button', {name: 'Log out'}).click();
  await page.getByLabel('User').fill('bob');
  await page.getByLabel('Password').fill('a wrong one');
  await page.getByRole('button', {name: 'Log in'}).click();
  await page.getByText('the user or the password is wrong').waitFor();
  await page.getByLabel('Password').fill('ten characters or more');
  await page.getByRole('button', {name: 'Log in'}).click();
  await page.locator('h1:has-text("shop")').waitFor();
  await page.goto('about:blank');
  await page.goto(`${address}#login=${code}`);
  await page.getByRole('button', {name: 'Log in this once'}).click();
  await page.getByText('was used already').waitFor();
};

// A browser speaks TCP only: what a socket has is passed on to it.
async function reach(where) {
  if (!where.startsWith('/'))
    return {address: `http://${where}/`, close() {}};
  const server = await relay();
  return {address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close()};
}

async function main() {
  const server = await reach(socket), {address} = server, trouble = [], refused = [];
  const browser = process.env.BROWSER ? await chromium.connect(process.env.BROWSER) : await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage']});
  const page = await browser.newPage({bypassCSP: ['axe', 'terminalSession'].includes(scenario)});

  page.setDefaultTimeout(30000);
  page.on('response', async (response) => {
    if (response.status() >= 400)
      refused.push(`${response.request().method()} ${response.url()}: ${response.status()} ${await response.text().catch(() => '')}`);
  });
  page.on('pageerror', (error) => trouble.push(error.stack));
  page.on('console', (line) => { if (/Content Security Policy/.test(line.text())) trouble.push(line.text()); });
  page.on('dialog', (dialog) => { trouble.push(dialog.message()); dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(address)) trouble.push(`asked ${request.url()}`); });
  try {
    await scenarios[scenario](page, address, values);
  } catch (error) {
    await page.screenshot({path: 'page.png', fullPage: true});
    fs.writeFileSync('page.txt', await page.locator('body').innerText());
    console.log(fs.readFileSync('page.txt', 'utf8').slice(0, 3000), ...refused, ...trouble);
    throw error;
  } finally {
    await browser.close();
    server.close();
  }
  assert.deepStrictEqual(trouble, []);
}

main().then(() => process.exit(0), (error) => {
  console.log(error.stack);
  process.exit(1);
});
