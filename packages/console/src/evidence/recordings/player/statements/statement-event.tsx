/** The event that tells of a statement, for whoever may read the log. */
import { eventRoutes, type WireEvent } from '@gatehouse/contract/audit/search';
import { pagePath } from '@gatehouse/contract/console/pages';
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { textLinkClass } from '@gatehouse/design/text-link';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { PathLink } from '../../../../platform/routing/routing.tsx';
import { RECORDINGS } from '../../recording-queries.ts';
import type { RunStatement } from './run-statements.ts';

interface StatementEventProps {
  clusterId: string;
  details: RecordingDetails;
  run: RunStatement;
}

/** A recording begins a little after its session, and what is told together is told up to ten seconds later. */
const BEFORE_MS = 5_000;
const BEHIND_MS = 15_000;
const MAX_EVENTS = 1_000;

export function StatementEvent({ clusterId, details, run }: StatementEventProps) {
  const t = useTranslate();
  const api = useApi();
  const { sid, started } = details;
  const { n, ms } = run.asked;
  const from = new Date(Date.parse(started) + ms - BEFORE_MS).toISOString();
  const to = new Date(Date.parse(started) + (run.answered?.ms ?? ms) + BEHIND_MS).toISOString();
  const found = useQuery({
    queryKey: [RECORDINGS, 'event', clusterId, sid, n, from, to],
    queryFn: ({ signal }) => {
      const query = { session: sid, from, to, order: 'asc' as const, limit: String(MAX_EVENTS) };
      return api(eventRoutes.search, { params: { clusterId }, query }, signal);
    },
    select: ({ events }) => eventOf(events, run),
    refetchOnWindowFocus: false,
    retry: false,
  });
  const event = found.data;
  // Where it is not among them, the log is opened at its time: it may have been cleared, or not be written yet.
  const query = new URLSearchParams({ session: sid, from, to, ...(event ? { open: event.id, at: event.time } : {}) });
  if (found.isPending) return '…';
  return (
    <PathLink path={`${pagePath('audit', { clusterId })}?${query}`} className={textLinkClass}>
      {event ? t('statements.event-of', { code: event.code }) : t('statements.event-about')}
    </PathLink>
  );
}

interface FoundEvent {
  id: string;
  time: string;
  code: string;
}

/** The one with its number, or the one that stands for it and those after it. */
export function eventOf(events: readonly WireEvent[], { asked: { n, text } }: RunStatement): FoundEvent | undefined {
  const told = events.find((event) => numberIn(event) === n) ?? events.find((event) => standsFor(event, n, text));
  if (!told) return undefined;
  const { uid, time, code } = told;
  if (typeof uid !== 'string' || typeof time !== 'string' || typeof code !== 'string') return undefined;
  return { id: uid, time, code };
}

function factsIn({ statement }: WireEvent): Record<string, unknown> {
  return typeof statement === 'object' && statement !== null ? (statement as Record<string, unknown>) : {};
}

function numberIn(event: WireEvent): number | undefined {
  const { recorded } = factsIn(event);
  return typeof recorded === 'number' ? recorded : undefined;
}

function standsFor(event: WireEvent, n: number, text: string): boolean {
  const { count } = factsIn(event);
  const last = numberIn(event);
  if (typeof count !== 'number' || count < 2 || last === undefined || last < n) return false;
  // What was prepared is told without its text.
  return typeof event.db_query !== 'string' || event.db_query === text.slice(0, event.db_query.length);
}
