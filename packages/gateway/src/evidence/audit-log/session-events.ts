/** Ends of sessions, for those who may see only some: which ones is asked of their roles session by session. */
import type { WireEvent } from '@gatehouse/contract/audit/search';
import { rows } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { type FindQuery, placeKey, readPlaceKey } from './search/find-query.ts';
import type { LogReader } from './search/open-log-reader.ts';

const page = z.object({ events: z.array(z.record(z.string(), z.unknown())), startKey: z.string() });
/** How recorded sessions of each kind end. Whoever is marked comes first: the others of the same event are what is left. */
const ENDS = rows
  .flatMap(({ recordedEnd, sessionKind }) => (recordedEnd ? [{ ...recordedEnd, sessionKind }] : []))
  .sort((a, b) => Number(a.marked === undefined) - Number(b.marked === undefined));
export const SESSION_ENDS: readonly string[] = [...new Set(ENDS.map(({ event }) => event))];

const labels = z.record(z.string(), z.string());

/** Where somebody sees few of many, a page is looked for this far; beyond it, it ends early and they go on by the start key. */
const PAGE = 200;
const MAX_PAGES = 25;

interface VisibleDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  reader: Pick<LogReader, 'search'>;
  /** Asked for each piece: what they may see can change while the log is read. */
  actor(): Promise<Actor>;
}

/** Pages of what is visible: their length and start keys tell nothing of how many others there are, or when. */
export async function visibleSessions(
  { db, access, reader, actor }: VisibleDeps,
  query: FindQuery,
): Promise<{ events: WireEvent[]; startKey: string }> {
  const found: WireEvent[] = [];
  let { after } = query;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const bytes = await reader.search({ ...query, after, limit: PAGE, proof: false });
    const { events, startKey } = page.parse(JSON.parse(new TextDecoder().decode(bytes)));
    const who = await actor();
    found.push(...events.filter((event) => isVisible(access, who, event)));
    const last = found[query.limit - 1];
    if (last && (startKey !== '' || found.length > query.limit))
      return { events: found.slice(0, query.limit), startKey: await keyOf(db, last) };
    if (startKey === '') return { events: found, startKey: '' };
    after = readPlaceKey(startKey);
  }
  return { events: found, startKey: after ? placeKey(after) : '' };
}

async function keyOf(db: Db, { uid }: WireEvent): Promise<string> {
  const row = await db.selectFrom('event').select(['time', 'id']).where('uid', '=', String(uid)).executeTakeFirst();
  return row ? placeKey(row) : '';
}

function isVisible(access: Pick<AccessControl, 'decide'>, actor: Actor, event: WireEvent): boolean {
  const object = { kind: 'session', session: sessionOf(event) };
  return access.decide(actor, { type: 'verb', resource: 'session', verb: 'list', object }).allowed;
}

function sessionOf(event: WireEvent) {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const end = ENDS.find(({ event: name, marked }) => name === event.event && (marked === undefined || event[marked]));
  const participants = z.array(z.string()).safeParse(event.participants).data ?? [];
  const login = text(event.login);
  const serverLabels = labels.safeParse(event.server_labels).data;
  return {
    kind: end?.sessionKind ?? '',
    user: text(event.user),
    participants: participants.length > 0 ? participants : [text(event.user)],
    ...(login && { login }),
    ...(serverLabels && { serverLabels }),
  };
}
