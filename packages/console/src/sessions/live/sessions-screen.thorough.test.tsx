import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeGateway } from '../../../testing/fake-gateway.ts';
import { FakeSocket } from '../../../testing/fake-socket.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { OPEN_SID, openSession } from '../../../testing/sessions/open-session.ts';

afterEach(closePage);

const PATH = '/web/cluster/one/sessions';
const LIST = '/v1/webapi/sites/one/sessions';

async function openSessions(sessions: ReturnType<typeof openSession>[] = []) {
  const gateway = fakeGateway();
  gateway.answer(`GET ${LIST}`, { body: { sessions } });
  const lines: FakeSocket[] = [];
  const openSocket = (path: string) => {
    const socket = new FakeSocket();
    if (path.endsWith('/live-sessions')) lines.push(socket);
    return socket as unknown as WebSocket;
  };
  const page = await openPage(PATH, { gateway, world: { openSocket } });
  await screen.findByRole('heading', { name: 'Active Sessions' });
  const hear = (frame: unknown) => act(async () => lines.at(-1)?.hear(frame));
  return { ...page, lines, hear };
}

test('nothing is open: it says so, and shows the first session the moment it comes', async () => {
  const { hear } = await openSessions();
  expect(await screen.findByText('Nobody is connected right now')).toBeTruthy();
  await hear({ type: 'sessions', sessions: [openSession({ participantModes: ['observer', 'moderator', 'peer'] })] });

  const card = within(await screen.findByRole('listitem', { name: 'Session of ann on root@web-01' }));
  expect(card.getByText('from 192.0.2.7')).toBeTruthy();
  expect(card.getByText(/^1 min/)).toBeTruthy();
  expect(card.getByText('ann, peer')).toBeTruthy();
  expect(card.getByRole('link', { name: 'Watch' }).getAttribute('href')).toBe(
    `/web/cluster/one/console/session/${OPEN_SID}?mode=observer`,
  );
  await userEvent.click(card.getByRole('button', { name: /^What to do with/ }));
  const items = (await screen.findAllByRole('menuitem')).map((item) => item.textContent ?? '');
  expect(items.map((text) => text.slice(0, 5))).toEqual(['Watch', 'Moder', 'Type ', 'Copy ']);
  await hear({ type: 'sessions', sessions: [] });
  await waitFor(() => expect(screen.queryByRole('listitem', { name: /^Session of/ })).toBe(null));
});

test('a session that waits offers to moderate it, and says so', async () => {
  await openSessions([openSession({ state: 'waiting', participantModes: ['observer', 'moderator'] })]);

  const card = within(await screen.findByRole('listitem', { name: /^Session of ann/ }));
  expect(card.getByText('Waiting for a moderator')).toBeTruthy();
  expect(card.getByRole('link', { name: 'Moderate' })).toBeTruthy();
});

test('a desktop is shown as it is sent, and says so until it is', async () => {
  const { hear, container } = await openSessions([
    openSession({ kind: 'desktop', resource_name: 'win-1', participantModes: ['observer'] }),
  ]);
  const card = within(await screen.findByRole('listitem', { name: /^Session of ann/ }));
  expect(card.queryByText('No preview for this kind')).toBe(null);
  await hear({ type: 'picture', sid: OPEN_SID, width: 800, height: 600, png: 'iVBORw0KGgo=' });

  await waitFor(() =>
    expect(container.querySelector('li img')?.getAttribute('src')).toBe('data:image/png;base64,iVBORw0KGgo='),
  );
});

test('who may neither join nor watch is told so, and has no button for it', async () => {
  await openSessions([openSession({ participantModes: [] })]);

  const card = within(await screen.findByRole('listitem', { name: /^Session of ann/ }));
  expect(card.getByText(/^You may not watch this session\. It takes a role/)).toBeTruthy();
  expect(card.queryAllByRole('link')).toEqual([]);
  expect(card.queryAllByRole('button')).toEqual([]);
});

test('a session is ended with a reason', async () => {
  const { gateway } = await openSessions([openSession({ mayEnd: true })]);
  gateway.answer(`DELETE ${LIST}/${OPEN_SID}?reason=lunch`, { body: { message: 'ok' } });
  await userEvent.click(await screen.findByRole('button', { name: /^What to do with/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'End session' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'End the session of ann on root@web-01?' }));
  await userEvent.type(dialog.getByRole('textbox', { name: /^Reason/ }), 'lunch');
  await userEvent.click(dialog.getByRole('button', { name: 'End session' }));

  expect(await screen.findByText('The session of ann has ended')).toBeTruthy();
});

test('a lost line is said until it is back, and the filter leaves what fits', async () => {
  const { lines, hear } = await openSessions([
    openSession(),
    openSession({ id: OPEN_SID.replace('0f', '1f'), owner: 'zoe' }),
  ]);
  await screen.findByRole('listitem', { name: /^Session of zoe/ });
  await act(async () => lines.at(-1)?.drop());
  expect(await screen.findByText(/^The list is not live/)).toBeTruthy();
  await waitFor(() => expect(lines).toHaveLength(2));
  await hear({
    type: 'sessions',
    sessions: [openSession(), openSession({ id: OPEN_SID.replace('0f', '1f'), owner: 'zoe' })],
  });
  await waitFor(() => expect(screen.queryByText(/^The list is not live/)).toBe(null));
  await userEvent.type(screen.getByRole('searchbox'), 'zoe');
  await waitFor(() => expect(screen.queryByRole('listitem', { name: /^Session of ann/ })).toBe(null));

  expect(screen.getByText('1 of 2 sessions')).toBeTruthy();
});
