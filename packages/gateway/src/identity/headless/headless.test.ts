/** One session of a machine without a browser: who may ask, who may answer, and what it gets. */
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { headlessRoutes } from '@gatehouse/contract/identity/headless';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import { enrolKey, type IdentityGateway, PROMPT, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { SoftwareKey } from '../../../testing/software-key.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { parseCertificate } from '../../platform/crypto/ssh/certificate.ts';
import { headlessCode, headlessId } from '../../platform/crypto/ssh/headless-id.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';
import { readLimits } from '../authorities/ssh/headless-limits.ts';

let gateway: IdentityGateway;
let ann: TestBrowser;
let key: SoftwareKey;
afterEach(() => gateway.close());

async function start(headlessMs = { holdMs: 60_000, lookMs: 200 }): Promise<void> {
  gateway = await startIdentityGateway({ secondFactor: 'optional', headlessMs });
  await gateway.addUser('ann');
  ann = await gateway.signedIn('ann');
  const tokenId = await call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} });
  key = await enrolKey(ann, tokenId);
}

const newKey = () => Buffer.from(`${publicKeyLine(ed25519Blob(generateKeyPairSync('ed25519').privateKey))}\n`);
const asked = (publicKey: Buffer, more: object = {}) => ({
  ...{ user: 'ann', pub_key: publicKey.toString('base64'), headless_id: headlessId(publicKey), ttl: 3_600 * 1e9 },
  ...{ target: 'deploy@web-1', command: 'rsync -a build/ /srv/', client: 'gatehouse on build-07', ...more },
});
const ask = (publicKey: Buffer, more: object = {}, send: Send = gateway.send) => {
  const held = call(send, sshCertificateRoutes.issue, { body: asked(publicKey, more) });
  // Looked at later.
  held.catch(() => undefined);
  return held;
};
const get = (who: TestBrowser, requestId: string) => call(who.send, headlessRoutes.get, { params: { requestId } });
async function approve(requestId: string, who = ann): Promise<void> {
  const challenge = await call(who.send, mfaRoutes.challenge, {});
  const webauthnAssertionResponse = key.assert(challenge.webauthn_challenge!, PROMPT);
  await call(who.send, headlessRoutes.answer, {
    params: { requestId },
    body: { action: 'accept', webauthnAssertionResponse },
  });
}
const deny = (requestId: string, who = ann) =>
  call(who.send, headlessRoutes.answer, { params: { requestId }, body: { action: 'denied' } });
const pending = async () => (await call(ann.send, headlessRoutes.list, {})).map(({ requestId }) => requestId);

test('who is asked sees what for, and one touch of a key gives a certificate for that one session', async () => {
  await start();
  const publicKey = newKey();
  const id = headlessId(publicKey);
  const held = ask(publicKey);

  const shown = await get(ann, id);
  expect(shown).toMatchObject({
    header: { metadata: { name: id } },
    ...{ user: 'ann', public_key: publicKey.toString('base64'), state: 1, client_ip_address: '127.0.0.1' },
    gatehouse: {
      ...{ code: headlessCode(publicKey), server: 'web-1', login: 'deploy', command: 'rsync -a build/ /srv/' },
      ...{ client: 'gatehouse on build-07', elsewhere: false },
    },
  });
  expect(shown.gatehouse?.code).toMatch(/^[B-Z2-9]{4}-[B-Z2-9]{4}$/);
  expect(await pending()).toEqual([id]);
  await approve(id);

  const { cert, username } = await held;
  expect(username).toBe('ann');
  const blob = Buffer.from(Buffer.from(cert, 'base64').toString().split(' ')[1] ?? '', 'base64');
  const certificate = parseCertificate(blob);
  expect(certificate.criticalOptions).toEqual(['force-command', 'headless@gatehouse', 'source-address']);
  expect(readLimits(certificate)).toEqual({
    ...{ request: id, address: '127.0.0.1' },
    ...{ server: 'web-1', login: 'deploy', command: 'rsync -a build/ /srv/' },
  });
  expect(certificate.validBefore - gateway.clock.now).toBeLessThanOrEqual(60_000);
  expect(await pending()).toEqual([]);
  const [approved] = (await gateway.events()).filter(({ code }) => code === 'GH105I');
  expect(approved).toMatchObject({
    user: 'ann',
    data: { request: id, command: 'ssh deploy@web-1 rsync -a build/ /srv/', 'addr.remote': '127.0.0.1' },
  });
  // It stands on a sign-in of its own, which can be ended.
  const signIns = await call(ann.send, signInsRoutes.list, {});
  expect(signIns.map(({ id: each }) => each)).toContain(approved?.sign_in);
  // Answered once.
  await expect(deny(id)).rejects.toMatchObject({ status: 400 });
});

test('two who say yes at once have said it once, and a yes beside a no is one of them', async () => {
  await start();
  for (const others of [[approve], [deny]] as const) {
    const publicKey = newKey();
    const id = headlessId(publicKey);
    const held = ask(publicKey);
    await get(ann, id);
    const before = (await gateway.events()).length;
    const answers = await Promise.allSettled([approve(id), ...others.map((answer) => answer(id))]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const told = (await gateway.events()).slice(before).filter(({ code }) => code.startsWith('GH105'));
    expect(told).toHaveLength(1);
    const isApproved = told[0]?.code === 'GH105I';
    expect((await Promise.allSettled([held]))[0]?.status).toBe(isApproved ? 'fulfilled' : 'rejected');
  }
});

test('a one-time code approves nothing, and a refusal is told to who waits', async () => {
  await start();
  const publicKey = newKey();
  const requestId = headlessId(publicKey);
  const held = ask(publicKey);
  await get(ann, requestId);
  const answer = (body: object) =>
    ann.send({ method: 'PUT', url: `/v1/webapi/headless/${requestId}`, body: JSON.stringify(body) });

  expect(await answer({ action: 'accept' })).toMatchObject({ status: 403, text: expect.stringContaining('one-time') });
  expect(await answer({ action: 'accept', second_factor_token: '123456' })).toMatchObject({ status: 403 });
  expect(await answer({ action: 'approve' })).toMatchObject({ status: 400 });
  await deny(requestId);
  await expect(held).rejects.toMatchObject({ status: 403, message: 'the request was denied' });
  expect((await gateway.events()).filter(({ code: each }) => each.startsWith('GH105'))).toMatchObject([
    { code: 'GH105W', user: 'ann' },
  ]);
  // Denied is denied.
  await expect(approve(requestId)).rejects.toMatchObject({ status: 403 });
});

test('requests of others are waited for like those that are not there, and answered in the same words', async () => {
  await start();
  await gateway.addUser('bob');
  const bob = await gateway.signedIn('bob');
  const publicKey = newKey();
  const held = ask(publicKey);
  await get(ann, headlessId(publicKey));

  const refusals = await Promise.all(
    [
      () => get(bob, headlessId(publicKey)),
      () => get(bob, headlessId(newKey())),
      () => deny(headlessId(publicKey), bob),
      () => deny(headlessId(newKey()), bob),
    ].map(async (refused) => {
      const before = performance.now();
      const { status, message } = await refused().then(
        () => ({ status: 200, message: '' }),
        (error: { status: number; message: string }) => error,
      );
      return { status, message, isWaited: performance.now() - before >= 190 };
    }),
  );
  expect(new Set(refusals.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ status: 400, message: refusals[0]?.message, isWaited: true })]),
  );
  expect(await call(bob.send, headlessRoutes.list, {})).toEqual([]);
  await deny(headlessId(publicKey));
  await expect(held).rejects.toMatchObject({ status: 403 });
});

test('a browser that is quicker than the machine waits for it', async () => {
  await start({ holdMs: 60_000, lookMs: 30_000 });
  const publicKey = newKey();
  const shown = get(ann, headlessId(publicKey));
  const held = ask(publicKey);
  expect(await shown).toMatchObject({ state: 1 });
  await deny(headlessId(publicKey));
  await expect(held).rejects.toMatchObject({ status: 403 });
});

test('three wait with one name, whether anybody has it or not, and nothing tells which', async () => {
  await start({ holdMs: 300, lookMs: 10 });
  for (const user of ['ann', 'nobody-of-that-name']) {
    const before = performance.now();
    const first = [1, 2, 3].map(() => ask(newKey(), { user }));
    await expect.poll(() => countOf(user)).toBe(3);
    await expect(ask(newKey(), { user })).rejects.toMatchObject({ status: 429 });
    for (const each of first)
      await expect(each).rejects.toMatchObject({
        ...{ status: 403, message: 'nobody has approved it in time', fields: { state: 'pending' } },
      });
    expect(performance.now() - before).toBeGreaterThanOrEqual(290);
    gateway.clock.advance(60_000);
  }
  // They end by themselves.
  gateway.clock.advance(5 * 60_000);
  await expect(ask(newKey())).rejects.toMatchObject({ status: 403 });
});

async function countOf(user: string): Promise<number> {
  return (await gateway.storage.db.selectFrom('headless_request').selectAll().where('user', '=', user).execute())
    .length;
}

test('the id is that of the key, a key asks for one thing, and nobody without an id is let in', async () => {
  await start();
  const publicKey = newKey();
  await expect(ask(publicKey, { headless_id: headlessId(newKey()) })).rejects.toMatchObject({ status: 400 });
  for (const target of [
    'web-1',
    '@web-1',
    'root@',
    'root@a b',
    'root@web-1+',
    'root@+east',
    'root@web-1+east+localhost+a',
    'ro ot@web-1',
  ])
    await expect(ask(publicKey, { target }), target).rejects.toMatchObject({ status: 400 });
  await expect(ask(publicKey, { command: 'ls\u001b[2J' })).rejects.toMatchObject({ status: 400 });
  const { headless_id: _, ...plain } = asked(publicKey);
  await expect(call(gateway.send, sshCertificateRoutes.issue, { body: plain })).rejects.toMatchObject({
    ...{ status: 403, code: 'not_signed_in' },
  });
  expect((await gateway.send({ method: 'POST', url: '/v1/webapi/ssh/certs', body: '{}' })).status).toBe(403);

  const held = ask(publicKey, { target: 'deploy@web-1+localhost' });
  await get(ann, headlessId(publicKey));
  await expect(ask(publicKey, { target: 'root@web-2' })).rejects.toMatchObject({ status: 400 });
  const again = ask(publicKey);
  await expect.poll(pending).toEqual([headlessId(publicKey)]);
  await approve(headlessId(publicKey));
  // Of two that wait with one key, one gets it.
  const results = await Promise.allSettled([held, again]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('what nobody waits for any more is not asked about', async () => {
  await start();
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const publicKey = newKey();
  const left = new AbortController();
  const gone = fetch(`http://127.0.0.1:${port}/v1/webapi/ssh/certs`, {
    ...{ method: 'POST', signal: left.signal, body: JSON.stringify(asked(publicKey)) },
    headers: { 'content-type': 'application/json', host: 'localhost:3080' },
  });
  gone.catch(() => undefined);
  await get(ann, headlessId(publicKey));
  left.abort();
  await expect.poll(pending).toEqual([]);
  await expect(gone).rejects.toThrow();
});

test('a gateway that stops lets go of who waits', async () => {
  await start();
  const held = ask(newKey());
  await expect.poll(async () => (await pending()).length).toBe(1);
  const before = performance.now();
  await Promise.all([expect(held).rejects.toMatchObject({ status: 503 }), gateway.app.close()]);
  expect(performance.now() - before).toBeLessThan(10_000);
});
