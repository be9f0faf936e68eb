import { expect, test } from 'vitest';
import type { Tx } from '../../platform/storage/tables.ts';
import { createSessionAudit } from './session-audit.ts';
import type { Session } from './session-store.ts';

const resource = { id: 'one', kind: 'db', name: 'shop', labels: {}, spec: {} };
const session = {
  id: 'a session',
  user: 'ann',
  signInId: 'sign-in',
  address: '127.0.0.1',
  action: { type: 'connect', kind: 'db', resource, dbUser: 'app', dbName: 'shop' },
} as unknown as Session;
const tx = {} as Tx;

test('a session of a kind without events of its own is not told as one of another kind', async () => {
  const told: string[] = [];
  const audit = { emit: async (_: Tx, { code }: { code: string }) => void told.push(code) };
  const teller = { started: async () => void told.push('node'), ended: async () => void told.push('node') };
  const { started, ended } = createSessionAudit(audit as never, { node: { audit: teller } });

  await expect((async () => started(tx, session))()).rejects.toThrow("no event tells of sessions of the kind 'db'");
  await expect(ended(tx, session, { cause: 'exited', message: 'over' }, { now: 0 })).rejects.toThrow("kind 'db'");
  expect(told).toEqual([]);
});

test('each kind tells of its sessions in its own events', async () => {
  const told: string[] = [];
  const teller = (kind: string) => ({
    started: async () => void told.push(`${kind} started`),
    ended: async () => void told.push(`${kind} ended`),
  });
  const { started, ended } = createSessionAudit({} as never, {
    node: { audit: teller('node') },
    db: { audit: teller('db') },
  });

  await started(tx, session);
  await ended(tx, session, { cause: 'exited', message: 'over' }, { now: 0 });

  expect(told).toEqual(['db started', 'db ended']);
});
