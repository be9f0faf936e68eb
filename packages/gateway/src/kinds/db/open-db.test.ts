import { dbSpec } from '@gatehouse/contract/kinds/db/db-spec';
import { expect, test } from 'vitest';
import type { OpenRequest, SessionHost } from '../../sessions/host/session-host.ts';
import type { TcpOpening } from '../../sessions/tcp/tcp-socket.ts';
import type { DbRecordings } from './db-recordings.ts';
import { type OpenDbDeps, openDbSession } from './open-db.ts';
import type { WantedDb } from './wanted-db.ts';

test('a session begins together with the note of its recording, which would wait for the disk once more by itself', async () => {
  const asked: OpenRequest[] = [];
  const host = {
    async open(request: OpenRequest) {
      asked.push(request);
      return { id: 's', enter() {} };
    },
  } as unknown as SessionHost;
  const noted = async () => {};
  const recordings = { isOn: true, noted } as unknown as DbRecordings;
  const spec = dbSpec.parse({ protocol: 'postgres', uri: 'db.inside', signIn: 'password' });
  const chosen = { dbUser: 'app', dbName: 'shop' };
  const wanted = { mustAsk: false, listed: { spec, resource: { id: 'shop' } }, chosen, rights: {} };
  const caller = { username: 'ann', signInId: 'i' };
  const deps = { host, recordings, access: {}, events: {} } as unknown as Pick<
    OpenDbDeps,
    'host' | 'recordings' | 'access' | 'events'
  >;
  await openDbSession(deps, wanted as unknown as WantedDb, { caller } as unknown as TcpOpening);

  expect(asked).toMatchObject([{ recorded: true, noted }]);
});
