/** A connection to something of another cluster that programs dial: the socket of its kind there, opened through its tunnel for somebody of this one. */
import { randomUUID } from 'node:crypto';
import { tcpFrame } from '@gatehouse/contract/sessions/tcp-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { printable } from '@gatehouse/contract/std/printable';
import { isErrorCode } from '@gatehouse/contract/wire/errors';
import { TcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { RawData, WebSocket } from 'ws';
import { readRemoteName } from '../../identity/stores/remote-name.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Clusters } from '../../platform/http/cluster.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';

const READY_MS = 30_000;
const MAX_WORDS = 500;

export interface LeafStreamWish {
  cluster: string;
  /** As that cluster is to hear it. */
  url: string;
  userAgent: string;
  /** What a second factor was traded for there. */
  pass?: string | undefined;
}

export interface LeafStream {
  /** As that cluster calls what was opened; hostile like all it says. */
  opened: string;
  stream: TcpStream;
}

/** Throws an `AppError`, in the words of that cluster where it has some. */
export async function openLeafStream(
  clusters: Pick<Clusters, 'find'>,
  actor: Actor,
  { cluster, url, userAgent, pass }: LeafStreamWish,
): Promise<LeafStream> {
  const found = await requireLeaf(clusters, actor, cluster);
  const socket = await found.leaf.openSocket({ url, requestId: randomUUID(), userAgent, pass }, actor);
  try {
    return await ready(socket, found.name);
  } catch (error) {
    socket.terminate();
    throw error;
  }
}

/** Throws `not_found` alike for what is not there and what is not seen. Who came from another cluster goes no further than this one. */
export async function requireLeaf(clusters: Pick<Clusters, 'find'>, actor: Actor, cluster: string) {
  const found = readRemoteName(actor.username) ? undefined : await clusters.find(cluster, actor);
  if (found?.is !== 'leaf') throw notFound('cluster', cluster);
  return found;
}

/** By the first that it says. */
function ready(socket: WebSocket, cluster: string): Promise<LeafStream> {
  const { promise, resolve, reject } = Promise.withResolvers<LeafStream>();
  const lost = () => reject(new AppError('target_unreachable', `the connection to '${cluster}' was lost`));
  const heard = (data: RawData, isBinary: boolean) => {
    const frame = isBinary ? undefined : tcpFrame.safeParse(parseJson(String(data))).data;
    // In this very call: what comes next may be in the same piece of bytes.
    if (frame?.type === 'ready') resolve({ opened: frame.session, stream: new TcpStream(socket) });
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
