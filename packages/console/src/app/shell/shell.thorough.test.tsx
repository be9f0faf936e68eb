import { encodeAcl } from '@gatehouse/contract/access/acl';
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { CLUSTER, fakeGateway, fullAcl } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { READ_KEYS, SHOWN_KEYS } from '../../evidence/recordings/player/player-keys.ts';
import { KEY_HINTS } from '../../sessions/terminal/terminal-keys.ts';

const ALERTS = 'GET /v1/webapi/sites/one/alerts';

afterEach(async () => {
  await closePage();
  delete document.documentElement.dataset.theme;
});

function withAlerts(...alerts: { name: string; severity: number; message: string; link?: string }[]) {
  const gateway = fakeGateway();
  gateway.answer(ALERTS, {
    body: {
      alerts: alerts.map(({ name, severity, message, link }) => ({
        kind: 'cluster_alert',
        version: 'v1',
        metadata: { name, labels: link ? { 'teleport.internal/link': link } : {} },
        spec: { severity, message, created: '2026-11-15T02:12:00Z' },
      })),
    },
  });
  return gateway;
}

test('alerts show their severity and link, and a dismissed one stays away for a day in this browser', async () => {
  const gateway = withAlerts(
    { name: 'rotate', severity: 10, message: 'Rotate the authority.', link: 'https://example.com/rotate' },
    { name: 'trap', severity: 0, message: 'Do not click.', link: 'javascript:alert(1)' },
  );
  await openPage('/web/settings', { gateway });

  await userEvent.click(await screen.findByRole('button', { name: '2 alerts' }));
  const list = await screen.findByRole('dialog', { name: 'Alerts' });
  expect(within(list).getByRole('img', { name: 'Urgent' })).toBeTruthy();
  expect(
    within(list)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual(['https://example.com/rotate']);
  await userEvent.click(within(list).getByRole('button', { name: 'Hide for a day: Rotate the authority.' }));

  expect(within(list).queryByText('Rotate the authority.')).toBe(null);
  const stored = JSON.parse(localStorage.getItem('disabledAlerts') ?? '{}');
  expect(stored.rotate - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
  expect(stored.rotate - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
});

test('an alert comes back when its day is over', async () => {
  localStorage.setItem('disabledAlerts', JSON.stringify({ rotate: Date.now() - 1, other: Date.now() + 60_000 }));
  const gateway = withAlerts(
    { name: 'rotate', severity: 5, message: 'Rotate.' },
    { name: 'other', severity: 5, message: 'Other.' },
  );

  await openPage('/web/settings', { gateway });

  expect(await screen.findByRole('button', { name: '1 alert' })).toBeTruthy();
});

test('the palette lists the screens the user has and does what is chosen', async () => {
  await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });

  await userEvent.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', { name: 'Search or jump to' });
  expect(screen.getByRole('option', { name: /Help & Support/ })).toBeTruthy();
  expect(screen.getByRole('option', { name: /Enroll New Resource/ })).toBeTruthy();
  await userEvent.type(field, 'help{Enter}');

  expect(await screen.findByRole('heading', { name: 'Help & Support' })).toBeTruthy();
});

test('the palette changes the theme', async () => {
  await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });

  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.type(await screen.findByRole('combobox', { name: 'Search or jump to' }), 'light{Enter}');

  await waitFor(() => expect(document.documentElement.dataset.theme).toBe('light'));
});

test('g and a letter go to a screen, [ collapses the navigation, ? shows the keys', async () => {
  await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });
  const navigation = screen.getAllByRole('navigation', { name: 'Main' })[0];

  await userEvent.keyboard('[[');
  expect(navigation?.dataset.collapsed).toBe('true');
  await userEvent.keyboard('gh');
  expect(await screen.findByRole('heading', { name: 'Help & Support' })).toBeTruthy();
  await userEvent.keyboard('?');

  const dialog = within(await screen.findByRole('dialog', { name: 'Keyboard' }));
  const rowsOf = (name: string) =>
    within(dialog.getByRole('region', { name }))
      .getAllByRole('listitem')
      .map((row) => row.textContent);
  expect(rowsOf('In lists')).toContainEqual(expect.stringMatching(/^Choose a login.*L/));
  expect(rowsOf('In a terminal')).toHaveLength(Object.keys(KEY_HINTS).length);
  expect(rowsOf('In a terminal')).toContainEqual(expect.stringMatching(/^Split right.*Alt.*Shift.*D/));
  expect(rowsOf('In a recording')).toHaveLength(SHOWN_KEYS.length);
  const all = ['In lists', 'In a terminal', 'In a recording'].flatMap(rowsOf);
  expect(all.filter((words) => !/^[\p{Lu}\d]/u.test(words ?? ''))).toEqual([]);
});

test('whatever the player reads is shown among its keys', () => {
  expect(new Set(SHOWN_KEYS.flatMap(({ does }) => does))).toEqual(new Set(READ_KEYS));
});

test('/ opens the palette on a screen without a search of its own', async () => {
  await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });

  await userEvent.keyboard('/');

  expect(await screen.findByRole('combobox', { name: 'Search or jump to' })).toBeTruthy();
});

test('single keys can be turned off, and the choice is kept', async () => {
  await openPage('/web/settings');
  await userEvent.click(await screen.findByRole('switch', { name: 'Single-key shortcuts' }));
  (document.activeElement as HTMLElement).blur();

  await userEvent.keyboard('?gh');

  expect(screen.queryByRole('dialog')).toBe(null);
  expect(window.location.pathname).toBe('/web/settings');
  expect(localStorage.getItem('shortcuts')).toBe('off');
});

test('another cluster is chosen by name; offline ones say so', async () => {
  await openPage('/web/cluster/one/nodes');

  await userEvent.click(await screen.findByRole('button', { name: /one.*Switch cluster/ }));
  const choices = await screen.findAllByRole('menuitemradio');
  expect(choices.map((choice) => choice.textContent)).toEqual(['anotherOffline', 'oneOnline']);
  await userEvent.click(choices[0]!);

  await waitFor(() => expect(window.location.pathname).toBe('/web/cluster/another/nodes'));
});

test('a lost gateway is said, and the banner goes away by itself', async () => {
  const gateway = fakeGateway();
  const { world } = await openPage('/web/settings', { gateway });
  await screen.findByRole('heading', { name: 'Settings' });

  gateway.answer('GET /v1/webapi/ping', 'no answer');
  world.connection.failed();
  expect(await screen.findByText('The gateway does not answer.')).toBeTruthy();
  gateway.answer('GET /v1/webapi/ping', { body: {} });
  const callsBefore = gateway.calls.length;
  await userEvent.click(screen.getByRole('button', { name: 'Try now' }));

  await waitFor(() => expect(screen.queryByText('The gateway does not answer.')).toBe(null));
  await waitFor(() => expect(gateway.calls.slice(callsBefore)).toContain('GET /v1/webapi/sites/-current-/context'));
});

test('help shows what the gateway says about itself', async () => {
  await openPage('/web/support');

  expect(await screen.findByText('one.example.com:443')).toBeTruthy();
  expect(screen.getByText('maya, local user')).toBeTruthy();
});

test('a change of language changes what is on the screen', async () => {
  await openPage('/web/settings?lang=pseudo', { language: 'pseudo' });

  await userEvent.selectOptions(await screen.findByRole('combobox'), 'en');

  expect(await screen.findByRole('heading', { name: 'Settings' })).toBeTruthy();
  expect(localStorage.getItem('language')).toBe('en');
});

test('whoever came through a provider signs out here and then there, in this tab alone', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/context', {
    body: { authType: 'sso', userName: 'maya', userAcl: encodeAcl(fullAcl()), cluster: CLUSTER },
  });
  gateway.answer('GET /v1/webapi/sso/signout', {
    body: { connector: 'okta', display: 'Acme', url: 'https://idp.example/logout' },
  });
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  const { went } = await openPage('/web/settings', { gateway });

  await userEvent.click(await screen.findByRole('button', { name: 'Account of maya' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Sign out here and at Acme' }));

  await waitFor(() => expect(went).toEqual(['https://idp.example/logout']));
  expect(gateway.calls).toContain('DELETE /v1/webapi/sessions/web');
  expect(localStorage.getItem(STORAGE_KEYS.token)).toBeNull();
  expect(open).not.toHaveBeenCalled();
});
