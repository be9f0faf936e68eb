import type { WatchReply } from '@gatehouse/contract/sessions/watch-frames';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeGateway } from '../../../testing/fake-gateway.ts';
import { FakeSocket } from '../../../testing/fake-socket.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { OPEN_SID } from '../../../testing/sessions/open-session.ts';

afterEach(closePage);

const WATCHING: WatchReply = {
  ...{ type: 'watching', sid: OPEN_SID, user: 'ann', mode: 'moderator', database: 'shop', protocol: 'postgres' },
  ...{ dbUser: 'app', dbName: 'orders', created: '2026-01-01T00:00:00Z', recorded: true },
};
const asked = (n: number, text: string): WatchReply => ({ type: 'asked', ms: n * 1_000, n, what: 'query', text });

async function watch(mode = 'moderator') {
  const lines: FakeSocket[] = [];
  const openSocket = (path: string) => {
    const socket = new FakeSocket();
    if (path.endsWith('/databases/shop/editor')) lines.push(socket);
    return socket as unknown as WebSocket;
  };
  const path = `/web/cluster/one/databases/shop/session/${OPEN_SID}?mode=${mode}`;
  await openPage(path, { gateway: fakeGateway(), world: { openSocket } });
  await waitFor(() => expect(lines.length).toBe(1));
  const line = () => lines.at(-1) as FakeSocket;
  const hear = (reply: WatchReply) => act(async () => line().hear(reply));
  await act(async () => line().open());
  return { lines, line, hear };
}

test('it joins as the address says, and shows each statement with what came of it', async () => {
  const { line, hear } = await watch();
  expect(line().sent[1]).toEqual({ type: 'attach', sid: OPEN_SID, mode: 'moderator' });
  await hear(WATCHING);
  expect(await screen.findByRole('heading', { name: 'You moderate the session of ann on shop' })).toBeTruthy();
  expect(screen.getByText('Nothing was run yet')).toBeTruthy();
  await hear({ type: 'flow', flow: 'frozen', since: '2026-01-01T00:00:00Z', needs: [], could: [] });
  expect(screen.getByText(/^Paused: somebody is missing/)).toBeTruthy();
  await hear({ type: 'flow', flow: 'live', since: '2026-01-01T00:00:00Z', needs: [], could: [] });
  expect(screen.queryByText(/^Paused: somebody is missing/)).toBe(null);
  await hear(asked(1, 'select 1'));
  expect(await screen.findByText('no answer')).toBeTruthy();
  await hear({ type: 'answered', ms: 1_003, n: 1, took: 3, rows: 7, bytes: 9, tag: 'SELECT 7', code: '' });

  expect(await screen.findByText('7 rows')).toBeTruthy();
  await userEvent.click(screen.getByText('select 1'));
  await screen.findByRole('complementary', { name: 'Statement at 00:01' });
});

test('a moderator ends it with a reason, and hears that it is over', async () => {
  const { line, hear } = await watch();
  await hear(WATCHING);
  await userEvent.click(await screen.findByRole('button', { name: 'End session' }));
  await userEvent.type(await screen.findByRole('textbox', { name: /^Reason/ }), 'enough');
  await userEvent.click(screen.getAllByRole('button', { name: 'End session' }).at(-1) as HTMLElement);
  expect(line().sent.at(-1)).toEqual({ type: 'end', reason: 'enough' });
  await hear({ type: 'ended', cause: 'ended_by', message: 'it was ended by eve: enough' });

  expect(await screen.findByText('The session has ended')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'End session' })).toBe(null);
  expect(screen.getByRole('link', { name: 'Open recording' })).toBeTruthy();
});

test('a line that is lost is joined again, and nothing stands there twice', async () => {
  const { lines, line, hear } = await watch('observer');
  await hear({ ...WATCHING, mode: 'observer' } as WatchReply);
  await hear(asked(1, 'select 1'));
  expect(screen.queryByRole('button', { name: 'End session' })).toBe(null);
  await act(async () => line().drop());
  expect(await screen.findByText(/^The line is lost/)).toBeTruthy();
  await waitFor(() => expect(lines.length).toBe(2));
  await act(async () => line().open());
  await hear({ ...WATCHING, mode: 'observer' } as WatchReply);
  await hear(asked(1, 'select 1'));

  expect(screen.getAllByText('select 1')).toHaveLength(1);
});

test('a second factor is asked for before it is joined, and again after the line was lost', async () => {
  const { lines, line, hear } = await watch();
  const challenge = { webauthn_challenge: null, totp_challenge: true };
  await hear({ type: 'factor', challenge });
  await userEvent.type(await screen.findByRole('textbox', { name: /code/i }), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(line().sent.at(-1)).toEqual({ type: 'factor', code: '123456' });
  await hear(WATCHING);
  expect(screen.queryByRole('textbox', { name: /code/i })).toBe(null);
  await act(async () => line().drop());
  await waitFor(() => expect(lines.length).toBe(2));
  await act(async () => line().open());
  await hear({ type: 'factor', challenge });
  await screen.findByRole('textbox', { name: /code/i });
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));

  expect(await screen.findByText('You cannot join this session')).toBeTruthy();
  expect(screen.getByText('A role of yours asks for a second factor, and none was given.')).toBeTruthy();
  expect(lines.length).toBe(2);
});

test('who may not join is told why', async () => {
  const { hear } = await watch();
  await hear({ type: 'refused', code: 'denied', message: 'none of your roles lets you join it' });

  expect(await screen.findByText('You cannot join this session')).toBeTruthy();
  expect(screen.getByText('None of your roles lets you join it.')).toBeTruthy();
});
