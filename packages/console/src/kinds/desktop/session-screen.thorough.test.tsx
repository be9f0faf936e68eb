import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { type FakeGateway, fakeGateway } from '../../../testing/fake-gateway.ts';
import type { FakeSocket } from '../../../testing/fake-socket.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const PATH = '/web/cluster/one/desktops/win-1/ann';
const SESSIONS = 'GET /v1/webapi/sites/one/sessions';
const SID = '0b6ff1a0-5a4e-4c1e-9d57-6f8f9f1a2b3c';
const STATE = {
  ...{ type: 'state', sid: SID, desktop: { id: 'd1', name: 'win-1' }, login: 'ann', user: 'bo', mode: 'peer' },
  ...{ created: '2026-11-18T01:00:00Z', protocol: 'rdp', width: 1280, height: 800 },
  ...{ clipboard: true, directories: false, recorded: true },
};
const session = (more: object) => ({
  ...{ kind: 'desktop', id: SID, namespace: '', parties: [], terminal_params: { w: 0, h: 0 }, login: 'ann' },
  ...{ created: '2026-11-18T01:00:00Z', last_active: '', server_hostport: 0, server_addr: '', cluster_name: 'one' },
  ...{
    server_id: '',
    server_hostname: '',
    app_name: '',
    database_name: '',
    kubernetes_cluster_name: '',
    desktop_name: '',
  },
  ...{ owner: 'ines', participantModes: ['observer', 'peer'], state: 'live', needs: [], resource_kind: 'desktop' },
  ...{ resource_name: 'win-1', recorded: true, with_mfa: false, mayEnd: false },
  ...more,
});

afterEach(closePage);

/** Of the desktop; the page has another one for changes. */
const lineOf = async (sockets: readonly FakeSocket[]): Promise<FakeSocket> => {
  await waitFor(() => expect(sockets.length).toBeGreaterThan(1));
  const line = sockets.at(-1) as FakeSocket;
  line.open();
  return line;
};
const open = async (sessions: object[] = [], path = PATH) => {
  const gateway: FakeGateway = fakeGateway();
  gateway.answer(SESSIONS, { body: { sessions } });
  const page = await openPage(path, { gateway });
  return { ...page, user: userEvent.setup() };
};
const lastRequest = (line: FakeSocket) => line.sent[1] as Record<string, unknown>;

test('it opens as whom the address says, and tells how far it is', async () => {
  const { sockets } = await open();
  const line = await lineOf(sockets);
  expect(lastRequest(line)).toMatchObject({ type: 'open', desktop: 'win-1', login: 'ann' });
  expect(screen.getByText('The gateway dials it and signs in')).toBeTruthy();
  line.hear(STATE);
  expect(await screen.findByText('The gateway signs in to win-1')).toBeTruthy();
  expect(screen.getByText('Recording')).toBeTruthy();
  // Whoever loads the page again is in the same session again.
  await waitFor(() => expect(window.location.search).toBe(`?sid=${SID}`));
});

test('where no password is stored it is asked for, used once and never shown', async () => {
  const { sockets, user } = await open();
  const first = await lineOf(sockets);
  first.hear({ type: 'refused', code: 'password', message: 'no password is stored for ann' });
  const field = await screen.findByLabelText('Password');
  expect(screen.getByText('No password is stored for ann.')).toBeTruthy();
  await user.type(field, 'secret');
  const before = sockets.length;
  await user.click(screen.getByRole('button', { name: 'Connect' }));
  await waitFor(() => expect(sockets.length).toBe(before + 1));
  const second = await lineOf(sockets);
  expect(lastRequest(second)).toMatchObject({ type: 'open', password: 'secret' });
  expect(lastRequest(second).request).not.toBe(lastRequest(first).request);
  second.hear({ type: 'refused', code: 'password', message: 'the password is wrong' });
  expect(await screen.findByText('The password is wrong.')).toBeTruthy();
  expect((screen.getByLabelText('Password') as HTMLInputElement).value).toBe('');
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('secret');
});

test('a refusal says why, what to do and by what to look it up, and can be tried again', async () => {
  const { sockets, user } = await open();
  const line = await lineOf(sockets);
  line.hear({
    ...{ type: 'refused', code: 'certificate', message: 'its certificate is another one' },
    ...{ next: 'trust the new one', requestId: 'r-77' },
  });
  expect(await screen.findByRole('heading', { name: 'win-1 was not opened' })).toBeTruthy();
  expect(screen.getByText('Its certificate is another one.')).toBeTruthy();
  expect(screen.getByText('Trust the new one.')).toBeTruthy();
  expect(screen.getByText('r-77')).toBeTruthy();
  const test = screen.getByRole('link', { name: 'Test connection' });
  expect(test.getAttribute('href')).toBe('/web/cluster/one/desktops?open=win-1&tab=test');
  const before = sockets.length;
  await user.click(screen.getByRole('button', { name: 'Connect again' }));
  await waitFor(() => expect(sockets.length).toBe(before + 1));
});

test('when somebody is on it, one joins, watches or connects anew, and is not connected before', async () => {
  const { sockets, user } = await open([session({})]);
  expect(await screen.findByRole('heading', { name: 'Somebody is on win-1' })).toBeTruthy();
  expect(sockets).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Watch' }));
  const line = await lineOf(sockets);
  expect(lastRequest(line)).toMatchObject({ type: 'attach', sid: SID, mode: 'observer' });
  line.hear({ ...STATE, user: 'ines', mode: 'observer' });
  await waitFor(() => expect(window.location.search).toBe(`?sid=${SID}&mode=observer`));
  expect(screen.getByRole('button', { name: 'Leave' })).toBeTruthy();
});

test('a second factor is asked for within it, also of who joins; whoever gives none throws nobody out', async () => {
  const { sockets, user } = await open([], `${PATH}?sid=${SID}&mode=observer`);
  const line = await lineOf(sockets);
  const challenge = { webauthn_challenge: null, totp_challenge: true };
  line.hear({ type: 'factor', challenge });
  await user.type(await screen.findByRole('textbox', { name: /code/i }), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(line.sent.at(-1)).toEqual({ type: 'factor', code: '123456' });
  line.hear({ ...STATE, user: 'ines', mode: 'observer' });
  await screen.findByRole('button', { name: 'Leave' });
  const before = sockets.length;
  line.drop();
  await waitFor(() => expect(sockets.length).toBe(before + 1));
  const second = await lineOf(sockets);
  second.hear({ type: 'factor', challenge });
  await screen.findByRole('textbox', { name: /code/i });
  await user.click(screen.getByRole('button', { name: 'Cancel' }));

  expect(await screen.findByText('Your role asks for a second factor, and none was given.')).toBeTruthy();
  expect(sockets).toHaveLength(before + 1);
});

test('one’s own session is gone on with; sessions of other desktops say nothing', async () => {
  const others = [session({ resource_name: 'win-2' }), session({ owner: 'maya' })];
  const { sockets, user } = await open(others);
  const own = await screen.findByText(/^You are there as ann since/);
  expect(screen.queryByText(/ines/)).toBeNull();
  await user.click(within(own.parentElement as HTMLElement).getByRole('button', { name: 'Go on there' }));
  expect(lastRequest(await lineOf(sockets))).toEqual({ type: 'attach', sid: SID, width: 1024, height: 720 });
});

test('an address with a session goes into it at once, and an end says why and offers what is next', async () => {
  const { sockets, user } = await open([session({})], `${PATH}?sid=${SID}`);
  const line = await lineOf(sockets);
  expect(lastRequest(line)).toMatchObject({ type: 'attach', sid: SID });
  line.hear(STATE);
  line.hear({ type: 'ended', cause: 'ended_by', message: 'bo ended it', recorded: true });
  expect(await screen.findByRole('heading', { name: 'The session was ended' })).toBeTruthy();
  expect(screen.getByText('bo ended it.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Watch the recording' }).getAttribute('href')).toBe(
    `/web/cluster/one/session/${SID}`,
  );
  const before = sockets.length;
  await user.click(screen.getByRole('button', { name: 'Connect again' }));
  await waitFor(() => expect(sockets.length).toBe(before + 1));
  expect(lastRequest(await lineOf(sockets))).toMatchObject({ type: 'open', desktop: 'win-1' });
});

test('a lost line says how often it was tried, that the session waits, and tries at once when asked', async () => {
  const { sockets, user } = await open();
  const line = await lineOf(sockets);
  line.hear(STATE);
  line.drop();
  expect(await screen.findByText(/Attempt 1\. Your programs go on running on win-1/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Try now' }));
  expect(lastRequest(await lineOf(sockets))).toMatchObject({ type: 'attach', sid: SID });
});

test('a moderated session says for whom it waits', async () => {
  const { sockets } = await open();
  const line = await lineOf(sockets);
  line.hear(STATE);
  const needs = [{ role: 'finance', policy: 'p', missing: 1, modes: ['moderator'] }];
  line.hear({ type: 'flow', flow: 'waiting', since: STATE.created, needs, could: ['ines'] });
  expect(await screen.findByRole('heading', { name: 'Waiting for somebody' })).toBeTruthy();
  expect(screen.getByText(/1 more person joins as moderator, as the role finance asks/)).toBeTruthy();
  expect(screen.getByText('Who could join: ines')).toBeTruthy();
});

test('the panel tells who is there, and passes text to the desktop only where roles let it', async () => {
  const { sockets, user } = await open();
  const line = await lineOf(sockets);
  line.hear({ ...STATE, clipboard: false });
  const at = STATE.created;
  const party = { id: 'p1', user: 'bo', mode: 'peer', self: true, since: at, lastActive: at, typing: false };
  line.hear({ type: 'parties', parties: [party, { ...party, id: 'p2', user: 'ines', mode: 'observer', self: false }] });
  await user.click(screen.getByRole('button', { name: 'Clipboard, folder, sound and people' }));
  const panel = screen.getByRole('complementary', { name: 'Session' });
  expect(within(panel).getByText('watches')).toBeTruthy();
  expect(within(panel).getByText('Your roles do not share the clipboard with this desktop.')).toBeTruthy();
  line.hear(STATE);
  expect(await within(panel).findByLabelText('Text for the desktop')).toBeTruthy();
  line.hear({ type: 'clipboard', direction: 'receive', length: 3_400_000, refused: 'the most is 1 MiB' });
  expect(await within(panel).findByText(/Not passed \(3\.4 MB\): the most is 1 MiB/)).toBeTruthy();
});

test('a folder is shared from the panel, shown while it is on, and ended with one click', async () => {
  const picked = { name: 'Docs', kind: 'directory' };
  vi.stubGlobal('showDirectoryPicker', async () => picked);
  const { sockets, user } = await open();
  const line = await lineOf(sockets);
  line.hear({ ...STATE, directories: false });
  await user.click(screen.getByRole('button', { name: 'Clipboard, folder, sound and people' }));
  const panel = screen.getByRole('complementary', { name: 'Session' });
  expect(within(panel).getByText('Your roles, or this desktop, let no folders be shared.')).toBeTruthy();
  line.hear({ ...STATE, directories: true });
  await user.click(await within(panel).findByRole('button', { name: 'Share a folder' }));
  expect(await within(panel).findByText('The desktop is asked to take Docs.')).toBeTruthy();
  line.hear({ type: 'shared', is: 'on', name: 'Docs' });
  expect(await within(panel).findByText(/^Docs is a drive of the desktop/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Stop sharing Docs' }));
  expect(line.sent.at(-1)).toEqual({ type: 'unshare' });
  expect(screen.queryByRole('button', { name: 'Stop sharing Docs' })).toBeNull();

  await user.click(within(panel).getByRole('button', { name: 'Share a folder' }));
  line.hear({ type: 'shared', is: 'refused', name: 'Docs', why: 'the desktop does not take it' });
  expect(await within(panel).findByText('Docs is not shared: the desktop does not take it')).toBeTruthy();
  vi.unstubAllGlobals();
});

test('the transfer folder is opened from the panel, offers what the desktop put into it, and says why it is gone', async () => {
  const { sockets, user } = await open();
  const line = await lineOf(sockets);
  line.hear({ ...STATE, directories: true });
  await user.click(screen.getByRole('button', { name: 'Clipboard, folder, sound and people' }));
  const panel = screen.getByRole('complementary', { name: 'Session' });
  await user.click(await within(panel).findByRole('button', { name: 'Open the transfer folder' }));
  expect(line.sent.at(-1)).toEqual({ type: 'transfer', isOn: true });
  const told = { type: 'transfer', is: 'on', files: [], more: 0, freeBytes: 1_500_000_000 };
  line.hear(told);
  expect(await within(panel).findByText(/^Gatehouse is a drive of the desktop; 1\.5 GB are free/)).toBeTruthy();
  line.hear({ ...told, files: [{ path: 'sub/report.pdf', size: 2_000_000, modified: 0 }], more: 3 });
  await user.click(await within(panel).findByRole('button', { name: 'Download sub/report.pdf' }));
  expect(line.sent.at(-1)).toMatchObject({ type: 'download', path: 'sub/report.pdf' });
  const asked = line.sent.at(-1) as { id: number };
  line.hear({ type: 'ticket', id: asked.id, why: 'nothing passes at this moment' });
  expect(await within(panel).findByText('Nothing passes at this moment.')).toBeTruthy();
  expect(within(panel).getByText(/^3 more files are not shown/)).toBeTruthy();
  expect(screen.getByRole('button', { name: '4 files to download' })).toBeTruthy();
  line.hear({ ...told, is: 'off', why: 'a role of yours does not let folders be shared with desktops' });
  expect(await within(panel).findByText(/^There is no transfer folder: a role of yours/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: /files? to download/ })).toBeNull();
});

test('the layout is chosen among names, remembered for the desktop, and told with the next connection', async () => {
  const { sockets, user } = await open();
  (await lineOf(sockets)).hear(STATE);
  await user.click(await screen.findByRole('button', { name: /^Keys(?!,)/ }));
  fireEvent.change(screen.getByLabelText('Layout'), { target: { value: String(0x407) } });
  expect(screen.getByText('The desktop takes another layout when you connect again.')).toBeTruthy();

  const again = await open();
  expect(lastRequest(await lineOf(again.sockets))).toMatchObject({ type: 'open', keyboard: 0x407 });
});
