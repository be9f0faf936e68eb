/** Where the people and things of an event are shown; only screens that exist and that the reader may open. */
import type { WireEvent } from '@gatehouse/contract/audit/search';
import type { ToldEvent } from '@gatehouse/contract/audit/tell-event';
import { PAGES, type PageName, pagePath } from '@gatehouse/contract/console/pages';
import { factsOf, isKind, rows } from '@gatehouse/contract/kinds/kinds';
import type { ConsoleKinds } from '../../../shared/kinds/console-kind.ts';

interface LinkTarget {
  page: PageName;
  /** The name in that screen's address that finds one thing. */
  by: 'open' | 'search';
}

/** By what an event is about, beside the kinds of resources. */
const PLACES: Readonly<Record<string, LinkTarget>> = {
  user: { page: 'users', by: 'open' },
  role: { page: 'roles', by: 'open' },
  lock: { page: 'locks', by: 'search' },
  connector: { page: 'connectors', by: 'search' },
  trusted_cluster: { page: 'trustedClusters', by: 'search' },
};

/** The gateway acting by itself is written so, and has no page. */
const NOBODY = /^-.*-$/;

/** Events that end a recorded session, or tell of its recording. */
const RECORDED: readonly string[] = [
  'session.upload',
  'session.recording.access',
  ...rows.flatMap(({ recordedEnd }) => recordedEnd?.event ?? []),
];

export interface EventLinks {
  user?: string;
  subject?: string;
  session?: string;
  recording?: string;
}

interface Reader {
  /** Whose log it is. */
  clusterId: string;
  /** Whether that is this gateway's own cluster. */
  isOwn: boolean;
  table: ConsoleKinds;
  mayOpen: (page: PageName) => boolean;
}

/** `raw`: an event of a statement names it by its number in the recording. */
export function linksOf(told: ToldEvent, raw: WireEvent, reader: Reader): EventLinks {
  const { mayOpen } = reader;
  const { user, subject, session, event } = told;
  const clusterId = event === LEAF_SESSION ? leafOf(raw) : reader.clusterId;
  const links: EventLinks = {};
  const about = pathOf(subject.kind, subject.name, reader);
  const who = pathOf('user', user, reader);
  if (who) links.user = who;
  if (about) links.subject = about;
  if (clusterId === undefined) return links;
  if (session !== '' && mayOpen('sessions')) {
    links.session = `${pagePath('sessions', { clusterId })}?search=${encodeURIComponent(session)}`;
  }
  if (session !== '' && mayOpen('player')) {
    const path = pagePath('player', { clusterId, sid: session });
    const statement = statementIn(raw);
    if (RECORDED.includes(event)) links.recording = path;
    else if (statement !== undefined) links.recording = `${path}?recordingType=db&n=${statement}`;
  }
  return links;
}

function statementIn({ statement }: WireEvent): number | undefined {
  const recorded = typeof statement === 'object' && statement !== null && 'recorded' in statement && statement.recorded;
  return typeof recorded === 'number' && Number.isSafeInteger(recorded) && recorded > 0 ? recorded : undefined;
}

/** Its id is the leaf's: here it would be nobody's session, or by the word of a leaf somebody else's. */
const LEAF_SESSION = 'leaf_cluster.session';

function leafOf({ name }: WireEvent): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** People of another cluster have a slash in their names, and no page. */
const FROM_ELSEWHERE = '/';

function pathOf(kind: string, name: string, { clusterId, isOwn, table, mayOpen }: Reader): string | undefined {
  const place = targetOf(kind, table);
  if (!place || name === '' || NOBODY.test(name) || !mayOpen(place.page)) return undefined;
  if (kind === 'user' && name.includes(FROM_ELSEWHERE)) return undefined;
  // Users, roles and locks are this gateway's: those of a leaf that are called the same are others.
  if (!isOwn && !PAGES[place.page].path.includes('/:clusterId')) return undefined;
  return `${pagePath(place.page, { clusterId })}?${place.by}=${encodeURIComponent(name)}`;
}

function targetOf(kind: string, table: ConsoleKinds): LinkTarget | undefined {
  if (isKind(kind)) return { page: factsOf(kind).path, by: table[kind].foundBy };
  return Object.hasOwn(PLACES, kind) ? PLACES[kind] : undefined;
}
