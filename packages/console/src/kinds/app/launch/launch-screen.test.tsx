import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { app, failure, fakeGateway } from '../../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../../testing/open-page.tsx';

afterEach(async () => {
  vi.restoreAllMocks();
  await closePage();
});

const LAUNCH = 'POST /v1/webapi/sessions/app/launch';
const URL = 'https://grafana.one.example.com/x-gatehouse-launch?code=abc';

function gatewayWith(url: string) {
  const gateway = fakeGateway();
  gateway.answer(LAUNCH, { body: { url, fqdn: 'grafana.one.example.com' } });
  return gateway;
}

test('it leaves for where the gateway says, and asks once', async () => {
  const { went, gateway } = await openPage('/web/launch/grafana.one.example.com/one/grafana.one.example.com', {
    gateway: gatewayWith(URL),
  });

  await waitFor(() => expect(went).toEqual([URL]));
  expect(gateway.calls.filter((call) => call === LAUNCH)).toHaveLength(1);
  expect(gateway.bodies[gateway.calls.indexOf(LAUNCH)]).toEqual({
    fqdn: 'grafana.one.example.com',
    cluster_name: 'one',
    public_addr: 'grafana.one.example.com',
    arn: '',
  });
  expect(document.title).toContain('one');
  expect(screen.queryByRole('navigation')).toBe(null);
});

test('the path, the state and a role of AWS travel along', async () => {
  const arn = 'arn:aws:iam::123456789012:role/ops/read';
  const path = `/web/launch/aws.x/one/aws.x/${encodeURIComponent(arn)}?path=%2Fd%3Fa%3D1%26b%3D2&state=s-1`;
  const { gateway } = await openPage(path, { gateway: gatewayWith(URL) });

  await waitFor(() => expect(gateway.calls).toContain(LAUNCH));
  expect(gateway.bodies[gateway.calls.indexOf(LAUNCH)]).toMatchObject({
    fqdn: 'aws.x',
    arn,
    path: '/d?a=1&b=2',
    state: 's-1',
  });
});

test('a refusal is the Access Denied card with the reason and an id', async () => {
  const gateway = fakeGateway();
  gateway.answer(LAUNCH, { status: 403, body: failure('denied', "no role of yours opens 'grafana'") });

  const { went } = await openPage('/web/launch/grafana.one.example.com', { gateway });

  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
  expect(screen.getByText("No role of yours opens 'grafana'.")).toBeTruthy();
  expect(screen.getByText(/request-7/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Back to applications' })).toBeTruthy();
  expect(went).toEqual([]);
});

test('from a launch that is refused the test of that application is one click away', async () => {
  const gateway = fakeGateway();
  gateway.answer(LAUNCH, { status: 502, body: failure('target_unreachable', 'nothing listens at grafana.inside') });
  const shown = { ...app('charts'), publicAddr: 'grafana.one.example.com', fqdn: 'grafana.one.example.com' };
  gateway.answer('GET /v1/webapi/sites/one/apps', { body: { items: [shown], startKey: '', totalCount: 1 } });

  await openPage('/web/launch/grafana.one.example.com', { gateway });

  const link = await screen.findByRole('link', { name: 'Test connection' });
  expect(link.getAttribute('href')).toBe('/web/cluster/one/apps?open=charts&tab=test');
});

test('a second factor is asked for where a role wants one, and its refusal is said', async () => {
  const gateway = fakeGateway();
  const wanted = { status: 403, body: failure('mfa_required', 'a role of yours asks for a second factor') };
  gateway.answer(LAUNCH, wanted);
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  const { went } = await openPage('/web/launch/grafana.one.example.com', { gateway });

  const dialog = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
  gateway.answer(LAUNCH, { body: { url: URL, fqdn: 'grafana.one.example.com' } });
  await userEvent.type(within(dialog).getByRole('textbox'), '123456');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Confirm' }));

  await waitFor(() => expect(went).toEqual([URL]));
  expect(gateway.bodies[gateway.calls.lastIndexOf(LAUNCH)]).toMatchObject({ factor: { code: '123456' } });

  await closePage();
  gateway.answer(LAUNCH, wanted);
  await openPage('/web/launch/grafana.one.example.com', { gateway });
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('A role of yours asks for a second factor.')).toBeTruthy();
});

test('an address that is no web address is not followed', async () => {
  const { went } = await openPage('/web/launch/x.example.com', { gateway: gatewayWith('javascript:alert(1)') });

  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
  expect(went).toEqual([]);
});

test('without a sign-in it leads to the login and back to the same page and query', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const path = '/web/launch/grafana.one.example.com?path=%2Fd%3Fa%3D1&state=s-1';

  const { went, gateway } = await openPage(path, { signedIn: false });

  await waitFor(() =>
    expect(went).toEqual([`/web/login?redirect_uri=${encodeURIComponent(path).replaceAll('%20', '+')}`]),
  );
  expect(gateway.calls).toEqual([]);
});
