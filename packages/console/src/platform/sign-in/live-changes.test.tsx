import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

test.each([
  ['ended_by_administrator', 'ended_by_administrator'],
  ['credentials_reset', 'credentials_reset'],
])('a sign-in that was %s elsewhere is left with that reason', async (reason, said) => {
  const { sockets, went } = await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });

  sockets[0]?.hear({ type: 'ended', reason });

  expect(went).toEqual([`/web/login?redirect_uri=%2Fweb%2Fsettings&reason=${said}`]);
});

test('news of alerts asks for them again', async () => {
  const { sockets, gateway } = await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });
  const asked = () => gateway.calls.filter((call) => call === 'GET /v1/webapi/sites/one/alerts').length;
  await waitFor(() => expect(asked()).toBe(1));

  sockets[0]?.hear({ type: 'alerts' });

  await waitFor(() => expect(asked()).toBe(2));
});

test('news of resources asks for those in sight again, once at first and once for all that follow', async () => {
  const { sockets, gateway } = await openPage('/web/cluster/one/nodes');
  await screen.findByRole('row', { name: /web-01/ });
  const asked = () => gateway.calls.filter((call) => call.startsWith('GET /v1/webapi/sites/one/nodes?')).length;
  const before = asked();

  for (let time = 0; time < 10; time += 1) sockets[0]?.hear({ type: 'resources' });

  await waitFor(() => expect(asked()).toBe(before + 1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(asked()).toBe(before + 1);
});

test('leaving the console closes the line', async () => {
  const { sockets, unmount } = await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });

  unmount();

  expect(sockets[0]?.isClosed).toBe(true);
});

test('news of a command that waits is told with the way to it, and taken back when it waits no more', async () => {
  const { sockets, gateway } = await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });
  expect(gateway.calls).not.toContain('GET /v1/webapi/headless');
  const expires = '2026-11-16T03:05:00Z';
  gateway.answer('GET /v1/webapi/headless', {
    body: [{ requestId: 'r-1', server: 'web-1', login: 'deploy', client: 'gatehouse on build-07', expires }],
  });

  sockets[0]?.hear({ type: 'headless' });

  expect(await screen.findByText('A command wants to sign in as you: deploy on web-1')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Look at it' }).getAttribute('href')).toBe('/web/headless/r-1');
  gateway.answer('GET /v1/webapi/headless', { body: [] });
  sockets[0]?.hear({ type: 'headless' });
  await waitFor(() => expect(screen.queryByText(/wants to sign in as you/)).toBe(null));
});
