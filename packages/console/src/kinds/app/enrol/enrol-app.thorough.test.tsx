import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { APPS, app, appDetails, failure, fakeGateway, fullAcl, listNamed } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const APPS_CALL = '/v1/webapi/sites/one/apps';
const DRAFT = 'POST /v1/webapi/sites/one/diagnostics/drafts';
const ADD = `POST ${APPS_CALL}`;
const took = (step: string, details: string) => ({
  ...{ status: 'SUCCESS', details },
  gatehouse: { step, durationMs: 4 },
});

async function open(gateway = fakeGateway(), path = '/web/discover?flow=app&step=describe') {
  const page = await openPage(path, { gateway });
  const isEdit = path.includes('do=edit');
  const dialog = within(isEdit ? await screen.findByRole('dialog') : await screen.findByRole('main'));
  if (!isEdit) await dialog.findByRole('heading', { level: 2 });
  return { ...page, dialog, user: userEvent.setup() };
}
const sent = (gateway: ReturnType<typeof fakeGateway>, call: string) => gateway.bodies[gateway.calls.indexOf(call)];

test('the way there is tested before it is saved: where it stops, and what to do about it', async () => {
  const { dialog, user, gateway } = await open();
  const way = within(dialog.getByRole('region', { name: 'The way there' }));
  gateway.answer(DRAFT, {
    body: {
      ...{ id: 'draft-1', success: false, message: 'the certificate is self-signed' },
      traces: [
        took('reach', 'grafana.inside:443 is reached by the gateway itself'),
        took('tcp', 'grafana.inside:443 accepts connections'),
        {
          ...{ status: 'FAILED', error: 'the certificate is self-signed' },
          gatehouse: { step: 'tls', durationMs: 4, next: 'give its authority' },
        },
      ],
    },
  });

  expect(way.getByRole('button', { name: 'Test it' }).getAttribute('aria-disabled')).toBe('true');
  await user.type(dialog.getByLabelText(/^Address/), 'https://grafana.inside');
  await user.click(way.getByRole('button', { name: 'Test it' }));

  expect(await way.findByText('The certificate is self-signed.')).toBeTruthy();
  expect(way.getByText('Give its authority.')).toBeTruthy();
  expect(way.getAllByRole('img', { name: 'Worked' })).toHaveLength(2);
  expect(way.getByText('Not tried, because an earlier step failed.')).toBeTruthy();
  expect(way.getByRole('img', { name: 'It comes as far as Gateway, and stops at grafana.' })).toBeTruthy();
  expect(sent(gateway, DRAFT)).toEqual({
    kind: 'app',
    spec: {
      ...{ name: 'grafana', uri: 'https://grafana.inside', labels: {} },
      ...{ insecureSkipVerify: false, ca: '', serverName: '' },
    },
  });
  expect(gateway.calls.filter((call) => call === DRAFT)).toHaveLength(1);

  // What was said of one address says nothing of another.
  await user.type(dialog.getByLabelText(/^Address/), ':8443');
  expect(way.queryByText('Give its authority.')).toBe(null);
  expect(way.getByText(/has changed since/)).toBeTruthy();
});

test('nothing is offered to who may not test, and a refusal is said', async () => {
  const { dialog, user, gateway } = await open();
  gateway.answer(DRAFT, { status: 429, body: failure('too_many', 'you have tested 60 things within an hour') });

  await user.type(dialog.getByLabelText(/^Address/), 'tcp://inside:9000');
  const way = within(dialog.getByRole('region', { name: 'The way there' }));
  await user.click(way.getByRole('button', { name: 'Test it' }));
  expect(await way.findByText('You have tested 60 things within an hour.')).toBeTruthy();

  await closePage();
  const acl = { ...fullAcl(), connectionDiagnostic: { ...fullAcl().connectionDiagnostic, create: false } };
  const again = await open(fakeGateway(acl));
  expect(again.dialog.queryByRole('region', { name: 'The way there' })).toBe(null);
});

test('an application is added with labels and header rules, and leads on to the test', async () => {
  const gateway = fakeGateway();
  gateway.answer(ADD, { body: app('grafana') });
  gateway.answer(`GET ${APPS_CALL}/grafana`, { body: appDetails(app('grafana')) });
  const { dialog, user } = await open(gateway);

  await user.type(dialog.getByLabelText(/^Address/), 'grafana.inside:3000');
  await user.tab();
  expect(dialog.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('grafana');
  await user.type(dialog.getByLabelText(/^Labels/), 'env=prod,');
  await user.click(dialog.getByText('Host name, certificate and headers'));
  await user.click(dialog.getByRole('button', { name: 'Add a header' }));
  await user.type(dialog.getByLabelText('Name of header 1'), 'X-User');
  await user.type(dialog.getByLabelText('Value of header 1'), '{{{{internal.username}}');
  await user.click(dialog.getByRole('button', { name: 'Add application' }));

  expect(await screen.findByText('grafana was added.')).toBeTruthy();
  expect(sent(gateway, ADD)).toMatchObject({
    name: 'grafana',
    uri: 'http://grafana.inside:3000',
    labels: { env: 'prod' },
    rewrite: { headers: [{ name: 'X-User', value: '{{internal.username}}' }] },
  });
  expect(new URLSearchParams(window.location.search).get('step')).toBe('test');
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('internal.username');
});

test('what is wrong is said at its field, also when the gateway says it', async () => {
  const gateway = fakeGateway();
  const refusal = failure('conflict', "another application has the name 'grafana'");
  gateway.answer(ADD, { status: 409, body: { ...refusal, fields: { field: 'name' } } });
  const { dialog, user } = await open(gateway);

  await user.click(dialog.getByRole('button', { name: 'Add application' }));
  expect(dialog.getByText(/^Must look like http/)).toBeTruthy();
  expect(gateway.calls).not.toContain(ADD);
  await user.type(dialog.getByLabelText(/^Address/), 'http://grafana.inside');
  await user.type(dialog.getByLabelText(/^Name/), 'grafana');
  await user.click(dialog.getByRole('button', { name: 'Add application' }));

  expect(await dialog.findByText("Another application has the name 'grafana'.")).toBeTruthy();
  expect(dialog.getByLabelText(/^Name/).getAttribute('aria-invalid')).toBe('true');
});

test('not checking a certificate is warned about', async () => {
  const { dialog, user } = await open();

  await user.type(dialog.getByLabelText(/^Address/), 'https://grafana.inside');
  await user.click(dialog.getByText('Host name, certificate and headers'));
  await user.click(dialog.getByLabelText(/Do not check its certificate/));

  expect(dialog.getByText(/Whoever stands between/)).toBeTruthy();
});

test('with a new agent it gives the command and waits until the application has joined', async () => {
  const gateway = fakeGateway();
  let joined = false;
  gateway.answer('POST /v1/webapi/token', {
    body: {
      id: 'a'.repeat(32),
      expiry: new Date(Date.now() + 4 * 3_600_000).toISOString(),
      method: 'token',
      suggestedLabels: [{ name: RESOURCE_ID_LABEL, value: 'u-1' }],
      gatehouse: { command: 'sudo sh -c "$(curl …/install-app.sh)"', openSshCommand: '', tokenId: 't-1' },
    },
  });
  gateway.answer(`GET ${APPS_CALL}`, (query) =>
    query.get('search') === `${RESOURCE_ID_LABEL} u-1`
      ? { body: { items: joined ? [app('books')] : [], startKey: '', totalCount: joined ? 1 : 0 } }
      : listNamed(() => APPS)(query),
  );
  const { dialog, user, sockets } = await open(gateway, '/web/discover?flow=app');

  await user.click(dialog.getByRole('radio', { name: /With a new agent/ }));
  await user.click(dialog.getByRole('button', { name: 'Go on' }));
  await user.type(await dialog.findByLabelText(/^Address/), 'localhost:3000');
  await user.type(dialog.getByLabelText(/^Name/), 'books');
  await user.click(dialog.getByRole('button', { name: 'Make the command' }));
  const command = await dialog.findByRole('region', { name: 'Command for the new application' });
  expect(command.textContent).toContain('install-app.sh');
  expect(sent(gateway, 'POST /v1/webapi/token')).toEqual({
    roles: ['App'],
    labels: {},
    app: { name: 'books', uri: 'http://localhost:3000' },
  });
  joined = true;
  sockets[0]?.hear({ type: 'resources' });

  expect(await dialog.findByText('books has joined')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Go on' }));
  expect(await dialog.findByRole('heading', { name: 'Test books' })).toBeTruthy();
});

test('one that was entered is changed in the same form', async () => {
  const gateway = fakeGateway();
  const details = { ...appDetails(app('grafana')), publicAddr: 'charts.example.com' };
  gateway.answer(`GET ${APPS_CALL}/grafana`, { body: details });
  gateway.answer(`PUT ${APPS_CALL}/grafana`, { body: app('grafana') });
  const { dialog, user } = await open(gateway, '/web/cluster/one/apps?open=grafana&do=edit');

  expect(dialog.getByLabelText<HTMLInputElement>(/^Name/).disabled).toBe(true);
  expect(dialog.getByLabelText<HTMLInputElement>(/^Public address/).value).toBe('charts.example.com');
  await user.type(dialog.getByLabelText(/^Description/), 'New');
  await user.click(dialog.getByRole('button', { name: 'Save' }));

  await waitFor(() => expect(gateway.calls).toContain(`PUT ${APPS_CALL}/grafana`));
  expect(sent(gateway, `PUT ${APPS_CALL}/grafana`)).toMatchObject({
    description: 'New',
    publicAddr: 'charts.example.com',
  });
});
