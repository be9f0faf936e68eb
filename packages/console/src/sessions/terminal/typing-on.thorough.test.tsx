import { act, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { closePage } from '../../../testing/open-page.tsx';
import { fakeTerminalGateway, SID } from '../../../testing/terminal/fake-terminal-gateway.ts';
import { openTerminal } from '../../../testing/terminal/open-terminal.ts';
import { readSettings } from '../../shared/terminal-theme/terminal-settings.ts';
import { startTerminal } from './session/live-terminal.ts';

afterEach(async () => {
  vi.unstubAllGlobals();
  await closePage();
  sessionStorage.clear();
});

const isInTerminal = () => document.activeElement?.classList.contains('xterm-helper-textarea') === true;

test('whoever types while a session gets its address goes on typing, before anything is drawn', async () => {
  const { terminal } = await openTerminal();
  await waitFor(() => expect(terminal.lines).toHaveLength(1));
  await waitFor(() => expect(isInTerminal()).toBe(true));
  const before = document.activeElement;
  // A busy page draws nothing for a while, and keys come all the same.
  vi.stubGlobal('requestAnimationFrame', () => 0);
  const lost: string[] = [];
  const looked = new MutationObserver(() => isInTerminal() || lost.push(window.location.pathname));
  looked.observe(document.body, { childList: true, subtree: true });

  await act(async () => terminal.lines[0]?.open());
  await waitFor(() => expect(window.location.pathname).toBe(`/web/cluster/one/console/session/${SID}`));
  await act(async () => {});
  looked.disconnect();

  expect(isInTerminal()).toBe(true);
  expect(document.activeElement).toBe(before);
  expect(lost).toEqual([]);
});

test('what is typed before there is a line is sent over it, in order', async () => {
  const gateway = fakeTerminalGateway();
  const live = startTerminal(
    { server: 'id-web-01', login: 'root', request: 'r-1' },
    {
      openSocket: () => gateway.openSocket(),
      token: () => 'token',
      now: Date.now,
      label: 'Terminal',
      settings: () => readSettings(undefined),
      onKey: () => false,
      onSession: () => {},
      isWatched: () => true,
    },
  );
  try {
    live.type('echo ');
    live.type('$((6 * 7))\r');
    expect(gateway.lines).toHaveLength(0);
    live.connect();
    gateway.lines[0]?.open();

    expect(gateway.typedText()).toBe('echo $((6 * 7))\r');
  } finally {
    live.leave();
  }
});
