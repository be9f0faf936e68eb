import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { database, databaseDetails } from '../../../../testing/fake-databases.ts';
import { failure, fakeGateway } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const CALL = '/v1/webapi/sites/one/databases';
const ADD = `POST ${CALL}`;
const DRAFT = 'POST /v1/webapi/sites/one/diagnostics/drafts';
const SECRET = `PUT ${CALL}/orders/secrets/app`;
const EDIT = '/web/cluster/one/databases?open=orders&do=edit';

async function open(gateway = fakeGateway(), path = '/web/discover?flow=postgres&step=describe') {
  gateway.answer(`GET ${CALL}/orders/details`, { body: databaseDetails(database('orders'), ['app', 'report']) });
  const page = await openPage(path, { gateway });
  const isEdit = path.includes('do=edit');
  const dialog = within(isEdit ? await screen.findByRole('dialog') : await screen.findByRole('main'));
  if (!isEdit) await dialog.findByRole('heading', { level: 2 });
  return { ...page, dialog, user: userEvent.setup() };
}
const sent = (gateway: ReturnType<typeof fakeGateway>, call: string) => gateway.bodies[gateway.calls.lastIndexOf(call)];

test('a database is added with labels, and its password is stored at once', async () => {
  const gateway = fakeGateway();
  gateway.answer(ADD, { body: database('orders') });
  gateway.answer(SECRET, { body: { message: 'ok' } });
  const { dialog, user } = await open(gateway);

  await user.type(dialog.getByLabelText(/^Address/), 'orders.inside:5433');
  await user.tab();
  expect(dialog.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('orders');
  await user.type(dialog.getByLabelText(/^User of the database/), 'app');
  await user.type(dialog.getByLabelText(/^Password/, { selector: 'input[type=password]' }), 'hunter2');
  await user.type(dialog.getByLabelText(/^Labels/), 'env=prod,');
  await user.click(dialog.getByRole('button', { name: 'Add database' }));

  expect(await screen.findByText('orders was added.')).toBeTruthy();
  expect(sent(gateway, ADD)).toMatchObject({
    name: 'orders',
    protocol: 'postgres',
    uri: 'orders.inside:5433',
    signIn: 'password',
    tls: { mode: 'verify-full' },
    labels: [{ name: 'env', value: 'prod' }],
  });
  expect(JSON.stringify(sent(gateway, ADD))).not.toContain('hunter2');
  expect(sent(gateway, SECRET)).toEqual({ password: 'hunter2' });
  expect(new URLSearchParams(window.location.search).get('step')).toBe('principals');
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('hunter2');
});

test('a password that is refused is sent again without adding the database twice', async () => {
  const gateway = fakeGateway();
  gateway.answer(ADD, { body: database('orders') });
  gateway.answer(SECRET, { status: 400, body: failure('bad_request', 'too many passwords') });
  const { dialog, user } = await open(gateway);
  await user.type(dialog.getByLabelText(/^Address/), '10.0.0.5');
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'orders');
  await user.type(dialog.getByLabelText(/^User of the database/), 'app');
  await user.type(dialog.getByLabelText(/^Password/, { selector: 'input[type=password]' }), 'hunter2');
  await user.click(dialog.getByRole('button', { name: 'Add database' }));
  expect(await dialog.findByText(/orders was added, and its password was not stored: Too many passwords/)).toBeTruthy();

  gateway.answer(SECRET, { body: { message: 'ok' } });
  await user.click(dialog.getByRole('button', { name: 'Store password' }));

  expect(await screen.findByText('orders was added.')).toBeTruthy();
  expect(gateway.calls.filter((call) => call === ADD)).toHaveLength(1);
  expect(gateway.calls.filter((call) => call === SECRET)).toHaveLength(2);
});

test('the card has said the protocol, and the form asks for it only where an address says another', async () => {
  const { dialog, user } = await open();
  expect(dialog.queryByLabelText(/^Protocol/)).toBe(null);

  await user.type(dialog.getByLabelText(/^Address/), 'mariadb://orders.inside');

  expect(dialog.getByLabelText<HTMLSelectElement>(/^Protocol/).value).toBe('mysql');
});

test('what is wrong is said at its field, also when the gateway says it', async () => {
  const gateway = fakeGateway();
  const refusal = failure('conflict', "there is a database 'orders' already");
  gateway.answer(ADD, { status: 409, body: { ...refusal, fields: { field: 'name' } } });
  const { dialog, user } = await open(gateway);

  await user.click(dialog.getByRole('button', { name: 'Add database' }));
  expect(dialog.getByLabelText(/^Address/).getAttribute('aria-invalid')).toBe('true');
  expect(gateway.calls).not.toContain(ADD);
  await user.type(dialog.getByLabelText(/^Address/), '10.0.0.5');
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'orders');
  await user.click(dialog.getByRole('button', { name: 'Add database' }));

  expect(await dialog.findByText("There is a database 'orders' already.")).toBeTruthy();
  expect(dialog.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid')).toBe('true');
});

test.each([
  ['insecure', /Whoever stands between/],
  ['off', /cross the network as they are/],
])('TLS that is %s is warned about', async (mode, warning) => {
  const { dialog, user } = await open();

  await user.selectOptions(dialog.getByLabelText(/^TLS/), mode);

  expect(dialog.getByText(warning)).toBeTruthy();
});

test('a certificate without TLS is refused before it is sent', async () => {
  const { dialog, user } = await open();
  await user.type(dialog.getByLabelText(/^Address/), 'orders.inside');
  await user.selectOptions(dialog.getByLabelText(/^TLS/), 'off');
  await user.click(dialog.getByRole('radio', { name: /^Certificate/ }));

  expect(dialog.getByText(/a certificate is shown inside TLS/)).toBeTruthy();
});

test('before another address is saved it is said that passwords become void and sessions end', async () => {
  const gateway = fakeGateway();
  gateway.answer(`PUT ${CALL}/orders`, { body: database('orders') });
  const { dialog, user } = await open(gateway, EDIT);
  await user.click(dialog.getByText('Description, names and limits'));
  await user.type(dialog.getByLabelText(/^Description/), 'New');
  expect(dialog.queryByText(/void/)).toBe(null);

  await user.type(dialog.getByLabelText(/^Address/), ':5433');
  expect(dialog.getByText(/stored passwords of app, report void and ends open sessions/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Save' }));

  await waitFor(() => expect(gateway.calls).toContain(`PUT ${CALL}/orders`));
  expect(sent(gateway, `PUT ${CALL}/orders`)).toMatchObject({ uri: 'orders.inside:5433', description: 'New' });
  expect(sent(gateway, `PUT ${CALL}/orders`)).not.toHaveProperty('protocol');
});

test('one that exists keeps its name and its protocol', async () => {
  const { dialog } = await open(fakeGateway(), EDIT);

  expect(dialog.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).disabled).toBe(true);
  expect(dialog.getByLabelText<HTMLSelectElement>(/^Protocol/).disabled).toBe(true);
});

test('the way there is tested before it is saved, and the sign-in where a user and a password are there', async () => {
  const gateway = fakeGateway();
  const { dialog, user } = await open(gateway);
  const way = within(dialog.getByRole('region', { name: 'The way there' }));
  const trace = (step: string) => ({
    status: 'SUCCESS',
    details: `${step} is fine`,
    gatehouse: { step, durationMs: 4 },
  });
  const traces = ['reach', 'tcp', 'tls', 'login', 'name'].map(trace);
  gateway.answer(DRAFT, { body: { id: 'draft-1', success: true, message: '', traces } });

  await user.type(dialog.getByLabelText(/^Address/), 'orders.inside');
  await user.type(dialog.getByLabelText(/^User of the database/), 'app');
  await user.click(way.getByRole('button', { name: 'Test it' }));
  expect(await way.findByText('Everything works.')).toBeTruthy();
  expect(way.queryByText('Sign-in')).toBe(null);
  expect(sent(gateway, DRAFT)).toMatchObject({ kind: 'db', spec: { uri: 'orders.inside', protocol: 'postgres' } });
  expect(JSON.stringify(sent(gateway, DRAFT))).not.toContain('dbUser');

  await user.type(dialog.getByLabelText(/^Password/, { selector: 'input[type=password]' }), 'hunter2');
  await user.click(way.getByRole('button', { name: 'Test it' }));
  expect(await way.findByText('Sign-in')).toBeTruthy();
  expect(sent(gateway, DRAFT)).toMatchObject({ spec: { dbUser: 'app', password: 'hunter2' } });
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('hunter2');
});

test('a new agent near it comes first where it is wanted, and the database is entered with its labels', async () => {
  const gateway = fakeGateway();
  gateway.answer('POST /v1/webapi/token', {
    body: {
      ...{ id: 'f'.repeat(32), expiry: new Date(Date.now() + 3_600_000).toISOString(), method: 'token' },
      suggestedLabels: [{ name: RESOURCE_ID_LABEL, value: 'made-1' }],
      gatehouse: { command: 'sudo sh -c install-database', tokenId: 't-1' },
    },
  });
  const service = (name: string, resourceId: string) => ({
    ...{ name, resource_matchers: [{ labels: { env: 'prod' } }], gatehouse: { connected: true, resourceId } },
  });
  const items = [service('another', 'made-0'), service('near', 'made-1')];
  gateway.answer('GET /v1/webapi/sites/one/databaseservices', { body: { items, startKey: '', totalCount: 0 } });
  const { dialog, user } = await open(gateway, '/web/discover?flow=postgres');

  await user.click(dialog.getByRole('radio', { name: /With a new agent first/ }));
  await user.click(dialog.getByRole('button', { name: 'Go on' }));
  expect(await dialog.findByText('Give at least one label, such as env=prod.')).toBeTruthy();
  await user.type(dialog.getByLabelText(/^Labels/), 'env=prod,');
  await user.click(dialog.getByRole('button', { name: 'Go on' }));
  expect(await dialog.findByText('sudo sh -c install-database')).toBeTruthy();
  expect(sent(gateway, 'POST /v1/webapi/token')).toEqual({
    roles: ['Db'],
    suggested_agent_matcher_labels: { env: ['prod'] },
  });
  expect(await dialog.findByText('near has joined')).toBeTruthy();
  expect(dialog.queryByText('another joined')).toBe(null);
  await user.click(dialog.getByRole('button', { name: 'Go on' }));
  await user.type(await dialog.findByLabelText(/^Address/), 'orders.inside');
  gateway.answer(DRAFT, { body: { id: 'draft-1', success: true, message: '', traces: [] } });
  await user.click(dialog.getByRole('button', { name: 'Test it' }));
  expect(await dialog.findByText('Everything works.')).toBeTruthy();
  expect(sent(gateway, DRAFT)).toMatchObject({
    spec: { labels: [{ name: 'env', value: 'prod' }], uri: 'orders.inside' },
  });
});
