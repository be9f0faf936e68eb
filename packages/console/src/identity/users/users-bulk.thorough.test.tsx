import type { FoundUser } from '@gatehouse/contract/identity/users/find-users';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, LOCK, listUsers, NO_EFFECTS, ROLES, USERS } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

const LIST = 'GET /v1/webapi/sites/-current-/users';
const PEOPLE = [
  ...USERS,
  { name: 'bo', roles: ['access', 'dba'], authType: 'local', factors: [], state: 'active' },
  { name: 'cy', roles: ['dba'], authType: 'local', factors: ['app'], state: 'active' },
] as FoundUser[];

async function open(path = '/web/users') {
  const gateway = fakeGateway();
  gateway.answer(
    LIST,
    listUsers(() => PEOPLE),
  );
  for (const user of PEOPLE) {
    gateway.answer(`GET /v1/webapi/users/${user.name}`, { body: { ...user, traits: {}, revision: `${user.name}-1` } });
  }
  const page = await openPage(path, { gateway });
  await screen.findByRole('row', { name: /Choose cy/, hidden: true });
  return { ...page, user: userEvent.setup() };
}
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('button')[0]?.textContent);
const sent = (gateway: ReturnType<typeof fakeGateway>, call: string) =>
  gateway.calls.flatMap((each, at) => (each === call ? [gateway.bodies[at]] : []));
const choose = async (user: ReturnType<typeof userEvent.setup>, ...who: string[]) => {
  for (const name of who) await user.click(screen.getByRole('checkbox', { name: `Choose ${name}` }));
};

test('filters tell how many there are, stand in the address, and go together with the search', async () => {
  const { user, gateway } = await open();
  const filters = within(screen.getByRole('group', { name: 'Filters' }));

  expect(filters.getByRole('button', { name: 'Invited 1' })).toBeTruthy();
  expect(filters.queryByRole('button', { name: /Locked out/ })).toBeNull();
  await user.click(filters.getByRole('button', { name: 'No second factor 1' }));
  await waitFor(() => expect(names()).toEqual(['bo']));
  expect(window.location.search).toBe('?factor=none');
  expect(screen.getByText('1 of 5 users')).toBeTruthy();
  await user.click(filters.getByRole('button', { name: 'Clear filters' }));
  await user.click(filters.getByRole('button', { name: 'Role' }));
  await user.type(screen.getByRole('searchbox', { name: 'Find a role' }), 'db');
  await user.click(screen.getByRole('button', { name: 'dba 2' }));
  await waitFor(() => expect(names()).toEqual(['bo', 'cy']));
  await user.type(screen.getByRole('searchbox', { name: 'Name or role' }), 'c');

  await waitFor(() => expect(names()).toEqual(['bo', 'cy']));
  await waitFor(() => expect(gateway.calls.at(-1)).toContain('search=c&role=dba'));
});

test('a role of a row narrows the list to those who have it', async () => {
  const { user } = await open();
  await user.click(within(screen.getByRole('row', { name: /Choose cy/ })).getByRole('button', { name: 'dba' }));

  await waitFor(() => expect(names()).toEqual(['bo', 'cy']));
  expect(window.location.search).toBe('?role=dba');
});

test('by keyboard: x chooses the row, X everything up to it, and what is chosen survives a search', async () => {
  const { user } = await open();

  await user.keyboard('jxjjX');
  expect(screen.getByRole('status', { name: '' }).textContent).toBe('3 users chosen');
  await user.type(screen.getByRole('searchbox', { name: 'Name or role' }), 'maya');
  await waitFor(() => expect(names()).toEqual(['mayayou']));

  expect(screen.getByText('3 users chosen')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Choose nobody' }));
  expect(screen.queryByRole('toolbar')).toBeNull();
});

test('roles are added to each by itself: who is refused is named with the reason, and tried again', async () => {
  const { user, gateway } = await open();
  gateway.answer('PUT /v1/webapi/users', { status: 403, body: failure('denied', "you cannot act on role 'editor'") });
  await choose(user, 'bo', 'cy', 'maya');
  await user.click(screen.getByRole('button', { name: 'Add roles' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add roles to 3 users' }));
  await user.click(dialog.getByRole('button', { name: 'Add roles' }));
  expect(dialog.getByText('Choose at least one role.')).toBeTruthy();
  await user.click(await dialog.findByRole('checkbox', { name: /editor/ }));
  expect(await dialog.findByText('Nobody gains or loses anything.')).toBeTruthy();
  expect(sent(gateway, 'POST /v1/webapi/sites/-current-/access/what-if').at(-1)).toEqual({
    change: { type: 'change-users', names: ['bo', 'cy', 'maya'], add: ['editor'] },
  });
  await user.click(dialog.getByRole('button', { name: 'Add roles' }));

  // Maya has it already.
  expect(await dialog.findByText('Done for 1 user.')).toBeTruthy();
  const failed = within(dialog.getByRole('region', { name: 'Not done for 2 users' }));
  expect(failed.getAllByRole('listitem').map((each) => each.textContent)).toEqual([
    "bo You cannot act on role 'editor'.",
    "cy You cannot act on role 'editor'.",
  ]);
  gateway.answer('PUT /v1/webapi/users', { body: { ...USERS[0], traits: {} } });
  await user.click(dialog.getByRole('button', { name: 'Try those again' }));
  expect(await dialog.findByText('Done for 3 users.')).toBeTruthy();
  expect(sent(gateway, 'PUT /v1/webapi/users').at(-1)).toEqual({
    name: 'cy',
    roles: ['dba', 'editor'],
    traits: {},
    revision: 'cy-1',
  });
  await user.click(dialog.getByRole('button', { name: 'Done' }));
  expect(screen.queryByText(/chosen/)).toBeNull();
});

test('nobody is left without a role, and a role is only taken from who has it', async () => {
  const { user, gateway } = await open();
  gateway.answer('PUT /v1/webapi/users', { body: { ...USERS[0], traits: {} } });
  await choose(user, 'bo', 'cy', 'tomas');
  await user.click(screen.getByRole('button', { name: 'Remove roles' }));
  const dialog = within(screen.getByRole('dialog'));
  expect(dialog.getAllByRole('checkbox')).toHaveLength(2);
  await user.click(dialog.getByRole('checkbox', { name: 'dba' }));
  await user.click(dialog.getByRole('button', { name: 'Remove roles' }));

  expect(await dialog.findByText('Done for 2 users.')).toBeTruthy();
  expect(dialog.getByText(/nobody can be without a role/)).toBeTruthy();
  expect(sent(gateway, 'PUT /v1/webapi/users')).toMatchObject([{ name: 'bo', roles: ['access'] }]);
});

test('locking and deleting several leaves oneself out; deleting asks for the number', async () => {
  const { user, gateway } = await open();
  for (const name of ['bo', 'maya']) gateway.answer(`DELETE /v1/webapi/users/${name}`, { body: { message: 'ok' } });
  gateway.answer('PUT /v1/webapi/sites/-current-/locks', { body: LOCK });
  await choose(user, 'bo', 'maya');
  await user.click(screen.getByRole('button', { name: 'Lock' }));
  await user.type(screen.getByLabelText(/Reason/), 'lost');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Lock' }));
  expect(await screen.findByText(/This is you/)).toBeTruthy();
  expect(sent(gateway, 'PUT /v1/webapi/sites/-current-/locks')).toEqual([{ targets: { user: 'bo' }, message: 'lost' }]);
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Done' }));

  await user.click(screen.getByRole('button', { name: 'Delete' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Delete' }));
  expect(gateway.calls).not.toContain('DELETE /v1/webapi/users/bo');
  await user.type(dialog.getByLabelText('Type 2 to go on'), '2');
  await user.click(dialog.getByRole('button', { name: 'Delete' }));

  expect(await dialog.findByText('Done for 1 user.')).toBeTruthy();
  expect(gateway.calls).toContain('DELETE /v1/webapi/users/bo');
  expect(gateway.calls).not.toContain('DELETE /v1/webapi/users/maya');
});

test('links for several are shown once, copied together, and marked when only this machine can open them', async () => {
  const { user, gateway } = await open();
  const expiry = new Date(Date.now() + 9e5).toISOString();
  gateway.answer('POST /v1/webapi/users/password/token', {
    body: { tokenId: 't', user: 'x', expiry, link: 'http://localhost:3080/web/reset/t' },
  });
  await choose(user, 'bo', 'tomas', 'ines');
  await user.click(screen.getByRole('button', { name: 'Make links' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Make links' }));

  expect(await dialog.findByText('Done for 2 users.')).toBeTruthy();
  expect(dialog.getByText(/sign in through a provider/)).toBeTruthy();
  expect(dialog.getByText(/own machine only/)).toBeTruthy();
  expect(dialog.getByRole('group', { name: 'Invite link for tomas' })).toBeTruthy();
  expect(sent(gateway, 'POST /v1/webapi/users/password/token')).toEqual([
    { name: 'bo', type: 'password' },
    { name: 'tomas', type: 'invite' },
  ]);
  await user.keyboard('{Escape}');
  expect(screen.getByRole('dialog')).toBeTruthy();
});

test('what a change of roles and logins gives is shown before it is saved', async () => {
  const { user, gateway } = await open('/web/users?open=bo');
  const gains = {
    ...NO_EFFECTS,
    total: { ...NO_EFFECTS.total, users: { gained: 1, lost: 0 } },
    items: [
      {
        key: 'k',
        user: 'bo',
        kind: 'node',
        gained: [{ field: 'logins', name: 'root' }],
        lost: [],
        gainedCount: 1,
        lostCount: 0,
        resourceCount: 3,
        resourceNames: ['web-01', 'web-02', 'db-01'],
      },
    ],
    rights: {
      users: 1,
      items: [
        {
          user: 'bo',
          gained: [
            { group: 'users', verb: 'list' },
            { group: 'recordedSessions', verb: 'list' },
            { group: 'recordedSessions', verb: 'read' },
          ],
          lost: [{ group: 'kubeServers', verb: 'create' }],
        },
      ],
    },
  };
  gateway.answer('POST /v1/webapi/sites/-current-/access/what-if', { body: gains });
  await user.click(await screen.findByRole('checkbox', { name: /editor/ }));

  const effects = within(await screen.findByRole('region', { name: 'What changes when you save' }));
  expect(await effects.findByText('Can use root on 3 servers')).toBeTruthy();
  expect(effects.getByText('web-01, web-02, db-01')).toBeTruthy();
  expect(effects.getByText('May now: list users; list and read session recordings')).toBeTruthy();
  expect(effects.getByText('May no longer: add Kubernetes clusters')).toBeTruthy();
  await waitFor(() =>
    expect(sent(gateway, 'POST /v1/webapi/sites/-current-/access/what-if').at(-1)).toMatchObject({
      change: { type: 'change-user', name: 'bo', roles: ['access', 'dba', 'editor'] },
    }),
  );
});

test('a role that would use logins while none are listed warns and leads to the field', async () => {
  const { user, gateway } = await open('/web/users?do=new');
  const missing = [{ trait: 'logins', roles: ['access'] }];
  gateway.answer('POST /v1/webapi/sites/-current-/access/what-if', { body: { ...NO_EFFECTS, missing } });
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(await dialog.findByRole('checkbox', { name: /access/ }));

  expect(await dialog.findByText(/Role access uses the user’s own logins/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Add a login' }));
  expect(document.activeElement).toBe(dialog.getByLabelText('Logins on servers'));
});

test('among many roles one is found by typing, taken by Enter, and those chosen stand on top', async () => {
  const { user, gateway } = await open('/web/users?open=bo');
  const many = Array.from({ length: 60 }, (_, at) => ({ ...ROLES[0], name: `team-${at}`, id: `role:team-${at}` }));
  gateway.answer('GET /v1/webapi/roles', { body: [...many, ...ROLES, { ...ROLES[0], name: 'dba', id: 'role:dba' }] });
  await closePage();
  const again = await openPage('/web/users?open=bo', { gateway });
  const picker = within(await screen.findByRole('group', { name: 'Roles' }));
  await picker.findByRole('checkbox', { name: /team-59/ });

  expect(
    picker
      .getAllByRole('checkbox')
      .slice(0, 2)
      .map((box) => (box as HTMLInputElement).checked),
  ).toEqual([true, true]);
  await user.type(picker.getByRole('searchbox'), 'team-42{Enter}');
  expect(picker.getByRole('button', { name: 'Remove team-42' })).toBeTruthy();
  await user.keyboard('{ArrowDown} ');
  expect(picker.queryByRole('button', { name: 'Remove team-42' })).toBeNull();
  again.unmount();
});

test('a link from a role says who is to be chosen for it, and the role is chosen already', async () => {
  const { user } = await open('/web/users?give=editor');
  expect(screen.getByText('Choose who gets role editor, then Add roles.')).toBeTruthy();
  await choose(user, 'cy');
  await user.click(screen.getByRole('button', { name: 'Add roles' }));

  const box = await within(screen.getByRole('dialog')).findByRole<HTMLInputElement>('checkbox', { name: /editor/ });
  expect(box.checked).toBe(true);
});
