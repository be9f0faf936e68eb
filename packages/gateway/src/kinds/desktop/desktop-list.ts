/** Desktops as the wire has them: the list, and one with all that can be edited. */
import type { Desktop, DesktopDetails } from '@gatehouse/contract/kinds/desktop/desktops';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import type { AccessControl } from '../../access/create-access.ts';
import { type ListedPage, type ListKindDeps, listKind } from '../../inventory/list-kind.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { findAgent } from '../../reach/agents/registry/agent-store.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import type { DesktopSecrets } from './desktop-secrets.ts';
import { desktopLoginsOf } from './desktop-ways.ts';
import { type ListedDesktop, toListedDesktops } from './listed-desktop.ts';
import { readLogin } from './login-name.ts';

export interface DesktopListDeps extends ListKindDeps {
  access: AccessControl;
  agents: Pick<AgentConnections, 'isConnected'>;
  secrets: Pick<DesktopSecrets, 'knownOn' | 'loginsOf'>;
}

export async function listDesktops(
  deps: DesktopListDeps,
  actor: Actor,
  query: ListQuery,
): Promise<ListedPage<Desktop>> {
  const present = async (_: Actor, resources: readonly ListedDesktop['resource'][]) =>
    toDesktops(deps, actor, await toListedDesktops(deps.db, resources));
  return await listKind(deps, { kind: 'desktop', present }, actor, query);
}

export async function toDesktops(
  { access, agents, secrets }: DesktopListDeps,
  actor: Actor,
  desktops: readonly ListedDesktop[],
): Promise<Desktop[]> {
  const known = await secrets.knownOn(desktops);
  return desktops.map((desktop) => {
    const { resource, spec, wrong, dialledBy, certificate } = desktop;
    const logins = actor.isOwner ? [] : desktopLoginsOf(access.of(actor), resource);
    const connected = dialledBy === '' || agents.isConnected(dialledBy);
    const isUnknown = certificate === undefined;
    return {
      os: 'windows',
      name: resource.name,
      addr: spec.addr,
      labels: visibleLabels(resource.labels),
      host_id: dialledBy,
      logins,
      gatehouse: {
        source: resource.owner === '' ? 'entered' : 'agent',
        protocol: spec.protocol,
        domain: spec.domain,
        certificate: isUnknown ? 'unknown' : 'pin' in certificate ? 'pinned' : 'certified',
        askPassword: spec.askPassword,
        stored: logins.filter((login) => isStored(known, desktop, login)),
        lacks: [
          // Of VNC many have none: those are reached by an agent beside them.
          ...(isUnknown && spec.protocol === 'rdp' ? (['certificate'] as const) : []),
          ...(connected ? [] : (['agent'] as const)),
        ],
        ...(wrong === '' ? {} : { wrong }),
        through: dialledBy !== '',
        connected,
      },
    };
  });
}

/** Roles may say what is no account. */
function isStored(
  known: Awaited<ReturnType<DesktopSecrets['knownOn']>>,
  desktop: ListedDesktop,
  login: string,
): boolean {
  try {
    return known(desktop, readLogin(login, desktop));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** `isTold`: they may change it, and are told who dials it and what is stored. */
export async function toDesktopDetails(
  deps: DesktopListDeps,
  actor: Actor,
  found: ListedDesktop,
  isTold: boolean,
): Promise<DesktopDetails> {
  const { resource, spec, dialledBy, certificate } = found;
  const { addr, protocol, domain, askPassword, signIn } = spec;
  const nameOf = async (id: string) => (await findAgent(deps.db, resource.cluster, id))?.name ?? id;
  const [item] = await toDesktops(deps, actor, [found]);
  const isProven = certificate !== undefined && 'pin' in certificate && certificate.provenBy !== undefined;
  const known = certificate && ('pin' in certificate ? { pin: certificate.pin } : certificate);
  const passwords = isTold ? await deps.secrets.loginsOf(found) : [];
  return {
    item: item!,
    ...{ addr, protocol, domain, askPassword, signIn },
    ...(known ? { certificate: known } : {}),
    ...(isTold && isProven ? { provenBy: certificate.provenBy } : {}),
    labels: Object.fromEntries(visibleLabels(resource.labels).map(({ name, value }) => [name, value])),
    through: isTold && spec.through !== '' ? await nameOf(spec.through) : '',
    ...(isTold && dialledBy !== ''
      ? { agent: { name: await nameOf(dialledBy), connected: deps.agents.isConnected(dialledBy) } }
      : {}),
    passwords: passwords.map(({ login, created }) => ({ login, stored: new Date(created).toISOString() })),
  };
}
