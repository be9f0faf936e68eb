/** SSH over a websocket, for who has no way to the SSH door itself: the hello has proved who it is, and the address names the server. */
import { SSH_SOCKET } from '@gatehouse/contract/sessions/ssh-socket';
import type { TcpFrame } from '@gatehouse/contract/sessions/tcp-frames';
import { TcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { SignedInSocket } from '../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { signedOut } from '../../sessions/host/signed-out.ts';
import type { DoorChannel } from './door-channel.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { bySignIn } from './prove-person.ts';
import { serveConnection } from './serve-connection.ts';

const wanted = z.object({ name: z.string().min(1).max(253) });

export function serveSshSocket(sockets: Sockets, deps: SshDoorDeps): void {
  sockets.add(SSH_SOCKET, 'hello', (opened, request) => serve(deps, opened, request), {
    refuse: ({ socket }, _request, why) => refuse(socket, why),
  });
}

/** Whether there is such a server is told where it is asked for something: by a channel, in words. */
async function serve(deps: SshDoorDeps, opened: SignedInSocket, request: FastifyRequest): Promise<void> {
  const { socket, caller } = opened;
  opened.asked();
  const { data } = wanted.safeParse(request.params);
  if (!data) return refuse(socket, new AppError('bad_request', 'that is no name of a server'));
  const { name } = data;
  // Before anything is waited for: what came with the hello is handed on right after.
  const stream = new TcpStream(socket);
  const fronts = new Set<DoorChannel>();
  opened.onEnd(async (reason) => {
    for (const front of fronts) front.fail(signedOut(reason).message, 'lost');
    await Promise.all([...fronts].map(({ closed }) => closed));
  });
  send(socket, { type: 'ready', session: '' });
  const person = bySignIn(caller);
  await serveConnection(deps, {
    ...{ stream, address: request.ip, names: [name], within: { person, host: name, fronts, asksFactor: true } },
    onProved() {},
  }).catch((error: unknown) => {
    deps.log.error({ error }, 'the SSH door made a mistake');
    stream.destroy();
  });
}

function refuse(socket: WebSocket, { code, message }: AppError): void {
  send(socket, { type: 'failed', code, message });
  socket.close(1000);
}

function send(socket: WebSocket, frame: TcpFrame): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}
