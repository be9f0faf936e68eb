import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, LOCK } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

const LOCKS = 'PUT /v1/webapi/sites/-current-/locks';

test('locks have an entry of their own, and are listed with reason, maker and end', async () => {
  await openPage('/web/locks');

  const row = await screen.findByRole('row', { name: /ines/ });
  expect(row.textContent).toContain('by maya');
  expect(row.textContent).toContain('when lifted');
  expect(screen.getByRole('heading', { level: 1, name: 'Locks' })).toBeTruthy();
  const navigation = within(screen.getByRole('navigation', { name: 'Main' }));
  expect(navigation.getByRole('link', { name: 'Locks' }).getAttribute('aria-current')).toBe('page');
});

test('a lock that was made on the machine of the gateway says so in words, and is found by them', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/locks', { body: [{ ...LOCK, createdBy: '-local-' }] });
  await openPage('/web/locks?search=machine', { gateway });

  const row = await screen.findByRole('row', { name: /ines/ });
  expect(row.textContent).toContain('by somebody on the gateway’s machine');
});

test('a login is locked with a reason and an end', async () => {
  const user = userEvent.setup();
  const gateway = fakeGateway();
  gateway.answer(LOCKS, { body: { ...LOCK, targets: { login: 'root' } } });
  await openPage('/web/locks', { gateway });
  await screen.findByRole('row', { name: /ines/ });
  await user.keyboard('n');
  const dialog = within(await screen.findByRole('dialog', { name: 'New lock' }));

  await user.selectOptions(dialog.getByLabelText('What'), 'login');
  await user.click(dialog.getByRole('button', { name: 'Lock' }));
  expect(dialog.getByText('Say what to lock.')).toBeTruthy();
  await user.type(dialog.getByLabelText('Login, such as root'), 'root');
  await user.type(dialog.getByLabelText(/Reason/), 'audit finding');
  await user.selectOptions(dialog.getByLabelText('Ends'), '86400');
  await user.click(dialog.getByRole('button', { name: 'Lock' }));

  expect(await screen.findByText('Login root is locked.')).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf(LOCKS)]).toEqual({
    targets: { login: 'root' },
    message: 'audit finding',
    ttlSeconds: 86_400,
    force: false,
  });
});

test('a name nobody has is asked about first, and what was meant is one press away; then it is told what ended', async () => {
  const user = userEvent.setup();
  const gateway = fakeGateway();
  gateway.answer(LOCKS, {
    status: 409,
    body: {
      ...failure('conflict', "there is no user 'kenjii'; did you mean 'kenji'?"),
      fields: { unknownTarget: { kind: 'user', name: 'kenjii', meant: 'kenji' } },
    },
  });
  await openPage('/web/locks?do=new', { gateway });
  const dialog = within(await screen.findByRole('dialog', { name: 'New lock' }));
  await user.type(dialog.getByLabelText('Name of the user'), 'kenjii');
  await user.click(dialog.getByRole('button', { name: 'Lock' }));

  expect(await dialog.findByText('There is no user kenjii.')).toBeTruthy();
  expect(dialog.getByText('Did you mean kenji?')).toBeTruthy();
  expect(screen.queryByText('User kenjii is locked.')).toBeNull();
  expect(dialog.getByRole('button', { name: 'Lock it anyway' })).toBeTruthy();

  gateway.answer(LOCKS, {
    body: { ...LOCK, targets: { user: 'kenji' }, ended: { signIns: 1, sessions: 2, stillOpen: 0 } },
  });
  await user.click(dialog.getByRole('button', { name: 'Lock kenji' }));

  expect(await screen.findByText('User kenji is locked.')).toBeTruthy();
  expect(screen.getByText('Signed out of 1 browser or command line. 2 sessions ended.')).toBeTruthy();
  const sent = gateway.bodies.filter((_, index) => gateway.calls[index] === LOCKS);
  expect(sent).toMatchObject([
    { targets: { user: 'kenjii' }, force: false },
    { targets: { user: 'kenji' }, force: false },
  ]);
});

test('where nothing is locked, New lock stands once', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/locks', { body: [] });
  await openPage('/web/locks', { gateway });
  await screen.findByRole('heading', { name: 'Nothing is locked' });
  expect(screen.getAllByRole('button', { name: 'New lock' })).toHaveLength(1);
});

test('a lock is lifted after saying what that does, and a refusal stays to be read', async () => {
  const user = userEvent.setup();
  const gateway = fakeGateway();
  const lift = 'DELETE /v1/webapi/sites/-current-/locks/l-1';
  gateway.answer(lift, { status: 403, body: failure('denied', 'you cannot act on role') });
  await openPage('/web/locks', { gateway });
  await user.click(await screen.findByRole('button', { name: 'Lift the lock on ines' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Lift this lock?' }));

  expect(dialog.getByText(/User ines is locked\. Lifted, it can be used again at once\./)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Lift' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('You cannot act on role');
  gateway.answer(lift, { body: { message: 'ok' } });
  gateway.answer('GET /v1/webapi/sites/-current-/locks', { body: [] });
  await user.click(dialog.getByRole('button', { name: 'Lift' }));

  expect(await screen.findByRole('heading', { name: 'Nothing is locked' })).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
