import { emptyAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { DESKTOPS, desktopDetails } from '../../../testing/fake-desktops.ts';
import { fakeGateway, fullAcl } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const CALL = '/v1/webapi/sites/one/desktops';
const LIST = `GET ${CALL}`;
const PATH = '/web/cluster/one/desktops';
const [FIN, BUILD, , ANY] = DESKTOPS as [(typeof DESKTOPS)[0], ...typeof DESKTOPS];
const PIN = `sha256:${'cd'.repeat(32)}`;

async function open(path = PATH, gateway = fakeGateway(), items = DESKTOPS) {
  gateway.answer(LIST, { body: { items, startKey: '', totalCount: items.length } });
  const page = await openPage(path, { gateway });
  await screen.findByRole('heading', { name: 'Desktops', hidden: true });
  await screen.findAllByText(/build-1|Add your first|No desktop/);
  return { ...page, user: userEvent.setup() };
}
const rowOf = (name: RegExp) => within(screen.getByRole('row', { name }));
const sent = (gateway: ReturnType<typeof fakeGateway>, call: string) => gateway.bodies[gateway.calls.indexOf(call)];

test('each row tells where it is and what somebody has to look after', async () => {
  await open();

  expect(screen.getByText('4 you can see')).toBeTruthy();
  expect(rowOf(/prod-fin/).getByText('prod-fin.inside')).toBeTruthy();
  expect(rowOf(/prod-fin/).getByText('Dialled by the gateway')).toBeTruthy();
  expect(rowOf(/lab/).getByText('No certificate')).toBeTruthy();
  expect(rowOf(/lab/).getByText('No login')).toBeTruthy();
  expect(rowOf(/any/).getByText('No agent')).toBeTruthy();
});

test('one login is a link in a new tab; of several one chooses, and the choice is remembered', async () => {
  const { user } = await open();

  const link = screen.getByRole('link', { name: 'Connect to build-1 as ann' });
  expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual([`${PATH}/build-1/ann`, '_blank']);
  await user.click(screen.getByRole('button', { name: 'Connect to prod-fin' }));
  const menu = within(await screen.findByRole('dialog', { name: 'Choose a login for prod-fin' }));
  expect(menu.getByRole('link', { name: 'Administrator signs in by itself' })).toBeTruthy();
  const ann = menu.getByRole('link', { name: 'CORP\\ann asks for the password' });
  expect(ann.getAttribute('href')).toBe(`${PATH}/prod-fin/CORP%5Cann`);
  // Nobody serves the page that a new tab would load.
  document.addEventListener('click', (event) => event.preventDefault(), { once: true });
  await user.click(ann);

  expect(await screen.findByRole('link', { name: 'Connect to prod-fin as CORP\\ann' })).toBeTruthy();
});

test('where any login may be used it is typed', async () => {
  const { user, went } = await open();

  await user.click(screen.getByRole('button', { name: 'Connect to any' }));
  const menu = within(await screen.findByRole('dialog', { name: 'Choose a login for any' }));
  await user.type(menu.getByRole('textbox', { name: 'Another login' }), 'bob{Enter}');

  expect(went).toEqual([`${PATH}/any/bob`]);
});

test('the panel says what it is known by, takes another certificate and stores passwords that it never shows', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/prod-fin/details`, {
    body: desktopDetails(FIN, { passwords: [{ login: 'Administrator', stored: '2026-11-18T01:00:00Z' }] }),
  });
  gateway.answer(`PUT ${CALL}/prod-fin/certificate`, { body: { message: 'ok' } });
  gateway.answer(`PUT ${CALL}/prod-fin/passwords/CORP%5Cann`, { body: { message: 'ok' } });
  gateway.answer(`DELETE ${CALL}/prod-fin/passwords/Administrator`, { body: { message: 'ok' } });
  const { user } = await open(`${PATH}?open=prod-fin`, gateway);
  const panel = within(await screen.findByRole('complementary', { name: 'Desktop prod-fin' }));
  expect(await panel.findByText(`sha256:${'ab'.repeat(32)}`)).toBeTruthy();
  expect(panel.getByText('Accounts of the machine itself')).toBeTruthy();

  await user.click(panel.getByRole('button', { name: 'Trust another certificate' }));
  const trust = within(await screen.findByRole('dialog'));
  await user.type(trust.getByLabelText('SHA-256 fingerprint'), 'nonsense');
  await user.click(trust.getByRole('button', { name: 'Trust it' }));
  expect(trust.getByText(/no SHA-256 fingerprint/)).toBeTruthy();
  await user.clear(trust.getByLabelText('SHA-256 fingerprint'));
  await user.type(trust.getByLabelText('SHA-256 fingerprint'), `${'CD:'.repeat(31)}CD`);
  await user.click(trust.getByRole('button', { name: 'Trust it' }));
  await waitFor(() => expect(sent(gateway, `PUT ${CALL}/prod-fin/certificate`)).toEqual({ pin: PIN }));

  await user.type(await panel.findByLabelText('Login'), 'CORP\\ann');
  await user.type(panel.getByLabelText('Password'), 'secret');
  await user.click(panel.getByRole('button', { name: 'Store password' }));
  await waitFor(() =>
    expect(sent(gateway, `PUT ${CALL}/prod-fin/passwords/CORP%5Cann`)).toEqual({ password: 'secret' }),
  );
  await waitFor(() => expect((panel.getByLabelText('Password') as HTMLInputElement).value).toBe(''));
  await user.click(panel.getByRole('button', { name: 'Forget the password of Administrator' }));
  await user.click(await screen.findByRole('button', { name: 'Forget password' }));
  await waitFor(() => expect(gateway.calls).toContain(`DELETE ${CALL}/prod-fin/passwords/Administrator`));
});

test('a desktop is added by its address, its certificate and its labels, and leads on to its logins', async () => {
  const gateway = fakeGateway();
  gateway.answer(`POST ${CALL}`, { body: BUILD });
  gateway.answer(`${LIST}/build-1/details`, { body: desktopDetails(BUILD as (typeof DESKTOPS)[0]) });
  await openPage('/web/discover?flow=desktop', { gateway });
  const user = userEvent.setup();
  const dialog = within(await screen.findByRole('main'));
  await dialog.findByRole('button', { name: 'Add desktop' });
  await user.click(dialog.getByRole('button', { name: 'Add desktop' }));
  expect(dialog.getByText(/no SHA-256 fingerprint/)).toBeTruthy();
  expect(gateway.calls).not.toContain(`POST ${CALL}`);
  await user.type(dialog.getByLabelText('Name'), 'build-1');
  await user.type(dialog.getByLabelText('Address'), '10.0.0.7');
  await user.type(dialog.getByLabelText('SHA-256 fingerprint'), 'cd'.repeat(32));
  await user.click(dialog.getByRole('button', { name: 'Add desktop' }));

  await waitFor(() => expect(window.location.search).toContain('step=principals&id=build-1'));
  expect(sent(gateway, `POST ${CALL}`)).toMatchObject({
    ...{ name: 'build-1', addr: '10.0.0.7:3389', protocol: 'rdp', certificate: { pin: PIN }, through: '' },
  });
});

const SHOWN = {
  ...{ pin: PIN, subject: 'CN=build-1', issuer: 'CN=build-1' },
  ...{ from: '2026-10-01T00:00:00.000Z', until: '2027-04-01T00:00:00.000Z' },
};

test('the certificate of a machine is fetched, compared and then pinned, and another address forgets what was fetched', async () => {
  const gateway = fakeGateway();
  gateway.answer(`POST ${CALL}`, { body: BUILD });
  gateway.answer(`POST ${CALL}/certificate`, { body: { shown: SHOWN } });
  gateway.answer(`${LIST}/build-1/details`, { body: desktopDetails(BUILD as (typeof DESKTOPS)[0]) });
  await openPage('/web/discover?flow=desktop', { gateway });
  const user = userEvent.setup();
  const dialog = within(await screen.findByRole('main'));
  await dialog.findByRole('button', { name: 'Add desktop' });
  const show = () => dialog.getByRole<HTMLButtonElement>('button', { name: 'Show its certificate' });
  expect(show().disabled).toBe(true);
  await user.type(dialog.getByLabelText('Name'), 'build-1');
  await user.type(dialog.getByLabelText('Address'), '10.0.0.7');
  await user.click(show());
  const fetched = within(await dialog.findByRole('region', { name: 'The certificate it shows' }));
  expect(sent(gateway, `POST ${CALL}/certificate`)).toEqual({ addr: '10.0.0.7:3389', protocol: 'rdp', through: '' });
  expect(fetched.getByText(PIN)).toBeTruthy();
  expect(fetched.getByText('2027-04-01')).toBeTruthy();
  // Nothing is pinned by looking.
  expect((dialog.getByLabelText('SHA-256 fingerprint') as HTMLInputElement).value).toBe('');
  await user.type(dialog.getByLabelText('Address'), '1');
  expect(dialog.queryByRole('region', { name: 'The certificate it shows' })).toBe(null);
  await user.click(show());
  await user.click(await dialog.findByRole('button', { name: 'It is this one' }));
  await user.click(dialog.getByRole('button', { name: 'Add desktop' }));

  await waitFor(() => expect(window.location.search).toContain('step=principals&id=build-1'));
  expect(sent(gateway, `POST ${CALL}`)).toMatchObject({ addr: '10.0.0.71:3389', certificate: { pin: PIN } });
});

test('a machine that cannot be asked says why, and its new certificate is fetched for who trusts it', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/prod-fin/details`, { body: desktopDetails(FIN) });
  gateway.answer(`${LIST}/prod-fin/certificate`, {
    status: 502,
    body: { error: { message: 'nobody answers at prod-fin.inside:3389', code: 'target_unreachable' } },
  });
  gateway.answer(`PUT ${CALL}/prod-fin/certificate`, { body: { message: 'ok' } });
  const { user } = await open(`${PATH}?open=prod-fin`, gateway);
  const panel = within(await screen.findByRole('complementary', { name: 'Desktop prod-fin' }));
  await user.click(await panel.findByRole('button', { name: 'Trust another certificate' }));
  const trust = within(await screen.findByRole('dialog'));
  await user.click(trust.getByRole('button', { name: 'Show its certificate' }));
  expect(await trust.findByText(/obody answers at prod-fin/)).toBeTruthy();
  gateway.answer(`${LIST}/prod-fin/certificate`, { body: { shown: SHOWN, isKnown: false } });
  await user.click(trust.getByRole('button', { name: 'Show its certificate' }));
  await user.click(await trust.findByRole('button', { name: 'It is this one' }));
  await user.click(trust.getByRole('button', { name: 'Trust it' }));

  await waitFor(() => expect(sent(gateway, `PUT ${CALL}/prod-fin/certificate`)).toEqual({ pin: PIN }));
});

test('a desktop is tried as one of the logins, and each step is told', async () => {
  const gateway = fakeGateway();
  const tried = 'POST /v1/webapi/sites/one/diagnostics/connections';
  gateway.answer(`${LIST}/prod-fin/details`, { body: desktopDetails(FIN) });
  gateway.answer('POST /v1/webapi/sites/one/mfa/required', { body: { required: false } });
  gateway.answer(tried, {
    body: {
      ...{ id: 'd', success: false, message: 'refused' },
      traces: [
        { traceType: 'RBAC_PRINCIPAL', status: 'SUCCESS', details: '', gatehouse: { step: 'access', durationMs: 1 } },
        {
          ...{ traceType: 'RBAC_PRINCIPAL', status: 'FAILED', details: '', error: 'the password is wrong' },
          gatehouse: { step: 'login', durationMs: 3, next: 'store it anew' },
        },
      ],
    },
  });
  const { user } = await open(`${PATH}?open=prod-fin`, gateway);
  const panel = within(await screen.findByRole('complementary', { name: 'Desktop prod-fin' }));
  await user.click(await panel.findByRole('tab', { name: 'Test connection' }));
  await user.click(panel.getByRole('button', { name: 'Test connection' }));

  expect(await panel.findByText('The password is wrong.')).toBeTruthy();
  expect(panel.getByText('What it offers')).toBeTruthy();
  expect(sent(gateway, tried)).toMatchObject({
    ...{ resource_kind: 'windows_desktop', resource_name: 'prod-fin', windows_login: 'Administrator' },
  });
});

test('an edit says what it makes void before it is saved, and sends no name', async () => {
  const gateway = fakeGateway();
  const passwords = [{ login: 'ann', stored: '2026-11-18T01:00:00Z' }];
  gateway.answer(`${LIST}/build-1/details`, { body: desktopDetails(BUILD as (typeof DESKTOPS)[0], { passwords }) });
  gateway.answer(`PUT ${CALL}/build-1`, { body: BUILD });
  const { user } = await open(`${PATH}?open=build-1`, gateway);
  await user.click(await screen.findByRole('button', { name: 'Edit' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit build-1' }));
  expect(dialog.queryByText(/void/)).toBe(null);
  await user.clear(dialog.getByLabelText('Address'));
  await user.type(dialog.getByLabelText('Address'), '10.0.0.8:3390');
  expect(dialog.getByText(/the stored password of ann void/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Save' }));

  await waitFor(() => expect(gateway.calls).toContain(`PUT ${CALL}/build-1`));
  const body = sent(gateway, `PUT ${CALL}/build-1`) as object;
  expect(body).toMatchObject({ addr: '10.0.0.8:3390', askPassword: true });
  expect(body).not.toHaveProperty('name');
});

test('one that an agent announces is neither edited nor removed here; one that was entered is, after a question', async () => {
  const gateway = fakeGateway();
  gateway.answer(`${LIST}/any/details`, { body: desktopDetails(ANY as (typeof DESKTOPS)[0]) });
  const first = await open(`${PATH}?open=any`, gateway);
  expect(await screen.findByText(/Its agent announces it/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Edit' })).toBe(null);
  first.unmount();

  const again = fakeGateway();
  again.answer(`${LIST}/build-1/details`, { body: desktopDetails(BUILD as (typeof DESKTOPS)[0]) });
  again.answer(`DELETE ${CALL}/build-1`, { body: { message: 'ok' } });
  const { user } = await open(`${PATH}?open=build-1`, again);
  await user.click(await screen.findByRole('button', { name: 'Remove desktop' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Remove desktop' }));
  await waitFor(() => expect(again.calls).toContain(`DELETE ${CALL}/build-1`));
});

test('who may only look is offered nothing to change, and an empty list says what to ask for', async () => {
  const acl = { ...emptyAcl(), desktops: { ...fullAcl().desktops, create: false, edit: false, remove: false } };
  const gateway = fakeGateway(acl);
  gateway.answer(`${LIST}/prod-fin/details`, { body: desktopDetails(FIN) });
  const first = await open(`${PATH}?open=prod-fin`, gateway);
  expect(await screen.findByText(`sha256:${'ab'.repeat(32)}`)).toBeTruthy();
  for (const name of ['Edit', 'Remove desktop', 'Trust another certificate', 'Store password', 'Add desktop'])
    expect(screen.queryByRole('button', { name })).toBe(null);
  first.unmount();

  await open(PATH, fakeGateway(acl), []);
  expect(await screen.findByText(/windows_desktop_logins/)).toBeTruthy();
});
