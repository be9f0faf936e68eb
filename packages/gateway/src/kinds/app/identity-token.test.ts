import { createPublicKey, verify } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { jwksRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { testKey } from '../../../testing/secrets/test-key.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import { type ChangeFeed, openChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { openSecretBox } from '../../platform/secrets/open-secret-box.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { type IdentityTokenDeps, type IdentityTokens, openIdentityTokens } from './identity-token.ts';

let storage: Storage;
let feed: ChangeFeed;
let time: number;
let deps: IdentityTokenDeps;
beforeEach(async () => {
  storage = await openMemoryStorage();
  feed = await openChangeFeed({ storage, log: silentLog, now: Date.now });
  time = Date.UTC(2026, 0, 1);
  const key = testKey();
  const box = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log: silentLog });
  const audit = createAudit({ now: Date.now, clusterName: 'main', chain: 'gateway' });
  deps = { db: storage.db, box, audit, feed, log: silentLog, now: () => time };
});
afterEach(async () => {
  await feed.close();
  await storage.close();
});

const lostEvents = () => storage.db.selectFrom('event').select('data').where('code', '=', 'GH361E').execute();

test('gateways sign who is there with the same key', async () => {
  const [first] = (await openIdentityTokens(deps)).keys();
  const [second] = (await openIdentityTokens(deps)).keys();

  expect(second).toEqual(first);
  expect(await lostEvents()).toEqual([]);
});

test('a key that vanished from the store is made anew, and the audit log tells it once', async () => {
  const [first] = (await openIdentityTokens(deps)).keys();
  await storage.db.deleteFrom('secret').where('name', '=', 'application identity key').execute();

  const [second] = (await openIdentityTokens(deps)).keys();
  await openIdentityTokens(deps);

  expect(second!.kid).not.toBe(first!.kid);
  expect(await lostEvents()).toEqual([{ data: expect.stringContaining('application identity key') }]);
});

const MINUTE_MS = 60_000;
const rotate = (tokens: IdentityTokens, atOnce = false) =>
  storage.db.transaction().execute((tx) => tokens.rotate(tx, { atOnce }));

/** As an application does it, with the keys it has read. */
function isGenuine(token: string, keys: ReturnType<IdentityTokens['keys']>): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const jwk = keys.find((key) => key.kid === kid);
  if (!jwk) return false;
  const key = createPublicKey({ key: jwk as never, format: 'jwk' });
  const signed = Buffer.from(`${head}.${claims}`);
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
}

test('at every moment of a rotation, keys that were read five minutes ago open tokens that still count, on every gateway', async () => {
  const tokens = await openIdentityTokens(deps);
  const other = await openIdentityTokens(deps);
  // Thousands of pairs, but each token is signed by one key: proved once, then only looked for.
  const proved = new Map<string, unknown>();
  const opens = (token: string, keys: ReturnType<IdentityTokens['keys']>) => {
    const known = proved.get(token);
    if (known !== undefined) return keys.some((key) => isDeepStrictEqual(key, known));
    const key = keys.find((each) => isGenuine(token, [each]));
    if (key) proved.set(token, key);
    return key !== undefined;
  };
  const made: { token: string; at: number }[] = [];
  const read: { keys: ReturnType<IdentityTokens['keys']>; at: number }[] = [];
  for (let minute = 0; minute < 60; minute++) {
    if (minute === 15) {
      await rotate(tokens);
      await feed.settled();
    }
    for (const each of [tokens, other]) {
      made.push({ token: each.sign({ sub: 'ann' }), at: time });
      read.push({ keys: each.keys(), at: time });
    }
    const counting = made.filter(({ at }) => at > time - 10 * MINUTE_MS);
    const kept = read.filter(({ at }) => at >= time - 5 * MINUTE_MS);
    // A token is not checked by keys from before it was made for ever: only by those that may still be kept.
    for (const { token } of counting) for (const { keys } of kept) expect(opens(token, keys)).toBe(true);
    time += MINUTE_MS;
  }

  expect(tokens.keys()).toHaveLength(1);
  expect(tokens.keys()).toEqual(other.keys());
  expect(isGenuine(made[0]!.token, tokens.keys())).toBe(false);
});

test('a key in wrong hands is gone at once, also the one that was announced', async () => {
  const tokens = await openIdentityTokens(deps);
  const stolen = tokens.sign({ sub: 'root' });
  await rotate(tokens);
  await tokens.refresh();
  expect(tokens.list().map(({ state }) => state)).toEqual(['coming', 'signing']);
  await expect(rotate(tokens)).rejects.toMatchObject({ code: 'conflict' });

  await rotate(tokens, true);
  await tokens.refresh();

  expect(tokens.list()).toEqual([{ kid: tokens.kid(), state: 'signing', until: undefined }]);
  expect(isGenuine(stolen, tokens.keys())).toBe(false);
  expect(isGenuine(tokens.sign({ sub: 'ann' }), tokens.keys())).toBe(true);
});

test('who may change what others trust rotates it, the audit log tells it, and the keys may be kept for five minutes', async () => {
  const gateway = await startIdentityGateway();
  onTestFinished(() => gateway.close());
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access'] });
  const admin = await gateway.signedIn('admin');
  const ann = await gateway.signedIn('ann');

  await expect(call(ann.send, jwksRoutes.rotate, { body: { atOnce: true } })).rejects.toMatchObject({ code: 'denied' });
  const keys = await call(admin.send, jwksRoutes.rotate, { body: {} as never });
  const answer = await gateway.app.inject({ url: '/.well-known/jwks.json', headers: { host: 'localhost:3080' } });

  expect(keys.map(({ state }) => state)).toEqual(['coming', 'signing']);
  expect(answer.json().keys.map(({ kid }: { kid: string }) => kid)).toEqual(keys.map(({ kid }) => kid));
  expect(answer.headers['cache-control']).toBe('public, max-age=300');
  expect(await gateway.events()).toContainEqual(expect.objectContaining({ code: 'GH218I', user: 'admin' }));
});
