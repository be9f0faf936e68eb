import type { EventType } from '@gatehouse/contract/events/define-event';
import { dbQuery, dbSessionStarted } from '@gatehouse/contract/kinds/db/db-events';
import { expect, test } from 'vitest';
import { eventText, eventWords } from '../storage/event-words.ts';
import { draftEvent, type EventDraft, saidIn } from './event-draft.ts';
import { withinRequest } from './request-scope.ts';

const ABOUT = {
  ...{ user: 'ann', sid: 'a0b1-2', db_service: 'shop', db_protocol: 'postgres', db_uri: 'db.inside:5432' },
  ...{ db_labels: { env: 'prod' }, db_user: 'app', db_name: undefined },
};
const STATEMENT = { door: 'native', backend: undefined, n: 7, rows: 0.5 };
const QUERY = { ...ABOUT, statement: STATEMENT, db_query: 'select Shop from b', success: true };
/** As those who write events know it. */
const QUERIED = dbQuery as unknown as EventType;
const AT = { clusterName: 'c1', time: 5 };

/** With what is known of the session, and without. */
function both(given: Record<string, unknown>, about: Record<string, unknown> = ABOUT, type = QUERIED) {
  const context = { signInId: 's1' };
  return [draftEvent(type, given, { ...context, about }, AT), draftEvent(type, given, context, AT)] as const;
}

const seen = (draft: EventDraft) => ({
  row: { ...draft, uid: '' },
  words: eventWords(draft, saidIn(draft).data).toSorted(),
  text: eventText(draft, saidIn(draft))
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .toSorted(),
});

test.each([
  ['as all say it', QUERY],
  ['with a text that needs escapes', { ...QUERY, db_query: 'select\n"é"' }],
  ['with a text that is too long', { ...QUERY, db_query: 'x'.repeat(9_000) }],
  ['with many words', { ...QUERY, db_query: 'ab '.repeat(800) }],
  ['of somebody else', { ...QUERY, user: 'bob', db_service: 'till' }],
  ['with a field more that nobody declared', { ...QUERY, password: 'hunter2' }],
  ['without a field that the session has', { ...QUERY, db_user: undefined }],
  ['with a field that the session lacks', { ...QUERY, db_name: 'orders' }],
])('an event says the same, whether what its session says is known before or not: %s', (_what, given) => {
  const [known, unknown] = both(given);

  expect(seen(known)).toEqual(seen(unknown));
  expect(known.data).not.toContain('hunter2');
});

test('what a session says is read anew for another session and for another type of event', () => {
  both(QUERY);
  const other = { ...ABOUT, db_uri: 'elsewhere:1', user: 'eve' };
  const start = { ...ABOUT, server_id: 'x', server_hostname: 'y', 'addr.remote': '10.0.0.9', success: true };

  const [query] = both({ ...QUERY, ...other }, other);
  const [begun, alone] = both(start, ABOUT, dbSessionStarted as unknown as EventType);

  expect([query.user, JSON.parse(query.data).db_uri]).toEqual(['eve', 'elsewhere:1']);
  expect(seen(begun)).toEqual(seen(alone));
  expect(begun.address).toBe('10.0.0.9');
});

test('what needs escapes in the fields of a session is written as without them', () => {
  const about = { ...ABOUT, db_labels: { env: 'naïve "one"\0' } };
  const [known, unknown] = both({ ...QUERY, ...about }, about);

  expect(seen(known)).toEqual(seen(unknown));
});

test('the call that an event comes of is told beside what its session says', () => {
  const drafts = withinRequest('req-1', () => both(QUERY));

  expect(drafts.map(({ data }) => JSON.parse(data).request_id)).toEqual(['req-1', 'req-1']);
  expect(drafts[0].data).toBe(drafts[1].data);
});

test('a field that the schema refuses is refused beside what is known', () => {
  expect(() => draftEvent(QUERIED, { ...QUERY, success: 'yes' }, { about: ABOUT }, AT)).toThrow('success');
});
