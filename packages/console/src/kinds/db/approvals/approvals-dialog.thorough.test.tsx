import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { approval } from '../../../../testing/fake-approvals.ts';
import { DATABASES } from '../../../../testing/fake-databases.ts';
import { failure, fakeGateway, fullAcl } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(closePage);

const CALL = '/v1/webapi/sites/one/databaseapprovals';
const PATH = '/web/cluster/one/databases';
const LONG = `update goods set price = 2 where id in (${'1, '.repeat(1_000)}1)`;

async function open(items = [approval()], path = PATH, acl = fullAcl()) {
  const gateway = fakeGateway(acl);
  for (const each of DATABASES) gateway.answer(`GET /v1/webapi/sites/one/databases/${each.name}`, { body: each });
  gateway.answer(`GET ${CALL}`, { body: { items } });
  const { sockets } = await openPage(path, { gateway });
  await screen.findAllByText('shop');
  return { gateway, sockets, user: userEvent.setup() };
}

test('whoever decides sees how many wait, reads the whole text, and answers with a note', async () => {
  const long = approval({ sql: LONG.slice(0, 2_000), length: LONG.length, statements: 2 });
  const before = approval({
    id: 'b',
    user: 'ines',
    state: 'DENIED',
    decidedBy: 'maya',
    note: 'no WHERE',
    mayDecide: false,
  });
  const { gateway, user } = await open([long, before]);
  gateway.answer(`GET ${CALL}/${long.id}`, { body: { ...long, sql: LONG } });
  gateway.answer(`PUT ${CALL}/${long.id}`, { body: { ...long, state: 'APPROVED' } });
  await user.click(await screen.findByRole('button', { name: '1 approval waits' }));

  const dialog = within(await screen.findByRole('dialog', { name: 'Approvals' }));
  const request = within(await dialog.findByRole('article', { name: 'tomas wants to write in shop' }));
  expect(request.getByText('ticket 4711')).toBeTruthy();
  expect(request.getByText('as app in shop')).toBeTruthy();
  expect(request.getByText('2 statements, in one transaction')).toBeTruthy();
  const text = await request.findByRole('region', { name: 'What would run, 1' });
  expect(text.textContent).toBe(LONG);
  expect(dialog.getByText('ines asked to write in shop')).toBeTruthy();
  expect(dialog.getByText('no WHERE')).toBeTruthy();
  await user.type(request.getByRole('textbox', { name: 'Note (optional)' }), 'fine');
  await user.click(request.getByRole('button', { name: 'Approve' }));

  await screen.findByText('Approved: tomas may run it once within an hour');
  const sent = gateway.calls.indexOf(`PUT ${CALL}/${long.id}`);
  expect(gateway.bodies[sent]).toEqual({ state: 'APPROVED', note: 'fine' });
});

test('what was refused stands there with its reason, and a second factor is asked for where it is wanted', async () => {
  const item = approval();
  const { gateway, user } = await open([item], `${PATH}?do=approvals`);
  gateway.answer(`PUT ${CALL}/${item.id}`, { status: 409, body: failure('conflict', 'it is not waiting any more') });
  await user.click(await screen.findByRole('button', { name: 'Deny' }));
  await screen.findByText(/it is not waiting any more/i);

  gateway.answer(`PUT ${CALL}/${item.id}`, {
    status: 403,
    body: failure('mfa_required', 'prove it with one of your devices first'),
  });
  await user.click(screen.getByRole('button', { name: 'Approve' }));
  await screen.findByRole('dialog', { name: 'Approve this statement' });
});

test('what was answered stays where it was: a second click meets nothing that nobody has read', async () => {
  const [first, second] = [approval(), approval({ id: 'b', user: 'ines' })];
  const { gateway, user } = await open([first, second], `${PATH}?do=approvals`);
  const approved = { ...first, state: 'APPROVED', decidedBy: 'maya', mayDecide: false, mayTakeBack: true } as const;
  gateway.answer(`PUT ${CALL}/${first.id}`, { body: approved });
  const inOrder = () => screen.getAllByRole('article').map((each) => within(each).getByRole('heading').textContent);
  const before = (await screen.findAllByRole('article')).length;
  const was = inOrder();
  gateway.answer(`GET ${CALL}`, { body: { items: [second, approved] } });
  await user.click(screen.getAllByRole('button', { name: 'Approve' })[0]!);

  await screen.findByText('Approved');
  expect([before, inOrder()]).toEqual([2, was]);
  const decided = within(screen.getAllByRole('article')[0]!);
  expect(decided.queryByRole('button', { name: 'Approve' })).toBe(null);
  expect(decided.getByRole('button', { name: 'Take back what tomas may run in shop' })).toBeTruthy();
});

test('what was approved and not run can be taken back', async () => {
  const item = approval({ state: 'APPROVED', decidedBy: 'maya', mayDecide: false, mayTakeBack: true });
  const { gateway, user } = await open([item], `${PATH}?do=approvals`);
  gateway.answer(`PUT ${CALL}/${item.id}`, { body: { ...item, state: 'DENIED', mayTakeBack: false } });
  await user.click(await screen.findByRole('button', { name: 'Take back what tomas may run in shop' }));

  await screen.findByText('Taken back: tomas cannot run it any more');
  expect(gateway.bodies[gateway.calls.indexOf(`PUT ${CALL}/${item.id}`)]).toEqual({ state: 'DENIED', note: '' });
});

test('who decides about nothing is shown no button, and asks for no list', async () => {
  const acl = { ...fullAcl(), dbApprovals: emptyAcl().dbApprovals };
  const { gateway } = await open([approval()], PATH, acl);

  await waitFor(() => expect(gateway.calls.some((call) => call.includes('/databases'))).toBe(true));
  expect(screen.queryByRole('button', { name: /pproval/ })).toBe(null);
  expect(gateway.calls.filter((call) => call.includes(CALL))).toEqual([]);
});

test('news of approvals ask for their list again, and neither for whole texts nor for databases', async () => {
  const long = approval({ sql: LONG.slice(0, 2_000), length: LONG.length });
  const { gateway, sockets } = await open([long], `${PATH}?do=approvals`);
  gateway.answer(`GET ${CALL}/${long.id}`, { body: { ...long, sql: LONG } });
  await waitFor(() => expect(gateway.calls).toContain(`GET ${CALL}/${long.id}`));
  const asked = (path: string) => gateway.calls.filter((each) => each.startsWith(path)).length;
  const PATHS = [`GET ${CALL}/`, 'GET /v1/webapi/sites/one/databases?'];
  const before = PATHS.map(asked);
  const lists = gateway.calls.filter((each) => each === `GET ${CALL}`).length;
  gateway.answer(`GET ${CALL}`, { body: { items: [long, approval({ id: 'next', user: 'ines' })] } });

  sockets[0]?.hear({ type: 'approvals' });

  await screen.findByRole('article', { name: 'ines wants to write in shop' });
  expect(gateway.calls.filter((each) => each === `GET ${CALL}`).length).toBe(lists + 1);
  expect(PATHS.map(asked)).toEqual(before);
});
