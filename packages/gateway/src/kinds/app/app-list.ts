/** The applications somebody sees, as lists and single calls tell of them. */
import { appType } from '@gatehouse/contract/kinds/app/app-spec';
import type { App, AppDetails, AwsRole } from '@gatehouse/contract/kinds/app/apps';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { listResources } from '../../inventory/list-resources.ts';
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

export interface AppListDeps {
  db: Db;
  access: AccessControl;
  hosts: AppHosts;
  agents: Pick<AgentConnections, 'isConnected'>;
  clusterName: string;
}

export async function listApps(deps: AppListDeps, actor: Actor, query: ListQuery) {
  const { db, access, hosts, clusterName } = deps;
  const seen = await access.visibleTo(actor, 'app');
  const page = await listResources(db, seen, {
    cluster: clusterName,
    kind: 'app',
    ...query,
    derived: shownAddress(db, hosts),
  });
  const items = await Promise.all(
    page.items.map(async (resource) => toApp(deps, actor, toListed(resource, hosts, await waysOf(db, resource)))),
  );
  return { ...page, items };
}

/** Ways are looked up only for what agents offer: few pages have any. */
export async function waysOf(db: Db, resource: Resource): Promise<string[]> {
  return resource.owner === '' ? [] : await routesTo(db, resource);
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
  const agents = await Promise.all(through.map((id) => findAgent(deps.db, deps.clusterName, id)));
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
