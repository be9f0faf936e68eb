/** Opens TCP connections, and says in words why one did not open. */

import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { firstToOpen } from '@gatehouse/tunnel/dial/first-to-open';
import { AppError } from '../../platform/std/app-error.ts';

export interface TcpAddress {
  host: string;
  port: number;
}

export interface ResolvedAddress extends TcpAddress {
  /** What the name stood for when it was asked; nobody asks again before dialling. */
  addresses: readonly string[];
}

export type Lookup = (host: string) => Promise<readonly string[]>;

export function parseAddress(addr: string): TcpAddress {
  const at = addr.lastIndexOf(':');
  return { host: addr.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(addr.slice(at + 1)) };
}

export async function lookUpAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Throws `target_unreachable` for a name nobody knows. */
export async function resolveAddress(addr: string, look: Lookup, signal: AbortSignal): Promise<ResolvedAddress> {
  const { host, port } = parseAddress(addr);
  if (isIP(host)) return { host, port, addresses: [host] };
  try {
    const addresses = await orAborted(look(host), signal);
    if (addresses.length > 0) return { host, port, addresses };
    throw new Error('it has no address');
  } catch (cause) {
    throw unreachable(
      `the name '${host}' cannot be resolved by the gateway`,
      `correct the address, or the name service of the machine the gateway runs on`,
      cause,
    );
  }
}

/** The first of its addresses that answers. */
export async function dialTcp(
  { host, port, addresses }: ResolvedAddress,
  signal: AbortSignal,
  options: SocketOptions = {},
): Promise<Socket> {
  try {
    return await firstToOpen(addresses, (address, within) => open({ host: address, port }, within, options), signal);
  } catch (error) {
    throw explain(signal.aborted ? signal.reason : error, `${host.includes(':') ? `[${host}]` : host}:${port}`);
  }
}

/** How what comes is read. */
export type SocketOptions = Partial<Pick<TcpNetConnectOpts, 'onread'>>;

function open(address: TcpAddress, signal: AbortSignal, options: SocketOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
    const settled = whenAborted(signal, () => {
      socket.destroy();
      reject(signal.reason);
    });
    socket.once('error', (error) => {
      settled();
      reject(error);
    });
    socket.once('connect', () => {
      settled();
      socket.removeAllListeners('error');
      // Between here and its taker an error must not end the process.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

const WORDS: Record<string, readonly [why: string, next: string]> = {
  ECONNREFUSED: ['refuses the connection: nothing listens there', 'start the server there, or correct the port'],
  EHOSTUNREACH: ['cannot be reached: there is no way to that host', 'look at routes and firewalls on the way'],
  ENETUNREACH: ['cannot be reached: there is no way to that network', 'look at routes and firewalls on the way'],
  ECONNRESET: ['cut the connection at once', 'look at firewalls on the way, and at what listens there'],
  EACCES: ['may not be dialled from the machine of the gateway', 'look at its firewall'],
};
const SILENT = [
  'does not answer in time',
  'look whether the machine is up, and at firewalls that swallow packets',
] as const;

function explain(error: unknown, addr: string): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isLate = code === 'ETIMEDOUT' || (error instanceof Error && error.name === 'TimeoutError');
  const [why, next] = isLate ? SILENT : (WORDS[code] ?? [`cannot be dialled${code ? ` (${code})` : ''}`, 'try again']);
  return unreachable(`${addr} ${why}`, next, error);
}

/** `next` says what to do about it. */
export function unreachable(message: string, next: string, cause?: unknown): AppError {
  return new AppError('target_unreachable', message, { cause, fields: { next } });
}

/** Work that cannot be stopped is at least not waited for. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = whenAborted(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(settled);
  });
}
