/** The applications by name and by host, in memory: every request on an application's host asks here. */
import {
  type AppAddress,
  type AppSpec,
  type AppType,
  appSpec,
  appType,
  parseAppUri,
} from '@gatehouse/contract/kinds/app/app-spec';
import { RESOURCE_TOPIC } from '../../inventory/resource-changes.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { AppHosts } from './app-hosts.ts';

export type DialledBy = 'gateway' | 'agents';

export interface ListedApp {
  resource: Resource;
  /** Without what is secret. */
  spec: AppSpec;
  /** What is secret, for `AppSecrets`. */
  sealed: string | undefined;
  type: AppType;
  address: AppAddress;
  /** Empty where it has none. */
  host: string;
  /** What an agent offers is never dialled from the gateway, also while no agent reaches it. */
  dialledBy: DialledBy;
  /** Agents that reach it, each of which will do. */
  ways: readonly string[];
  /** Changes with anything that decides who may reach what. */
  version: string;
}

export interface AppDirectory {
  byHost(host: string): ListedApp | undefined;
  byName(name: string): ListedApp | undefined;
  /** Whether requests to this host belong to applications, known or not. */
  isAppHost(host: string): boolean;
  /** Reads anew; resolves when what was committed before is known here. */
  refresh(): Promise<void>;
  /** Calls back after something changed. */
  onChange(listener: () => void): void;
  close(): void;
}

interface DirectoryDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  hosts: AppHosts;
  clusterName: string;
  log: Log;
}

/** A fleet that reports at once is read once. */
const SETTLE_MS = 20;

export async function openAppDirectory(deps: DirectoryDeps): Promise<AppDirectory> {
  const { feed, hosts, log } = deps;
  let byName = new Map<string, ListedApp>();
  let byHost = new Map<string, ListedApp>();
  const listeners: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let reading = Promise.resolve();

  const read = async () => {
    const apps = await readApps(deps);
    byName = new Map(apps.map((app) => [app.resource.name, app]));
    byHost = indexHosts(apps, hosts);
    for (const listener of listeners) listener();
  };
  const refresh = () => {
    const next = reading.then(read);
    reading = next.catch(() => {});
    return next;
  };
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh().catch((error: unknown) => {
        log.error({ error }, 'applications cannot be read; trying again');
        setTimeout(soon, 1_000).unref();
      });
    }, SETTLE_MS).unref();
  };
  await read();
  const subscription = feed.subscribe([RESOURCE_TOPIC], {
    change({ id }) {
      if (id === 'app') soon();
    },
    gap: soon,
  });

  return {
    byHost: (host) => byHost.get(host),
    byName: (name) => byName.get(name),
    isAppHost: (host) => byHost.has(host) || (host !== hosts.base() && hosts.isUnderBase(host)),
    refresh,
    onChange: (listener) => void listeners.push(listener),
    close() {
      clearTimeout(timer);
      subscription.close();
    },
  };
}

/** One statement: an offer that is withdrawn between two would be an application without ways that somebody owns. */
async function readApps({ db, hosts, clusterName, log }: DirectoryDeps): Promise<ListedApp[]> {
  const rows = await db
    .selectFrom('resource')
    .leftJoin('resource_way', (join) =>
      join
        .onRef('resource_way.cluster', '=', 'resource.cluster')
        .onRef('resource_way.kind', '=', 'resource.kind')
        .onRef('resource_way.resource', '=', 'resource.id'),
    )
    .selectAll('resource')
    .select('resource_way.owner as way')
    .where('resource.cluster', '=', clusterName)
    .where('resource.kind', '=', 'app')
    .orderBy('resource.name')
    .orderBy('resource_way.owner')
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((same) => {
    const [row] = same;
    if (!row) return [];
    try {
      return [
        toListed(
          toResource(row, 'app'),
          hosts,
          same.flatMap(({ way }) => way ?? []),
          row.sealed ?? undefined,
        ),
      ];
    } catch (error) {
      // One that cannot be read must not take the others with it.
      log.error({ error, app: row.name }, 'an application cannot be read');
      return [];
    }
  });
}

export function toListed(
  resource: Resource,
  hosts: Pick<AppHosts, 'hostOf'>,
  ways: readonly string[],
  sealed?: string,
): ListedApp {
  const spec = appSpec.parse(resource.spec);
  const address = parseAppUri(spec.uri);
  if (!address) throw new Error(`the address '${spec.uri}' cannot be read`);
  return {
    resource,
    spec,
    sealed,
    type: appType(spec.uri),
    address,
    host: hosts.hostOf({ name: resource.name, publicAddr: spec.publicAddr }),
    dialledBy: resource.owner === '' && spec.through.length === 0 ? 'gateway' : 'agents',
    ways: resource.owner === '' ? spec.through : ways,
    version: versionOf(resource),
  };
}

/** Changes with anything that decides who may reach what, however it was stored. */
export function versionOf({ labels, spec }: Pick<Resource, 'labels' | 'spec'>): string {
  return canonicalJson([labels, appSpec.parse(spec)]);
}

/** Each host is one application's: the name under the gateway's before what somebody else gave. */
function indexHosts(apps: readonly ListedApp[], hosts: AppHosts): Map<string, ListedApp> {
  const byHost = new Map<string, ListedApp>();
  for (const app of apps) if (app.host !== '' && app.spec.publicAddr === '') byHost.set(app.host, app);
  for (const app of apps) {
    const { publicAddr } = app.spec;
    const isOwn = publicAddr === hosts.hostOf({ name: app.resource.name, publicAddr: '' });
    if (publicAddr === '' || publicAddr === hosts.base() || byHost.has(publicAddr)) continue;
    if (!hosts.isUnderBase(publicAddr) || isOwn) byHost.set(publicAddr, app);
  }
  return byHost;
}
