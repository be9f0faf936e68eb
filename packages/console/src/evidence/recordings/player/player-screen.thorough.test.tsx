import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';
import {
  addPlayer,
  details,
  EVERY_STATE,
  fakeRecordings,
  ITEMS,
  recording,
} from '../../../../testing/recordings/fake-recordings.ts';
import { output } from '../../../../testing/recordings/player/fake-recording.ts';
import { parsePlayer } from './player-search-params.ts';

const PATH = '/web/cluster/one/session';
const BASE = 'GET /v1/webapi/sites/one/recordings';

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

const position = () => document.querySelector('[data-position]')?.textContent;
const at = (text: string) => waitFor(() => expect(position()).toBe(text));
const button = (name: string | RegExp) => screen.findByRole('button', { name });

/** The page has no layout here, and with it no letters: what was asked for and where it stands is what can be seen. */
async function openPlayer(query = '?t=1', sid = 's-complete', gateway = fakeRecordings()) {
  const page = await openPage(`${PATH}/${sid}${query}`, { gateway });
  const asked = (name: string) =>
    gateway.calls.filter((call) => call.startsWith(`${BASE}/${sid}/${name}`)).map((call) => call.split('?')[1]);
  return { ...page, asked };
}

test('a link to a second shows that second and waits; without one it plays', async () => {
  const { asked } = await openPlayer('?t=1.5');
  await at('00:01');
  expect(asked('playback')[0]).toBe('seek=1500');
  expect(await button('Play')).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'deploy@web-01' })).toBeTruthy();

  await openPlayer('');
  expect(await button('Pause')).toBeTruthy();
});

test('it is asked for once, before the screen has come', async () => {
  const { asked } = await openPlayer('?t=2');
  await at('00:02');

  expect(asked('playback').filter((query) => query?.startsWith('seek'))).toEqual(['seek=2000']);
  expect(asked('').length).toBeGreaterThan(0);
});

test('keys play, seek, change the speed, skip idle time and find; the address follows while nothing plays', async () => {
  const user = userEvent.setup();
  await openPlayer('?t=1');
  await at('00:01');

  await user.keyboard('{ArrowRight}');
  await at('00:06');
  await user.keyboard('{Shift>}{ArrowRight}{/Shift}');
  await at('00:36');
  await user.keyboard('{ArrowLeft}');
  await at('00:31');
  await waitFor(() => expect(window.location.search).toBe('?t=31'));
  await user.keyboard('{Home}');
  await at('00:00');
  await user.keyboard('{End}');
  await at('01:02');
  await user.keyboard('{ArrowUp}');
  await at('01:00');
  await user.keyboard('{ArrowUp}');
  await at('00:01');
  await user.keyboard('{ArrowDown}');
  await at('01:00');
  await user.keyboard(']]');
  expect(screen.getByRole<HTMLInputElement>('radio', { name: '4×' }).checked).toBe(true);
  // Twice: the test's own way of typing takes the first of two for itself.
  await user.keyboard('[[[[');
  expect(screen.getByRole<HTMLInputElement>('radio', { name: '1×' }).checked).toBe(true);
  await user.keyboard('i');
  expect(screen.getByRole<HTMLInputElement>('switch').checked).toBe(false);
  await user.keyboard('/');
  await waitFor(() => expect(document.activeElement?.getAttribute('type')).toBe('search'));
  await user.keyboard('{Escape}');
  await user.keyboard(' ');
  expect(await button('Pause')).toBeTruthy();
});

test('steps go from output to output', async () => {
  const user = userEvent.setup();
  await openPlayer('?t=1');
  await at('00:01');

  await user.keyboard('...');
  await at('01:01');
  await user.keyboard(',');
  await at('01:00');
});

test('moments are listed, the last one is the current one, and each leads to its second', async () => {
  await openPlayer('?t=2');
  await at('00:02');
  const panel = within(screen.getByRole('complementary', { name: 'About this recording' }));
  await waitFor(() => expect(panel.getByText('100 × 30').closest('[aria-current]')).toBeTruthy());

  await userEvent.click(panel.getByText('exit'));

  await at('01:00');
});

test('a command that fits the list of risky ones has a flag, and the list says that it is short', async () => {
  const gateway = fakeRecordings();
  const markers = [
    { ms: 0, type: 'command', text: 'ls -l' },
    { ms: 1_000, type: 'command', text: 'sudo systemctl stop payments-api' },
  ];
  gateway.answer(`${BASE}/s-complete`, { body: { ...details(recording('complete')), markers } });
  await openPlayer('?t=2', 's-complete', gateway);
  const panel = within(await screen.findByRole('complementary', { name: 'About this recording' }));

  const flagged = await panel.findByRole('button', { name: /systemctl stop payments-api.*May stop something/ });
  expect(flagged).toBeTruthy();
  expect(within(panel.getByRole('button', { name: /ls -l/ })).queryByRole('img', { name: /^May/ })).toBe(null);
  expect(panel.getByText(/No flag says nothing about a command/)).toBeTruthy();
});

test('text is found, hits are counted, walked through and kept in the address', async () => {
  const gateway = fakeRecordings();
  const hits = [
    { ms: 1_500, line: 'total 24', marks: [[0, 5]] },
    { ms: 60_000, line: 'grand total', marks: [[6, 5]] },
  ];
  gateway.answer(`${BASE}/s-complete/find`, { body: { hits, complete: true } });
  const user = userEvent.setup();
  await openPlayer('?t=0', 's-complete', gateway);
  await at('00:00');

  await user.type(screen.getByRole('searchbox'), 'total');
  expect((await screen.findAllByText('2 hits')).length).toBeGreaterThan(0);
  await user.keyboard('{Enter}');
  await at('00:01');
  await user.keyboard('{Enter}');
  await at('01:00');
  expect(screen.getAllByText('2 of 2').length).toBeGreaterThan(0);
  await user.keyboard('{Shift>}{Enter}{/Shift}');
  await at('00:01');
  await waitFor(() => expect(window.location.search).toContain('find=total'));
  await user.click(screen.getByRole('button', { name: /grand total/ }));

  await at('01:00');
});

test('the recording is checked, told to be intact or from where it was changed', async () => {
  const gateway = fakeRecordings();
  await openPlayer('?t=0&tab=details', 's-complete', gateway);
  expect((await screen.findAllByText('Recording intact')).length).toBe(2);
  expect(screen.getByText('12 parts checked; signed up to 01:02.')).toBeTruthy();

  const problem = { at: 4_096, ms: 30_000, reason: 'a frame does not follow the one before it' };
  const verdict = { sid: 's-complete', ok: false, checked: 4, signedMs: 0, problem };
  gateway.answer(`${BASE}/s-complete/verify`, { body: verdict });
  await userEvent.click(await button('Check now'));

  expect(await screen.findByText(/From 00:30 on it is not as it was written: A frame does not follow/)).toBeTruthy();
});

test('the facts name everybody who was in it', async () => {
  await openPlayer('?t=0&tab=people');

  const panel = within(await screen.findByRole('complementary', { name: 'About this recording' }));
  expect((await panel.findByText('Opened the session')).parentElement?.textContent).toContain('maya');
  expect(panel.getByText('Joined it').parentElement?.textContent).toContain('ines');
});

test('it is saved as asciicast', async () => {
  const gateway = fakeRecordings();
  gateway.answer(`${BASE}/s-complete/asciicast`, { body: { version: 2 } });
  const made: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    made.push(file as Blob);
    return 'blob:x';
  });
  await openPlayer('?t=0', 's-complete', gateway);

  await userEvent.click(await button('Download'));

  await waitFor(() => expect(made).toHaveLength(1));
  expect(await made[0]?.text()).toContain('version');
});

test('a running session is followed from its end', async () => {
  await openPlayer('', 's-live');

  expect(await button('Live')).toBeTruthy();
  await userEvent.keyboard('{ArrowLeft}');
  expect(await button('Go to live')).toBeTruthy();
});

test('one that breaks off plays, and then says so', async () => {
  const gateway = fakeRecordings([]);
  const short = recording('s-truncated', { state: 'truncated', durationMs: 1_500 });
  addPlayer(gateway, details(short), [output(0, 'a'), output(1_500, 'b')]);
  await openPlayer('?t=1', 's-truncated', gateway);
  await at('00:01');

  await userEvent.keyboard(' ');

  expect(await screen.findByText('The recording breaks off here')).toBeTruthy();
  expect(await button('Play again')).toBeTruthy();
});

test('one that is damaged is looked at only after a warning', async () => {
  const { asked } = await openPlayer('', 's-corrupted');

  expect(await screen.findByRole('heading', { name: 'This recording is damaged' })).toBeTruthy();
  expect(screen.queryByRole('slider')).toBeNull();
  await userEvent.click(await button('Look at it anyway'));

  expect(await screen.findByRole('slider', { name: 'Position' })).toBeTruthy();
  expect(screen.getByText('Damaged: nothing vouches for what is shown.')).toBeTruthy();
  expect(asked('playback').length).toBeGreaterThan(0);
});

test.each([
  ['s-missing', 'The recording is missing', 'Its file is gone.'],
  ['s-disabled', 'This session was not recorded', "Role 'access' turns recording off."],
  ['s-non', 'There is nothing to play', /There was no terminal/],
  ['s-failed', 'This session could not be recorded', 'The disk was full.'],
  ['s-removed', 'This recording was removed', /age or for room/],
] as const)('%s has no blank player but says what became of it', async (sid, title, why) => {
  await openPlayer('', sid);

  expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
  expect(screen.getByText(why)).toBeTruthy();
  expect(screen.queryByRole('slider')).toBeNull();
});

test('an unknown recording, a wrong link and a failing gateway are told apart', async () => {
  await openPlayer('', 's-nope', fakeGateway());
  expect(await screen.findByRole('heading', { name: 'No such recording' })).toBeTruthy();

  await openPlayer('?recordingType=vhs');
  expect(await screen.findByText(/a kind of recording that does not exist: vhs/)).toBeTruthy();

  const gateway = fakeRecordings();
  gateway.answer(`${BASE}/s-complete/playback`, { status: 400, body: failure('bad_request', 'the piece is gone') });
  await openPlayer('?t=1', 's-complete', gateway);
  const alert = within(await screen.findByRole('alert'));
  expect(alert.getByText('The piece is gone.')).toBeTruthy();
  addPlayer(gateway, details(EVERY_STATE[0] ?? recording('s-complete')), ITEMS);
  await userEvent.click(alert.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('links of other clients are understood', () => {
  expect(parsePlayer({ recordingType: 'ssh', durationMs: '1000' }).problem).toBeUndefined();
  expect(parsePlayer({ recordingType: 'desktop', durationMs: '1000' }).problem).toBeUndefined();
  expect(parsePlayer({ recordingType: 'desktop' }).problem).toBe('duration');
  expect(parsePlayer({ t: '12.5' }).startMs).toBe(12_500);
  for (const t of ['-1', 'x', '1e9', '99999999999', '', '1;2']) expect(parsePlayer({ t }).startMs).toBeUndefined();
});
