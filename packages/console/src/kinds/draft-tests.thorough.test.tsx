/** What is about to be added is tested before it is saved, whatever it is: what is sent, and what is said of it. */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeGateway, node } from '../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../testing/open-page.tsx';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const DRAFT = 'POST /v1/webapi/sites/one/diagnostics/drafts';
const took = (step: string, details: string, next?: string) => ({
  ...{ status: 'SUCCESS', details },
  gatehouse: { step, durationMs: 4, ...(next === undefined ? {} : { next }) },
});
const shows = (trace: ReturnType<typeof took>, shown: string) => ({
  ...trace,
  gatehouse: { ...trace.gatehouse, shown },
});
const REACHED = [took('reach', 'it is reached by the gateway itself'), took('tcp', 'it accepts connections')];

async function open(flow: string, traces: readonly object[]) {
  const gateway = fakeGateway();
  gateway.answer(DRAFT, { body: { id: 'draft-1', success: true, message: 'the way there works', traces } });
  await openPage(`/web/discover?flow=${flow}&step=describe`, { gateway });
  const main = within(await screen.findByRole('main'));
  await main.findByRole('heading', { level: 2 });
  const user = userEvent.setup();
  const test = async () => {
    const way = within(main.getByRole('region', { name: 'The way there' }));
    await user.click(way.getByRole('button', { name: 'Test it' }));
    await way.findByText('Everything works.');
    return way;
  };
  const sent = () => gateway.bodies[gateway.calls.lastIndexOf(DRAFT)];
  return { gateway, main, user, test, sent };
}

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: prod
contexts: [{ name: prod, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: 'https://kube.inside:6443' } }]
users: [{ name: u, user: { token: s3cret } }]
`;

test('a TCP service: no TLS and no answer is waited for', async () => {
  const { main, user, test, sent } = await open('tcp', REACHED);

  await user.type(main.getByLabelText(/^Address/), 'cache.inside:6379');
  const way = await test();

  expect(way.getAllByRole('listitem')).toHaveLength(2);
  expect(way.getByRole('img', { name: 'You, Gateway, cache: every hop works.' })).toBeTruthy();
  expect(sent()).toMatchObject({ kind: 'app', spec: { uri: 'tcp://cache.inside:6379' } });
});

test('a cluster: the credential goes along, and a role that is missing can be copied', async () => {
  const next = 'give the account this role with kubectl apply -f -\nkind: ClusterRole\nmetadata: {}\n';
  const traces = [...REACHED, took('tls', 'fine'), took('login', 'it is 1.34'), took('rights', 'not all', next)];
  const { main, user, test, sent } = await open('kubernetes', traces);

  await user.click(main.getByLabelText('Or paste a kubeconfig'));
  await user.paste(KUBECONFIG);
  await main.findByRole('button', { name: 'Test it' });
  const way = await test();

  expect(sent()).toMatchObject({
    kind: 'kube_cluster',
    spec: { name: 'prod', server: 'https://kube.inside:6443', credential: { token: 's3cret' } },
  });
  expect(way.getByRole('img', { name: 'Works, but look at it' })).toBeTruthy();
  expect(way.getByText(/Give the account this role with kubectl apply -f -/)).toBeTruthy();
  expect(way.getByRole('region', { name: /Give the account/ }).textContent).toBe('kind: ClusterRole\nmetadata: {}\n');
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('s3cret');
});

test('a desktop: the certificate that it shows is taken by a button, and no command line is shown', async () => {
  const pin = `sha256:${'ab'.repeat(32)}`;
  const compare = `compare it on the machine, then: gatehouse desktops add NAME 10.0.0.7:3389 --fingerprint ${pin}`;
  const { main, user, test, sent } = await open('desktop', [
    ...REACHED,
    took('protocol', 'it speaks RDP, inside TLS'),
    shows(took('tls', 'it shows a certificate that nobody has accepted yet', compare), pin),
  ]);

  await user.type(main.getByLabelText('Address'), '10.0.0.7');
  const way = await test();
  expect(sent()).toMatchObject({ kind: 'windows_desktop', spec: { addr: '10.0.0.7:3389', protocol: 'rdp' } });
  expect(sent()).not.toHaveProperty('spec.certificate');
  expect(sent()).not.toHaveProperty('spec.name');
  expect(way.getByText(/Compare it with what the machine itself says/)).toBeTruthy();
  expect(way.queryByText(/gatehouse desktops add/)).toBe(null);

  await user.click(way.getByRole('button', { name: 'It is this one' }));
  expect(main.getByLabelText<HTMLInputElement>('SHA-256 fingerprint').value).toBe(pin);
  expect(way.getByText('What you typed has changed since it was tested.')).toBeTruthy();
  await test();
  expect(sent()).toMatchObject({ spec: { certificate: { pin } } });
});

test('VNC inside TLS: a certificate that was taken is in the form from then on', async () => {
  const pin = `sha256:${'cd'.repeat(32)}`;
  const { main, user, test, sent } = await open('vnc', [
    ...REACHED,
    shows(took('tls', 'it shows one', 'compare'), pin),
  ]);

  await user.type(main.getByLabelText('Address'), '10.0.0.8');
  // The card has said it.
  expect(main.queryByLabelText('Protocol')).toBe(null);
  expect(main.queryByLabelText('SHA-256 fingerprint')).toBe(null);
  await user.click((await test()).getByRole('button', { name: 'It is this one' }));

  expect(main.getByLabelText<HTMLInputElement>('SHA-256 fingerprint').value).toBe(pin);
  await test();
  expect(sent()).toMatchObject({ spec: { protocol: 'vnc', certificate: { pin } } });
});

test('a server with OpenSSH by its address: its host key is compared, it is added, and a reload still says what it must trust', async () => {
  const print = `SHA256:${'k'.repeat(43)}`;
  const ssh = took('ssh', `it speaks SSH and shows the host keys ${print}`, 'compare with ssh-keygen -lf');
  const { gateway, main, user, test, sent } = await open('openssh', [...REACHED, shows(ssh, print)]);
  await user.click(await main.findByRole('button', { name: 'Way' }));
  await user.click(await main.findByRole('radio', { name: /By its address/ }));
  await user.click(main.getByRole('button', { name: 'Go on' }));
  await user.type(await main.findByLabelText(/^Address/), '10.0.0.5');
  const way = await test();
  expect(way.getByText(new RegExp(print))).toBeTruthy();
  expect(sent()).toEqual({ kind: 'node', spec: { addr: '10.0.0.5:22', labels: {} } });
  await user.click(way.getByRole('button', { name: 'It is this one' }));
  expect(main.getByLabelText<HTMLInputElement>(/^Fingerprint/).value).toBe(print);

  await user.click(main.getByRole('button', { name: 'Add server' }));
  expect(main.getByLabelText(/^Name/).getAttribute('aria-invalid')).toBe('true');
  await user.type(main.getByLabelText(/^Name/), 'web-1');
  const web = node('web-1', { addr: '10.0.0.5:22' });
  const added = { node: web, authorities: ['ssh-ed25519 AAAA gatehouse'], hostFingerprints: [print] };
  gateway.answer('POST /v1/webapi/sites/one/nodes', { body: added });
  await user.click(main.getByRole('button', { name: 'Add server' }));
  expect(await main.findByRole('heading', { name: 'Let web-1 trust the gateway' })).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf('POST /v1/webapi/sites/one/nodes')]).toEqual({
    ...{ name: 'web-1', addr: '10.0.0.5:22', labels: {}, hostFingerprint: print },
  });

  const { href } = window.location;
  await closePage();
  await openPage(href.slice(window.location.origin.length), { gateway });
  expect(await screen.findByText('ssh-ed25519 AAAA gatehouse')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Go on' }));
  expect(await screen.findByRole('heading', { name: 'Logins on web-1' })).toBeTruthy();
});

test('what failed is copied for whoever can do something about it', async () => {
  const { gateway, main, user } = await open('app', REACHED);
  const failed = {
    status: 'FAILED',
    details: '',
    error: 'no',
    gatehouse: { step: 'tls', durationMs: 4, next: 'renew it' },
  };
  gateway.answer(DRAFT, { body: { id: 'draft-2', success: false, message: 'it has expired', traces: [failed] } });
  await user.type(main.getByLabelText(/^Address/), 'https://wiki.inside');
  await user.click(main.getByRole('button', { name: 'Test it' }));

  await user.click(await main.findByRole('button', { name: 'Copy for a colleague' }));
  expect(await main.findByText('Copied.')).toBeTruthy();
  expect(await navigator.clipboard.readText()).toBe('It has expired.\nNext: renew it');
});
