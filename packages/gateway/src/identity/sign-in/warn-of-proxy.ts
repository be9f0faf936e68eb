/** Warns at start when roles tie sign-ins to addresses and every address would be that of a proxy nobody told us of. */
import type { AccessControl } from '../../access/create-access.ts';
import { isLoopback } from '../../platform/config/address.ts';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import type { Log } from '../../platform/std/log.ts';
import { somebodyPins } from './tied-address.ts';

export function warnOfProxy(
  { listen, publicAddr, proxy }: Pick<GatewayConfig, 'listen' | 'publicAddr' | 'proxy'>,
  access: Pick<AccessControl, 'role' | 'roleNames'>,
  log: Pick<Log, 'warn'>,
): void {
  const hasTrusted = proxy.behind && proxy.trusted.length > 0;
  // Only on this machine, under a name from outside: something here passes calls on.
  const isPassedOn = isLoopback(listen.host) && publicAddr !== undefined && !isLoopback(publicAddr.host);
  if (hasTrusted || !(proxy.behind || isPassedOn) || !somebodyPins(access)) return;
  log.warn(
    {},
    'a role has pin_source_ip, but a proxy seems to stand in front and proxy.trusted does not name it: sign-ins would be tied to the address of the proxy',
  );
}
