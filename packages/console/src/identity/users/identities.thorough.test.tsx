import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const IDENTITY = {
  kind: 'github',
  connector: 'hub',
  subject: '4711',
  name: 'ines-at-hub',
  created: '2026-11-15T03:00:00Z',
  confirmed: '2026-11-15T03:00:00Z',
  nextRecheck: '2026-11-15T03:15:00Z',
  trouble: 'GitHub does not answer',
};
const LINK = 'POST /v1/webapi/users/ines/identities';
const UNLINK = 'DELETE /v1/webapi/users/ines/identities/hub';
const world = {
  pageConfig: {
    auth: { providers: [{ name: 'hub', displayName: 'Hub', type: 'github', url: '/x' }] },
    proxyCluster: 'one',
  },
};

afterEach(closePage);

async function open(path: string) {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/users/ines/identities', { body: [IDENTITY] });
  gateway.answer('GET /v1/webapi/users/ines', {
    body: { name: 'ines', roles: ['auditor'], authType: 'github', traits: { logins: ['ines'] }, revision: 'i-1' },
  });
  await openPage(path, { gateway, world });
  return { gateway, user: userEvent.setup() };
}

test('roles and traits of somebody from a provider are read-only, and it is said who gives them', async () => {
  await open('/web/users?open=ines');

  expect(await screen.findByText(/given by 'hub' at each sign-in/)).toBeTruthy();
  const panel = within(screen.getByRole('complementary', { name: 'User ines' }));
  expect(panel.getByText('auditor')).toBeTruthy();
  expect(panel.queryByRole('checkbox')).toBeNull();
  expect(panel.queryByRole('textbox')).toBeNull();
});

test('the panel tells who they are there, when it is checked again, and what is wrong', async () => {
  await open('/web/users?open=ines&tab=sign-ins');

  const identities = within(await screen.findByRole('region', { name: 'At sign-in providers' }));
  const line = (await identities.findByText('ines-at-hub at hub')).closest('li') as HTMLElement;
  expect(line.textContent).toMatch(/confirmed .* · next check .*GitHub does not answer\./);
});

test('an administrator links by the subject alone, and unlinks after being told what ends', async () => {
  const { gateway, user } = await open('/web/users?open=ines&tab=sign-ins');
  gateway.answer(LINK, { body: IDENTITY });
  await user.click(await screen.findByRole('button', { name: 'Link' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Link ines to a provider' }));
  await user.click(dialog.getByRole('button', { name: 'Link' }));
  expect(dialog.getByText('Enter the subject.')).toBeTruthy();
  await user.type(dialog.getByLabelText('Subject'), '4711');
  await user.click(dialog.getByRole('button', { name: 'Link' }));

  expect(await screen.findByText('ines is linked to hub.')).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf(LINK)]).toEqual({ connector: 'hub', subject: '4711' });

  gateway.answer(UNLINK, { status: 409, body: failure('conflict', 'nobody else could sign in') });
  await user.click(screen.getByRole('button', { name: 'Unlink from hub' }));
  const ask = within(await screen.findByRole('dialog', { name: 'Unlink ines from hub?' }));
  expect(ask.getByText(/ends within two seconds/)).toBeTruthy();
  await user.click(ask.getByRole('button', { name: 'Unlink' }));
  expect(await ask.findByText('Nobody else could sign in.')).toBeTruthy();
  gateway.answer(UNLINK, { body: { message: 'ok' } });
  await user.click(ask.getByRole('button', { name: 'Unlink' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('deleting somebody from a provider says that they return unless they are locked', async () => {
  const { user } = await open('/web/users?open=ines');
  await user.click(await screen.findByRole('button', { name: 'Actions for ines' }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete user' }));

  expect(await screen.findByText(/made again, unless a lock keeps them out/)).toBeTruthy();
});
