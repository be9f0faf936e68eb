import { emptyAcl, encodeAcl } from '@gatehouse/contract/access/acl';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { CLUSTER, failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

const EXPLAIN = 'POST /v1/webapi/sites/-current-/access/explain';
const RESOURCE = { kind: 'node', id: 'n-1', name: 'ledger-01', labels: [] };
const DENIED = {
  allowed: false,
  sentence: '',
  user: 'tomas',
  roles: ['access'],
  asked: 'connect as root',
  resource: RESOURCE,
  reasons: [{ role: 'sealed', side: 'deny', path: 'spec.deny.node_labels', labels: { tier: 'sealed' }, sentence: '' }],
  change: [{ type: 'remove-clause', role: 'sealed', path: 'spec.deny.node_labels', sentence: '' }],
  rolesThatWould: ['ledger-admin'],
  names: [{ field: 'logins', names: ['deploy', '*'] }],
};

/** The dialog is fetched when it is first opened. */

async function openWhy(gateway = fakeGateway()) {
  const user = userEvent.setup();
  const page = await openPage('/web/settings', { gateway });
  await screen.findByRole('heading', { name: 'Settings' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: 'Search or jump to' }), 'who can');
  await user.keyboard('{Enter}');
  const dialog = within(await screen.findByRole('dialog', { name: 'Check who can reach what' }));
  return { ...page, user, dialog, gateway };
}

test('somebody who sees a server and has no login there reads why, and who changes that', async () => {
  const gateway = fakeGateway();
  const node = { tunnel: false, id: 'n-1', siteId: CLUSTER.name, hostname: 'ledger-01', addr: '10.0.0.1:22' };
  gateway.answer(`GET /v1/webapi/sites/${CLUSTER.name}/nodes`, {
    body: { items: [{ ...node, tags: [], sshLogins: [] }], startKey: '', totalCount: 1 },
  });
  gateway.answer(EXPLAIN, {
    body: {
      ...DENIED,
      user: 'alice',
      reasons: [],
      missing: [{ type: 'empty-trait', role: 'access', field: 'logins', trait: 'logins', names: [], sentence: 's' }],
      change: [{ type: 'fill-trait', trait: 'logins', sentence: 's' }],
      rolesThatWould: [],
      names: [],
    },
  });
  const user = userEvent.setup();
  await openPage(`/web/cluster/${CLUSTER.name}/nodes`, { gateway });
  await user.click(await screen.findByRole('button', { name: 'No login' }));
  await user.click(await screen.findByRole('button', { name: 'Why?' }));

  const dialog = within(await screen.findByRole('dialog', { name: 'Check who can reach what' }));
  expect(await dialog.findByText('No name to sign in with')).toBeTruthy();
  expect(dialog.getByText(/Role access gives the logins of .* account; .* account lists none\./)).toBeTruthy();
  expect(dialog.getByText(/An administrator adds one under Users → alice/)).toBeTruthy();
  expect(dialog.queryByText('Allowed')).toBeNull();
  expect(gateway.bodies.at(-1)).toMatchObject({ kind: 'node', resource: 'n-1', anyName: true });
});

test('from the palette: whether somebody can, why not, and the smallest change', async () => {
  const { user, dialog, gateway } = await openWhy();
  gateway.answer(EXPLAIN, { body: DENIED });

  await user.clear(dialog.getByLabelText('User'));
  await user.type(dialog.getByLabelText('User'), 'tomas');
  await user.type(dialog.getByLabelText('Resource'), 'ledger-01');
  await user.type(dialog.getByLabelText(/^As/), 'root');
  await user.click(dialog.getByRole('button', { name: 'Check' }));

  expect(await dialog.findByText('Denied')).toBeTruthy();
  expect(dialog.getByText('sealed denies it by spec.deny.node_labels, which matches tier: sealed.')).toBeTruthy();
  expect(dialog.getByText('Take spec.deny.node_labels out of role sealed.')).toBeTruthy();
  expect(dialog.getByText('This role would allow it: ledger-admin')).toBeTruthy();
  expect(dialog.getByText('They can connect as: deploy, any name')).toBeTruthy();
  // What the thing is decides what the name on it is called.
  expect(gateway.bodies.slice(-2)).toEqual([
    { user: 'tomas', resource: 'ledger-01' },
    { user: 'tomas', resource: 'ledger-01', login: 'root' },
  ]);
});

test('somebody who has a user of a database and none of its databases does not read that they have no name', async () => {
  const { user, dialog, gateway } = await openWhy();
  const missing = [{ type: 'none', role: 'access', field: 'db_names', names: [], sentence: 's' }];
  gateway.answer(EXPLAIN, { body: { ...DENIED, reasons: [], missing, change: [] } });

  await user.type(dialog.getByLabelText('Resource'), 'shop');
  await user.click(dialog.getByRole('button', { name: 'Check' }));

  expect(await dialog.findByText('A name is missing')).toBeTruthy();
  expect(dialog.getByText('Role access reaches it and names no databases.')).toBeTruthy();
  expect(dialog.queryByText('No name to sign in with')).toBe(null);
});

test('who can reach a resource, as whom and by which roles', async () => {
  const { user, dialog, gateway } = await openWhy();
  gateway.answer('POST /v1/webapi/sites/-current-/access/who', {
    body: {
      resource: RESOURCE,
      items: [
        {
          user: 'tomas',
          roles: ['access'],
          by: ['access'],
          names: [{ field: 'logins', names: ['root'] }],
          locked: true,
        },
      ],
      startKey: '',
      totalCount: 1,
    },
  });

  await user.click(dialog.getByRole('radio', { name: 'Who can reach it?' }));
  await user.type(dialog.getByLabelText('Resource'), 'ledger-01');
  await user.click(dialog.getByRole('button', { name: 'Show' }));

  expect(await dialog.findByText('1 person can reach ledger-01')).toBeTruthy();
  expect(dialog.getByRole('listitem').textContent).toBe('tomas access lockedroot');
});

test('what was missing when somebody was refused is found by the id they were shown', async () => {
  const { user, dialog, gateway } = await openWhy();
  gateway.answer('GET /v1/webapi/sites/-current-/access/denials/request-7', {
    body: {
      id: 'request-7',
      time: '2026-11-15T03:00:00Z',
      expires: '2026-11-16T03:00:00Z',
      user: 'tomas',
      roles: ['access'],
      call: 'GET /v1/webapi/roles',
      message: 'access denied',
      asked: 'list role',
      reasons: [],
      change: [{ type: 'add-rule', role: 'access', resource: 'role', verb: 'list', sentence: '' }],
    },
  });

  await user.click(dialog.getByRole('radio', { name: 'Why was it refused?' }));
  await user.type(dialog.getByLabelText('Id of the refusal'), 'request-7');
  await user.click(dialog.getByRole('button', { name: 'Look up' }));

  expect(await dialog.findByText('GET /v1/webapi/roles')).toBeTruthy();
  expect(dialog.getByText('No role of theirs allows it.')).toBeTruthy();
  expect(dialog.getByText('Add a rule for list on role to role access.')).toBeTruthy();
});

test('a resource nobody knows is said so', async () => {
  const { user, dialog, gateway } = await openWhy();
  gateway.answer(EXPLAIN, { status: 404, body: failure('not_found', "there is no resource 'x'") });

  await user.type(dialog.getByLabelText('Resource'), 'x');
  await user.click(dialog.getByRole('button', { name: 'Check' }));

  expect((await dialog.findByRole('alert')).textContent).toContain("There is no resource 'x'.");
});

test('somebody without rights asks about themselves only', async () => {
  const { dialog } = await openWhy(fakeGateway(emptyAcl()));

  expect(dialog.queryByLabelText('User')).toBeNull();
  expect(dialog.queryByRole('radio')).toBeNull();
});

test('a change of one’s own roles changes the navigation and the screen without a reload', async () => {
  const gateway = fakeGateway();
  const { sockets } = await openPage('/web/users', { gateway });
  await screen.findByRole('row', { name: /tomas/ });
  const context = { authType: 'local', userName: 'maya', userAcl: encodeAcl(emptyAcl()), cluster: CLUSTER };
  gateway.answer('GET /v1/webapi/sites/-current-/context', { body: context });
  gateway.answer('GET /v1/webapi/users', { status: 403, body: failure('denied', 'access denied') });

  act(() => {
    sockets[0]?.open();
    sockets[0]?.hear({ type: 'ready' });
    sockets[0]?.hear({ type: 'user' });
  });

  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Roles' })).toBeNull());
});
