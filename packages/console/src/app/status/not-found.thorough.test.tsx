import { screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

test('an address that leads nowhere keeps the navigation of whoever is signed in', async () => {
  await openPage('/web/no/such/page');

  expect(await screen.findByRole('heading', { name: '404 Not Found' })).toBeTruthy();
  expect(await screen.findByRole('link', { name: 'Servers' })).toBeTruthy();
});

test('nobody else is shown more than the card', async () => {
  const { gateway } = await openPage('/web/no/such/page', { signedIn: false });

  expect(await screen.findByRole('heading', { name: '404 Not Found' })).toBeTruthy();
  expect(screen.queryByRole('navigation')).toBe(null);
  expect(gateway.calls).toEqual([]);
});
