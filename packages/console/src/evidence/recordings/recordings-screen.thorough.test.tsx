import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway, fullAcl } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { COVERAGE, EVERY_STATE, fakeRecordings, recording } from '../../../testing/recordings/fake-recordings.ts';
import { parseRecordings } from './recordings-search-params.ts';

const PATH = '/web/cluster/one/recordings';
const CALL = 'GET /v1/webapi/sites/one/recordings';

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

const rows = () => screen.findAllByRole('article');
const asked = (calls: readonly string[], path = CALL) =>
  new URLSearchParams(calls.findLast((call) => call.split('?')[0] === path)?.split('?')[1]);

test('every recording tells who, where, when and how long; those that play have a link, the others say why', async () => {
  await openPage(PATH, { gateway: fakeRecordings() });

  const all = await rows();
  expect(all).toHaveLength(EVERY_STATE.length);
  const [complete, live, truncated, corrupted, missing, disabled, non, failed, removed, desktop] = all.map((row) =>
    within(row),
  );
  expect(complete?.getByRole('heading').textContent).toContain('deploy@web-01');
  expect(complete?.getByText('1 min 2 sec')).toBeTruthy();
  expect(complete?.getByText('212 kB')).toBeTruthy();
  expect(complete?.getByRole('link', { name: 'Play deploy@web-01' }).getAttribute('href')).toBe(
    '/web/cluster/one/session/s-complete?recordingType=ssh',
  );
  expect(live?.getByText('Live')).toBeTruthy();
  expect(live?.getByRole('link', { name: 'Watch root@web-01 live' })).toBeTruthy();
  expect(truncated?.getByText('Breaks off')).toBeTruthy();
  expect(truncated?.getByRole('link', { name: /^Play/ })).toBeTruthy();
  expect(corrupted?.getByRole('link', { name: /^Look at/ })).toBeTruthy();
  for (const each of [missing, disabled, non, failed, removed]) expect(each?.queryByRole('link')).toBeNull();
  expect(missing?.getByText('Its file is gone.')).toBeTruthy();
  expect(disabled?.getByText("Role 'access' turns recording off.")).toBeTruthy();
  expect(non?.getByText('Non-interactive')).toBeTruthy();
  expect(failed?.getByText('The disk was full.')).toBeTruthy();
  expect(desktop?.getByRole('link', { name: /^Play/ }).getAttribute('href')).toMatch(
    /session\/s-desktop\?recordingType=desktop&durationMs=\d+$/,
  );
});

test('coverage is a number; gaps are counted and listed with their cause', async () => {
  const gateway = fakeRecordings();
  await openPage(PATH, { gateway });
  expect(await screen.findByText('100% recorded')).toBeTruthy();

  gateway.answer('GET /v1/webapi/sites/one/recording-coverage', {
    body: {
      ...COVERAGE,
      recorded: 39,
      share: 0.9999,
      gaps: [
        {
          sid: 's-9',
          user: 'kenji',
          resource: 'db-01',
          ended: '2026-11-14T10:00:00.000Z',
          cause: 'failed',
          reason: 'the disk was full',
        },
      ],
    },
  });
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await userEvent.click(await screen.findByRole('button', { name: '1 gap' }));

  const panel = within(await screen.findByRole('complementary', { name: 'Sessions without a whole recording' }));
  expect(panel.getByText('39 of 40 sessions recorded, 99.9%')).toBeTruthy();
  expect(panel.getByText('Could not be written')).toBeTruthy();
  expect(panel.getByText('The disk was full.')).toBeTruthy();
  expect(window.location.search).toContain('gaps=open');
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(window.location.search).not.toContain('gaps'));
});

test('time, words and filters are in the address and in the call, and Back takes them back', async () => {
  const gateway = fakeRecordings();
  const user = userEvent.setup();
  await openPage(PATH, { gateway });
  const [first] = await rows();

  await user.click(within(first as HTMLElement).getByRole('button', { name: 'ines' }));
  await waitFor(() => expect(asked(gateway.calls).get('user')).toBe('ines'));
  await user.type(screen.getByRole('searchbox'), 'web');
  await waitFor(() => expect(asked(gateway.calls).get('search')).toBe('web'));
  await user.click(screen.getByRole('button', { name: 'Filters, 1 set' }));
  await user.selectOptions(screen.getByLabelText('State'), 'playable');
  await waitFor(() => expect(asked(gateway.calls).get('state')).toBe('playable'));
  expect(window.location.search).toBe('?user=ines&search=web&state=playable');
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Remove State: Can be played' }));
  await waitFor(() => expect(window.location.search).not.toContain('state'));
  await user.click(screen.getByRole('button', { name: 'Time: Last 7 days' }));
  await user.click(screen.getByRole('button', { name: 'Last hour' }));

  await waitFor(() => expect(window.location.search).toContain('range=1h'));
  const { from, to } = Object.fromEntries(asked(gateway.calls));
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBeLessThan(2 * 3_600_000);
});

test('what was on the screen is searched for, with hits that open the player at their second', async () => {
  const gateway = fakeRecordings();
  const found = {
    ...recording('s-complete'),
    hits: [
      { ms: 128_400, line: 'WARN ledger: timeout after 2000 ms', marks: [[5, 6]] },
      { ms: 3_700_000, line: 'ERROR ledger: giving up', marks: [[6, 6]] },
    ],
    moreHits: true,
  };
  gateway.answer(`${CALL}/search`, { body: { found: [found], startKey: '', waiting: 2 } });
  const user = userEvent.setup();
  await openPage(PATH, { gateway });
  await rows();

  await user.click(screen.getByRole('radio', { name: 'On the screen' }));
  expect(await screen.findByRole('heading', { name: 'What are you looking for?' })).toBeTruthy();
  await user.type(screen.getByRole('searchbox', { name: 'Words that were on the screen' }), 'ledger');

  const hit = await screen.findByRole('link', { name: 'Play from 02:08: WARN ledger: timeout after 2000 ms' });
  expect(hit.getAttribute('href')).toBe('/web/cluster/one/session/s-complete?recordingType=ssh&t=128.4&find=ledger');
  expect(hit.querySelector('mark')?.textContent).toBe('ledger');
  expect(screen.getByRole('link', { name: /^Play from 1:01:40/ })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Show all in the player' })).toBeTruthy();
  expect(screen.getByText(/2 recordings are not indexed yet/)).toBeTruthy();
  expect(asked(gateway.calls, `${CALL}/search`).get('text')).toBe('ledger');
  expect(window.location.search).toBe('?in=screen&search=ledger');
});

test('pages follow each other, and a recording that moved is not shown twice', async () => {
  const gateway = fakeRecordings();
  gateway.answer(CALL, (query) => ({
    body:
      query.get('startKey') === 'k'
        ? { recordings: [recording('s-b'), recording('s-c')], startKey: '' }
        : { recordings: [recording('s-a'), recording('s-b')], startKey: 'k' },
  }));
  await openPage(PATH, { gateway });
  expect(await rows()).toHaveLength(2);

  await userEvent.click(screen.getByRole('button', { name: 'Load more' }));

  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(3));
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull();
});

test('j and k move from one recording to the next', async () => {
  await openPage(PATH, { gateway: fakeRecordings() });
  await rows();

  await userEvent.keyboard('jj');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Watch root@web-01 live');
  await userEvent.keyboard('k');

  expect(document.activeElement?.getAttribute('aria-label')).toBe('Play deploy@web-01');
});

test('nothing at all, nothing that matches, a failure and a denial are different things', async () => {
  const gateway = fakeRecordings([]);
  await openPage(PATH, { gateway });
  expect(await screen.findByRole('heading', { name: 'No recordings in this time' })).toBeTruthy();

  await openPage(`${PATH}?search=zzz`, { gateway });
  expect(await screen.findByRole('heading', { name: 'Nothing matches' })).toBeTruthy();

  gateway.answer(CALL, { status: 400, body: failure('bad_request', 'the store is away') });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  await openPage(PATH, { gateway });
  expect(await screen.findByText('the store is away')).toBeTruthy();

  const acl = { ...fullAcl(), recordedSessions: emptyAcl().recordedSessions };
  await openPage(PATH, { gateway: fakeGateway(acl) });
  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
});

test('whatever is written into the address can be asked for', () => {
  expect(parseRecordings({ kind: 'nope', state: '<b>', in: 'x', range: 'never', search: 'y'.repeat(999) })).toEqual({
    range: '7d',
    place: 'names',
    search: 'y'.repeat(256),
    filter: {},
    showsGaps: false,
  });
});
