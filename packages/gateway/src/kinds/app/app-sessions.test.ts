import { appSpec } from '@gatehouse/contract/kinds/app/app-spec';
import { expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { silentLog } from '../../platform/std/log.ts';
import { insertSession, type SessionAction } from '../../sessions/host/session-store.ts';
import { type ListedApp, toListed } from './app-directory.ts';
import { createAppHosts } from './app-hosts.ts';
import { insertAppSession } from './app-session-store.ts';
import { type AppSessionsDeps, createAppSessions, userAgentKey } from './app-sessions.ts';

const CLUSTER = 'localhost';
const hosts = createAppHosts(() => 'http://localhost:3080');

function grafana(env: string): ListedApp {
  const spec = appSpec.parse({ uri: 'http://127.0.0.1:9' });
  const place = { cluster: CLUSTER, kind: 'app' as const, id: 'grafana', name: 'grafana' };
  return toListed({ ...place, labels: { env }, spec, owner: '', expires: undefined }, hosts, []);
}

test('a session is over when its application changed while it was looked up, which nobody could tell it', async () => {
  const storage = await openMemoryStorage();
  let now = grafana('dev');
  const action = { type: 'connect', kind: 'app', resource: now.resource } as SessionAction;
  const person = { username: 'ann', roles: [], traits: {}, signInId: '' };
  const ends: string[] = [];
  const deps = {
    db: storage.db,
    feed: { subscribe: () => ({ close() {} }), silentMs: () => 0 },
    access: { decide: () => ({ allowed: true }), of: () => ({ roles: [] }), onChange: () => () => {} },
    host: {
      owner: async () => person,
      get: () => undefined,
      // Between the decision and the moment from which changes find it.
      follow: async () => {
        now = grafana('prod');
        return { end: undefined };
      },
      end: async (_id: string, { message }: { message: string }) => void ends.push(message),
    },
    identity: {},
    directory: { byName: () => now, onChange() {} },
    dialer: {},
    events: {},
    hosts,
    tokens: { sign: () => '' },
    secrets: { open: (_name: string, { spec }: ListedApp) => spec },
    clusterName: CLUSTER,
    log: silentLog,
    now: Date.now,
  } as unknown as AppSessionsDeps;
  const { cookie } = await storage.db.transaction().execute(async (tx) => {
    const common = { id: 's1', cluster: CLUSTER, action, user: 'ann', signInId: '', address: '', request: 'r' };
    const more = { created: 0, size: { cols: 0, rows: 0 }, agent: undefined, gateway: 'g', mfa: false };
    await insertSession(tx, { ...common, ...more, recorded: false, begun: undefined } as never);
    const browser = { userAgent: userAgentKey('x'), address: '10.0.0.1' };
    return insertAppSession(tx, { session: 's1', user: 'ann', signIn: '', expires: Date.now() + 60_000, ...browser });
  });
  const sessions = createAppSessions(deps);

  expect(await sessions.find(cookie)).toBeUndefined();

  expect(ends).toEqual(['the application was changed']);
  sessions.close();
  await storage.close();
});
