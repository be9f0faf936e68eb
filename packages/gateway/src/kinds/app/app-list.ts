/** The applications somebody sees, as lists and single calls tell of them. */
import { appType } from '@gatehouse/contract/kinds/app/app-spec';
import type { App, AppDetails, AwsRole } from '@gatehouse/contract/kinds/app/apps';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { type ListedKind, type ListedPage, type ListKindDeps, listKind } from '../../inventory/list-kind.ts';
import { routesTo } from '../../inventory/resource-routes.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findAgent } from '../../reach/agents/registry/agent-store.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import { type ListedApp, toListed } from './app-directory.ts';
import type { AppHosts } from './app-hosts.ts';
import { iconFor } from './app-icon.ts';
import { shownAddress } from './shown-address.ts';

export interface AppListDeps extends ListKindDeps {
  access: AccessControl;
  hosts: AppHosts;
  agents: Pick<AgentConnections, 'isConnected'>;
}

export async function listApps(deps: AppListDeps, actor: Actor, query: ListQuery): Promise<ListedPage<App>> {
  const { db, hosts } = deps;
  const listed: ListedKind<App> = {
    kind: 'app',
    derived: shownAddress(db, hosts),
    async present(_, resources) {
      const ways = await waysOf(db, resources);
      return resources.map((resource) => toApp(deps, actor, toListed(resource, hosts, ways.get(resource.id) ?? [])));
    },
  };
  return await listKind(deps, listed, actor, query);
}

/** By id. Looked up only for what agents offer: few pages have any. */
export async function waysOf(db: Db, resources: readonly Resource[]): Promise<ReadonlyMap<string, string[]>> {
  return await routesTo(
    db,
    resources.filter(({ owner }) => owner !== ''),
  );
}

/** As the wire has it, with the roles of whoever asks. */
export function toApp({ access, hosts, agents }: AppListDeps, actor: Actor, app: ListedApp): App {
  const { resource, spec, host, ways, type } = app;
  const isAws = appType(spec.uri) === 'aws';
  return {
    name: resource.name,
    description: spec.description,
    uri: spec.uri,
    publicAddr: host,
    fqdn: host,
    clusterId: resource.cluster,
    labels: visibleLabels(resource.labels),
    awsConsole: isAws,
    ...(isAws ? { awsRoles: awsRolesOn(actor, access, resource) } : {}),
    gatehouse: {
      type,
      source: resource.owner === '' ? 'entered' : 'agent',
      origin: host === '' || type !== 'web' ? '' : hosts.originOf(host),
      icon: iconFor(resource.name, spec.icon),
      insecure: spec.insecureSkipVerify && spec.uri.startsWith('https:'),
      ways: ways.length,
      connected: ways.filter((way) => agents.isConnected(way)).length,
    },
  };
}

/** By name. What roles write as `*` names nothing that could be chosen. */
export function awsRolesOn(
  actor: Actor,
  access: Pick<AccessControl, 'of'>,
  resource: Pick<Resource, 'labels'>,
): AwsRole[] {
  if (actor.isOwner) return [];
  const arns = principalsFor(access.of(actor), 'app', resource.labels, 'aws_role_arns').filter((arn) => arn !== '*');
  return arns
    .map((arn) => {
      const name = arn.slice(arn.indexOf(':role/') + ':role/'.length);
      return { name, display: name.slice(name.lastIndexOf('/') + 1), arn };
    })
    .filter(({ arn }) => arn.includes(':role/'))
    .sort((a, b) => (a.display < b.display ? -1 : 1));
}

/** With all that can be edited, by whoever may. */
export async function toDetails(
  deps: AppListDeps,
  actor: Actor,
  app: ListedApp,
  { showsRules }: { showsRules: boolean },
): Promise<AppDetails> {
  const { spec, resource } = app;
  const { through, mark: _, ...fields } = spec;
  const agents = await Promise.all(through.map((id) => findAgent(deps.db, resource.cluster, id)));
  const shown = Object.fromEntries(visibleLabels(resource.labels).map(({ name, value }) => [name, value]));
  return {
    app: toApp(deps, actor, app),
    ...fields,
    // What else it is told is the business of who sets it up, though the secret values stand in none of it.
    ...(showsRules ? {} : { rewrite: { ...fields.rewrite, headers: [] }, aws: { externalId: '' } }),
    labels: shown,
    through: through.map((id, index) => agents[index]?.name ?? id),
  };
}
