/** The first two steps to whatever is dialled: the way, and a connection. Silence is told from a refusal, and what was tried is shown. */
import { isIPv6, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../../platform/std/app-error.ts';
import { parseAddress } from '../../reach/direct/dial-tcp.ts';
import type { Reach, Route, Target } from '../../reach/reach.ts';
import type { Steps } from './take-steps.ts';

/** Whoever listens answers well within this, wherever in the world it is. */
const SILENT_MS = 5_000;

export interface WayTest {
  who: { user: string; session: string };
  timeoutMs: number;
  signal: AbortSignal;
}

export interface TakenWay {
  stream: Duplex;
  /** Once more to the same place: nothing is looked up again. */
  again(): Promise<Duplex>;
}

export async function takeWay(
  steps: Steps,
  reach: Pick<Reach, 'way'>,
  target: Target,
  { who, timeoutMs, signal }: WayTest,
): Promise<TakenWay> {
  const { addr } = target;
  const limits = { who, signal, timeoutMs: Math.min(timeoutMs, SILENT_MS) };
  const route = await steps.take({
    step: 'reach',
    type: 'CONNECTIVITY',
    run: () => reach.way(target, limits),
    tell: ({ tell }) => `${addr} is reached ${tell}`,
  });
  const dial = () => route.dial().catch((error: unknown) => explain(error, target, route));
  const stream = await steps.take({
    step: 'tcp',
    type: 'CONNECTIVITY',
    run: dial,
    tell: (opened) => `${answeredAt(opened, target)} accepts connections`,
  });
  stream.on('error', () => {});
  return { stream, again: dial };
}

function answeredAt(stream: Duplex, { addr, through }: Target): string {
  const address = through === 'gateway' && stream instanceof Socket ? stream.remoteAddress : undefined;
  const { host, port } = parseAddress(addr);
  if (address === undefined || address === host) return addr;
  return `${addr} (${isIPv6(address) ? `[${address}]` : address}:${port})`;
}

function explain(error: unknown, { addr, through }: Target, { addresses }: Route): never {
  if (!(error instanceof AppError) || through !== 'gateway') throw error;
  const { host, port } = parseAddress(addr);
  const tried = addresses.includes(host) ? '' : `; tried ${families(addresses)}`;
  if (isSilence(error))
    throw new AppError(
      'target_unreachable',
      `no answer from ${addr} in ${SILENT_MS / 1000} s: a firewall drops it, or the address is wrong${tried}`,
      {
        cause: error,
        fields: { next: `look from the machine of the gateway: nc -vz -w 5 ${host} ${port}` },
      },
    );
  const isRefused = codeOf(error.cause) === 'ECONNREFUSED';
  const advice = isRefused ? `; look there what listens: ss -ltn 'sport = :${port}'` : '';
  throw new AppError(error.code, `${error.message}${tried}`, {
    cause: error,
    fields: { ...error.fields, next: `${String(error.fields?.next ?? '')}${advice}` },
  });
}

/** Either may be blocked alone. */
function families(addresses: readonly string[]): string {
  const six = addresses.filter(isIPv6);
  const four = addresses.filter((address) => !isIPv6(address));
  const told = (name: string, some: readonly string[]) => (some.length === 0 ? [] : `${name} ${some.join(', ')}`);
  return [told('IPv4', four), told('IPv6', six)].flat().join(' and ');
}

function isSilence({ cause }: AppError): boolean {
  return codeOf(cause) === 'ETIMEDOUT' || (cause instanceof Error && cause.name === 'TimeoutError');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
