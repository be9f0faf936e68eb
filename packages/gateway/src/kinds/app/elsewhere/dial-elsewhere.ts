/** One connection to an application of another cluster, through its tunnel, for whoever has the browser here. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { APP_WEB_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { tcpFrame } from '@gatehouse/contract/sessions/tcp-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { printable } from '@gatehouse/contract/std/printable';
import { isErrorCode } from '@gatehouse/contract/wire/errors';
import { pathFor } from '@gatehouse/contract/wire/route';
import { TcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { RawData, WebSocket } from 'ws';
import type { Caller } from '../../../platform/http/actor.ts';
import type { Clusters } from '../../../platform/http/cluster.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { AppHosts } from '../app-hosts.ts';
import type { ElsewhereName } from './elsewhere-host.ts';

const READY_MS = 30_000;
const MAX_WORDS = 500;
const APP_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export interface DialDeps {
  clusters: Pick<Clusters, 'find'>;
  hosts: AppHosts;
}

export interface DialWish extends ElsewhereName {
  /** By which the other cluster knows the session; empty: only its name is asked for. */
  ref: string;
  /** Where the browser has it. */
  host: string;
  factor?: FactorAnswer | undefined;
  userAgent: string;
}

/** Throws an `AppError`, in the words of that cluster where it has some. `name`: as the application is called there. */
export async function dialElsewhere(
  { clusters, hosts }: DialDeps,
  caller: Caller,
  wish: DialWish,
): Promise<{ name: string; stream: Duplex }> {
  const actor = await caller.now();
  const found = await clusters.find(wish.cluster, actor);
  if (found?.is !== 'leaf') throw notFound('cluster', wish.cluster);
  const query = new URLSearchParams({
    ...{ session: wish.ref, origin: hosts.originOf(wish.host), gateway: hosts.base() },
    ...(wish.factor ? { factor: JSON.stringify(wish.factor) } : {}),
  });
  const url = `${pathFor(APP_WEB_SOCKET, { clusterId: CURRENT_CLUSTER, name: wish.name })}?${query}`;
  const socket = await found.leaf.openSocket({ url, requestId: randomUUID(), userAgent: wish.userAgent }, actor);
  try {
    return { name: await ready(socket, found.name), stream: new TcpStream(socket) };
  } catch (error) {
    socket.terminate();
    throw error;
  }
}

/** The first that it says; nothing else comes before it is asked for something. */
function ready(socket: WebSocket, cluster: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const lost = () => reject(new AppError('target_unreachable', `the connection to '${cluster}' was lost`));
  const heard = (data: RawData, isBinary: boolean) => {
    const frame = isBinary ? undefined : tcpFrame.safeParse(parseJson(String(data))).data;
    if (frame?.type === 'ready' && APP_NAME.test(frame.session)) resolve(frame.session);
    else if (frame?.type === 'failed') reject(failure(frame));
    else reject(new AppError('target_unreachable', `what '${cluster}' answers cannot be read`));
  };
  const timer = setTimeout(lost, READY_MS).unref();
  socket.once('message', heard);
  socket.once('close', lost);
  socket.resume();
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off('message', heard);
    socket.off('close', lost);
  });
}

function failure({ code, message }: { code: string; message: string }): AppError {
  return new AppError(isErrorCode(code) ? code : 'denied', printable(message.slice(0, MAX_WORDS)));
}
