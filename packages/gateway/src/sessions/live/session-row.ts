/** One open session as the wire has it. What of it never changes is put together once, for all who list it, as text too. */
import { factsOf, type KindIdField, type KindNameField, rows } from '@gatehouse/contract/kinds/kinds';
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { loginsIn } from '../../access/action.ts';
import { isoTime } from '../../platform/std/iso-time.ts';
import { addressOf } from '../host/about-session.ts';
import type { HostedSession } from '../host/hosted-session.ts';
import type { Session } from '../host/session-store.ts';

/** A session, and what somebody may do to it. */
export interface ShownSession {
  session: Session;
  /** Where this gateway serves it. */
  hosted: HostedSession | undefined;
  participantModes: ParticipantMode[];
  mayEnd: boolean;
}

type LiveField =
  | ('parties' | 'terminal_params' | 'last_active' | 'state' | 'needs')
  | ('recorded' | 'participantModes' | 'mayEnd');
type Lasting = Omit<ActiveSession, LiveField>;

export function toRow(shown: ShownSession): ActiveSession {
  return { ...lastingOf(shown.session).row, ...liveOf(shown) };
}

/** The JSON of all their rows. */
export function rowsText(shown: readonly ShownSession[]): string {
  const rows = shown.map((each) => `${lastingOf(each.session).text},${JSON.stringify(liveOf(each)).slice(1)}`);
  return `[${rows.join(',')}]`;
}

function liveOf({ session, hosted, participantModes, mayEnd }: ShownSession): Pick<ActiveSession, LiveField> {
  const { size, action } = session;
  return {
    parties: hosted ? partiesOf(hosted, action.resource.id) : [],
    terminal_params: { w: size.cols, h: size.rows },
    last_active: isoTime(hosted?.lastActive ?? session.seen),
    // Rights alone open nothing where there is nothing to look at.
    participantModes: hosted?.nature.cannotWait ? [] : participantModes,
    state: hosted?.flow ?? (session.begun === undefined ? 'waiting' : 'live'),
    needs: hosted?.needs ?? [],
    recorded: session.recorded,
    mayEnd,
  };
}

function partiesOf({ participants }: HostedSession, serverId: string): ActiveSession['parties'] {
  return Array.from(participants.values(), (who) => ({
    id: who.id,
    remote_addr: who.address,
    user: who.username,
    server_id: serverId,
    last_active: isoTime(who.lastActive),
    mode: who.mode,
  }));
}

/** Each kind has fields of its own for what a session is with; those of the others are empty. */
function named({ kind, resource }: Session['action']): Record<KindNameField | KindIdField, string> {
  const fields = rows.flatMap(({ nameField, idField, ...row }) => {
    const [name, id] = row.kind === kind ? [resource.name, resource.id] : ['', ''];
    return [[nameField, name], ...(idField ? [[idField, id]] : [])];
  });
  return Object.fromEntries(fields) as Record<KindNameField | KindIdField, string>;
}

interface WrittenRow {
  /** Another one once its server was relabelled or renamed. */
  action: Session['action'];
  row: Lasting;
  /** Without the bracket that ends it. */
  text: string;
}

const kept = new WeakMap<Session, WrittenRow>();

function lastingOf(session: Session): WrittenRow {
  const known = kept.get(session);
  if (known?.action === session.action) return known;
  const { action } = session;
  const { resource, kind } = action;
  const addr = addressOf(kind, resource);
  const row: Lasting = {
    kind: factsOf(kind).sessionKind,
    id: session.id,
    namespace: 'default',
    login: loginsIn(action)[0] ?? '',
    created: isoTime(session.created),
    server_hostport: Number(addr.slice(addr.lastIndexOf(':') + 1)) || 0,
    server_addr: addr,
    cluster_name: session.cluster,
    ...named(action),
    owner: session.user,
    resource_kind: kind,
    resource_name: resource.name,
    ...(action.inside === undefined ? {} : { resource_inside: action.inside }),
    with_mfa: session.mfa,
  };
  const made = { action, row, text: JSON.stringify(row).slice(0, -1) };
  kept.set(session, made);
  return made;
}
