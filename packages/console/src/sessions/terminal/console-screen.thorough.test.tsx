import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fullAcl } from '../../../testing/fake-gateway.ts';
import { closePage } from '../../../testing/open-page.tsx';
import { fakeTerminalGateway, SID } from '../../../testing/terminal/fake-terminal-gateway.ts';
import { NODE, openTerminal, withServers } from '../../../testing/terminal/open-terminal.ts';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const strip = () => within(screen.getByRole('navigation', { name: 'Terminals' }));
const tab = (name: string) => strip().getByText(name).closest('button');
const tabNames = () => [...strip().getAllByRole('listitem')].map((item) => item.querySelector('code')?.textContent);

test('an address of a server opens a terminal there, and then names the session', async () => {
  const { terminal, connect } = await openTerminal();
  await connect();

  expect(terminal.lines[0]?.sent[1]).toMatchObject({ type: 'open', server: 'id-web-01', login: 'root' });
  await waitFor(() => expect(window.location.pathname).toBe(`/web/cluster/one/console/session/${SID}`));
  await waitFor(() => expect(tabNames()).toEqual(['root@web-01']));
  await waitFor(() => expect(document.title).toBe('one • root@web-01'));
  expect(terminal.lines).toHaveLength(1);
});

test('an address of a session attaches to it', async () => {
  const { terminal, connect } = await openTerminal(`/web/cluster/one/console/session/${SID}`);
  await connect();

  expect(terminal.lines[0]?.sent[1]).toMatchObject({ type: 'attach', sid: SID });
  await waitFor(() => expect(tabNames()).toEqual(['root@web-01']));
});

test('a reload finds its tabs again, by the session and not by opening another', async () => {
  const first = await openTerminal();
  await first.connect();
  await waitFor(() => expect(window.location.pathname).toContain(SID));

  const again = await openTerminal(window.location.pathname, first.terminal);
  await waitFor(() => expect(first.terminal.lines.length).toBe(2));
  await again.connect();

  expect(first.terminal.lines[1]?.sent[1]).toMatchObject({ type: 'attach', sid: SID });
  expect(tabNames()).toEqual(['root@web-01']);
});

test('one that is recorded no longer is not said to be', async () => {
  const { terminal, connect } = await openTerminal();
  await connect();
  expect(await screen.findByText('Recording')).toBeTruthy();
  const text = 'what follows is not recorded: the disk is full';
  await act(async () => terminal.lines[0]?.hear({ type: 'notice', kind: 'unrecorded', text }));
  await waitFor(() => expect(screen.queryByText('Recording')).toBe(null));
});

test('a lost line is said, with a way to try at once; an end is said with its reason and a way back', async () => {
  const { terminal, connect } = await openTerminal();
  await connect();
  await act(async () => terminal.lines[0]?.drop());
  expect(await screen.findByText(/^Connection lost/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Try now' }));
  await connect();
  await waitFor(() => expect(screen.queryByText(/^Connection lost/)).toBe(null));

  await act(async () =>
    terminal.lines.at(-1)?.hear({ type: 'ended', cause: 'ended_by', message: 'ines ended it: maintenance' }),
  );
  expect(await screen.findByText('The session was ended by somebody else')).toBeTruthy();
  expect(screen.getByText('ines ended it: maintenance.')).toBeTruthy();
  const before = terminal.lines.length;
  await userEvent.click(screen.getByRole('button', { name: 'Open again' }));
  await waitFor(() => expect(terminal.lines.length).toBe(before + 1));
  await connect();
  expect(terminal.opened.size).toBe(2);
});

test('a refusal says why, with the number to quote', async () => {
  const { terminal } = await openTerminal();
  await waitFor(() => expect(terminal.lines).toHaveLength(1));
  await act(async () =>
    terminal.lines[0]?.hear({ type: 'refused', code: 'denied', message: 'no login root here', requestId: 'r-9' }),
  );

  expect(await screen.findByText('No login root here.')).toBeTruthy();
  expect(screen.getByText('r-9')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Copy Request id' })).toBeTruthy();
});

test('a server that does not answer says so in the middle, with what to do and each step of a test on request', async () => {
  const { terminal, gateway } = await openTerminal();
  gateway.answer('POST /v1/webapi/sites/one/mfa/required', { body: { required: false } });
  gateway.answer('POST /v1/webapi/sites/one/diagnostics/connections', {
    body: {
      id: 'd-1',
      success: false,
      message: 'no answer',
      traces: [
        { status: 'SUCCESS', details: 'you see it', gatehouse: { step: 'access', durationMs: 1 } },
        { status: 'FAILED', error: 'nothing listens there', gatehouse: { step: 'tcp', durationMs: 3 } },
      ],
    },
  });
  await waitFor(() => expect(terminal.lines).toHaveLength(1));
  await act(async () =>
    terminal.lines[0]?.hear({
      type: 'refused',
      code: 'target_unreachable',
      message: 'no answer from 10.0.0.4:22',
      next: 'start sshd there',
      requestId: 'r-9',
    }),
  );

  expect(await screen.findByText('No answer from 10.0.0.4:22.')).toBeTruthy();
  expect(screen.getByText('Start sshd there.', { exact: false })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Test connection' }));
  expect(await screen.findByText('Nothing listens there.')).toBeTruthy();
  expect(gateway.bodies.at(-1)).toMatchObject({ resource_name: 'id-web-01', ssh_principal: 'root' });
  expect(screen.getByRole('button', { name: 'Test again' })).toBeTruthy();
});

test('whoever may not test a connection is offered none', async () => {
  const acl = fullAcl();
  acl.connectionDiagnostic.create = false;
  const { terminal } = await openTerminal(NODE, fakeTerminalGateway(), withServers(acl));
  await waitFor(() => expect(terminal.lines).toHaveLength(1));
  await act(async () => terminal.lines[0]?.hear({ type: 'refused', code: 'target_unreachable', message: 'no answer' }));

  expect(await screen.findByText('No answer.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Test connection' })).toBe(null);
});

test('a tab has the name of its server before there is a session', async () => {
  await openTerminal();

  await waitFor(() => expect(tabNames()).toEqual(['root@web-01']));
});

test('a tab is renamed, moved and closed by keyboard; a running program is asked about first', async () => {
  const { terminal, connect } = await openTerminal();
  await connect();
  await userEvent.click(screen.getByRole('button', { name: 'New terminal' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Open deploy@web-01' }));
  await waitFor(() => expect(terminal.lines.length).toBe(2));
  await waitFor(() => expect(tabNames()).toEqual(['root@web-01', 'deploy@web-01']));

  tab('root@web-01')?.focus();
  await userEvent.keyboard('{F2}');
  await userEvent.keyboard('left one{Enter}');
  expect(tabNames()[0]).toBe('left one');
  tab('left one')?.focus();
  await userEvent.keyboard('{Control>}{ArrowRight}{/Control}');
  expect(tabNames()).toEqual(['deploy@web-01', 'left one']);

  await act(async () => terminal.lines[0]?.hear({ type: 'program', program: 'vim' }));
  tab('left one')?.focus();
  await userEvent.keyboard('{Delete}');
  expect(await screen.findByText('vim is running. It ends with the session.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Close and end' }));
  await waitFor(() => expect(tabNames()).toEqual(['deploy@web-01']));
  expect(terminal.lines[0]?.sent.at(-1)).toEqual({ type: 'end' });
});

test('Enter means the server of the word that was typed, not the first of the list before', async () => {
  const { terminal, connect } = await openTerminal();
  await connect();
  await userEvent.click(screen.getByRole('button', { name: 'New terminal' }));
  await screen.findByRole('button', { name: 'Open deploy@web-01' });
  await userEvent.keyboard('anna@b-02{Enter}');

  await waitFor(() => expect(tabNames()).toEqual(['root@web-01', 'anna@web-02']));
  expect(terminal.lines).toHaveLength(2);
});

test.each([
  ['opened', undefined],
  ['joined', `/web/cluster/one/console/session/${SID}?mode=observer`],
])('a second factor is asked for within the terminal that is %s', async (_, path) => {
  const { terminal } = await openTerminal(path);
  await waitFor(() => expect(terminal.lines).toHaveLength(1));
  const challenge = { webauthn_challenge: null, totp_challenge: true };
  await act(async () => terminal.lines[0]?.hear({ type: 'factor', challenge }));
  await userEvent.type(await screen.findByRole('textbox', { name: /code/i }), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }));

  expect(terminal.lines[0]?.sent.at(-1)).toEqual({ type: 'factor', code: '123456' });
});
