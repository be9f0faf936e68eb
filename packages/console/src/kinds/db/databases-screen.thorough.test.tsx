import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { DATABASES, database, databaseDetails } from '../../../testing/fake-databases.ts';
import { failure, fakeGateway, fullAcl, listNamed } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

const CALL = '/v1/webapi/sites/one/databases';
const LIST = `GET ${CALL}`;
const PATH = '/web/cluster/one/databases';
const [SHOP] = DATABASES as [(typeof DATABASES)[0]];

async function open(path = PATH, gateway = fakeGateway()) {
  for (const each of DATABASES) gateway.answer(`${LIST}/${each.name}`, { body: each });
  const page = await openPage(path, { gateway });
  await screen.findByRole('heading', { name: 'Databases', hidden: true });
  await screen.findAllByText(/shop|Add your first|No database/);
  return { ...page, user: userEvent.setup() };
}
const rowOf = (name: RegExp) => within(screen.getByRole('row', { name }));
const sent = (gateway: ReturnType<typeof fakeGateway>, call: string) => gateway.bodies[gateway.calls.indexOf(call)];

test('each row tells what it is, and marks what is not encrypted or not checked', async () => {
  await open();

  expect(screen.getByText('4 you can see')).toBeTruthy();
  expect(rowOf(/shop/).getByText('Self-hosted PostgreSQL')).toBeTruthy();
  expect(rowOf(/cache/).getByText('Self-hosted Redis')).toBeTruthy();
  expect(rowOf(/cache/).getByText('TLS off')).toBeTruthy();
  expect(rowOf(/ledger/).getByText('RDS MySQL/MariaDB')).toBeTruthy();
  expect(rowOf(/ledger/).getByText('Unverified')).toBeTruthy();
  expect(rowOf(/ledger/).getByText('Read-only')).toBeTruthy();
  expect(rowOf(/shop/).queryByText(/TLS off|Unverified|Read-only/)).toBe(null);
});

test('what is not encrypted stays marked beside the details of another', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/shop/details`, { body: databaseDetails(SHOP, ['app']) });
  await open(`${PATH}?open=shop`, gateway);

  expect(rowOf(/cache/).getByText('TLS off')).toBeTruthy();
  expect(rowOf(/ledger/).getByText('Unverified')).toBeTruthy();
});

test('labels filter and a head sorts', async () => {
  const { user, gateway } = await open();

  await user.click(screen.getAllByRole('button', { name: 'env: prod' })[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByRole('row', { name: /cache/ })).toBe(null));
  await user.click(screen.getByRole('button', { name: /^Type/ }));

  await waitFor(() => expect(gateway.calls.at(-1)).toContain('sort=type%3Aasc'));
});

test('Connect asks as whom and into what, leads there, and goes there by itself from then on', async () => {
  const { user } = await open();

  await user.click(screen.getByRole('button', { name: 'Connect to shop' }));
  const menu = within(await screen.findByRole('dialog', { name: 'User and database for shop' }));
  expect(menu.getByRole('link', { name: 'Open workbench: shop as app' }).getAttribute('href')).toBe(
    '/web/cluster/one/databases/shop/workbench?user=app&database=shop',
  );
  await user.click(menu.getByRole('radio', { name: 'report' }));
  expect(menu.getByRole('link', { name: 'Open workbench: shop as report' })).toBeTruthy();
  await user.click(menu.getByRole('button', { name: /^Copy command/ }));
  expect(await navigator.clipboard.readText()).toBe('gatehouse db connect shop --db-user report --db-name shop');
  await user.click(menu.getByRole('button', { name: 'Other ways to connect' }));

  const dialog = within(await screen.findByRole('dialog', { name: 'Connect to shop' }));
  const proxy = 'gatehouse proxy db shop --db-user report --db-name shop --listen 127.0.0.1:15432';
  expect(await dialog.findByText(proxy)).toBeTruthy();
  expect(dialog.getByText('psql -h 127.0.0.1 -p 15432 -U report -d shop')).toBeTruthy();
  await user.click(dialog.getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
  await user.click(await screen.findByRole('button', { name: 'Connect to shop as report' }));

  await waitFor(() => expect(window.location.pathname).toBe('/web/cluster/one/databases/shop/workbench'));
  expect(window.location.search).toBe('?user=report&database=shop');
});

test('where any user may be typed, the choice is made with it, and Enter takes it', async () => {
  const { user } = await open();

  await user.click(screen.getByRole('button', { name: 'Connect to cache' }));
  const menu = within(await screen.findByRole('dialog', { name: 'User and database for cache' }));
  expect(menu.queryByRole('link')).toBe(null);
  await user.type(menu.getByRole('textbox', { name: 'Another user' }), 'app');
  expect(menu.getByRole('link', { name: 'Open workbench: 0 as app' })).toBeTruthy();
  await user.keyboard('{Enter}');

  await waitFor(() => expect(window.location.search).toContain('user=app'));
});

test('the list tells how each was found and who used it last, and what somebody has to look after first', async () => {
  const gateway = fakeGateway();
  const now = Date.now();
  const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();
  const found = (name: string, facts: object, ways = 0) => {
    const one = database(name, { ways });
    return { ...one, gatehouse: { ...one.gatehouse, ...facts } };
  };
  const rows = [
    found('shop-a', { reached: inDays(-1), lastUsed: { at: inDays(-2), user: 'kenji', dbUser: 'app' } }),
    found('shop-b', { reached: inDays(-1), certificateEnds: inDays(9.5) }),
    found('shop-c', { reached: inDays(-30), certificateEnds: inDays(-1) }),
    found('shop-d', { reached: inDays(-1), certificateEnds: inDays(90) }, 1),
    found('shop-e', {}),
    found('shop-f', { reached: inDays(-1), wrong: 'uri: is missing' }),
  ];
  gateway.answer(LIST, { body: { items: rows, startKey: '', totalCount: rows.length } });
  await open(PATH, gateway);

  expect(rowOf(/shop-a/).getByText(/^Reached .+/)).toBeTruthy();
  expect(rowOf(/shop-a/).getByText('by kenji')).toBeTruthy();
  expect(rowOf(/shop-b/).getByText('Certificate, 9 days left')).toBeTruthy();
  expect(rowOf(/shop-c/).getByText('Certificate ended')).toBeTruthy();
  expect(rowOf(/shop-d/).getByText('No agent')).toBeTruthy();
  expect(rowOf(/shop-e/).getByText('Not reached yet')).toBeTruthy();
  expect(rowOf(/shop-e/).getByText('never used')).toBeTruthy();
  expect(rowOf(/shop-f/).getByText('Must be changed')).toBeTruthy();
  // How many there are stands beside the entry that leads here.
  const entry = screen.getByRole('link', { name: /^Databases/ });
  await waitFor(() => expect(entry.textContent).toContain('6'));
});

test('where any may be named, a user is typed before there are commands, and the database of Redis is 0 unless told', async () => {
  const { user } = await open(`${PATH}?do=connect:cache`);
  const dialog = within(await screen.findByRole('dialog', { name: 'Connect to cache' }));

  expect(await dialog.findByText(/Choose a user/)).toBeTruthy();
  expect(dialog.queryByText(/^redis-cli/)).toBe(null);
  await user.type(dialog.getByLabelText('As user'), 'app');
  expect(dialog.getByText(/^redis-cli -h 127\.0\.0\.1 -p 16379/)).toBeTruthy();
  await user.clear(dialog.getByLabelText('Database'));
  await user.type(dialog.getByLabelText('Database'), '2');

  expect(dialog.getByText('redis-cli -h 127.0.0.1 -p 16379 -n 2')).toBeTruthy();
});

test('who has no user there is led to the reason', async () => {
  await open();

  expect(rowOf(/vault/).getByRole('button', { name: 'No user for you in vault: why?' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Connect to vault' })).toBe(null);
});

test('without databases the screen leads to adding one', async () => {
  const gateway = fakeGateway();
  gateway.answer(
    LIST,
    listNamed(() => []),
  );
  const { user } = await open(PATH, gateway);

  await user.click(await screen.findByRole('button', { name: 'Add database' }));

  expect(await screen.findByRole('button', { name: /^PostgreSQL/ })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Linux server/ })).toBe(null);
});

test('who may add none is told whom to ask', async () => {
  const gateway = fakeGateway({ ...emptyAcl(), dbServers: fullAcl().dbServers });
  gateway.answer(
    LIST,
    listNamed(() => []),
  );
  await open(PATH, gateway);

  expect(await screen.findByRole('heading', { name: 'No database that you can see' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add database' })).toBe(null);
});

test('the details tell how it is reached, and it is removed after a question', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/shop/details`, { body: databaseDetails(SHOP, ['app']) });
  gateway.answer(`DELETE ${CALL}/shop`, { body: { message: 'ok' } });
  const { user } = await open(`${PATH}?open=shop`, gateway);
  const panel = within(await screen.findByRole('complementary', { name: 'Database shop' }));

  expect(await panel.findByText('shop.inside')).toBeTruthy();
  expect(panel.getByText('Certificate and name checked')).toBeTruthy();
  expect(panel.getByText('Stored password')).toBeTruthy();
  expect(panel.getByText('The gateway itself')).toBeTruthy();
  await user.click(panel.getByRole('button', { name: 'Remove database' }));
  const ask = within(await screen.findByRole('dialog', { name: 'Remove shop?' }));
  await user.click(ask.getByRole('button', { name: 'Remove database' }));

  expect(await screen.findByText('shop was removed.')).toBeTruthy();
  expect(gateway.calls).toContain(`DELETE ${CALL}/shop`);
  expect(window.location.search).toBe('');
});

test('what an agent announces cannot be edited here', async () => {
  const gateway = fakeGateway();
  const announced = database('shop', { source: 'agent', ways: 1 });
  gateway.answer(`${LIST}/shop/details`, { body: databaseDetails(announced) });
  await open(`${PATH}?open=shop`, gateway);

  expect(await screen.findByText(/Its agents announce it/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Edit' })).toBe(null);
  expect(screen.queryByRole('tab', { name: 'Passwords' })).toBe(null);
  expect(screen.getAllByText('Agent away').length).toBeGreaterThan(0);
});

test('who may only look is offered no change', async () => {
  const gateway = fakeGateway({ ...emptyAcl(), dbServers: fullAcl().dbServers });
  gateway.answer(`${LIST}/shop/details`, { body: databaseDetails(SHOP) });
  await open(`${PATH}?open=shop`, gateway);

  expect(await screen.findByText('shop.inside')).toBeTruthy();
  for (const name of [/^Edit/, /^Remove/]) expect(screen.queryByRole('button', { name })).toBe(null);
  expect(screen.queryByRole('tab', { name: 'Passwords' })).toBe(null);
});

test('without a stored password the details say that nobody gets in', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/shop/details`, { body: databaseDetails(SHOP) });
  await open(`${PATH}?open=shop`, gateway);

  expect(await screen.findByText(/No password is stored for shop/)).toBeTruthy();
});

test('a password is stored, replaced and forgotten, and shown nowhere', async () => {
  const gateway = fakeGateway();
  const SECRET = `${CALL}/shop/secrets/app`;
  let stored: string[] = [];
  gateway.answer(`${LIST}/shop/details`, () => ({ body: databaseDetails(SHOP, stored) }));
  gateway.answer(`PUT ${SECRET}`, { body: { message: 'ok' } });
  gateway.answer(`DELETE ${SECRET}`, { body: { message: 'ok' } });
  const { user } = await open(`${PATH}?open=shop&tab=passwords`, gateway);
  await user.type(await screen.findByLabelText('User of the database'), 'app');
  await user.click(screen.getByRole('button', { name: 'Store password' }));
  expect(screen.getByText('The password is missing.')).toBeTruthy();
  expect(gateway.calls).not.toContain(`PUT ${SECRET}`);
  stored = ['app'];
  await user.type(screen.getByLabelText('Password'), 'hunter2');
  await user.click(screen.getByRole('button', { name: 'Store password' }));

  expect(await screen.findByText('The password of app is stored.')).toBeTruthy();
  expect(sent(gateway, `PUT ${SECRET}`)).toEqual({ password: 'hunter2' });
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('');
  await user.click(await screen.findByRole('button', { name: 'Replace the password of app' }));
  expect(screen.getByText(/Sessions that were opened with it end/)).toBeTruthy();
  stored = [];
  await user.click(screen.getByRole('button', { name: 'Forget the password of app' }));
  await user.click(await screen.findByRole('button', { name: 'Forget password' }));
  expect(await screen.findByText('The password of app is forgotten.')).toBeTruthy();
  expect(gateway.calls).toContain(`DELETE ${SECRET}`);
});

test('a database that went away while its details were open says so', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/shop/details`, { status: 404, body: failure('not_found', 'no such database') });
  await open(`${PATH}?open=shop`, gateway);

  expect(await screen.findByText('shop is no longer there, or you can no longer see it.')).toBeTruthy();
});

test('a test signs in as the chosen user, tells each hop, and what to do next', async () => {
  const CONNECT = 'POST /v1/webapi/sites/one/diagnostics/connections';
  const gateway = fakeGateway();
  const trace = (step: string, more = {}) => ({
    ...{ traceType: 'CONNECTIVITY', status: 'SUCCESS', details: `${step} is fine`, gatehouse: { step, durationMs: 3 } },
    ...more,
  });
  gateway.answer(`${LIST}/shop/details`, {
    body: { ...databaseDetails(SHOP, ['app']), agents: [{ name: 'near', connected: false }] },
  });
  gateway.answer('POST /v1/webapi/sites/one/mfa/required', { body: { required: false } });
  gateway.answer(CONNECT, {
    body: {
      ...{ id: 'd-1', success: false, message: 'refused' },
      traces: [
        trace('access'),
        trace('reach', {
          status: 'FAILED',
          error: 'this agent may not dial it',
          gatehouse: { step: 'reach', durationMs: 9, next: "add it to 'allow'" },
        }),
      ],
    },
  });
  const { user } = await open(`${PATH}?open=shop`, gateway);
  const panel = within(await screen.findByRole('complementary'));

  expect(await panel.findByText(/near \(away\)/)).toBeTruthy();
  await user.click(panel.getByRole('tab', { name: 'Test connection' }));
  await user.click(panel.getByRole('button', { name: 'Test connection' }));
  expect(await panel.findByText('This agent may not dial it.')).toBeTruthy();
  expect(panel.getByText("Add it to 'allow'.")).toBeTruthy();
  expect(sent(gateway, CONNECT)).toMatchObject({
    ...{ resource_kind: 'db', resource_name: 'shop', database_user: 'app', database_name: 'shop' },
  });
});
