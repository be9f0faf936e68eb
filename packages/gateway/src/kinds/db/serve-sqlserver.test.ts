import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { packets, TYPE } from './engine/sqlserver/packets.ts';
import type { SessionTeller } from './engine/sqlserver/pass-on.ts';
import { ENCRYPTION, prelogin } from './engine/sqlserver/prelogin.ts';
import { serveSqlserver } from './serve-sqlserver.ts';
import type { ServeDeps } from './served.ts';

const VERSION = Buffer.of(16, 0, 0, 0, 0, 0);
const greeting = (type: typeof TYPE.prelogin | typeof TYPE.reply) =>
  prelogin(type, { version: VERSION, encryption: ENCRYPTION.notSupported });

/** `dialled`: the gateway's end of its connection to the server, which answers greetings. */
function served() {
  const [client, gateway] = duplexPair();
  const [dialled, server] = duplexPair();
  server.once('data', () => server.write(greeting(TYPE.reply)));
  const dialling = Promise.withResolvers<Duplex>();
  const asked = Promise.withResolvers<void>();
  const deps = {
    client: gateway,
    terms: {
      ...{ user: 'app', database: 'shop', credential: { method: 'password', password: 'x' } },
      ...{ secure: undefined, isVerified: false },
    },
    dial() {
      asked.resolve();
      return dialling.promise;
    },
    mayUse: () => true,
    limits: { readOnly: false, initSql: [], statementTimeoutMs: 0 },
  } as unknown as ServeDeps<SessionTeller>;
  const { over, end } = serveSqlserver(deps);
  return { client, gateway, dialled, dialling, asked: asked.promise, over, end };
}

test('a client that greets and goes leaves no connection to the server open', async () => {
  const { client, gateway, dialled, dialling, over } = served();
  dialling.resolve(dialled);
  client.write(greeting(TYPE.prelogin));
  await once(client, 'data');
  const closed = once(dialled, 'close');
  gateway.destroy();

  await expect(over).rejects.toMatchObject({ kind: 'left' });
  await closed;
});

test.each([
  ['the client has gone', ({ gateway }: ReturnType<typeof served>) => void gateway.destroy()],
  ['access has ended', ({ end }: ReturnType<typeof served>) => void end('it is over')],
])('a server that is reached when %s is let go of', async (_when, leave) => {
  const session = served();
  session.client.write(greeting(TYPE.prelogin));
  await session.asked;
  leave(session);
  const closed = once(session.dialled, 'close');
  session.dialling.resolve(session.dialled);

  await expect(session.over).rejects.toThrow();
  await closed;
});

test('what is no sign-in closes the connection to the server too', async () => {
  const { client, dialled, dialling, over } = served();
  dialling.resolve(dialled);
  client.write(greeting(TYPE.prelogin));
  await once(client, 'data');
  const closed = once(dialled, 'close');
  client.write(packets(TYPE.batch, Buffer.alloc(4)));

  await expect(over).rejects.toMatchObject({ kind: 'malformed' });
  await closed;
});
