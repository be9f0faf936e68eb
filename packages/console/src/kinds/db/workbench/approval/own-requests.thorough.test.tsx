import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { approval } from '../../../../../testing/fake-approvals.ts';
import { closePage } from '../../../../../testing/open-page.tsx';
import { done, openWorkbench, write } from '../../../../../testing/workbench/open-workbench.ts';

beforeEach(() => {
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
});
afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const click = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));
const OWN = '/v1/webapi/sites/one/databaseapprovals/own';
const SQL = 'update goods set price = 2 where id = 1';

test('what is refused as it writes is asked for with a reason, and what was approved is run', async () => {
  const { gateway, connect, asked, hear } = await openWorkbench();
  await connect({ readOnly: true, asks: true });
  await write(SQL);
  await click('Run');
  const { id } = await asked('run');
  await hear({ type: 'failed', id, statement: 0, code: 'read_only', message: 'only reading is allowed here' });
  await click('Ask for approval');
  const dialog = within(await screen.findByRole('dialog', { name: 'Ask for approval' }));
  expect(dialog.getByRole('region', { name: 'What would run' }).textContent).toBe(SQL);
  await userEvent.click(dialog.getByRole('button', { name: 'Ask' }));
  expect(dialog.getByText('Say what it is for.')).toBeTruthy();

  const mine = approval({ user: 'maya', sql: SQL, mayDecide: false });
  gateway.answer('POST /v1/webapi/sites/one/databases/shop/approvals', { body: mine });
  gateway.answer(`GET ${OWN}`, { body: { items: [{ ...mine, state: 'APPROVED', decidedBy: 'tomas' }] } });
  await userEvent.type(dialog.getByRole('textbox', { name: 'What is it for?' }), 'a ticket');
  await userEvent.click(dialog.getByRole('button', { name: 'Ask' }));
  await waitFor(() =>
    expect(gateway.bodies[gateway.calls.indexOf('POST /v1/webapi/sites/one/databases/shop/approvals')]).toEqual({
      ...{ dbUser: 'app', dbName: 'shop', sql: SQL, reason: 'a ticket' },
    }),
  );

  expect(await screen.findByText('Approved')).toBeTruthy();
  expect(screen.getByText('by tomas')).toBeTruthy();
  await userEvent.click(screen.getAllByRole('button', { name: 'Run' }).at(-1) as HTMLElement);
  const run = await asked('runApproved');
  expect(run).toMatchObject({ approval: mine.id });
  await hear(done(run.id, { tag: 'UPDATE 1' }));
  expect(await screen.findByText('UPDATE 1')).toBeTruthy();
});

test('what is approved as another user is not run here, and can be withdrawn', async () => {
  const other = approval({ id: 'o', user: 'maya', dbUser: 'owner', state: 'APPROVED', mayDecide: false });
  const { gateway, connect, sent } = await openWorkbench();
  gateway.answer(`GET ${OWN}`, { body: { items: [other] } });
  gateway.answer('DELETE /v1/webapi/sites/one/databaseapprovals/o', { body: { message: 'ok' } });
  await connect({ readOnly: true, asks: true });
  if (!screen.queryByRole('radio', { name: 'Requests' })) await click(/History/);
  await userEvent.click(await screen.findByRole('radio', { name: 'Requests' }));
  await screen.findByText('as owner in shop');
  const run = screen.getAllByRole('button', { name: 'Run' }).at(-1) as HTMLElement;
  expect(run.getAttribute('aria-disabled')).toBe('true');
  await userEvent.click(run);
  expect(sent().filter(({ type }) => type === 'runApproved')).toEqual([]);
  await click('Withdraw');
  await waitFor(() => expect(gateway.calls).toContain('DELETE /v1/webapi/sites/one/databaseapprovals/o'));
});

test('where nothing can be asked for, nothing offers it', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect({ readOnly: true });
  await write(SQL);
  await click('Run');
  const { id } = await asked('run');
  await hear({ type: 'failed', id, statement: 0, code: 'read_only', message: 'only reading is allowed here' });

  await screen.findAllByText(/Only reading is allowed here/i);
  expect(screen.queryByRole('button', { name: 'Ask for approval' })).toBe(null);
  expect(screen.queryByRole('radio', { name: 'Requests' })).toBe(null);
});
