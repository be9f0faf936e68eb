/** Certificates for the SSH door: who gets one, what it says, and which are believed. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { testKey } from '../../../../testing/secrets/test-key.ts';
import { sendTo } from '../../../../testing/start-test-gateway.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import { openChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import { mintCertificate, parseCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import { ed25519Blob, fingerprint, publicKeyLine } from '../../../platform/crypto/ssh/public-key.ts';
import { sshString } from '../../../platform/crypto/ssh/ssh-wire.ts';
import { openSecretBox } from '../../../platform/secrets/open-secret-box.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { createSshAuthorities } from './create-ssh-authorities.ts';
import { removeCertificate } from './person-certificate-store.ts';
import { createPersonCertificates } from './person-certificates.ts';

let gateway: IdentityGateway;
let ann: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann', { roles: ['access'] });
  ann = await gateway.signedIn('ann');
});
afterEach(() => gateway.close());

const { privateKey } = generateKeyPairSync('ed25519');
const KEY = publicKeyLine(ed25519Blob(privateKey));
const issue = (who: TestBrowser, body: { pub_key?: string; ttl?: number } = {}) =>
  call(who.send, sshCertificateRoutes.issue, { body: { pub_key: KEY, ...body } });
const blobOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64');

test('whoever is signed in has their key certified, for no login of any server', async () => {
  const { cert, username, serial, host_authorities } = await issue(ann, { ttl: 600 });
  const shown = parseCertificate(blobOf(cert));

  expect(username).toBe('ann');
  expect(shown).toMatchObject({ kind: 'user', principals: ['gatehouse-person'], criticalOptions: [], extensions: [] });
  expect(shown.keyId).toMatch(/^user=ann sign-in=\S+$/);
  expect(shown.subject).toEqual(ed25519Blob(privateKey));
  expect(shown.validBefore - shown.validAfter).toBeLessThanOrEqual(661_000);
  // No server trusts what signs it, nor what signs hosts.
  const servers = await call(gateway.send, sshAuthorityRoutes.list, {});
  const trusted = servers.map(({ publicKey }) => publicKey.split(' ').slice(0, 2).join(' '));
  expect(trusted).not.toContain(publicKeyLine(shown.authority));
  expect([host_authorities.length, trusted.includes(host_authorities[0] ?? '')]).toEqual([1, false]);
  expect(host_authorities).not.toContain(publicKeyLine(shown.authority));
  expect((await gateway.events()).filter(({ code }) => code === 'TC000I')).toMatchObject([
    { user: 'ann', data: { identity: { user: 'ann', serial, fingerprint: fingerprint(ed25519Blob(privateKey)) } } },
  ]);
});

test('a key in base64 is answered in base64, a time in nanoseconds is one, and none outlasts the sign-in', async () => {
  const encoded = await issue(ann, { pub_key: Buffer.from(KEY).toString('base64'), ttl: 3_600 * 1e9 });
  const line = Buffer.from(encoded.cert, 'base64').toString();
  expect(line).toMatch(/^ssh-ed25519-cert-v01@openssh.com \S+\n$/);
  const inSeconds = await issue(ann, { ttl: 600 });
  const between = (Date.parse(encoded.expires) - Date.parse(inSeconds.expires)) / 1000;
  expect([between > 2_990, between <= 3_000]).toEqual([true, true]);
  const longest = await issue(ann, { ttl: 9e15 });
  const [own] = await call(ann.send, signInsRoutes.list, {});
  expect(Date.parse(longest.expires)).toBe(Date.parse(own?.expires ?? ''));
});

test('keys that are none, and kinds of keys that get none, are refused in words', async () => {
  await expect(issue(ann, { pub_key: 'ssh-ed25519 AAAA' })).rejects.toThrow('is not an SSH public key');
  await expect(issue(ann, { pub_key: '!!!' })).rejects.toThrow('is not an SSH public key');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const [e, n] = [rsa.e ?? '', rsa.n ?? ''].map((part) => Buffer.from(part, 'base64url'));
  const blob = Buffer.concat([sshString('ssh-rsa'), sshString(e!), sshString(Buffer.concat([Buffer.alloc(1), n!]))]);
  await expect(issue(ann, { pub_key: publicKeyLine(blob) })).rejects.toThrow('ssh-keygen -t ed25519');
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.of(4),
    ...[curve.x, curve.y].map((part) => Buffer.from(part ?? '', 'base64url')),
  ]);
  const ecdsa = Buffer.concat([sshString('ecdsa-sha2-nistp256'), sshString('nistp256'), sshString(point)]);
  const { cert } = await issue(ann, { pub_key: publicKeyLine(ecdsa) });
  expect(parseCertificate(blobOf(cert)).subject).toEqual(ecdsa);
});

test('a token for scripts gets one where its scope lets it connect, and no other', async () => {
  const make = async (scope: 'all' | 'read') =>
    (await call(ann.send, apiTokenRoutes.create, { body: { name: scope, scope, ttlSeconds: 600 } })).token;
  const machine = sendTo(gateway.app, { authorization: `Bearer ${await make('all')}` });
  expect((await call(machine, sshCertificateRoutes.issue, { body: { pub_key: KEY } })).username).toBe('ann');
  const reader = sendTo(gateway.app, { authorization: `Bearer ${await make('read')}` });
  await expect(call(reader, sshCertificateRoutes.issue, { body: { pub_key: KEY } })).rejects.toMatchObject({
    status: 403,
  });
});

test('people see their own and revoke them; those of others are not found', async () => {
  const { serial } = await issue(ann);
  await gateway.addUser('bob', { roles: ['access'] });
  const bob = await gateway.signedIn('bob');
  expect(await call(bob.send, sshCertificateRoutes.list, {})).toEqual([]);
  await expect(call(bob.send, sshCertificateRoutes.revoke, { params: { serial } })).rejects.toMatchObject({
    status: 404,
  });
  const listed = await call(ann.send, sshCertificateRoutes.list, {});
  expect(listed.map((each) => each.serial)).toContain(serial);
  for (const each of listed) await call(ann.send, sshCertificateRoutes.revoke, { params: { serial: each.serial } });
  expect(await call(ann.send, sshCertificateRoutes.list, {})).toEqual([]);
  expect((await gateway.events()).filter(({ code }) => code === 'GH230I')).toMatchObject([
    { user: 'ann', data: { name: serial } },
  ]);
});

test('only those of ours are believed, while they last and nobody has revoked them', async () => {
  let time = Date.UTC(2026, 0, 1);
  const now = () => time;
  const storage = await openMemoryStorage(now);
  const key = testKey();
  const secrets = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log: silentLog });
  const feed = await openChangeFeed({ storage, log: silentLog, now });
  const audit = createAudit({ now, clusterName: 'main', chain: 'gateway' });
  const parts = { db: storage.db, secrets, feed, audit, log: silentLog, now };
  const certificates = createPersonCertificates(parts);
  const servers = createSshAuthorities(parts);
  onTestFinished(async () => {
    certificates.close();
    servers.close();
    await feed.close();
    await storage.close();
  });
  const subject = { type: 'ssh-ed25519', blob: ed25519Blob(privateKey) };
  const who = { username: 'ann', signInId: 's1' };
  const issued = await certificates.issue(who, { key: subject, expires: time + 60_000, address: '' });
  const blob = blobOf(issued.line);
  expect(await certificates.read(blob)).toMatchObject({ user: 'ann', signIn: 's1', subject: subject.blob });

  const wanted = { kind: 'user', subject: privateKey, keyId: 'x', principals: ['gatehouse-person'] } as const;
  const times = { validAfter: time - 1_000, validBefore: time + 60_000 };
  const foreign = mintCertificate(generateKeyPairSync('ed25519').privateKey, { ...wanted, ...times });
  await expect(certificates.read(foreign)).rejects.toThrow('is not of this gateway');
  // The one that servers trust signs for nobody here.
  const own = await servers.mint({ login: 'gatehouse-person', user: 'ann', session: 's', ttlMs: 1_000 });
  await expect(certificates.read(own.certificates[0]!.blob)).rejects.toThrow('is not of this gateway');
  // Signed by a key that is certified itself.
  const nested = Buffer.concat([blob.subarray(0, -200), randomBytes(200)]);
  await expect(certificates.read(nested)).rejects.toMatchObject({ code: 'not_signed_in' });
  for (let at = 0; at < blob.length; at += 1) {
    await expect(certificates.read(blob.subarray(0, at))).rejects.toMatchObject({ code: 'not_signed_in' });
    const changed = Buffer.from(blob);
    changed[at] = changed[at]! ^ 1;
    await expect(certificates.read(changed)).rejects.toMatchObject({ code: 'not_signed_in' });
  }
  const limits = {
    ...{ request: '6f1c2d3e-1111-5222-8333-444455556666', address: '::1' },
    ...{ server: 'web-1', login: 'root', command: 'uptime' },
  };
  const one = await certificates.issue(who, { key: subject, expires: time + 60_000, address: '::1', limits });
  const shown = await certificates.read(blobOf(one.line));
  expect([shown.limits, (await certificates.read(blob)).limits]).toEqual([limits, undefined]);
  // One session, however many begin it at once.
  const begun = await Promise.all([certificates.begin(shown), certificates.begin(shown)]);
  expect(begun.sort()).toEqual([false, true]);
  await storage.db.transaction().execute((tx) => removeCertificate(tx, 'ann', issued.serial));
  await expect(certificates.read(blob)).rejects.toThrow('your certificate was revoked: gatehouse login gets another');
  time += 60_000;
  await expect(certificates.read(blob)).rejects.toThrow('your certificate ended');
});
