import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, fullAcl, LOCK, listUsers, USERS } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

const record = (name: string, more = {}) => ({
  ...USERS.find((user) => user.name === name),
  traits: { logins: ['root'] },
  revision: 'one',
  ...more,
});
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('button')[0]?.textContent);
const bodyOf = (gateway: ReturnType<typeof fakeGateway>, call: string) =>
  gateway.bodies[gateway.calls.lastIndexOf(call)];

async function open(path = '/web/users', gateway = fakeGateway()) {
  gateway.answer('GET /v1/webapi/users/tomas', { body: record('tomas') });
  gateway.answer('GET /v1/webapi/users/maya', { body: record('maya') });
  gateway.answer('GET /v1/webapi/users/ines', { body: record('ines') });
  gateway.answer('GET /v1/webapi/users/tomas/signins', { body: [] });
  const page = await openPage(path, { gateway });
  await screen.findAllByRole('row', { name: /tomas/, hidden: true });
  return { ...page, user: userEvent.setup() };
}

test('the list tells where users come from, how they prove themselves and whether they can sign in', async () => {
  await open();

  expect(screen.getByRole('row', { name: /maya.*you.*access.*editor.*local user.*app, passkey.*Active/ })).toBeTruthy();
  expect(screen.getByRole('row', { name: /tomas.*local user.*none.*Invited.*never/ })).toBeTruthy();
  expect(screen.getByRole('row', { name: /ines.*single sign-on, GitHub.*Locked/ })).toBeTruthy();
});

test('whoever came through a connector that is gone is said to have no way in, in the list and beside it', async () => {
  const gateway = fakeGateway();
  const gone = { name: 'tomas', roles: [], authType: 'local', formerConnector: 'okta', state: 'left-behind' as const };
  gateway.answer(
    'GET /v1/webapi/sites/-current-/users',
    listUsers(() => [gone]),
  );
  const { user } = await open('/web/users', gateway);

  expect(screen.getByRole('button', { name: /Cannot sign in/ })).toBeTruthy();
  await user.click(screen.getByRole('row', { name: /tomas.*okta \(removed\).*Cannot sign in/ }));

  expect(await screen.findByText(/came from okta, which was removed/)).toBeTruthy();
});

test('whose connector is switched off is said to have no way in, and why', async () => {
  const gateway = fakeGateway();
  const off = { name: 'tomas', roles: [], authType: 'oidc', closedConnector: 'okta', state: 'left-behind' as const };
  gateway.answer(
    'GET /v1/webapi/sites/-current-/users',
    listUsers(() => [off]),
  );
  const { user } = await open('/web/users', gateway);
  await user.click(screen.getByRole('row', { name: /tomas.*Cannot sign in/ }));

  expect(await screen.findByText(/come through okta, which is switched off/)).toBeTruthy();
});

test('search, sort and the open user live in the address', async () => {
  const { user } = await open('/web/users?sort=name:desc');
  expect(names()).toEqual(['tomas', 'mayayou', 'ines']);

  await user.click(screen.getByRole('button', { name: 'Last sign-in' }));
  await waitFor(() => expect(window.location.search).toBe('?sort=last%3Aasc'));
  expect(names()).toEqual(['ines', 'mayayou', 'tomas']);
  await user.keyboard('/audit');
  await waitFor(() => expect(names()).toEqual(['ines']));
  expect(window.location.search).toContain('search=audit');
  await user.clear(screen.getByRole('searchbox'));
  await user.click(await screen.findByRole('row', { name: /tomas/ }));

  expect(await screen.findByRole('complementary', { name: 'User tomas' })).toBeTruthy();
  await waitFor(() => expect(window.location.search).toContain('open=tomas'));
});

test('of many people fifty are drawn at first, and the rest when they are wanted', async () => {
  const gateway = fakeGateway();
  const one = { roles: ['access'], authType: 'local', state: 'active' as const };
  const many = Array.from({ length: 120 }, (_, index) => ({ ...one, name: `tomas-${index}` }));
  gateway.answer(
    'GET /v1/webapi/sites/-current-/users',
    listUsers(() => many),
  );
  const { user } = await open('/web/users', gateway);
  expect(names()).toHaveLength(50);

  await user.click(screen.getByRole('button', { name: 'Show more' }));

  await waitFor(() => expect(names()).toHaveLength(120));
});

test('a search nothing fits says so and offers to clear it', async () => {
  const { user } = await open();
  await user.type(screen.getByRole('searchbox'), 'zzz');

  expect(await screen.findByRole('heading', { name: 'Nobody fits “zzz”' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Clear search' }));

  expect(await screen.findByRole('row', { name: /tomas/ })).toBeTruthy();
});

test('by keyboard alone: j and k move, Enter opens, n makes a new user', async () => {
  const { user } = await open();

  await user.keyboard('jjk');
  expect(document.activeElement?.textContent).toBe('ines');
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('complementary', { name: 'User ines' })).toBeTruthy();
  await user.keyboard('n');

  expect(await screen.findByRole('dialog', { name: 'New user' })).toBeTruthy();
});

test('a new user gets a link that is shown once, with its end and how to hand it over', async () => {
  const { user, gateway } = await open('/web/users?do=new');
  gateway.answer('POST /v1/webapi/users/invite', {
    body: {
      name: 'bo',
      inviteUrl: 'https://one.example.com/web/invite/t-9',
      expires: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  const dialog = within(await screen.findByRole('dialog'));

  await user.click(dialog.getByRole('button', { name: 'Make user and link' }));
  expect(dialog.getByText('Type the name they will sign in with.')).toBeTruthy();
  expect(dialog.getByText('Choose at least one role.')).toBeTruthy();
  await user.type(dialog.getByLabelText('Name'), 'bo');
  await user.click(await dialog.findByRole('checkbox', { name: /access/ }));
  await user.type(dialog.getByLabelText('Logins on servers'), 'root,bo,');
  await user.selectOptions(dialog.getByLabelText('The link works for'), '8');
  await user.click(dialog.getByRole('button', { name: 'Make user and link' }));

  expect(await screen.findByRole('dialog', { name: 'bo is invited' })).toBeTruthy();
  expect(document.activeElement?.textContent).toBe('Copy link');
  expect(screen.getByText(/It works once and ends in/)).toBeTruthy();
  expect(screen.queryByText(/own machine only/)).toBeNull();
  expect(screen.getByText('https://one.example.com/web/invite/t-9')).toBeTruthy();
  expect(screen.getByText(/Give the link to bo yourself/)).toBeTruthy();
  expect(bodyOf(gateway, 'POST /v1/webapi/users/invite')).toEqual({
    name: 'bo',
    roles: ['access'],
    traits: { logins: ['root', 'bo'] },
    ttlSeconds: 8 * 3600,
  });
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeTruthy();
});

test('what the gateway refuses is said where it was asked', async () => {
  const { user, gateway } = await open('/web/users?do=new');
  const message = "you cannot act on role 'editor': only those who hold it, or may edit roles, can";
  gateway.answer('POST /v1/webapi/users/invite', { status: 403, body: failure('denied', message) });
  const dialog = within(await screen.findByRole('dialog'));

  await user.type(dialog.getByLabelText('Name'), 'bo');
  await user.click(await dialog.findByRole('checkbox', { name: /editor/ }));
  await user.click(dialog.getByRole('button', { name: 'Make user and link' }));

  expect((await dialog.findByRole('alert')).textContent).toContain("You cannot act on role 'editor'");
});

test('roles and traits are edited in place, with the revision they were read at', async () => {
  const { user, gateway } = await open('/web/users?open=tomas');
  gateway.answer('PUT /v1/webapi/users', { body: record('tomas', { roles: ['access', 'auditor'], revision: 'two' }) });

  await user.click(await screen.findByRole('checkbox', { name: /auditor/ }));
  await user.click(screen.getByRole('button', { name: 'Remove root' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));

  expect(await screen.findByText('tomas was saved.')).toBeTruthy();
  expect(bodyOf(gateway, 'PUT /v1/webapi/users')).toMatchObject({
    name: 'tomas',
    roles: ['access', 'auditor'],
    traits: { logins: [], databaseUsers: [] },
    revision: 'one',
  });
});

test('a user whom somebody else changed meanwhile is shown as both, and what was typed stays', async () => {
  const { user, gateway } = await open('/web/users?open=tomas');
  gateway.answer('PUT /v1/webapi/users', { status: 412, body: failure('compare_failed', 'changed meanwhile') });
  await user.click(await screen.findByRole('checkbox', { name: /auditor/ }));
  gateway.answer('GET /v1/webapi/users/tomas', { body: record('tomas', { roles: ['editor'], revision: 'two' }) });
  await user.click(screen.getByRole('button', { name: 'Save' }));

  expect(await screen.findByText(/Their roles are now: editor/)).toBeTruthy();
  const auditor = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /auditor/ });
  expect(auditor().checked).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Keep mine' }));
  gateway.answer('PUT /v1/webapi/users', { body: record('tomas', { revision: 'three' }) });
  await user.click(screen.getByRole('button', { name: 'Save' }));

  await waitFor(() => expect(bodyOf(gateway, 'PUT /v1/webapi/users')).toMatchObject({ revision: 'two' }));
});

test('a user is deleted after typing their name; nobody deletes themselves', async () => {
  const { user, gateway } = await open('/web/users?open=tomas');
  const refused = "user 'tomas' is the last way in: without it nobody who can sign in may edit users and roles";
  gateway.answer('DELETE /v1/webapi/users/tomas', { status: 409, body: failure('conflict', refused) });

  await user.click(await screen.findByRole('button', { name: 'Actions for tomas' }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete user' }));
  await user.click(screen.getByRole('button', { name: 'Delete user' }));
  expect(gateway.calls).not.toContain('DELETE /v1/webapi/users/tomas');
  await user.type(screen.getByLabelText('Type tomas to go on'), 'tomas');
  await user.click(screen.getByRole('button', { name: 'Delete user' }));
  expect((await screen.findByRole('alert')).textContent).toContain('is the last way in');
  gateway.answer('DELETE /v1/webapi/users/tomas', { body: { message: 'ok' } });
  await user.click(screen.getByRole('button', { name: 'Delete user' }));
  expect(await screen.findByText('tomas was deleted.')).toBeTruthy();

  await user.click(screen.getByRole('row', { name: /maya/ }));
  await user.click(await screen.findByRole('button', { name: 'Actions for maya' }));
  expect(screen.getByRole('menuitem', { name: /Delete user/ }).getAttribute('aria-disabled')).toBe('true');
});

test('links, sign-ins and locks of a user are at hand', async () => {
  const { user, gateway } = await open('/web/users?open=tomas');
  gateway.answer('POST /v1/webapi/users/password/token', {
    body: { tokenId: 't', user: 'tomas', expiry: new Date(Date.now() + 9e5).toISOString(), link: 'https://x/invite/t' },
  });
  gateway.answer('DELETE /v1/webapi/users/tomas/signins', { body: { message: 'ok' } });
  gateway.answer('PUT /v1/webapi/sites/-current-/locks', { body: { ...LOCK, targets: { user: 'tomas' } } });
  const choose = async (name: string) => {
    await user.click(await screen.findByRole('button', { name: 'Actions for tomas' }));
    await user.click(screen.getByRole('menuitem', { name }));
  };

  await choose('New invite link');
  await user.click(screen.getByRole('button', { name: 'Make link' }));
  expect(await screen.findByText('https://x/invite/t')).toBeTruthy();
  expect(bodyOf(gateway, 'POST /v1/webapi/users/password/token')).toEqual({ name: 'tomas', type: 'invite' });
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await choose('End all sign-ins');
  await user.click(screen.getByRole('button', { name: 'End all sign-ins' }));
  expect(await screen.findByText('Every sign-in of tomas was ended.')).toBeTruthy();
  await choose('Lock');
  await user.type(screen.getByLabelText(/Reason/), 'lost');
  await user.click(screen.getByRole('button', { name: 'Lock' }));

  await waitFor(() =>
    expect(bodyOf(gateway, 'PUT /v1/webapi/sites/-current-/locks')).toEqual({
      targets: { user: 'tomas' },
      message: 'lost',
      force: false,
    }),
  );
});

test('a lock-out is told and lifted', async () => {
  const gateway = fakeGateway();
  const lockOut = {
    name: 'tomas',
    since: '2026-11-15T03:00:00Z',
    until: '2026-11-15T03:20:00Z',
    failures: 5,
    address: '10.0.0.9',
  };
  gateway.answer('GET /v1/webapi/lockouts', { body: [lockOut] });
  gateway.answer('DELETE /v1/webapi/lockouts/tomas', { body: { message: 'ok' } });
  const { user } = await open('/web/users?open=tomas', gateway);

  expect(await screen.findByText(/5 failures, the last from 10\.0\.0\.9/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Let them try again' }));

  expect(await screen.findByText('tomas can try again.')).toBeTruthy();
});

test('somebody who may only list users is offered nothing they may not do', async () => {
  const acl = { ...emptyAcl(), users: { ...fullAcl().users, read: false, edit: false, create: false, remove: false } };
  const gateway = fakeGateway(acl);
  const { user } = await open('/web/users', gateway);
  await user.click(screen.getByRole('row', { name: /tomas/ }));

  expect(await screen.findByText(/let you list users, not read their traits/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'New user' })).toBeNull();
  expect(screen.queryByRole('button', { name: /Actions for/ })).toBeNull();
  expect(gateway.calls).not.toContain('GET /v1/webapi/users/tomas');
  expect(gateway.calls).not.toContain('GET /v1/webapi/roles');
});

test('a page the roles do not allow names the missing rule and an id to look it up by', async () => {
  const gateway = fakeGateway(emptyAcl());
  gateway.answer('GET /v1/webapi/users', { status: 403, body: failure('denied', 'access denied') });
  await openPage('/web/users', { gateway });

  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
  expect(screen.getByRole('region', { name: 'The missing rule' }).textContent).toContain('resources: [user]');
  expect(await screen.findByText(/request-7/)).toBeTruthy();
});
