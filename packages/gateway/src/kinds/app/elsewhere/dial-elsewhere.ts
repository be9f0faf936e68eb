/** One connection to an application of another cluster, through its tunnel, for whoever has the browser here. */
import type { Duplex } from 'node:stream';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { APP_WEB_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { pathFor } from '@gatehouse/contract/wire/route';
import type { Caller } from '../../../platform/http/actor.ts';
import type { Clusters } from '../../../platform/http/cluster.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { openLeafStream } from '../../../sessions/tcp/leaf-stream.ts';
import type { AppHosts } from '../app-hosts.ts';
import type { ElsewhereName } from './elsewhere-host.ts';

const APP_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export interface DialDeps {
  clusters: Pick<Clusters, 'find'>;
  hosts: AppHosts;
}

export interface DialWish extends ElsewhereName {
  /** By which the other cluster knows the session; empty: only its name is asked for. */
  ref: string;
  /** Where the browser has it. */
  host: string;
  factor?: FactorAnswer | undefined;
  userAgent: string;
}

/** Throws an `AppError`, in the words of that cluster where it has some. `name`: as the application is called there. */
export async function dialElsewhere(
  { clusters, hosts }: DialDeps,
  caller: Caller,
  wish: DialWish,
): Promise<{ name: string; stream: Duplex }> {
  const { cluster, userAgent } = wish;
  const query = new URLSearchParams({
    ...{ session: wish.ref, origin: hosts.originOf(wish.host), gateway: hosts.base() },
    ...(wish.factor ? { factor: JSON.stringify(wish.factor) } : {}),
  });
  const url = `${pathFor(APP_WEB_SOCKET, { clusterId: CURRENT_CLUSTER, name: wish.name })}?${query}`;
  const { opened, stream } = await openLeafStream(clusters, await caller.now(), { cluster, url, userAgent });
  if (APP_NAME.test(opened)) return { name: opened, stream };
  stream.destroy();
  throw new AppError('target_unreachable', `what '${cluster}' answers cannot be read`);
}
