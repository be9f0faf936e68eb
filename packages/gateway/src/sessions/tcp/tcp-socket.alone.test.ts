import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { addSixthKind, SIXTH } from '../../../testing/kinds/sixth-kind.ts';
import type { SignedInSocket } from '../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { HostedSession } from '../host/hosted-session.ts';
import { createMfaPasses } from './mfa-passes.ts';
import type { TcpOpening, TcpTarget } from './tcp-socket.ts';

const DOOR = '/v1/webapi/sites/:clusterId/printers/:name/tcp';
const passes = createMfaPasses(() => 0);
const ends: string[] = [];
const calls: string[] = [];
let far: Duplex;
let server: WebSocketServer;

/** A session that begins and ends, and is not asked for anything else. */
function session(): HostedSession {
  const over = new AbortController();
  const finish = ({ message }: { message: string }) => {
    if (over.signal.aborted) return;
    ends.push(message);
    over.abort();
  };
  const hosted = { id: 's', parts: { attach: () => {} }, active: () => {}, signal: over.signal, finish };
  return hosted as unknown as HostedSession;
}

const printer: TcpTarget = {
  name: 'laser',
  async open({ call, proveFactor }: TcpOpening) {
    calls.push(call);
    await proveFactor();
    return session();
  },
  dial: async () => ({ stream: far }),
};

beforeAll(async () => {
  addSixthKind();
  const { serveTcpSocket } = await import('./tcp-socket.ts');
  let serve: ((opened: SignedInSocket, request: FastifyRequest) => unknown) | undefined;
  const sockets = {
    add(_path: string, _how: string, handler: typeof serve) {
      serve = handler;
    },
  };
  serveTcpSocket(sockets as unknown as Sockets, {
    kind: SIXTH,
    path: DOOR,
    passes,
    async find(_, name) {
      if (name !== 'laser') throw notFound('printer', name);
      return printer;
    },
  });
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket, { url = '', headers }) => {
    const caller = { username: 'ann', signInId: 'sign-in', now: async () => ({}) };
    const opened = { socket, caller, asked: () => {}, active: () => {} } as unknown as SignedInSocket;
    const params = { name: url.split('/').at(-2) };
    socket.once('message', () => serve?.(opened, { params, headers, ip: '127.0.0.1', id: 'r' } as FastifyRequest));
  });
});
afterAll(() => {
  for (const each of server?.clients ?? []) each.terminate();
  server?.close();
});

const open = (name: string, pass = '') =>
  openTcpStream({
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ token: 't', door: DOOR, clusterId: 'c', name, userAgent: 'test', pass },
  });

test('programs dial a sixth kind: its bytes go both ways, and its end is told in its own words', async () => {
  const [there, back] = [new PassThrough(), new PassThrough()];
  far = Duplex.from({ writable: there, readable: back });
  const pass = passes.give({ signIn: 'sign-in', kind: SIXTH, name: 'laser' });

  const stream = await open('laser', pass);
  stream.write('print');
  expect(String((await once(there, 'data'))[0])).toBe('print');
  back.write('done');
  expect(String((await once(stream, 'data'))[0])).toBe('done');
  stream.on('error', () => {});
  const closed = new Promise((resolve) => stream.once('close', resolve));
  far.destroy();
  await closed;

  expect(calls).toEqual(['printer tcp']);
  expect(ends).toEqual(['the connection to the printer broke']);
});

test('without the factor that a role asks for, with a pass for something else, or by a wrong name it is refused', async () => {
  const other = passes.give({ signIn: 'sign-in', kind: 'app', name: 'laser' });

  await expect(open('laser')).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(open('laser', other)).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(open('ink')).rejects.toMatchObject({ code: 'not_found' });
});
