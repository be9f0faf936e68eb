/** Takes requests of programs that came to the door of another cluster: each websocket is one connection of HTTP/1.1 to this one's. */
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { KUBE_DOOR_SOCKET } from '@gatehouse/contract/kinds/kube/kube-pass';
import type { TcpFrame } from '@gatehouse/contract/sessions/tcp-frames';
import { TcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { isRelayed } from '../../../platform/http/relayed-door.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { containConnections } from '../../../platform/std/contain-connections.ts';
import type { Log } from '../../../platform/std/log.ts';
import { parseInput } from '../../../platform/std/parse-input.ts';
import { storeFailure } from '../../../platform/storage/store-failure.ts';
import type { KubeDoor, RelayedProgram } from '../kube-door.ts';

const params = z.object({ name: z.string().min(1).max(253) });
const MAX_HEAD_BYTES = 64 * 1024;

export interface KubeDoorSocketDeps {
  door: Pick<KubeDoor, 'relayed'>;
  /** Throws `not_found`, alike for what is not there and what is not seen. */
  find(actor: Actor, name: string): Promise<unknown>;
  log: Log;
}

export function serveKubeDoorSocket(sockets: Sockets, { door, find, log }: KubeDoorSocketDeps): void {
  const programs = new WeakMap<Duplex, RelayedProgram>();
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    const program = programs.get(request.socket);
    if (program) door.relayed.request(program, request, response);
    else response.destroy();
  });
  server.requestTimeout = 0;
  containConnections(server, 'relayed kubernetes');
  server.on('upgrade', (request, socket, rest) => {
    const program = programs.get(socket);
    if (program) door.relayed.upgrade(program, request, socket, rest);
    else socket.destroy();
  });

  sockets.add(
    KUBE_DOOR_SOCKET,
    'hello',
    async ({ socket, caller, asked }, request) => {
      asked();
      // Before anything is waited for: what comes with the first words waits in it.
      const stream = new TcpStream(socket);
      stream.on('error', () => stream.destroy());
      try {
        const { name } = parseInput(params, request.params, 'path');
        await find(await caller.now(), name);
        // A pass is not believed here without the word of the cluster that its owner comes from.
        if (!isRelayed(request)) throw new AppError('not_available', 'only other clusters are let in here');
        if (stream.destroyed) return;
        Object.defineProperty(stream, 'remoteAddress', { value: request.ip });
        programs.set(stream, { caller, address: request.ip, name });
        send(socket, { type: 'ready', session: name });
        server.emit('connection', stream);
      } catch (error) {
        const told = storeFailure(error) ?? error;
        if (!(told instanceof AppError)) log.error({ error }, 'a program of another cluster cannot be served');
        refuse(socket, told instanceof AppError ? told : new AppError('internal', 'the gateway made a mistake'));
      }
    },
    { refuse: ({ socket }, _request, why) => refuse(socket, why) },
  );
}

function refuse(socket: WebSocket, { code, message }: AppError): void {
  send(socket, { type: 'failed', code, message });
  socket.close(1000);
}

function send(socket: WebSocket, frame: TcpFrame): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}
