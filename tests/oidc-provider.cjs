// SPDX-License-Identifier: Apache-2.0
//
// node oidc-provider.cjs: an OpenID provider that gives whatever ID token the code asks for, which is JSON in base64url:
// {"as": CASE, "nonce", "claims"}. Prints its address. It checks of the request what a provider checks.
// node oidc-provider.cjs real REDIRECT: the provider of the package oidc-provider, with its own forms to log in.
'use strict';
const crypto = require('node:crypto');
const http = require('node:http');

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const pair = (type, options) => crypto.generateKeyPairSync(type, options);
// Made where they are used: that takes time.
const keys = new Proxy({}, {get: (made, name) => made[name] ??= name === 'ec' ? pair('ec', {namedCurve: 'P-256'})
  : pair('rsa', {modulusLength: name === 'small' ? 1024 : 2048})});
const published = (name, extra) => ({...keys[name].publicKey.export({format: 'jwk'}), kid: name, ...extra});
let issuer, rotated = false;

function jwks() {
  return {keys: rotated ? [published('fresh')] : [published('rsa', {use: 'sig', alg: 'RS256'}), published('ec'), published('small'),
    {kty: 'oct', kid: 'oct', k: encode('secret')}, {...published('rsa'), kid: 'enc', use: 'enc'}]};
}

function sign(header, claims, key) {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = header.alg === 'ES256' ? crypto.sign('sha256', Buffer.from(text), {key: key.privateKey, dsaEncoding: 'ieee-p1363'})
    : crypto.sign('sha256', Buffer.from(text), key.privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

function hmac(header, claims, secret) {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${crypto.createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function idToken({as, nonce, claims: more}) {
  const now = Math.floor(Date.now() / 1000);
  const claims = {iss: issuer, aud: 'coopr', sub: 'ann', nonce, iat: now, exp: now + 300, ...more};
  const pem = keys.rsa.publicKey.export({format: 'pem', type: 'spki'});
  const rs = {alg: 'RS256', kid: 'rsa'}, good = sign(rs, claims, keys.rsa), [head, body, signature] = good.split('.');

  switch (as) {
  case 'es256': return sign({alg: 'ES256', kid: 'ec'}, claims, keys.ec);
  case 'no kid': return sign({alg: 'RS256'}, claims, keys.rsa);
  case 'fresh': return sign({alg: 'RS256', kid: 'fresh'}, claims, keys.fresh);
  case 'none': return `${encode({alg: 'none'})}.${body}.`;
  case 'none signed': return `${encode({alg: 'none', kid: 'rsa'})}.${body}.${signature}`;
  case 'hs256 of the public key': return hmac({alg: 'HS256', kid: 'rsa'}, claims, pem);
  case 'hs256 of the secret': return hmac({alg: 'HS256', kid: 'oct'}, claims, 'secret');
  case 'rs256 by a symmetric key': return hmac({alg: 'RS256', kid: 'oct'}, claims, 'secret');
  case 'stranger': return sign(rs, claims, keys.stranger);
  case 'stranger with a jwk': return sign({alg: 'RS256', jwk: keys.stranger.publicKey.export({format: 'jwk'})}, claims, keys.stranger);
  case 'stranger with a jku': return sign({alg: 'RS256', kid: 'stranger', jku: `${issuer}/stranger`}, claims, keys.stranger);
  case 'small': return sign({alg: 'RS256', kid: 'small'}, claims, keys.small);
  case 'key for encryption': return sign({alg: 'RS256', kid: 'enc'}, claims, keys.rsa);
  case 'algorithm of another key': return sign({alg: 'ES256', kid: 'rsa'}, claims, keys.ec);
  case 'critical': return sign({...rs, crit: ['b64'], b64: false}, claims, keys.rsa);
  case 'other claims': return `${head}.${encode({...claims, sub: 'zoe'})}.${signature}`;
  case 'two parts': return `${head}.${body}`;
  case 'four parts': return `${good}.${signature}`;
  case 'padded': return `${good}=`;
  case 'not JSON': return sign(rs, 'ann', keys.rsa);
  case 'a list': return sign(rs, [claims], keys.rsa);
  case 'nothing': return undefined;
  default: return good;
  }
}

function token(request, form) {
  const {challenge, ...rest} = JSON.parse(Buffer.from(form.get('code'), 'base64url'));
  const made = crypto.createHash('sha256').update(form.get('code_verifier')).digest('base64url');

  if (request.headers.authorization !== `Basic ${Buffer.from('coopr:se%2Fcret').toString('base64')}` || made !== challenge ||
      form.get('grant_type') !== 'authorization_code' || !form.get('redirect_uri'))
    return null;
  return {access_token: 'x', token_type: 'Bearer', id_token: idToken(rest)};
}

const server = http.createServer((request, response) => {
  let body = '';
  const say = (value, status = 200) => {
    response.writeHead(status, {'Content-Type': 'application/json'});
    response.end(JSON.stringify(value));
  };

  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    switch (request.url) {
    case '/.well-known/openid-configuration':
      return say({issuer, authorization_endpoint: `${issuer}/auth?hint=1`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks`});
    case '/other/.well-known/openid-configuration': return say({issuer, authorization_endpoint: `${issuer}/auth`});
    case '/large/.well-known/openid-configuration': return say({issuer: `${issuer}/large`, much: 'x'.repeat(3 << 20)});
    case '/away/.well-known/openid-configuration':
      response.writeHead(302, {Location: `${issuer}/.well-known/openid-configuration`});
      return response.end();
    case '/silent/.well-known/openid-configuration': return undefined;
    case '/jwks': return say(jwks());
    case '/rotate': rotated = true; return say({});
    case '/token': {
      const given = token(request, new URLSearchParams(body));
      return given ? say(given) : say({error: 'invalid_grant'}, 400);
    }
    default: return say({}, 404);
    }
  });
});

// The package's own provider; it is an ES module.
async function real(redirect) {
  const {Provider} = await import(require('node:url').pathToFileURL(require.resolve('oidc-provider')));
  const listening = http.createServer().listen(0, '127.0.0.1', () => {
    issuer = `http://127.0.0.1:${listening.address().port}`;
    const provider = new Provider(issuer, {
      clients: [{client_id: 'coopr', client_secret: 'se/cret', redirect_uris: [redirect, 'http://127.0.0.1/'], application_type: 'native', id_token_signed_response_alg: 'ES256'}],
      jwks: {keys: [{...keys.ec.privateKey.export({format: 'jwk'}), kid: 'ec', use: 'sig', alg: 'ES256'}, {...keys.rsa.privateKey.export({format: 'jwk'}), kid: 'rsa', use: 'sig'}]},
      cookies: {keys: ['x']}, pkce: {required: () => true},
    });
    listening.on('request', provider.callback());
    process.stdout.write(`${issuer}\n`);
  });
}

if (process.argv[2] === 'real')
  real(process.argv[3]);
else
  server.listen(0, '127.0.0.1', () => {
    issuer = `http://127.0.0.1:${server.address().port}`;
    process.stdout.write(`${issuer}\n`);
  });
