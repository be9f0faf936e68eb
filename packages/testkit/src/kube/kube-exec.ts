/** Exec, attach and port-forward of the small cluster, once a request was allowed: real processes and real ports. */
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { JsonRecord } from './kube-object.ts';
import type { KubeContainer } from './kube-pods.ts';
import { type KubeProcess, startProcess } from './kube-process.ts';
import {
  acceptChannels,
  acceptSpdy,
  acceptTunnel,
  type KubeStreams,
  refuse,
  switching,
  TUNNEL,
} from './kube-streams.ts';
import { SpdyServer, type SpdyStream } from './spdy-server.ts';

/** Which wires of streams a cluster speaks. */
export interface StreamWires {
  spdy: boolean;
  websockets: readonly string[];
  /** Port-forward inside a websocket. */
  tunnel: boolean;
}

export interface Streamed {
  /** `SPDY v4.channel.k8s.io` */
  wire: string;
  resizes: string[];
}

export interface ExecOptions {
  request: IncomingMessage;
  socket: Duplex;
  query: URLSearchParams;
  wires: StreamWires;
  container: KubeContainer;
  folder: string;
  /** Hears which wire it became, and what sizes the terminal was given. */
  note: (streamed: Streamed) => void;
}

export async function serveExec(options: ExecOptions): Promise<void> {
  const accepted = await accept(options);
  if (accepted === undefined) return;
  const { streams, tty } = accepted;
  let process: KubeProcess;
  const command = options.query.getAll('command');
  if (options.container.isBare) {
    // In the words of containerd and runc.
    const why = `exec: "${command[0]}": executable file not found in $PATH: unknown`;
    await finish(accepted, internal(`error executing command in container: failed to exec in container: ${why}`));
    return;
  }
  try {
    process = await startProcess({ command, folder: options.folder, env: {}, tty });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await finish(accepted, internal(`error executing command in container: ${why}`));
    return;
  }
  void accepted.closed.then(() => process.kill());
  take(streams.stdin, process.stdin);
  followSize(accepted, process);
  const printed = [give(process.stdout, streams.stdout), give(process.stderr, streams.stderr)];
  const code = await process.exited;
  await Promise.all(printed);
  await finish(accepted, statusOf(code));
}

/** To the program the container runs; what it printed before is in its log. */
export async function serveAttach(options: ExecOptions): Promise<void> {
  const { container } = options;
  const { process } = container;
  if (process === undefined || container.exitCode !== undefined) {
    refuse(options.socket, 500, 'Internal Server Error', `container ${container.name} has no program to attach to`);
    return;
  }
  const accepted = await accept(options);
  if (accepted === undefined) return;
  const { streams } = accepted;
  streams.stdin?.on('data', (bytes: Buffer) => void process.stdin.write(bytes));
  if (container.stdinOnce) streams.stdin?.on('end', () => process.stdin.end());
  followSize(accepted, process);
  const onOutput = (bytes: Buffer, name: 'stdout' | 'stderr') => void streams[name]?.write(bytes);
  container.on('output', onOutput);
  const code = await Promise.race([new Promise<number>((resolve) => container.once('exit', resolve)), accepted.closed]);
  container.off('output', onOutput);
  if (code !== undefined) await finish(accepted, statusOf(code));
}

interface Accepted extends KubeStreams, Streamed {
  tty: boolean;
}

async function accept({ request, socket, query, wires, note }: ExecOptions): Promise<Accepted | undefined> {
  const is = (name: string) => ['true', '1'].includes(query.get(name) ?? '');
  const wanted = { stdin: is('stdin'), stdout: is('stdout'), stderr: is('stderr'), tty: is('tty') };
  const isWebsocket = /^websocket$/i.test(request.headers.upgrade ?? '');
  if (!isWebsocket && !wires.spdy) refuse(socket, 400, 'Bad Request', 'unable to upgrade: unknown protocol');
  const accepted = isWebsocket
    ? await acceptChannels(request, socket, wires.websockets)
    : wires.spdy
      ? await acceptSpdy(request, socket, wanted)
      : undefined;
  if (accepted === undefined) return undefined;
  const resizes: string[] = [];
  note({ wire: accepted.wire, resizes });
  return { ...accepted, resizes, tty: wanted.tty };
}

function followSize({ streams, resizes }: Accepted, process: KubeProcess): void {
  streams.resize?.on('data', (bytes: Buffer) => {
    for (const size of bytes.toString().split('\n')) {
      if (size.trim() === '') continue;
      const { Width, Height } = JSON.parse(size) as { Width: number; Height: number };
      resizes.push(`${Width}x${Height}`);
      process.resize(Width, Height);
    }
  });
}

function take(from: Readable | undefined, to: Writable): void {
  if (from === undefined) to.end();
  else from.pipe(to);
}

async function give(from: Readable | undefined, to: Writable | undefined): Promise<void> {
  if (from === undefined) return;
  if (to === undefined) from.resume();
  else from.pipe(to, { end: false });
  await finished(from).catch(() => {});
}

/** The status is the last thing that is said: kubectl takes what comes behind it for lost. */
async function finish({ streams, close }: KubeStreams, status: JsonRecord): Promise<void> {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = streams[name];
    if (stream !== undefined) await new Promise<void>((resolve) => stream.end(resolve));
  }
  const { error } = streams;
  await new Promise<void>((resolve) => (error === undefined ? resolve() : error.end(JSON.stringify(status), resolve)));
  close();
}

function statusOf(code: number): JsonRecord {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

function internal(why: string): JsonRecord {
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${why}`,
    reason: 'InternalError',
    details: { causes: [{ message: why }] },
    code: 500,
  };
}

/** To ports of this machine: a pod of the small cluster has no network of its own. */
export async function servePortForward(
  request: IncomingMessage,
  socket: Duplex,
  wires: StreamWires,
  note: (streamed: Streamed) => void,
): Promise<void> {
  const isWebsocket = /^websocket$/i.test(request.headers.upgrade ?? '');
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/,\s*/);
  if (isWebsocket ? !wires.tunnel || !offered.includes(TUNNEL) : !wires.spdy) {
    refuse(socket, 400, 'Bad Request', 'unable to upgrade: unknown protocol');
    return;
  }
  note({ wire: isWebsocket ? `websocket ${TUNNEL}` : 'SPDY portforward.k8s.io', resizes: [] });
  if (!isWebsocket) socket.write(switching('X-Stream-Protocol-Version: portforward.k8s.io\r\n'));
  const wire = isWebsocket ? await acceptTunnel(request, socket) : socket;
  const errors = new Map<string, SpdyStream>();
  const server = new SpdyServer(wire, (stream) => {
    const { streamtype, requestid = '', port = '0' } = stream.headers;
    if (streamtype === 'error') {
      errors.set(requestid, stream);
      stream.resume();
      return;
    }
    const error = errors.get(requestid);
    const there = connect(Number(port), '127.0.0.1');
    there.once('close', () => error?.end());
    there.on('error', (failure) => {
      error?.end(`error forwarding port ${port} to pod: ${failure.message}`);
      stream.destroy();
    });
    stream.on('close', () => there.destroy());
    stream.pipe(there);
    there.pipe(stream);
  });
  await server.closed;
}
