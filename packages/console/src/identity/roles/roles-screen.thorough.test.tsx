import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway, fullAcl, ROLES } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const WHAT_IF = 'POST /v1/webapi/sites/-current-/access/what-if';
const UPDATE = 'PUT /v1/webapi/roles/access';

const count = (gained: number, lost: number) => ({ gained, lost });
const EFFECTS = {
  items: [
    {
      key: 'k-1',
      user: 'tomas',
      kind: 'node',
      gained: [{ field: 'logins', name: 'ops' }],
      lost: [],
      gainedCount: 1,
      lostCount: 0,
      resourceCount: 2,
      resourceNames: ['ledger-01', 'ledger-02'],
    },
  ],
  startKey: '',
  totalCount: 1,
  total: { users: count(1, 0), resources: count(2, 0), names: count(2, 0) },
  kinds: [{ kind: 'node', users: count(1, 0), resources: count(2, 0), names: count(2, 0) }],
  rights: { users: 0, items: [] },
  hiddenUsers: 0,
};

beforeEach(() => {
  // happy-dom lays nothing out, and the editor asks where its text stands.
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
});
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

async function open(path: string, gateway = fakeGateway()) {
  gateway.answer(WHAT_IF, { body: EFFECTS });
  const page = await openPage(path, { gateway });
  return { ...page, user: userEvent.setup() };
}
const editor = () =>
  waitFor(() => {
    const content = document.querySelector('[data-editor]')?.shadowRoot?.querySelector('.cm-content');
    if (!content) throw new Error('no editor yet');
    return content;
  });
const shownText = async () =>
  [...(await editor()).querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n');
const bodyOf = (gateway: ReturnType<typeof fakeGateway>, call: string) =>
  gateway.bodies[gateway.calls.lastIndexOf(call)] as Record<string, string>;

test('the list tells what roles are for and how many hold them', async () => {
  await open('/web/roles');

  expect(await screen.findByRole('row', { name: /access.*0\.1\.0.*2 people/ })).toBeTruthy();
  expect(screen.getByRole('row', { name: /auditor.*1 person/ })).toBeTruthy();
  expect(document.title).toBe('Manage Roles');
});

test('a field of the form changes only its line of the text, and both are marked', async () => {
  const { user } = await open('/web/roles?open=access');
  await user.type((await screen.findAllByLabelText('Sign in as'))[0] as HTMLElement, 'ops,');

  await waitFor(async () => expect(await shownText()).toContain('logins: [root, ops] # kept'));
  expect(screen.getByText('1 unsaved change')).toBeTruthy();
  expect(document.querySelectorAll('[data-changed]')).toHaveLength(1);
  const root = (await editor()).getRootNode() as ShadowRoot;
  expect(root.querySelector('.gh-removed')?.textContent).toBe('    logins: [root] # kept');
  expect(root.querySelector('.gh-added')?.textContent).toBe('    logins: [root, ops] # kept');
});

test('who gains what is told while the role is edited: counts, then names', async () => {
  const { user, gateway } = await open('/web/roles?open=access');
  await user.type((await screen.findAllByLabelText('Sign in as'))[0] as HTMLElement, 'ops,');
  const panel = within(screen.getByRole('complementary', { name: 'What changes when you save' }));

  expect(await panel.findByText('1 person gains access to 2 servers')).toBeTruthy();
  expect(panel.getByText('1 person can use ops on 2 servers')).toBeTruthy();
  expect(panel.getByText('ledger-01, ledger-02')).toBeTruthy();
  expect(panel.getByText('tomas')).toBeTruthy();
  const { change } = gateway.bodies[gateway.calls.lastIndexOf(WHAT_IF)] as { change: unknown };
  expect(change).toEqual({ type: 'save-role', content: expect.stringContaining('[root, ops]') });
});

test('saving shows the changed lines first and sends the revision that was edited', async () => {
  const { user, gateway } = await open('/web/roles?open=access');
  const content = `${ROLES[0]?.content}`.replace('[root]', '[root, ops]');
  gateway.answer(UPDATE, {
    body: { ...ROLES[0], content, revision: 'access-2', notes: ['forward_agent gives nothing'] },
  });
  await user.type((await screen.findAllByLabelText('Sign in as'))[0] as HTMLElement, 'ops,');
  await user.click(screen.getByRole('button', { name: 'Review and save' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Save the role access?' }));

  expect(dialog.getByRole('region', { name: 'Changed lines' }).textContent).toContain(
    '+added    logins: [root, ops] # kept',
  );
  gateway.answer('GET /v1/webapi/roles', { body: [{ ...ROLES[0], content, revision: 'access-2' }] });
  await user.click(dialog.getByRole('button', { name: 'Save' }));

  expect(await screen.findByText('access was saved.')).toBeTruthy();
  expect(bodyOf(gateway, UPDATE)).toEqual({ content, revision: 'access-1' });
  expect(screen.getByText('forward_agent gives nothing')).toBeTruthy();
  expect(screen.queryByText(/unsaved change/)).toBeNull();
});

test('what the gateway finds wrong stands under the text with line and column, and keeps it from being saved', async () => {
  const { user, gateway } = await open('/web/roles?open=access');
  const issues = [{ path: 'spec.allow.logins[1]', line: 8, column: 22, message: 'is not a template' }];
  gateway.answer(WHAT_IF, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  await user.type((await screen.findAllByLabelText('Sign in as'))[0] as HTMLElement, '{{{{x,');

  expect((await screen.findByText('Line 8, column 22')).closest('button')?.textContent).toContain('is not a template');
  expect(screen.getByRole('button', { name: 'Review and save' }).getAttribute('aria-disabled')).toBe('true');
});

test('a role that somebody else saved meanwhile shows both changes, and both can be kept', async () => {
  const { user, gateway } = await open('/web/roles?open=access');
  await user.type((await screen.findAllByLabelText('Sign in as'))[0] as HTMLElement, 'ops,');
  const theirs = `${ROLES[0]?.content}`.replace("'0.1.0'", 'theirs');
  gateway.answer(UPDATE, { status: 412, body: failure('compare_failed', 'changed meanwhile') });
  gateway.answer('GET /v1/webapi/roles', { body: [{ ...ROLES[0], content: theirs, revision: 'access-2' }] });
  await user.click(screen.getByRole('button', { name: 'Review and save' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Save' }));

  const dialog = within(await screen.findByRole('dialog', { name: 'access was changed by two people' }));
  expect(dialog.getByRole('region', { name: /Their change/ }).textContent).toContain('+added  description: theirs');
  expect(dialog.getByRole('region', { name: /Your change/ }).textContent).toContain('+added    logins: [root, ops]');
  await user.click(dialog.getByRole('button', { name: 'Keep both' }));

  await waitFor(async () => expect(await shownText()).toContain('description: theirs'));
  expect(await shownText()).toContain('logins: [root, ops] # kept');
  gateway.answer(UPDATE, { body: { ...ROLES[0], revision: 'access-3' } });
  await user.click(screen.getByRole('button', { name: 'Review and save' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(bodyOf(gateway, UPDATE).revision).toBe('access-2'));
});

test('a new role is made from a name, labels and logins', async () => {
  const { user, gateway } = await open('/web/roles?do=new');
  await user.type(await screen.findByLabelText('Name'), 'ops');
  await user.click(screen.getAllByRole('button', { name: 'Add a label' })[0] as HTMLElement);
  await user.type(screen.getByLabelText('Label'), 'env');
  await user.type(screen.getByLabelText('Values, with commas'), 'prod, test');
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await user.type(screen.getAllByLabelText('Sign in as')[0] as HTMLElement, 'ops,');
  const content =
    'kind: role\nversion: v6\nmetadata:\n  name: ops\nspec:\n  allow:\n    node_labels:\n      env: [prod, test]\n    logins: [ops]\n';
  const made = { id: 'role:ops', kind: 'role', name: 'ops', content, revision: 'ops-1' };
  gateway.answer('POST /v1/webapi/roles', { body: made });
  gateway.answer('GET /v1/webapi/roles', { body: [...ROLES, made] });
  await user.click(screen.getByRole('button', { name: 'Make role' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Save' }));

  expect(await screen.findByText('ops was saved.')).toBeTruthy();
  expect(bodyOf(gateway, 'POST /v1/webapi/roles')).toEqual({ content });
  await waitFor(() => expect(window.location.search).toBe('?open=ops'));
});

test('unsaved changes are not left behind without asking', async () => {
  const { user } = await open('/web/roles?open=access');
  await user.type(await screen.findByLabelText('Description'), '!');
  await user.click(screen.getByRole('button', { name: 'All roles' }));

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Stay' }));
  expect(screen.getByLabelText<HTMLInputElement>('Description').value).toBe('0.1.0!');
  await user.click(screen.getByRole('button', { name: 'All roles' }));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));

  expect(await screen.findByRole('row', { name: /auditor/ })).toBeTruthy();
});

test('a role that people hold is not offered for deletion, but who holds it is shown', async () => {
  const { user } = await open('/web/roles?open=auditor');
  await user.click(await screen.findByRole('button', { name: 'Actions for auditor' }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete role' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'auditor is still held' }));

  expect(dialog.getByText('ines')).toBeTruthy();
  expect(dialog.getByRole('link', { name: /Show them/ }).getAttribute('href')).toBe('/web/users?search=auditor');
});

test('somebody who may only read roles sees form and text, and no way to save', async () => {
  const acl = { ...fullAcl(), roles: { ...fullAcl().roles, edit: false, create: false, remove: false } };
  const { gateway } = await open('/web/roles?open=access', fakeGateway(acl));

  expect(await screen.findByText('Read only')).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>('Description').disabled).toBe(true);
  expect(screen.queryByRole('button', { name: 'Review and save' })).toBeNull();
  expect(gateway.calls).not.toContain(WHAT_IF);
});
