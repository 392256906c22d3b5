// SPDX-License-Identifier: Apache-2.0
//
// Scenarios of page.cjs with real machines: what a template makes is a web site, and is asked for as one.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const {settle, tabTo, visit} = require('./page-tools.cjs');

// Returns what the site of the machine with this number answers: the address is that which the page shows.
async function siteOf(page, address, machine) {
  await visit(page, address, 'clusters/shop');
  const ip = await page.locator('.machine').nth(machine).locator('code').first().innerText();
  const response = await fetch(`http://${ip}:8080/`);

  return (await response.text()).trim();
}

function isActive(page) {
  return page.locator('h1 .badge:has-text("active")').waitFor();
}

async function signIn(page, address, code) {
  await page.goto(`${address}#login=${code}`);
  await page.getByLabel('New password').fill('ten characters or more');
  await page.getByRole('button', {name: 'Choose it and log in'}).click();
  await page.locator('h1:text-is("Clusters")').waitFor();
}

// From the login to a site that answers; a change previewed, carried out and rolled back.
async function site(page, address, [code]) {
  await signIn(page, address, code);
  await page.getByRole('link', {name: 'Create a cluster'}).first().click();
  await page.getByRole('link', {name: 'Web pages'}).click();
  await page.getByLabel('Name', {exact: true}).fill('shop');
  await page.getByLabel('Machines', {exact: true}).fill('2');
  await page.getByRole('list', {name: 'Layout: 2 machines'}).waitFor();
  await page.locator('main button:has-text("Create"):enabled').click();
  await isActive(page);
  assert.strictEqual(await siteOf(page, address, 1), 'good morning');

  await page.locator('summary.button').click();
  await page.getByRole('link', {name: 'Add machines'}).click();
  await page.locator('.difference [data-kind=plus]').first().waitFor();
  await page.locator('button.main:enabled').click();
  await page.locator('dl.figures div:has(dt:text-is("Machines")) dd:text-is("3")').waitFor();
  await isActive(page);

  await page.getByRole('link', {name: 'Configuration'}).click();
  await page.getByRole('link', {name: 'Change the configuration'}).click();
  await page.locator('h1:has-text("Change the configuration")').waitFor();
  await page.getByLabel('site › text').fill('good evening');
  await page.locator('.difference [data-kind=change]').first().waitFor();
  await page.locator('button.main:enabled').click();
  await page.locator('.timeline rect').first().waitFor({state: 'attached'});
  await isActive(page);
  assert.strictEqual(await siteOf(page, address, 2), 'good evening');

  await page.getByRole('link', {name: 'History'}).click();
  await page.getByRole('link', {name: 'roll back to 1', exact: true}).click();
  await page.locator('.difference [data-kind=minus]').first().waitFor();
  await page.locator('.difference [data-kind=change]').first().waitFor();
  await page.locator('button.main:enabled').click();
  await page.locator('dl.figures div:has(dt:text-is("Machines")) dd:text-is("2")').waitFor();
  await isActive(page);
  assert.strictEqual(await siteOf(page, address, 0), 'good morning');
}

// What serves a site has died: the page says which and where once it is asked to look, and starts it again.
async function broken(page, address, [machine]) {
  await visit(page, address, 'clusters/shop');
  await page.locator('h1 .badge:has-text("healthy")').waitFor();
  fs.writeFileSync('kill', '');
  while (fs.existsSync('kill'))
    await new Promise((resolve) => setTimeout(resolve, 50));
  await page.getByRole('button', {name: 'Check now'}).click();
  await page.locator(`.machine:has-text("${machine}"):has-text("nothing listens")`).waitFor();
  await page.getByText('Not all services are well').waitFor();
  await page.getByRole('link', {name: 'Start site'}).click();
  await page.locator('.difference [data-kind=warning]:has-text("started on 1 of 2 machines")').waitFor();
  await page.locator('button.main:enabled').click();
  await isActive(page);
  await page.locator('h1 .badge:has-text("healthy")').waitFor();
  assert.strictEqual(await siteOf(page, address, 1), 'good morning');
}

// Services that were stopped are told as that, not as faults, and are started again.
async function stopped(page, address) {
  await visit(page, address, 'clusters/shop');
  await page.locator('h1 .badge:has-text("stopped")').waitFor();
  await page.locator('.machine .badge:text-is("stopped")').nth(1).waitFor();
  assert.strictEqual(await page.locator('.machine .bad, .machine [data-kind=bad]').count(), 0);
  await page.getByRole('link', {name: 'Start services'}).click();
  await page.locator('button.main:enabled').click();
  await isActive(page);
  await page.locator('h1 .badge:has-text("healthy")').waitFor();
  await visit(page, address, 'clusters/shop');
  await page.locator('.machine .badge:text-is("healthy")').nth(1).waitFor();
}

// The same core without a pointer: log in, create, look, repair, delete.
async function siteByKeyboard(page, address, [code]) {
  await page.goto(`${address}#login=${code}`);
  await settle(page);
  await tabTo(page, 'input[name=new_password]');
  await page.keyboard.type('ten characters or more');
  await page.keyboard.press('Enter');
  await page.locator('h1:text-is("Clusters")').waitFor();
  await tabTo(page, 'a[href="#/create"]');
  await page.keyboard.press('Enter');
  await tabTo(page, 'a[href="#/create/pages"]');
  await page.keyboard.press('Enter');
  await page.locator('h1:focus:has-text("Web pages")').waitFor();
  await tabTo(page, 'input[name=name]');
  await page.keyboard.type('shop');
  await page.locator('main button:has-text("Create"):enabled').waitFor();
  await tabTo(page, 'button.main');
  await page.keyboard.press('Enter');
  await isActive(page);
  await tabTo(page, '[data-key=look]');
  await page.keyboard.press('Enter');
  await page.locator('h1 .badge:has-text("healthy")').waitFor();
  await tabTo(page, 'summary.button');
  await page.keyboard.press('Enter');
  await tabTo(page, 'a[href$="/do/restart"]');
  await page.keyboard.press('Enter');
  await page.locator('h1:focus:has-text("Restart services")').waitFor();
  await page.locator('button.main:enabled').waitFor();
  await tabTo(page, 'button.main:enabled');
  await page.keyboard.press('Enter');
  await page.locator('h1:has-text("shop") .badge:has-text("active")').waitFor();
  await tabTo(page, 'a[href$="/do/delete"]');
  await page.keyboard.press('Enter');
  await tabTo(page, 'input[name=confirm]');
  await page.keyboard.type('shop');
  await page.locator('button.main:enabled').waitFor();
  await tabTo(page, 'button.main:enabled');
  await page.keyboard.press('Enter');
  await page.locator('h1 .badge:has-text("terminated")').waitFor();
}

module.exports = {site, broken, stopped, siteByKeyboard};
