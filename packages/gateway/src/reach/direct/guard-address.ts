/** What is never dialled, by the gateway or an agent, for whatever kind of resource. */
import { isIP } from 'node:net';
import { whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import { AppError } from '../../platform/std/app-error.ts';
import type { ResolvedAddress, TcpAddress } from './dial-tcp.ts';
import { isThisMachine } from './this-machine.ts';

export interface OwnListeners {
  /** Ports the gateway listens on by itself. */
  ownPorts(): readonly number[];
  /** Whether the name is the gateway's, or stands under it. */
  isUnderBase(host: string): boolean;
}

/** Throws `denied`, before anything is dialled: whoever asks must not tell open ports from closed ones by the words. */
export function refuseGuarded({ host, port, addresses }: ResolvedAddress, own: OwnListeners): void {
  refuseForbidden(host, addresses);
  if (own.ownPorts().includes(port) && (isOwnName(host, own) || addresses.some(isThisMachine)))
    throw isGateway(host, port);
}

/** The same for what an agent dials: where a name leads there, and which machine is its own, the agent knows alone. */
export function refuseGuardedBeyond({ host, port }: TcpAddress, own: OwnListeners): void {
  refuseForbidden(host, isIP(host) ? [host] : []);
  if (own.ownPorts().includes(port) && isOwnName(host, own)) throw isGateway(host, port);
}

function refuseForbidden(host: string, addresses: readonly string[]): void {
  for (const address of addresses) {
    const why = whyForbidden(address);
    if (why !== undefined) throw new AppError('denied', `${host} is ${address}, which ${why}: it is never reached`);
  }
}

/** Name services take a name in capitals, or with the dot of the root behind it, for the same one. */
function isOwnName(host: string, own: OwnListeners): boolean {
  return own.isUnderBase(host.toLowerCase().replace(/\.$/, ''));
}

function isGateway(host: string, port: number): AppError {
  return new AppError('denied', `${host}:${port} is the gateway itself: nothing leads there`);
}
