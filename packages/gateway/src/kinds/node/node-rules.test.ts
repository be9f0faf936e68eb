import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { putResources } from '../../inventory/resource-store.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { hasTwin, refuseForbidden } from './node-rules.ts';

const newKey = () => publicKeyLine(ed25519Blob(generateKeyPairSync('ed25519').publicKey));
const LEADS: Record<string, string[]> = { 'db-1.inside:22': ['192.0.2.5'], '192.0.2.5:2222': ['192.0.2.5'] };
const addressesOf = async (addr: string) => LEADS[addr] ?? [];
let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 0);
  const spec = { type: 'openssh', hostname: 'db-1', addr: 'db-1.inside:22', hostKeys: [], hostAuthorities: [newKey()] };
  const certified = { cluster: 'c', kind: 'node', id: 'n1', name: 'db-1', labels: {}, spec, owner: '' } as const;
  await storage.db.transaction().execute((tx) => putResources(tx, [{ ...certified, expires: undefined }], 0));
});
afterAll(() => storage.close());

test.each([
  ['another port and spelling', 'DB-1.inside:2222', true],
  ['its address instead of its name', '192.0.2.5:2222', true],
  ['another machine', 'db-2.inside:22', false],
])('a server known by an authority alone is known again by %s', async (_, addr, isTwin) => {
  expect(await hasTwin(storage.db, { cluster: 'c', addr, hostKeys: [newKey()] }, addressesOf)).toBe(isTwin);
});

test('addresses where clouds give out credentials are no servers', () => {
  for (const addr of ['169.254.169.254:22', '[fd00:ec2::254]:22', '[::ffff:169.254.169.254]:22'])
    expect(() => refuseForbidden(addr)).toThrow('gives out credentials');
  expect(() => refuseForbidden('0.0.0.0:22')).toThrow('0.0.0.0 is not the address of one machine: no server is there');
  expect(() => refuseForbidden('192.0.2.5:22')).not.toThrow();
});
