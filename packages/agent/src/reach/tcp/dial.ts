/** Dials for a gateway what this agent's own configuration allows, and nothing else. */

import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hostPort } from '@gatehouse/contract/std/resource-fields';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { firstToOpen } from '@gatehouse/tunnel/dial/first-to-open';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { type AllowRule, isAllowed } from './allow-rules.ts';

const DIAL_MS = 10_000;
/** Of one name, as the gateway does it: nobody looks through a network with a single dial. */
const MAX_ADDRESSES = 8;

export interface DialRules {
  allow: readonly AllowRule[];
  /** Where an operator would change them. */
  where: string;
}

type Lookup = (host: string) => Promise<string[]>;

/**
 * The name is looked up once, each address is held against the rules, and what was allowed is what is dialled: an answer that
 * differs a moment later changes nothing.
 */
export async function dialAllowed(
  target: string,
  { allow, where }: DialRules,
  signal: AbortSignal,
  { resolve = lookUp, timeoutMs = DIAL_MS }: { resolve?: Lookup; timeoutMs?: number } = {},
): Promise<Socket> {
  if (!hostPort.safeParse(target).success) throw new StreamRefused('bad_request', `'${target}' is not HOST:PORT`);
  const at = target.lastIndexOf(':');
  const host = target.slice(0, at).replaceAll(/^\[|\]$/g, '');
  const port = Number(target.slice(at + 1));
  const refused = new StreamRefused('not_allowed', `this agent may not dial ${target}: add it to 'allow' in ${where}`);
  // Nobody learns from an agent which names its network knows, but by names it may dial.
  if (allow.length === 0) throw refused;
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const addresses =
    isIP(host) === 0 ? await orAborted(resolve(host), within).catch((error) => notFound(host, error)) : [host];
  const allowed = addresses.filter((address) => isAllowed(allow, { host, address, port }));
  if (allowed.length === 0) throw refused;

  const opened = firstToOpen(allowed.slice(0, MAX_ADDRESSES), (address, until) => dial(address, port, until), within);
  return await opened.catch((error: unknown) => {
    const reason = within.aborted && !signal.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error);
    throw new StreamRefused('unreachable', `${target} cannot be reached: ${reason}`);
  });
}

/** Each direction ends by itself; a cut of either is a cut of both. */
export async function joinStreams(near: Duplex, far: Duplex): Promise<void> {
  await Promise.allSettled([pipeline(near, far, { end: true }), pipeline(far, near, { end: true })]);
}

function dial(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true, keepAlive: true });
    let forget = () => {};
    const stop = () => {
      forget();
      socket.off('error', fail);
    };
    const fail = (error: Error) => {
      stop();
      socket.destroy();
      reject(error);
    };
    socket.on('error', fail);
    forget = whenAborted(signal, () => fail(new Error('given up')));
    socket.once('connect', () => {
      stop();
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

async function lookUp(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function notFound(host: string, error: unknown): never {
  throw new StreamRefused('unreachable', `the name '${host}' cannot be resolved: ${reasonOf(error)}`);
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      whenAborted(signal, () => reject(new Error('no answer in time')));
    }),
  ]);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  const known: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    EHOSTUNREACH: 'there is no way to that host',
    ENETUNREACH: 'there is no way to that network',
    ENOTFOUND: 'there is no such name',
    EAI_AGAIN: 'the name service does not answer',
    ETIMEDOUT: 'no answer',
  };
  return known[code] ?? error.message;
}
