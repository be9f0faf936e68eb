/** Where the people and things of an event are shown; only screens that exist and that the reader may open. */
import type { WireEvent } from '@gatehouse/contract/audit/search';
import type { ToldEvent } from '@gatehouse/contract/audit/tell-event';
import { type PageName, pagePath } from '@gatehouse/contract/console/pages';
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
  clusterId: string;
  table: ConsoleKinds;
  mayOpen: (page: PageName) => boolean;
}

/** `raw`: an event of a statement names it by its number in the recording. */
export function linksOf(told: ToldEvent, raw: WireEvent, reader: Reader): EventLinks {
  const { clusterId, mayOpen } = reader;
  const { user, subject, session, event } = told;
  const links: EventLinks = {};
  const about = pathOf(subject.kind, subject.name, reader);
  const who = pathOf('user', user, reader);
  if (who) links.user = who;
  if (about) links.subject = about;
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

function pathOf(kind: string, name: string, { clusterId, table, mayOpen }: Reader): string | undefined {
  const place = targetOf(kind, table);
  if (!place || name === '' || NOBODY.test(name) || !mayOpen(place.page)) return undefined;
  return `${pagePath(place.page, { clusterId })}?${place.by}=${encodeURIComponent(name)}`;
}

function targetOf(kind: string, table: ConsoleKinds): LinkTarget | undefined {
  if (isKind(kind)) return { page: factsOf(kind).path, by: table[kind].foundBy };
  return Object.hasOwn(PLACES, kind) ? PLACES[kind] : undefined;
}
