/** Where the gateway itself listens, and keeps what it knows: no resource leads there. */
import type { Server } from 'node:net';
import type { GatewayConfig } from '../platform/config/resolve.ts';
import { storeAddress } from '../platform/storage/store-address.ts';
import type { OwnListeners } from '../reach/direct/guard-address.ts';
import type { Databases } from './compose-databases.ts';

type Listening = Pick<GatewayConfig, 'publicAddr'> & Partial<Pick<GatewayConfig, 'diagListen' | 'storage' | 'ssh'>>;

export function ownListeners(
  server: Pick<Server, 'address'>,
  { diagListen, publicAddr, ssh, storage }: Listening,
  { isUnderBase }: Pick<OwnListeners, 'isUnderBase'>,
  doors: () => Pick<Databases, 'mysqlDoor'> | undefined,
): OwnListeners {
  return {
    isUnderBase,
    store: storeAddress(storage?.url),
    ownPorts() {
      const address = server.address();
      const listening = typeof address === 'object' && address !== null ? [address.port] : [];
      const further = [diagListen?.port, publicAddr?.port, ssh?.listen?.port, doors()?.mysqlDoor?.port()];
      return [...listening, ...further.filter((port) => port !== undefined)];
    },
  };
}
