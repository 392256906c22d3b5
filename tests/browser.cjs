// SPDX-License-Identifier: Apache-2.0
//
// node browser.cjs: starts Chromium for several scenarios of page.cjs, prints where it is, and ends it when it is told to end.
'use strict';

const {chromium} = require('playwright-core');

chromium.launchServer({executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage']}).then(
  (server) => console.log(server.wsEndpoint()),
  (error) => {
    console.error(error.stack);
    process.exit(1);
  });
