/** What the gateway never dials by itself, for servers and applications alike. */
import { AppError } from '../../platform/std/app-error.ts';
import { isForbidden, isThisMachine } from './dial-guard.ts';
import type { ResolvedAddress } from './dial-tcp.ts';

export interface OwnListeners {
  /** Ports the gateway listens on by itself. */
  ownPorts(): readonly number[];
  /** Whether the name is the gateway's, or stands under it. */
  isUnderBase(host: string): boolean;
}

/** Throws `denied`, before anything is dialled: whoever asks must not tell open ports from closed ones by the words. */
export function refuseGuarded({ host, port, addresses }: ResolvedAddress, own: OwnListeners): void {
  const bad = addresses.find(isForbidden);
  if (bad !== undefined)
    throw new AppError('denied', `${host} is ${bad}, which gives out credentials of a cloud: it is never reached`);
  if (own.ownPorts().includes(port) && (own.isUnderBase(host) || addresses.some(isThisMachine)))
    throw new AppError('denied', `${host}:${port} is the gateway itself: nothing leads there`);
}
