import type { KubeCluster, KubeClusterDetails } from '@gatehouse/contract/kinds/kube/kubernetes';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeGateway, listNamed } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

const CALL = '/v1/webapi/sites/one/kubernetes';
const PATH = '/web/cluster/one/kubernetes';

const cluster = (name: string, more: Partial<NonNullable<KubeCluster['gatehouse']>> = {}): KubeCluster => ({
  ...{
    name,
    labels: [{ name: 'env', value: 'live' }],
    kubernetes_users: ['ann', 'deploy'],
    kubernetes_groups: ['view'],
  },
  gatehouse: {
    ...{ source: 'entered', server: `https://${name}.inside:6443`, insecure: false, credential: 'stored' },
    ...{ lacks: [], namespaces: ['shop'], ways: 0, connected: 0 },
    ...more,
  },
});
const details = (item: KubeCluster): KubeClusterDetails => ({
  ...{ item, server: item.gatehouse?.server ?? '', ca: '', serverName: '', insecureSkipVerify: false },
  ...{ namespaces: ['shop'], labels: { env: 'live' }, through: [], agents: [] },
});

function gatewayWith(...clusters: KubeCluster[]) {
  const gateway = fakeGateway();
  gateway.answer(
    `GET ${CALL}`,
    listNamed(() => clusters),
  );
  for (const each of clusters) gateway.answer(`GET ${CALL}/${each.name}`, { body: details(each) });
  return gateway;
}

test('each row tells how it is, and marks one whose certificate is not checked', async () => {
  await openPage(PATH, {
    gateway: gatewayWith(
      cluster('prod'),
      cluster('lab', { insecure: true }),
      cluster('old', { lacks: ['credential'] }),
    ),
  });
  const row = async (name: RegExp) => within(await screen.findByRole('row', { name }));

  expect((await row(/lab/)).getByText('Unverified')).toBeTruthy();
  expect((await row(/prod/)).queryByText('Unverified')).toBe(null);
  expect((await row(/prod/)).getByRole('button', { name: 'Connect to prod' })).toBeTruthy();
  expect((await row(/old/)).getByText(/credential/i)).toBeTruthy();
});

test('it is tried as oneself, as one of the users one may be, and each step is told', async () => {
  const gateway = gatewayWith(cluster('prod'));
  const connect = 'POST /v1/webapi/sites/one/diagnostics/connections';
  gateway.answer('POST /v1/webapi/sites/one/mfa/required', { body: { required: false } });
  gateway.answer(connect, {
    body: {
      ...{ id: 'd-1', success: false, message: 'refused' },
      traces: [
        { traceType: 'RBAC_KUBE', status: 'SUCCESS', details: '', gatehouse: { step: 'access', durationMs: 1 } },
        {
          ...{ traceType: 'CONNECTIVITY', status: 'FAILED', details: '', error: 'nothing listens there' },
          gatehouse: { step: 'reach', durationMs: 9, next: 'look at the address' },
        },
      ],
    },
  });
  const user = userEvent.setup();
  await openPage(`${PATH}?open=prod&tab=test`, { gateway });
  const panel = within(await screen.findByRole('complementary', { name: 'Kubernetes cluster prod' }));
  const namespace = await panel.findByRole('textbox', { name: /^Namespace/ });
  expect((namespace as HTMLInputElement).value).toBe('shop');
  await user.click(panel.getByRole('button', { name: 'Test connection' }));

  expect(await panel.findByText('Nothing listens there.')).toBeTruthy();
  expect(panel.getByText('Look at the address.')).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf(connect)]).toEqual({
    ...{ resource_kind: 'kube_cluster', resource_name: 'prod', kubernetes_namespace: 'shop' },
    kubernetes_impersonation: { kubernetes_user: 'ann' },
  });
});

test('one that was entered is changed in its panel, and its credential is said to be void at another address', async () => {
  const gateway = gatewayWith(cluster('prod'), cluster('edge', { source: 'agent' }));
  const change = `PUT ${CALL}/prod`;
  gateway.answer(change, { body: cluster('prod') });
  const user = userEvent.setup();
  await openPage(`${PATH}?open=prod`, { gateway });
  const panel = within(await screen.findByRole('complementary', { name: 'Kubernetes cluster prod' }));
  await user.click(await panel.findByRole('button', { name: 'Edit' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit prod' }));
  const labels = await dialog.findByRole('textbox', { name: /^Labels/ });
  await user.type(labels, 'team=shop{Enter}');
  expect(dialog.queryByText(/is forgotten/)).toBe(null);
  const address = dialog.getByRole('textbox', { name: /^Address/ });
  await user.clear(address);
  await user.type(address, 'http://other');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(gateway.calls).not.toContain(change);
  await user.clear(address);
  await user.type(address, 'https://other.inside');
  expect(dialog.getByText(/is forgotten/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Save' }));

  await waitFor(() => expect(gateway.calls).toContain(change));
  expect(gateway.bodies[gateway.calls.indexOf(change)]).toEqual({
    ...{ labels: { env: 'live', team: 'shop' }, server: 'https://other.inside', ca: '', serverName: '' },
    ...{ namespaces: ['shop'], through: [] },
  });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
});

test('one that agents announce is not changed here', async () => {
  await openPage(`${PATH}?open=edge`, { gateway: gatewayWith(cluster('edge', { source: 'agent' })) });
  const panel = within(await screen.findByRole('complementary', { name: 'Kubernetes cluster edge' }));

  expect(await panel.findByText(/Its agents announce it/)).toBeTruthy();
  expect(panel.queryByRole('button', { name: 'Edit' })).toBe(null);
});

test('the palette finds one and opens it', async () => {
  const user = userEvent.setup();
  await openPage('/web/settings', { gateway: gatewayWith(cluster('harbour')) });
  await screen.findByRole('heading', { name: 'Settings' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: 'Search or jump to' }), 'harbour');
  await user.click(await screen.findByRole('option', { name: /^harbour/ }));

  await waitFor(() => expect(window.location.pathname).toBe('/web/cluster/one/kubernetes/harbour'));
});

const PODS = { apiGroup: '', apiVersion: 'v1', resource: 'pods' };
const row = (name: string, status: string) => ({
  ...{ uid: name, namespace: 'shop', name, created: '2026-11-18T00:00:00Z', labels: {}, owner: '', isEnding: false },
  cells: [name, '1/1', status],
});

/** A page of pods, whose line is told what a test says. */
async function openPods() {
  const page = await openPage(`${PATH}/prod/pods?ns=shop`, { gateway: gatewayWith(cluster('prod')) });
  await waitFor(() => expect(page.sockets.length).toBeGreaterThan(0));
  const lines = () =>
    page.sockets.filter(({ sent }) => sent.some((each) => (each as { type: string }).type === 'open'));
  await waitFor(() => {
    for (const socket of page.sockets.filter(({ sent }) => sent.length === 0)) socket.open();
    expect(lines()).toHaveLength(1);
  });
  const [line] = lines();
  if (!line) throw new Error('no line');
  line.hear({ type: 'ready', version: 'v1.32.2', user: 'ann', groups: ['view'] });
  const asked = () =>
    line.sent.find((each) => (each as { type: string; resource?: string }).type === 'list') as
      | { id: number }
      | undefined;
  await waitFor(() => expect(asked()).toMatchObject(PODS));
  const id = asked()?.id ?? 0;
  const column = (name: string) => ({ name, type: 'string', format: '', priority: 0, description: '' });
  line.hear({ type: 'columns', id, columns: ['Name', 'Ready', 'Status'].map(column) });
  line.hear({ type: 'rows', id, seq: 0, rows: [row('api-1', 'Running')], gone: [] });
  line.hear({ type: 'listed', id, isCut: false, isLive: true });
  return { ...page, line, id };
}

test('a list says that it is live, what a cluster says is text, and that it is not live once the line is lost', async () => {
  const { line, id, sockets } = await openPods();
  expect(await screen.findByText('Live')).toBeTruthy();
  const hostile = '<img src=x onerror=alert(1)>';
  line.hear({ type: 'rows', id, seq: 1, rows: [row('api-2', hostile)], gone: [] });
  expect(await screen.findByText(hostile)).toBeTruthy();
  expect(document.querySelector('img[src="x"]')).toBe(null);
  expect(line.sent).toContainEqual({ type: 'ack', id, seq: 1 });
  line.drop();

  expect(await screen.findByText('The connection to the gateway was lost.')).toBeTruthy();
  expect(screen.queryByText('Live')).toBe(null);
  expect(screen.getAllByText('Not connected').length).toBeGreaterThan(0);
  expect(screen.getByText('api-1')).toBeTruthy();

  // Also while it tries: the next line is on its way, and nobody has answered on it.
  await waitFor(() => expect(sockets.filter(({ path }) => path === line.path)).toHaveLength(2));
  await screen.findByRole('button', { name: 'Try now', busy: true });
  expect(screen.getByText('The connection to the gateway was lost.')).toBeTruthy();
});

test('a line that the gateway does not understand is refused once, and not tried again and again', async () => {
  const { line, sockets } = await openPods();
  const before = sockets.length;
  line.dispatchEvent(Object.assign(new Event('close'), { code: 1008, reason: 'the message is not understood' }));

  expect(await screen.findByText(/The message is not understood\./)).toBeTruthy();
  expect(sockets.length).toBe(before);
});
