/** What the screen says about an open session. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { IconComponent } from '@gatehouse/design/icon';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { CONSOLE_KINDS } from '../../kinds/kinds.ts';
import { sessionRow } from '../../shared/kinds/kinds-context.tsx';

export function sessionIcon({ kind }: Pick<ActiveSession, 'kind'>): IconComponent {
  const row = sessionRow(CONSOLE_KINDS, kind);
  return row?.sessionIcon ?? row?.icon ?? SquareTerminal;
}

/** What runs in a terminal can be seen and joined from the browser. */
export function isTerminal({ kind }: Pick<ActiveSession, 'kind'>): boolean {
  return sessionRow(CONSOLE_KINDS, kind)?.hasTerminals ?? false;
}

/** What is on its screen is shown in the list. */
export function hasPicture(session: Pick<ActiveSession, 'kind'>): boolean {
  return isTerminal(session) || joinPage(session) !== undefined;
}

/** "root@web-01", or only the resource where there is no login. */
export function whatOf({ login, resource_name, resource_inside }: ActiveSession): string {
  const place = resource_inside === undefined ? resource_name : `${resource_name}/${resource_inside}`;
  return login === '' ? place : `${login}@${place}`;
}

/** Where its owner sits. */
export function ownerAddress({ parties, owner }: ActiveSession): string {
  return parties.find(({ user }) => user === owner)?.remote_addr ?? '';
}

/** The address of the resource, without its port. */
export function resourceAddress({ server_addr }: ActiveSession): string {
  return server_addr.replace(/:\d+$/, '');
}

function watchPage({ kind }: Pick<ActiveSession, 'kind'>): 'watchDb' | undefined {
  return sessionRow(CONSOLE_KINDS, kind)?.watchPage;
}

function joinPage({ kind }: Pick<ActiveSession, 'kind'>): 'desktop' | undefined {
  return sessionRow(CONSOLE_KINDS, kind)?.joinPage;
}

export function joinWays(session: ActiveSession, isOwn: boolean): readonly ParticipantMode[] {
  if (isTerminal(session) || joinPage(session)) return session.participantModes;
  // One's own is where one works; and nobody else types there.
  return watchPage(session) && !isOwn ? session.participantModes.filter((mode) => mode !== 'peer') : [];
}

/** What most people want to do with it first: take part in one's own, help one that waits, else look. */
export function firstWay(session: ActiveSession, isOwn: boolean): ParticipantMode | undefined {
  const ways = joinWays(session, isOwn);
  if (isOwn) return ways.includes('peer') ? 'peer' : ways[0];
  if (session.state !== 'live' && ways.includes('moderator')) return 'moderator';
  return ways.find((mode) => mode === 'observer') ?? ways[0];
}

/** Own sessions need no mode: their address is the one that was there before. */
export function joinPath(session: ActiveSession, clusterId: string, mode: ParticipantMode, isOwn: boolean): string {
  const joined = joinPage(session);
  if (joined) {
    const path = pagePath(joined, { clusterId, desktopName: session.resource_name, username: session.login });
    return `${path}?sid=${session.id}${isOwn && mode === 'peer' ? '' : `&mode=${mode}`}`;
  }
  const page = watchPage(session);
  const path = page
    ? pagePath(page, { clusterId, name: session.resource_name, sid: session.id })
    : pagePath('consoleSession', { clusterId, sid: session.id });
  return isOwn && mode === 'peer' ? path : `${path}?mode=${mode}`;
}

export function fits(session: ActiveSession, words: string): boolean {
  const texts = [
    session.owner,
    ...session.parties.flatMap(({ user, remote_addr }) => [user, remote_addr]),
    session.login,
    session.resource_name,
    session.resource_inside ?? '',
    session.server_addr,
    session.id,
    session.kind,
  ].map((text) => text.toLowerCase());
  return words
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => texts.some((text) => text.includes(word)));
}

export interface Somebody {
  user: string;
  mode: ParticipantMode;
}

const WEIGHT = { moderator: 0, peer: 1, observer: 2 } as const;

/** Each person once, as what they may do most; the owner first. */
export function peopleOf({ parties, owner }: ActiveSession): Somebody[] {
  const known = new Map<string, Somebody>();
  for (const { user, mode } of parties) {
    const before = known.get(user);
    if (!before || WEIGHT[mode] < WEIGHT[before.mode]) known.set(user, { user, mode });
  }
  return [...known.values()].sort((a, b) => Number(b.user === owner) - Number(a.user === owner));
}
