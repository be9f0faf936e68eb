/** What is never dialled, by the gateway or an agent, for whatever kind of resource. */
import { isIP } from 'node:net';
import { plainAddress, whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import { AppError } from '../../platform/std/app-error.ts';
import type { ResolvedAddress, TcpAddress } from './dial-tcp.ts';
import { isThisMachine } from './this-machine.ts';

export interface OwnListeners {
  /** Ports the gateway listens on by itself. */
  ownPorts(): readonly number[];
  /** Whether the name is the gateway's, or stands under it. */
  isUnderBase(host: string): boolean;
  /** Where the gateway keeps everything it knows, where that is a server. */
  store?: TcpAddress | undefined;
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
  if (own.store?.port === port && isSameName(host, own.store.host)) throw isOfStore(host, port);
}

/** Whoever could enter the store as a resource would read and write what decides about them. `lookUp` says where the store's name leads now. */
export async function refuseStore(
  { host, port, addresses }: ResolvedAddress,
  { store }: OwnListeners,
  lookUp: (host: string) => Promise<readonly string[]>,
): Promise<void> {
  if (store?.port !== port) return;
  // A name that leads nowhere now leads nobody there either.
  const at = isIP(store.host) ? [store.host] : await lookUp(store.host).catch(() => []);
  const known = new Set(at.map(plainAddress));
  const isHere = at.some(isThisMachine);
  const isStore = (address: string) => known.has(plainAddress(address)) || (isHere && isThisMachine(address));
  if (isSameName(host, store.host) || addresses.some(isStore)) throw isOfStore(host, port);
}

function isSameName(one: string, other: string): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/\.$/, '');
  return plain(one) === plain(other);
}

function isOfStore(host: string, port: number): AppError {
  return new AppError('denied', `${host}:${port} is where the gateway keeps its own data: nothing leads there`);
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
