/** Leads programs that came with TLS of their own on to a database of another cluster: that cluster decides, signs in and tells; what it says is passed on as it is. */
import type { TLSSocket } from 'node:tls';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { DB_TCP_SOCKET } from '@gatehouse/contract/kinds/db/databases';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import type { GreetedFacts } from '@gatehouse/contract/kinds/db/native-client';
import { VERSION } from '@gatehouse/contract/std/version';
import { pathFor } from '@gatehouse/contract/wire/route';
import type { TcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { Identity } from '../../../identity/identity.ts';
import type { Caller } from '../../../platform/http/actor.ts';
import type { Clusters } from '../../../platform/http/cluster.ts';
import { joinStreams } from '../../../platform/std/join-streams.ts';
import { openLeafStream } from '../../../sessions/tcp/leaf-stream.ts';
import type { DoorFacts } from '../door-certificate.ts';
import { cancelRequest } from '../engine/postgres/messages.ts';
import type { ServedKeys } from '../served-keys.ts';
import { hearCancelKey } from './hear-cancel-key.ts';

export interface ElsewhereDeps {
  clusters: Pick<Clusters, 'find'>;
  identity: Pick<Identity, 'active'>;
  keys: Pick<ServedKeys, 'add'>;
}

export interface AdmittedElsewhere {
  caller: Caller;
  facts: DoorFacts & { cluster: string };
  protocols: readonly DbProtocol[];
  greeted: GreetedFacts | undefined;
}

const ACTIVE_EVERY_MS = 5_000;
const CANCEL_MS = 5_000;

/** Throws where that cluster takes nobody in. */
export async function admitElsewhere(
  deps: ElsewhereDeps,
  client: TLSSocket,
  { caller, facts, protocols, greeted }: AdmittedElsewhere,
): Promise<void> {
  const { cluster, database: name, dbUser, dbName, pass } = facts;
  const dial = async (more: Record<string, string>) => {
    const query = new URLSearchParams({ dbUser, dbName, ...more });
    const url = `${pathFor(DB_TCP_SOCKET, { clusterId: CURRENT_CLUSTER, name })}?${query}`;
    const wish = { cluster, url, userAgent: `gatehouse/${VERSION}`, pass };
    return (await openLeafStream(deps.clusters, await caller.now(), wish)).stream;
  };
  const far = await dial({
    speaks: protocols.join(','),
    ...(greeted ? { greeted: JSON.stringify(greeted) } : {}),
  });
  if (client.destroyed) return void far.destroy();
  if (protocols.includes('postgres')) {
    const forget = hearCancelKey(far, (key) => deps.keys.add(key, () => cancelThere(dial, key)));
    client.once('close', forget);
  }
  let heard = 0;
  client.on('data', () => {
    const now = performance.now();
    if (now - heard < ACTIVE_EVERY_MS) return;
    heard = now;
    deps.identity.active(caller.signInId);
  });
  joinStreams(client, far);
}

/** As a client would: nothing is said to who cancels. */
async function cancelThere(dial: (more: Record<string, string>) => Promise<TcpStream>, key: Buffer): Promise<void> {
  const far = await dial({});
  far.on('error', () => far.destroy());
  far.resume();
  far.end(cancelRequest(key));
  setTimeout(() => far.destroy(), CANCEL_MS).unref();
}
