import { X509Certificate } from 'node:crypto';
import { desktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { testKey } from '../../../testing/secrets/test-key.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { putResources, type Resource } from '../../inventory/resource-store.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import { makeAuthority, mintPair } from '../../platform/crypto/x509/mint.ts';
import { openSecretBox } from '../../platform/secrets/open-secret-box.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { createDesktopCertificates, type DesktopCertificates, pinOf } from './desktop-certificates.ts';
import { createDesktopSecrets, type DesktopSecrets } from './desktop-secrets.ts';
import { desktopTarget, readDesktop } from './listed-desktop.ts';
import { readLogin } from './login-name.ts';

const NOW = Date.UTC(2026, 5, 1);
const CLUSTER = 'localhost';

let storage: Storage;
let secrets: DesktopSecrets;
let certificates: DesktopCertificates;
let ca: string;
let first: Buffer;
let second: Buffer;

beforeAll(async () => {
  const authority = await makeAuthority({ organization: 'test', name: 'ca', vouches: 'server', now: NOW });
  ca = authority.cert;
  const leaf = async (name: string) => {
    const wanted = { vouches: 'server', subject: { name }, names: [name], ttlMs: 86_400_000, now: NOW } as const;
    return new X509Certificate((await mintPair(authority, wanted)).cert).raw;
  };
  first = await leaf('win-1.corp.test');
  second = await leaf('win-1.corp.test');
});
beforeEach(async () => {
  storage = await openMemoryStorage(() => NOW);
  const key = testKey();
  const box = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log: silentLog });
  secrets = createDesktopSecrets(storage.db, box);
  const audit = createAudit({ now: () => NOW, clusterName: CLUSTER, chain: 'gateway' });
  certificates = createDesktopCertificates({ db: storage.db, audit, secrets, log: silentLog, now: () => NOW });
});
afterEach(() => storage.close());

const inTx = <T>(run: (tx: Tx) => Promise<T>) => storage.db.transaction().execute(run);
async function enter(spec: object, more: Partial<Resource> = {}) {
  const full = desktopSpec.parse({ addr: '10.0.0.7:3389', ...spec });
  const of = { cluster: CLUSTER, kind: 'desktop', id: 'win-1', name: 'win-1', owner: '', expires: undefined } as const;
  await inTx((tx) => putResources(tx, [{ ...of, labels: { env: 'prod' }, spec: full, ...more }], NOW));
  return await found();
}
const found = async () => (await readDesktop(storage.db, { cluster: CLUSTER, name: 'win-1' }))!;
async function store(typed: string, password: string) {
  const desktop = await found();
  const login = { ...readLogin(typed, desktop), typed };
  await inTx((tx) => secrets.store(tx, desktop, login, { password, by: 'admin', now: NOW }));
}
const wide = (login: string, labels: Record<string, string>, agents: string[], password: string) =>
  inTx((tx) => secrets.storeByLabels(tx, CLUSTER, { login, labels, agents }, { password, by: 'admin', now: NOW }));
const passwordOf = async (typed: string) => {
  const desktop = await found();
  return await secrets.of(desktop, readLogin(typed, desktop));
};
const ann = async (isNla = true) => ({ user: 'ann', isNla, isStored: true, login: readLogin('ann', await found()) });
const events = async () =>
  (await storage.db.selectFrom('event').select(['code', 'data']).orderBy('id').execute()).map(
    ({ code, data }) => [code, JSON.parse(data)] as const,
  );

test('a password is stored once for a login however it is written, and read by nobody from the store', async () => {
  await enter({ domain: 'corp.test' });
  await store('CORP\\Ann', 'first pass');
  await store('ann@corp.test', 'horse battery');
  expect(await passwordOf('ANN')).toBe('horse battery');
  expect(await secrets.loginsOf(await found())).toEqual([{ login: 'ann@corp.test', created: NOW }]);
  expect(await passwordOf('.\\ann')).toBeUndefined();
  const rows = JSON.stringify(await storage.db.selectFrom('desktop_secret').selectAll().execute());
  expect(rows).not.toMatch(/horse|first pass/);
});

test.each([
  ['address', { addr: '10.0.0.8:3389' }],
  ['domain', { domain: 'other.test' }],
  ['protocol', { protocol: 'vnc' }],
  ['agent', { through: 'agent-2' }],
  ['certificate', { certificate: { pin: `sha256:${'0'.repeat(64)}` } }],
])('a password is void when the %s changes, however that came into the record', async (_, change) => {
  await enter({ certificate: { pin: pinOf(first) } });
  await store('ann', 'horse battery');
  expect(await passwordOf('ann')).toBe('horse battery');
  await enter({ certificate: { pin: pinOf(first) }, ...change });
  expect(await passwordOf('ann')).toBeUndefined();
  expect(await secrets.loginsOf(await found())).toEqual([]);
});

test('by labels the closest counts, one of the desktop itself before it, and what agents offer only where they are named', async () => {
  await enter({});
  await wide('svc', { env: 'prod' }, [], 'of prod');
  await wide('svc', { env: 'dev' }, [], 'of dev');
  expect(await passwordOf('svc')).toBe('of prod');
  expect(await passwordOf('ann')).toBeUndefined();
  await enter({}, { labels: { env: 'prod', tier: 'a' } });
  await wide('SVC', { env: 'prod', tier: 'a' }, [], 'of tier a');
  expect(await passwordOf('svc')).toBe('of tier a');
  await store('svc', 'own');
  expect(await passwordOf('svc')).toBe('own');

  await enter({}, { owner: 'agent-1' });
  expect(await passwordOf('svc')).toBeUndefined();
  const id = await wide('svc', { env: 'prod' }, ['agent-1'], 'of agent 1');
  expect(await passwordOf('svc')).toBe('of agent 1');
  const desktop = await found();
  const knows = await secrets.knownOn([desktop]);
  expect(['svc', 'ann'].map((typed) => knows(desktop, readLogin(typed, desktop)))).toEqual([true, false]);
  expect(await inTx((tx) => secrets.removeByLabels(tx, CLUSTER, id))).toMatchObject({ login: 'svc' });
  expect(await passwordOf('svc')).toBeUndefined();
});

test('the same password by labels is replaced, not kept twice', async () => {
  await wide('svc', { env: 'prod' }, ['b', 'a'], 'old');
  await wide('Svc', { env: 'prod' }, ['a', 'b'], 'new');
  expect(await secrets.byLabels(CLUSTER)).toMatchObject([{ login: 'Svc', labels: { env: 'prod' } }]);
});

test('another certificate than the pinned one is refused and told, also without NLA and for accounts of a domain', async () => {
  const desktop = await enter({ certificate: { pin: pinOf(first) } });
  await certificates.check(desktop, first, [], await ann());
  await expect(certificates.check(desktop, second, [], await ann(false))).rejects.toMatchObject({
    step: 'certificate',
    code: 'other_certificate',
  });
  const inDomain = await enter({ domain: 'corp.test', certificate: { pin: pinOf(first) } });
  await expect(certificates.check(inDomain, second, [], await ann())).rejects.toMatchObject({
    code: 'other_certificate',
  });
  const told = (await events()).map(([code, { success, fingerprint, previous }]) => [
    code,
    success,
    fingerprint,
    previous,
  ]);
  expect(told).toEqual(Array(2).fill(['GH371W', false, pinOf(second), pinOf(first)]));
});

test('nobody is let in while no certificate was accepted, not even by NLA', async () => {
  const desktop = await enter({});
  await expect(certificates.check(desktop, first, [], await ann())).rejects.toThrow('nobody has accepted');
});

test('a new certificate is pinned by who signs in to an account of the machine over it, and for others it counts where the host proves as much', async () => {
  const desktop = await enter({ certificate: { pin: pinOf(first) } });
  await store('ann', 'horse battery');
  await store('admin', 'other secret');
  await certificates.check(desktop, second, [], await ann());
  expect((await found()).certificate).toEqual({ pin: pinOf(first) });
  await certificates.signedIn(desktop, second, await ann());
  expect((await found()).certificate).toEqual({ pin: pinOf(second), provenBy: '\\ann' });
  expect([await passwordOf('ann'), await passwordOf('admin')]).toEqual(['horse battery', 'other secret']);
  const admin = { user: 'bob', login: readLogin('admin', await found()) };
  await certificates.check(await found(), second, [], await ann(false));
  await certificates.check(await found(), second, [], { ...admin, isNla: true });
  await expect(certificates.check(await found(), second, [], { ...admin, isNla: false })).rejects.toMatchObject({
    code: 'unproven_certificate',
  });
  expect(await events()).toMatchObject([
    ['GH371W', { success: true, windows_user: 'ann', fingerprint: pinOf(second), previous: pinOf(first) }],
    ['GH371W', { success: false }],
  ]);
  await certificates.signedIn(await found(), second, await ann());
  expect(await events()).toHaveLength(2);
  const proven = await found();
  await inTx((tx) => certificates.accept(tx, proven, pinOf(second), { user: 'bob' }));
  await certificates.check(await found(), second, [], { ...admin, isNla: false });
  expect(await passwordOf('ann')).toBeUndefined();
});

test('what somebody typed proves nothing to others: another host may know it as well, and is not pinned by it', async () => {
  const desktop = await enter({ certificate: { pin: pinOf(first) } });
  const typed = { ...(await ann()), isStored: false };
  expect(await certificates.check(desktop, second, [], typed)).toBe('unproven');
  await certificates.signedIn(desktop, second, typed);
  expect((await found()).certificate).toEqual({ pin: pinOf(first) });
  expect(await events()).toMatchObject([
    ['GH371W', { success: false, fingerprint: pinOf(second), previous: pinOf(first) }],
  ]);
  // Whoever comes next by the same login, without NLA, would have told it the password.
  await expect(certificates.check(await found(), second, [], await ann(false))).rejects.toMatchObject({
    code: 'other_certificate',
  });
});

test('what was seen of a host says nothing of the one that has its name by now', async () => {
  const desktop = await enter({ certificate: { pin: pinOf(first) } });
  await enter({ addr: '10.0.0.9:3389', certificate: { pin: pinOf(first) } });
  await certificates.signedIn(desktop, second, await ann());
  expect((await found()).certificate).toEqual({ pin: pinOf(first) });
  expect(await events()).toEqual([]);
});

test('what somebody accepts of an offered desktop holds until the agent offers it elsewhere', async () => {
  const offered = await enter({}, { owner: 'agent-1' });
  expect(await inTx((tx) => certificates.accept(tx, offered, pinOf(first), { user: 'admin' }))).toBe(true);
  expect((await found()).certificate).toEqual({ pin: pinOf(first) });
  await certificates.check(await found(), first, [], await ann());
  await enter({ addr: '10.0.0.8:3389' }, { owner: 'agent-1' });
  expect((await found()).certificate).toBeUndefined();
});

test('an authority vouches under a name, for a while, and no other does', async () => {
  const by = await enter({ certificate: { ca, name: 'win-1.corp.test' } }).then(() => ann());
  const check = async (name: string, of = ca) =>
    certificates.check(await enter({ certificate: { ca: of, name } }), first, [], by);
  await check('win-1.corp.test');
  await expect(check('win-2.corp.test')).rejects.toThrow("not good for the name 'win-2.corp.test'");
  const stranger = await makeAuthority({ organization: 'test', name: 'ca', vouches: 'server', now: NOW });
  await expect(check('win-1.corp.test', stranger.cert)).rejects.toThrow('is not of the authority in its record');
  const later = createDesktopCertificates({
    ...{ db: storage.db, secrets, log: silentLog, now: () => NOW + 2 * 86_400_000 },
    audit: createAudit({ now: () => NOW, clusterName: CLUSTER, chain: 'gateway' }),
  });
  const again = await enter({ certificate: { ca, name: 'win-1.corp.test' } });
  await expect(later.check(again, first, [], by)).rejects.toThrow('ended at');
});

test('what an agent offers is dialled by it alone, and a record that cannot be read by nobody', async () => {
  expect(desktopTarget(await enter({ through: 'agent-2' }))).toMatchObject({ through: { agent: 'agent-2' } });
  expect(desktopTarget(await enter({ through: 'agent-2' }, { owner: 'agent-1' }))).toMatchObject({
    through: { agent: 'agent-1' },
  });
  expect(desktopTarget(await enter({}))).toMatchObject({ addr: '10.0.0.7:3389', through: 'gateway' });
  const broken = await enter({}, { spec: { addr: 'nowhere', protocol: 'rdp' } });
  expect(() => desktopTarget(broken)).toThrow('lets nobody in until it is changed: addr must be HOST:PORT');
});
