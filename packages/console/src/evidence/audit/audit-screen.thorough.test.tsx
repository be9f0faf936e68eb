import { emptyAcl } from '@gatehouse/contract/access/acl';
import { EVENT_TYPES } from '@gatehouse/contract/audit/catalogue';
import { sampleEvent } from '@gatehouse/contract/testing/audit/sample-event';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { eventCounts, failure, fakeGateway, fullAcl } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const SEARCH = 'GET /v1/webapi/sites/one/events/search';
const FACETS = 'GET /v1/webapi/sites/one/events/facets';
const TAIL = 'GET /v1/webapi/sites/one/events/tail';
const VERIFY = 'GET /v1/webapi/sites/one/events/verify';
const KEY = 'GET /v1/webapi/sites/one/audit/key';
const AUDIT = '/web/cluster/one/audit';

afterEach(closePage);

type Raw = Record<string, unknown>;

/** A sample of a type, some minutes ago. */
function event(code: string, more: Raw = {}, minutesAgo = 5): Raw {
  const type = EVENT_TYPES.find((each) => each.code === code);
  if (!type) throw new Error(`no type ${code}`);
  return { ...sampleEvent(type), time: new Date(Date.now() - minutesAgo * 60_000).toISOString(), ...more };
}

const EVENTS = [
  event('T1000I', { uid: 'u-1', user: 'maya', 'addr.remote': '10.0.0.7', request_id: 'r-1' }, 1),
  event('T1000W', { uid: 'u-2', user: 'tomas' }, 2),
  event('T9000I', { uid: 'u-3', user: 'maya', name: 'oncall', request_id: 'r-3' }, 3),
  event('T3002E', { uid: 'u-4', user: 'tomas', sid: 's-9' }, 4),
];

/** Finds as the gateway does, as far as these tests ask. */
function find(events: readonly Raw[], query: URLSearchParams): Raw[] {
  const names = (query.get('include') ?? '').split(',').filter(Boolean);
  const word = query.get('search') ?? '';
  const found = events
    .filter((each) => names.length === 0 || names.includes(String(each.event)))
    .filter((each) => !query.get('user') || each.user === query.get('user'))
    .filter((each) => !query.get('requestId') || each.request_id === query.get('requestId'))
    .filter((each) => JSON.stringify(each).includes(word))
    .filter((each) => String(each.time) >= (query.get('from') ?? '') && String(each.time) <= (query.get('to') ?? '~'));
  return query.get('order') === 'asc' ? found.toReversed() : found;
}

function counted(values: unknown[]) {
  const counts = new Map<string, number>();
  for (const value of values.map(String)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

function logOf(events: readonly Raw[], gateway = fakeGateway()) {
  gateway.answer(SEARCH, (query) => {
    const found = find(events, query);
    const start = Number(query.get('startKey') ?? 0);
    const end = start + Number(query.get('limit') ?? 500);
    return { body: { events: found.slice(start, end), startKey: end < found.length ? String(end) : '' } };
  });
  gateway.answer(FACETS, (query) => {
    const found = find(events, query);
    const empty = eventCounts(query);
    const buckets = empty.buckets.map((bucket, index) => {
      const begin = Date.parse(empty.from) + index * empty.bucketMs;
      const inside = found.filter(({ time }) => {
        const at = Date.parse(String(time));
        return at >= begin && at < begin + empty.bucketMs;
      });
      return { ...bucket, info: inside.length };
    });
    const severity = { I: 'info', W: 'warning', E: 'error' } as Record<string, string>;
    return {
      body: {
        ...empty,
        buckets,
        total: found.length,
        types: counted(found.map((each) => each.event)),
        users: counted(found.map((each) => each.user ?? '')),
        severities: counted(found.map(({ code }) => severity[String(code).at(-1) ?? ''])),
        kinds: counted(found.map(() => 'user')),
      },
    };
  });
  return gateway;
}

async function open(path = AUDIT, gateway = logOf(EVENTS)) {
  const page = await openPage(path, { gateway });
  await screen.findByRole('heading', { level: 1, name: 'Audit Log' });
  return { ...page, user: userEvent.setup() };
}

const rows = () => screen.getAllByRole('row').slice(1);
const queriesOf = (gateway: ReturnType<typeof fakeGateway>, call: string) =>
  gateway.calls
    .filter((each) => each.startsWith(`${call}?`))
    .map((each) => Object.fromEntries(new URLSearchParams(each.split('?')[1])));

test('every event is a row with its type, what happened, and local time with UTC to point at', async () => {
  await open();

  const failed = await screen.findByRole('row', { name: /Local Login Failed.*Warning.*a sign-in as tomas failed/ });
  const time = failed.querySelector('time');
  expect(time?.textContent).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(time?.title).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  expect(rows()).toHaveLength(4);
  expect(screen.getByText('4 events')).toBeTruthy();
});

test('facets narrow the search, keep their other values, and go by a second press or by Back', async () => {
  const { user, gateway } = await open();
  const facet = within(await screen.findByRole('region', { name: 'User' }));
  await user.click(await facet.findByRole('button', { name: /tomas 2 events/ }));

  await waitFor(() => expect(rows()).toHaveLength(2));
  expect(window.location.search).toContain('user=tomas');
  expect(facet.getByRole('button', { name: /maya 2 events/ })).toBeTruthy();
  expect(facet.getByRole('button', { name: /tomas/ }).getAttribute('aria-pressed')).toBe('true');
  await user.click(
    within(screen.getByRole('region', { name: 'Event' })).getByRole('button', { name: /Command Execution/ }),
  );
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(queriesOf(gateway, SEARCH).at(-1)).toMatchObject({ user: 'tomas', include: 'exec' });
  window.history.back();
  await waitFor(() => expect(rows()).toHaveLength(2));
  await user.click(facet.getByRole('button', { name: /tomas/ }));

  await waitFor(() => expect(rows()).toHaveLength(4));
  expect(window.location.search).toBe('');
});

test('words are searched for, and what fits nothing can be cleared', async () => {
  const { user } = await open();
  await screen.findByRole('row', { name: /oncall/ });

  await user.keyboard('/oncall');
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(window.location.search).toBe('?search=oncall');
  await user.type(screen.getByRole('searchbox'), 'zzz');
  expect(await screen.findByRole('heading', { name: 'No event fits' })).toBeTruthy();
  await user.click(screen.getAllByRole('button', { name: 'Clear' }).at(-1)!);

  await waitFor(() => expect(rows()).toHaveLength(4));
});

test('the chart is zoomed by dragging and by keyboard, and Back takes it back', async () => {
  const { user, gateway } = await open();
  await screen.findByRole('row', { name: /oncall/ });
  const chart = screen.getByRole('slider', { name: 'Events over time' });
  chart.getBoundingClientRect = () => ({ left: 0, width: 1000 }) as DOMRect;

  fireEvent.pointerDown(chart, { button: 0, clientX: 100 });
  fireEvent.pointerMove(chart, { clientX: 300 });
  fireEvent.pointerUp(chart);
  await waitFor(() => expect(window.location.search).toContain('zoom='));
  expect(await screen.findByRole('heading', { name: 'No event fits' })).toBeTruthy();
  const { from, to } = queriesOf(gateway, SEARCH).at(-1)!;
  expect(Date.parse(to!) - Date.parse(from!)).toBeLessThan(6 * 3_600_000);
  expect(screen.getByText('time:')).toBeTruthy();
  window.history.back();
  await waitFor(() => expect(rows()).toHaveLength(4));

  chart.focus();
  await user.keyboard('{End}{Shift>}{ArrowLeft}{ArrowLeft}{/Shift}');
  expect(chart.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d to \d\d:\d\d: /);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(window.location.search).toContain('zoom='));
  await user.click(screen.getByRole('button', { name: 'Zoom the chart in on this time' }));
  await waitFor(() => expect(window.location.search).toContain('from='));
  expect(Number(queriesOf(gateway, FACETS).at(-1)?.buckets)).toBeGreaterThan(40);
});

test('presets and a range of one’s own are chosen, checked and kept in the address', async () => {
  const { user, gateway } = await open();
  await user.click(await screen.findByRole('button', { name: 'Time: Last 24 hours' }));
  await user.click(screen.getByRole('button', { name: 'Last 7 days' }));
  await waitFor(() => expect(window.location.search).toBe('?range=7d'));

  await user.click(screen.getByRole('button', { name: 'Time: Last 7 days' }));
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-03-05T00:00:00' } });
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-03-04T00:00:00' } });
  await user.click(screen.getByRole('button', { name: 'Show this time' }));
  expect(screen.getByText('This must be later than the beginning.')).toBeTruthy();
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-03-06T00:00:00' } });
  await user.click(screen.getByRole('button', { name: 'Show this time' }));

  await waitFor(() => expect(window.location.search).toContain('from='));
  expect(queriesOf(gateway, SEARCH).at(-1)).toMatchObject({
    from: new Date('2026-03-05T00:00:00').toISOString(),
    to: new Date(Date.parse('2026-03-06T00:00:00') - 1).toISOString(),
  });
  expect(await screen.findByRole('heading', { name: 'Nothing happened in this time' })).toBeTruthy();
});

test('details tell the fields, link to the user and show everything of a request; the list is walked from there', async () => {
  const { user } = await open();
  await user.click(await screen.findByRole('row', { name: /oncall/ }));

  const panel = within(await screen.findByRole('complementary', { name: 'Event details' }));
  expect(await panel.findByText('T9000I')).toBeTruthy();
  expect(panel.getByRole('link', { name: 'maya' }).getAttribute('href')).toBe('/web/users?open=maya');
  expect(panel.getByRole('link', { name: 'oncall' }).getAttribute('href')).toBe('/web/roles?open=oncall');
  expect(panel.getByRole('region', { name: 'Raw event' }).textContent).toContain('"uid": "u-3"');
  expect(window.location.search).toContain('open=u-3');
  await user.click(panel.getByRole('button', { name: 'Next event in the list' }));
  await waitFor(() => expect(window.location.search).toContain('open=u-4'));
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('complementary', { name: 'Event details' })).toBeNull();

  await user.click(screen.getByRole('row', { name: /oncall/ }));
  await user.click(await screen.findByRole('button', { name: 'of this request' }));
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(window.location.search).toContain('requestId=r-3');
});

test('a link to an event opens it though the list does not have it', async () => {
  const old = event('T9000I', { uid: 'old', name: 'ancient' }, 60 * 24 * 40);
  await open(`${AUDIT}?open=old&at=${String(old.time)}`, logOf([...EVENTS, old]));

  expect(await screen.findByText(/created the role ancient/)).toBeTruthy();
  await closePage();
  await open(`${AUDIT}?open=nobody&at=${String(old.time)}`);

  expect(await screen.findByText(/This event is not in the log/)).toBeTruthy();
});

test('hostile, broken and unknown events are rows like any other', async () => {
  const html = '<img src=x onerror=alert(1)>\u202Eevil\u001b[31m';
  const hostile: Raw[] = [
    { code: 'T1000I', event: 'user.login', user: html, uid: 'x-1', time: new Date().toISOString() },
    { code: 'NEW01W', event: 'some.thing', uid: 'x-2', time: new Date().toISOString(), extra: { a: [1, { b: html }] } },
    { code: 7, event: {}, time: 'never', uid: null, user: { user: [] } },
    { code: 7, event: {}, time: 'never', uid: null },
    { code: 'T1000I', event: 'user.login', uid: 'x-2', time: new Date().toISOString(), user: 'long'.repeat(300_000) },
    {},
  ];
  const gateway = logOf([]);
  gateway.answer(SEARCH, { body: { events: hostile, startKey: '' } });
  const noise = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { user, container } = await open(AUDIT, gateway);

  await waitFor(() => expect(rows()).toHaveLength(hostile.length));
  expect(container.querySelector('img')).toBeNull();
  expect(container.textContent).not.toContain('\u202E');
  expect(screen.getAllByText('Unknown').length).toBeGreaterThan(2);
  for (const [index] of hostile.entries()) {
    await user.click(rows()[index]!);
    expect(await screen.findByRole('region', { name: 'Raw event' })).toBeTruthy();
  }
  await user.click(screen.getByRole('row', { name: /some\.thing/ }));
  expect(await screen.findByText('Unknown event NEW01W: only its fields can be shown.')).toBeTruthy();
  expect(noise).not.toHaveBeenCalled();
  noise.mockRestore();
});

test('further pages come as the end comes near, and nothing is asked twice', async () => {
  const many = Array.from({ length: 1_300 }, (_, index) =>
    event('T9000I', { uid: `n-${index}`, name: `role-${index}` }),
  );
  const { user, gateway } = await open(AUDIT, logOf(many));
  await screen.findByRole('row', { name: /role-0\b/ });
  expect(queriesOf(gateway, SEARCH)).toHaveLength(1);

  const grid = screen.getByRole('grid');
  rows()[0]!.focus();
  await user.keyboard('{End}');
  await waitFor(() => expect(queriesOf(gateway, SEARCH)).toHaveLength(2));
  await waitFor(() => expect(screen.getByText('1,200 loaded, more as you scroll')).toBeTruthy());
  await user.keyboard('{End}');
  await waitFor(() => expect(screen.getByText('All 1,300 events')).toBeTruthy());

  expect(queriesOf(gateway, SEARCH).map(({ startKey }) => startKey)).toEqual([undefined, '200', '1200']);
  expect(grid.getAttribute('aria-rowcount')).toBe('1301');
  expect(rows().length).toBeLessThan(100);
});

test('live: what happens is put on top, each once, and a lost connection goes on where it was', async () => {
  const fresh = event('T9001I', { uid: 'n-1', name: 'retired' }, 0);
  const gateway = logOf(EVENTS);
  const asked: (string | null)[] = [];
  gateway.answer(TAIL, (query) => {
    asked.push(query.get('after'));
    if (asked.length === 1) return { body: { events: [], after: 'a-1', more: false } };
    if (asked.length === 2) return { body: { events: [EVENTS[0], fresh], after: 'a-2', more: false } };
    return { body: { events: [], after: 'a-2', more: false } };
  });
  const { user } = await open(`${AUDIT}?order=asc`, gateway);
  await screen.findByRole('row', { name: /oncall/ });
  await user.click(screen.getByRole('switch', { name: 'Live' }));

  expect(await screen.findByRole('row', { name: /deleted the role retired/ })).toBe(rows()[0]);
  expect(rows()).toHaveLength(5);
  expect(window.location.search).toBe('?live=on');
  await waitFor(() => expect(asked.length).toBeGreaterThan(2));
  expect(asked.slice(0, 3)).toEqual([null, 'a-1', 'a-2']);
  await user.click(screen.getByRole('switch', { name: 'Live' }));
  expect(window.location.search).toBe('');
});

test('export saves all that was found, page after page, and cells cannot become formulas', async () => {
  const saved: { name: string; text: Promise<string> }[] = [];
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
  const create = vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    saved.push({ name: '', text: (file as Blob).text() });
    return 'blob:x';
  });
  const evil = event('T9000I', { uid: 'e', user: '=cmd()', name: 'x' });
  const { user, gateway } = await open(AUDIT, logOf([...EVENTS, evil]));
  await screen.findByRole('row', { name: /oncall/ });

  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: /JSON lines/ }));
  expect(await screen.findByText('5 events were exported.')).toBeTruthy();
  const lines = (await saved[0]!.text).trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as Raw).uid)).toEqual(['u-1', 'u-2', 'u-3', 'u-4', 'e']);
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: /CSV/ }));
  await waitFor(() => expect(saved).toHaveLength(2));

  expect(await saved[1]!.text).toContain(`"'=cmd()"`);
  expect(queriesOf(gateway, SEARCH).at(-1)?.limit).toBe('5000');
  click.mockRestore();
  create.mockRestore();
});

test('verify asks until the whole range is checked and tells the checkpoint, or the first bad place', async () => {
  const gateway = logOf(EVENTS);
  gateway.answer(KEY, {
    body: { publicKey: '-----BEGIN PUBLIC KEY-----', checkpoint: { body: '{}', signature: 's' } },
  });
  gateway.answer(VERIFY, (query) => ({
    body: query.get('startKey')
      ? { ok: true, checked: 30, startKey: '', newer: 15, checkpoint: { number: 12, time: '2026-11-14T17:00:00Z' } }
      : { ok: true, checked: 1_000, startKey: 'k' },
  }));
  const { user } = await open(AUDIT, gateway);
  await user.click(await screen.findByRole('button', { name: 'Verify' }));

  expect(await screen.findByText('Nothing was changed.')).toBeTruthy();
  expect(screen.getByText(/1,030 events fit the chain\. 15 events are newer than those/)).toBeTruthy();
  expect(screen.getByText(/Store against checkpoint 12/)).toBeTruthy();
  expect(await screen.findByText('-----BEGIN PUBLIC KEY-----')).toBeTruthy();
  const problem = { chain: 'gateway', index: 1_017, reason: 'the hash does not fit' };
  gateway.answer(VERIFY, { body: { ok: false, checked: 17, startKey: '', problem } });
  await user.click(screen.getByRole('button', { name: 'Check again' }));

  expect(await screen.findByText('The log was changed.')).toBeTruthy();
  expect(screen.getByText(/number 1,017 of the chain gateway\. The hash does not fit\./)).toBeTruthy();
});

test('trouble of the log itself is told', async () => {
  const gateway = logOf(EVENTS);
  gateway.answer('GET /v1/webapi/sites/one/audit/state', {
    body: {
      retentionDays: 0,
      strict: false,
      queued: 12,
      deadLetters: 1,
      signing: 'event 7 was written anew',
      memoryLost: 'its file is gone',
      sinks: [{ name: 'siem', type: 'syslog', behind: 40, error: 'connection refused' }],
    },
  });
  await open(AUDIT, gateway);

  expect(await screen.findByText('12 events wait on disk.')).toBeTruthy();
  expect(screen.getByText('1 event was refused by the store.')).toBeTruthy();
  expect(screen.getByText('connection refused')).toBeTruthy();
  expect(screen.getByText('The log is not signed any more.')).toBeTruthy();
  expect(screen.getByText('Event 7 was written anew.')).toBeTruthy();
  expect(screen.getByText('This gateway does not know what it signed last.')).toBeTruthy();
});

test('a search the gateway refuses is told beside the filter that caused it', async () => {
  const gateway = logOf(EVENTS);
  gateway.answer(SEARCH, { status: 400, body: failure('bad_request', 'search is too long') });
  await open(`${AUDIT}?search=x`, gateway);

  expect(await screen.findByText('Search is too long.')).toBeTruthy();
  expect(screen.getByRole('searchbox')).toBeTruthy();
});

test('whoever may not list events is refused, and asks for none', async () => {
  const acl = { ...fullAcl(), events: emptyAcl().events };
  const gateway = logOf(EVENTS, fakeGateway(acl));
  await openPage(AUDIT, { gateway });

  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
  expect(gateway.calls.filter((call) => call.includes('/events/'))).toEqual([]);
});

test('nothing in the address can break the page', async () => {
  const path = `${AUDIT}?range=zzz&from=1&to=x&zoom=a~b&severity=nope,error&order=up&open=<x>&at=never&live=maybe`;
  const { gateway } = await open(path);

  expect(await screen.findByText(/This event is not in the log/)).toBeTruthy();
  expect(queriesOf(gateway, SEARCH)[0]).toMatchObject({ severity: 'error' });
});
