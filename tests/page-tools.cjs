// SPDX-License-Identifier: Apache-2.0
//
// What all scenarios of page.cjs do.
'use strict';

const assert = require('node:assert');

// Waits until a view is there.
async function settle(page) {
  await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('[aria-busy]'));
}

async function visit(page, address, view) {
  await page.goto(`${address}#/${view}`);
  await settle(page);
}

// Presses Tab until what has the focus is that.
async function tabTo(page, wanted) {
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((selector) => document.activeElement.matches(selector), wanted))
      return;
  }
  assert.fail(`by keyboard there is no way to ${wanted}`);
}

module.exports = {settle, tabTo, visit};
