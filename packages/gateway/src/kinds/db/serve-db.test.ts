/** What a connection leaves behind at its session. */
import { duplexPair } from 'node:stream';
import { dbSpec } from '@gatehouse/contract/kinds/db/db-spec';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../platform/std/log.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import { SessionParts } from '../../sessions/host/session-parts.ts';
import { type ServeDbDeps, serveDb } from './serve-db.ts';
import type { WantedDb } from './wanted-db.ts';

function served(ready: Promise<void>) {
  let termsAsked = 0;
  const parts = new SessionParts();
  const hosted = {
    ...{
      id: 's',
      parts,
      end: undefined,
      finish() {},
      connected() {},
      session: { id: 's', user: 'ann', recorded: false },
    },
    options: {
      get dbReadOnly() {
        termsAsked += 1;
        return false;
      },
      recordResults: false,
    },
  } as unknown as HostedSession;
  const spec = dbSpec.parse({ protocol: 'redis', uri: 'db.inside', signIn: 'password', tls: { mode: 'off' } });
  const wanted = {
    listed: { spec, resource: { id: 'shop', name: 'shop' }, address: { hosts: [] }, dialledBy: 'gateway', ways: [] },
    chosen: { dbUser: 'app', dbName: '' },
    rights: { mayUse: () => true, mayUseAll: () => true, made: () => undefined },
  } as unknown as WantedDb;
  const deps = {
    ...{ secrets: { passwordOf: () => 'p' }, clusterName: 'c', log: silentLog, now: Date.now, keys: {} },
    reach: {
      dial: async () => {
        throw new Error('nobody is there');
      },
    },
    events: { write: async () => {} },
    states: { learning: (_: unknown, terms: unknown) => terms, signedIn() {} },
    recordings: { attach: () => ({ ready, recorder: undefined, detach() {} }) },
  } as unknown as ServeDbDeps;
  const [client, far] = duplexPair();
  far.resume();
  const { over } = serveDb(deps, wanted, { door: 'web', client, hosted, isFurther: true });
  return { over, far, parts, terms: () => termsAsked };
}

test('a connection that is over has parted from its session', async () => {
  const { over, far, parts, terms } = served(Promise.resolve());
  const before = terms();
  parts.tellTerms({} as never);
  expect(terms()).toBe(before + 1);
  far.end('PING\r\n');
  await over;

  parts.tellTerms({} as never);
  expect(terms()).toBe(before + 1);
});

test('a database that refuses before the recording is open is no error of nobody, which would end the gateway', async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => void unhandled.push(error);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', hear);
  onTestFinished(() => {
    process.off('unhandledRejection', hear);
    for (const listener of others) process.on('unhandledRejection', listener);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const { over, far } = served(promise);
  far.end('PING\r\n');
  // Longer than the dial takes to fail; such promises are looked for after each turn.
  for (let turns = 0; turns < 5; turns += 1) await new Promise((next) => setImmediate(next));
  resolve();
  await over;

  expect(unhandled).toEqual([]);
});
