/** Open sessions as somebody is shown them: only those they may see, each with what they may do to it. */
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import { nodeSpec } from '@gatehouse/contract/nodes/node-spec';
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import type { Actor } from '../../access/actor.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Db } from '../../storage/tables.ts';
import type { SessionHost } from '../host/session-host.ts';
import { joinModes, mayTouch } from '../host/session-rights.ts';
import { listOpenSessions, type Session } from '../host/session-store.ts';

export interface ActiveSessionDeps {
  db: Db;
  access: AccessControl;
  host: SessionHost;
  clusterName: string;
}

/** Oldest first. */
export async function listActive(deps: ActiveSessionDeps, actor: Actor): Promise<ActiveSession[]> {
  const owners = new Map<string, Promise<Actor | undefined>>();
  const shown: ActiveSession[] = [];
  for (const session of await listOpenSessions(deps.db, deps.clusterName)) {
    const owner = owners.get(session.user) ?? deps.host.owner(session);
    owners.set(session.user, owner);
    // What this gateway serves it knows better than the store.
    const active = describe(deps, actor, deps.host.get(session.id)?.session ?? session, await owner);
    if (active) shown.push(active);
  }
  return shown;
}

/** As the wire has it; undefined for who may not see it. */
export async function toActive(
  deps: Pick<ActiveSessionDeps, 'access' | 'host'>,
  actor: Actor,
  session: Session,
): Promise<ActiveSession | undefined> {
  return describe(deps, actor, session, await deps.host.owner(session));
}

function describe(
  { access, host }: Pick<ActiveSessionDeps, 'access' | 'host'>,
  actor: Actor,
  session: Session,
  owner: Actor | undefined,
): ActiveSession | undefined {
  const participantModes = joinModes(access, actor, session, owner);
  if (participantModes.length === 0 && !mayTouch(access, actor, session, 'list')) return undefined;
  const { action, size } = session;
  const { resource, kind } = action;
  const hosted = host.get(session.id);
  const spec = nodeSpec.safeParse(resource.spec).data;
  const addr = kind === 'node' && spec?.type === 'openssh' ? spec.addr : '';
  const named = (wanted: typeof kind) => (kind === wanted ? resource.name : '');
  return {
    kind: KINDS[kind].sessionKind,
    id: session.id,
    namespace: 'default',
    parties: [...(hosted?.participants.values() ?? [])].map((who) => ({
      id: who.id,
      remote_addr: who.address,
      user: who.username,
      server_id: resource.id,
      last_active: time(who.lastActive),
      mode: who.mode,
    })),
    terminal_params: { w: size.cols, h: size.rows },
    login: 'login' in action ? action.login : '',
    created: time(session.created),
    last_active: time(hosted?.lastActive ?? session.seen),
    server_id: kind === 'node' ? resource.id : '',
    server_hostname: named('node'),
    server_hostport: Number(addr.slice(addr.lastIndexOf(':') + 1)) || 0,
    server_addr: addr,
    cluster_name: session.cluster,
    kubernetes_cluster_name: named('kube'),
    desktop_name: named('desktop'),
    database_name: named('db'),
    app_name: named('app'),
    owner: session.user,
    participantModes,
    state: hosted?.flow ?? (session.begun === undefined ? 'waiting' : 'live'),
    needs: hosted?.needs ?? [],
    resource_kind: kind,
    resource_name: resource.name,
    recorded: session.recorded,
    with_mfa: session.mfa,
    mayEnd: mayTouch(access, actor, session, 'delete'),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
