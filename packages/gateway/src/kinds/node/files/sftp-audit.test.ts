import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import type { Resource } from '../../../inventory/resource-store.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { NodeAction } from './file-session.ts';
import type { SftpObservation } from './sftp/relay/observation.ts';
import { sftpAudit } from './sftp-audit.ts';

let storage: Storage;
let observe: (observation: SftpObservation) => Promise<void>;
beforeEach(async () => {
  storage = await openMemoryStorage(() => 1000);
  const audit = createAudit({ now: () => 1000, clusterName: 'main', chain: 'gateway' });
  const spec = { type: 'openssh', addr: '10.0.0.5:22', hostKeys: [] };
  const resource = { id: 'node-1', name: 'web-1', kind: 'node', labels: { env: 'dev' }, spec } as unknown as Resource;
  const action = { kind: 'node', resource, login: 'root' } as unknown as NodeAction;
  const facts = { id: 'session-1', action, user: 'ann', signInId: 'sign-in-1', mfa: true };
  observe = sftpAudit({ db: storage.db, audit }, { facts, address: '192.0.2.7' });
});
afterEach(() => storage.close());

const events = async () =>
  (await storage.db.selectFrom('event').select(['code', 'data']).orderBy('id').execute()).map(({ code, data }) => ({
    code,
    ...(JSON.parse(String(data)) as object),
  }));

test('what is seen is kept as events of the wire reference', async () => {
  await observe({ operation: 'open', path: 'notes', flags: 26, home: '/root' });
  await observe({ operation: 'close', path: 'notes', transferred: { read: 3, written: 12 }, home: '/root' });
  await observe({ operation: 'setstat', path: '/a', attributes: { permissions: 0o600 }, home: '/root' });
  await observe({ operation: 'symlink', path: '/link', to: '/there', home: '/root' });
  await observe({ operation: 'remove', path: '/a', error: 'Permission denied', home: '/root' });

  const about = { user: 'ann', login: 'root', sid: 'session-1', server_hostname: 'web-1', working_directory: '/root' };
  expect(await events()).toMatchObject([
    { code: 'TS001I', ...about, path: 'notes', flags: 26, action: 1, 'addr.remote': '192.0.2.7', with_mfa: 'proven' },
    { code: 'TS002I', ...about, path: 'notes', attributes: { bytes_read: 3, bytes_written: 12 }, action: 2 },
    { code: 'TS007I', ...about, path: '/a', attributes: { permissions: 0o600 }, action: 7 },
    { code: 'TS018I', ...about, path: '/link', target_path: '/there', action: 18 },
    { code: 'TS011E', ...about, path: '/a', error: 'Permission denied', action: 11 },
  ]);
});

test('a path without end is cut', async () => {
  await observe({ operation: 'mkdir', path: `/${'x'.repeat(30_000)}`, home: '' });

  const [event] = (await events()) as { path?: string }[];
  expect(event?.path?.length).toBe(4_096);
});

test('a store that takes nothing is told to who asked', async () => {
  await storage.close();

  await expect(observe({ operation: 'remove', path: '/a', home: '' })).rejects.toThrow();
});
