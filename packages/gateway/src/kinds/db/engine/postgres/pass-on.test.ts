import { duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fatal, message } from './messages.ts';
import { passOn } from './pass-on.ts';

test('an end in the middle of a row waits for its end, cancels, and then says why', async () => {
  const [client, clientSide] = duplexPair();
  const [server, serverSide] = duplexPair();
  const heard: Buffer[] = [];
  const cancelled: string[] = [];
  client.on('data', (piece: Buffer) => heard.push(piece));
  const asked: string[] = [];
  const session = passOn({
    client: clientSide,
    first: message('Q', 'select 1'),
    signedIn: {
      server: serverSide,
      welcome: Buffer.alloc(0),
      cancelKey: undefined,
      standardStrings: true,
      backend: undefined,
      version: '15',
      rest: Buffer.alloc(0),
    },
    ownKey: undefined,
    teller: { asked: ({ what }) => void asked.push(what), answered: () => {}, malformed: () => {} },
    cancel: async () => void cancelled.push('cancelled'),
  });
  const row = message('D', Buffer.from('a row of some bytes'));
  server.write(row.subarray(0, 9));
  await expect.poll(() => Buffer.concat(heard).subarray(-9)).toEqual(row.subarray(0, 9));
  const ended = session.end('locked');
  await sleep(50);
  server.write(Buffer.concat([row.subarray(9), row]));
  await ended;
  const last = fatal('57P01', 'locked');
  await expect.poll(() => Buffer.concat(heard).subarray(-last.length - row.length)).toEqual(Buffer.concat([row, last]));
  expect([asked, cancelled]).toEqual([['query'], ['cancelled']]);
});

test.each([true, false])(
  'where results are sampled, %s, the server waits while they are not written',
  async (isSampled) => {
    const [client, clientSide] = duplexPair();
    const [server, serverSide] = duplexPair();
    const heard: Buffer[] = [];
    client.on('data', (piece: Buffer) => heard.push(piece));
    const written = Promise.withResolvers<void>();
    let isBehind = false;
    passOn({
      client: clientSide,
      first: message('Q', 'select 1'),
      signedIn: {
        ...{ server: serverSide, welcome: Buffer.alloc(0), cancelKey: undefined, standardStrings: true },
        ...{ backend: undefined, version: '15', rest: Buffer.alloc(0) },
      },
      ownKey: undefined,
      isSampled,
      teller: {
        ...{ asked: () => {}, answered: () => {}, malformed: () => {} },
        behind: () => (isBehind ? written.promise : undefined),
      },
      cancel: async () => {},
    });
    const row = message('D', Buffer.from([0, 1, 0, 0, 0, 1, 0x31]));
    const last = (wanted: Buffer) => expect.poll(() => Buffer.concat(heard).subarray(-wanted.length)).toEqual(wanted);
    isBehind = true;
    server.write(row);
    await last(row);
    expect(serverSide.isPaused()).toBe(isSampled);

    isBehind = false;
    written.resolve();
    server.write(message('C', 'SELECT 1'));
    await last(message('C', 'SELECT 1'));
    client.destroy();
    server.destroy();
  },
);

test('of many that end at once each client hears why before the first server is seen off', async () => {
  const told: string[] = [];
  const sessions = ['a', 'b'].map((name) => {
    const [client, clientSide] = duplexPair();
    const [server, serverSide] = duplexPair();
    client.resume();
    const destroy = serverSide.destroy.bind(serverSide);
    serverSide.destroy = (error?: Error) => {
      told.push(`server ${name}`);
      return destroy(error);
    };
    server.on('error', () => {});
    const end = clientSide.end.bind(clientSide);
    clientSide.end = ((last: Buffer) => {
      told.push(`client ${name}`);
      return end(last);
    }) as typeof clientSide.end;
    return passOn({
      client: clientSide,
      first: Buffer.alloc(0),
      signedIn: {
        ...{ server: serverSide, welcome: Buffer.alloc(0), cancelKey: undefined, standardStrings: true },
        ...{ backend: undefined, version: '15', rest: Buffer.alloc(0) },
      },
      ownKey: undefined,
      teller: { asked: () => {}, answered: () => {}, malformed: () => {} },
      cancel: async () => {},
    });
  });
  await Promise.all(sessions.map((session) => session.end('locked')));
  await Promise.all(sessions.map(({ over }) => over));

  expect(told.slice(0, 4)).toEqual(['client a', 'client b', 'server a', 'server b']);
});
