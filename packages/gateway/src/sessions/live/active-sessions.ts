/** Open sessions as somebody is shown them: only those they may see, each with what they may do to it. */
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import { nodeSpec } from '@gatehouse/contract/nodes/node-spec';
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { Actor } from '../../access/actor.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Owners } from '../host/owners.ts';
import type { SessionHost } from '../host/session-host.ts';
import { joinModes, mayTouch } from '../host/session-rights.ts';
import type { Session } from '../host/session-store.ts';
import type { OpenSessions } from './open-sessions.ts';

export interface ActiveSessionDeps {
  access: AccessControl;
  host: SessionHost;
  owners: Pick<Owners, 'all'>;
  open: OpenSessions;
}

/** Oldest first. */
export async function listActive(deps: ActiveSessionDeps, actor: Actor): Promise<ActiveSession[]> {
  const { access, host, owners } = deps;
  const open = await deps.open.all();
  const ownerOf = await owners.all(open.map(({ user }) => user));
  // How somebody may join depends on the roles of the owner alone: most have the same.
  const modes = new Map<string, ParticipantMode[]>();
  const modesOf = (session: Session, owner: Actor | undefined) => {
    // No name of a role holds a line break.
    const key = [session.action.kind, String(session.user === actor.username), ...(owner?.roles ?? [])].join('\n');
    const known = modes.get(key) ?? joinModes(access, actor, session, owner);
    modes.set(key, known);
    return known;
  };
  return open.flatMap((session) => {
    const participantModes = modesOf(session, ownerOf(session));
    return describe({ access, host }, actor, session, participantModes) ?? [];
  });
}

/** As the wire has it; undefined for who may not see it. */
export async function toActive(
  deps: Pick<ActiveSessionDeps, 'access' | 'host'>,
  actor: Actor,
  session: Session,
): Promise<ActiveSession | undefined> {
  return describe(deps, actor, session, joinModes(deps.access, actor, session, await deps.host.owner(session)));
}

function describe(
  { access, host }: Pick<ActiveSessionDeps, 'access' | 'host'>,
  actor: Actor,
  session: Session,
  participantModes: ParticipantMode[],
): ActiveSession | undefined {
  if (participantModes.length === 0 && !mayTouch(access, actor, session, 'list')) return undefined;
  const { action, size } = session;
  const { resource, kind } = action;
  const hosted = host.get(session.id);
  const addr = kind === 'node' ? addressOf(resource) : '';
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

/** Read once of each: the same rows are listed again and again. */
const addresses = new WeakMap<Resource, string>();

function addressOf(resource: Resource): string {
  const known = addresses.get(resource);
  if (known !== undefined) return known;
  const spec = nodeSpec.safeParse(resource.spec).data;
  const addr = spec?.type === 'openssh' ? spec.addr : '';
  addresses.set(resource, addr);
  return addr;
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
