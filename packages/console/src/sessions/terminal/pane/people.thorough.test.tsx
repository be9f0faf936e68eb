/** What a pane says about the people of its session, and while it is held up. */
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { closePage, openPage } from '../../../../testing/open-page.tsx';
import { fakeTerminalGateway, SID } from '../../../../testing/terminal/fake-terminal-gateway.ts';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const time = '2026-11-15T03:00:00Z';
const party = (user: string, mode: string, more: object = {}) => ({
  ...{ id: `${user}-${mode}`, user, mode, self: false, typing: false, since: time, lastActive: time },
  ...more,
});
const flow = (is: string) => ({
  ...{ type: 'flow', flow: is, since: time, taken: 0, could: ['bob'] },
  needs: [{ role: 'watched', policy: 'four eyes', missing: 1, modes: ['moderator'] }],
});

/** Somebody who comes in as `mode`, into the session of maya. */
async function openPane(mode: string) {
  const terminal = fakeTerminalGateway();
  const openSocket = (path: string) =>
    path.endsWith('/terminal')
      ? terminal.openSocket()
      : (Object.assign(new EventTarget(), { send: () => {}, close: () => {} }) as unknown as WebSocket);
  await openPage(`/web/cluster/one/console/session/${SID}?mode=${mode}`, { world: { openSocket } });
  await waitFor(() => expect(terminal.lines).toHaveLength(1));
  const [line] = terminal.lines;
  if (!line) throw new Error('no line');
  line.onSent = () => {};
  await act(async () => {
    line.open();
    line.hear(terminal.state(0, 'w', { mode, user: 'ann' }));
  });
  const hear = (...frames: object[]) =>
    act(async () => {
      for (const frame of frames) line.hear(frame);
    });
  return { line, hear };
}

test('a moderator is told whose session it is, who is in it and who types, and ends it with a reason', async () => {
  const { line, hear } = await openPane('moderator');
  expect(line.sent[1]).toMatchObject({ type: 'attach', sid: SID, mode: 'moderator' });
  const parties = [
    party('ann', 'peer', { typing: true }),
    party('bob', 'observer'),
    party('bob', 'peer'),
    party('maya', 'moderator', { self: true }),
  ];
  await hear({ type: 'parties', parties });

  expect(screen.getByText('You moderate this session of ann')).toBeTruthy();
  const people = within(screen.getByRole('list', { name: 'People in this session' }));
  expect(people.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'ann, peer',
    'bob, peer',
    'maya (you), moderator',
  ]);
  expect(screen.getByText('ann typing')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'End session' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByRole('textbox', { name: /^Reason/ }), 'enough');
  await userEvent.click(dialog.getByRole('button', { name: 'End session' }));
  // Between words a line is asked whether it is still there.
  expect(line.sent).toContainEqual({ type: 'end', reason: 'enough' });
});

test('who watches types nothing, and closing leaves the session as it is', async () => {
  const { line } = await openPane('observer');
  expect(await screen.findByText('You watch the session of ann')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: /^Close root@web-01/ }));

  await waitFor(() => expect(line.isClosed).toBe(true));
  expect(line.sent.map(({ type }) => type)).not.toContain('end');
  expect(line.sent.map(({ type }) => type)).not.toContain('input');
});

test('while it is held up it says for whom it waits, and goes on by itself', async () => {
  const { line, hear } = await openPane('peer');
  await hear({ type: 'parties', parties: [party('ann', 'peer', { self: true })] }, flow('waiting'));

  const panel = within(
    await screen
      .findByRole('heading', { name: 'Waiting for a moderator' })
      .then((title) => title.closest('section') as HTMLElement),
  );
  expect(panel.getByText(/One more person must join as moderator, because role watched asks for it\./)).toBeTruthy();
  expect(panel.getByText('bob')).toBeTruthy();
  await hear(flow('live'));
  expect(screen.queryByRole('heading', { name: 'Waiting for a moderator' })).toBe(null);
  await hear(flow('frozen'));
  await userEvent.click(await screen.findByRole('button', { name: 'End session' }));
  expect(line.sent.at(-1)).toEqual({ type: 'end' });
});
