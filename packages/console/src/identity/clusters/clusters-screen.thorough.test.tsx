import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EAST, KEY, LAB, STAGING, siteOf, VAULT } from '../../../testing/fake-clusters.ts';
import { CLUSTER, type FakeGateway, failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const LEAVES = 'GET /v1/webapi/remoteclusters';

/** Rows that the test scrolls into sight; a page without layout has none by itself. */
let seen: ((name: string) => void) | undefined;

beforeEach(() => {
  const watched = new Map<Element, () => void>();
  class Observer {
    readonly #tell: IntersectionObserverCallback;
    constructor(tell: IntersectionObserverCallback) {
      this.#tell = tell;
    }
    observe(element: Element) {
      watched.set(element, () =>
        this.#tell([{ isIntersecting: true } as IntersectionObserverEntry], this as unknown as IntersectionObserver),
      );
    }
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  seen = (name) => {
    for (const [element, tell] of watched) if (element.closest('tr')?.textContent?.startsWith(name)) tell();
  };
});
afterEach(async () => {
  await closePage();
  vi.unstubAllGlobals();
});

function withLeaves(): FakeGateway {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites', { body: [CLUSTER, siteOf(EAST), siteOf(LAB), siteOf(STAGING)] });
  gateway.answer(LEAVES, { body: [EAST, LAB, STAGING, VAULT] });
  return gateway;
}

const rowOf = async (name: string) =>
  within((await screen.findByRole('button', { name: new RegExp(`^${name}`) })).closest('tr') as HTMLElement);
const names = () =>
  within(screen.getByRole('table'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[0]?.textContent);

test('this cluster and its leaves are listed by name, each with how it is doing', async () => {
  await openPage('/web/clusters', { gateway: withLeaves() });

  await rowOf('east');
  expect(names()).toEqual(['east', 'lab', 'oneThis one', 'staging', 'vault']);
  expect((await rowOf('east')).getByText('Connected')).toBeTruthy();
  expect((await rowOf('lab')).getByText('Connected, older')).toBeTruthy();
  expect((await rowOf('one')).getByText('Root')).toBeTruthy();
  expect((await rowOf('staging')).getByText('Not connected')).toBeTruthy();
  expect((await rowOf('vault')).getByText('Not shown to you')).toBeTruthy();
  expect(screen.getByText('3 connected')).toBeTruthy();
  expect(screen.getByText('1 not connected')).toBeTruthy();
});

test('a leaf is asked for its servers when its row comes into sight, and one that is away is not asked', async () => {
  const gateway = withLeaves();
  const context = { authType: 'local', userName: 'one/maya', userAcl: {} };
  gateway.answer('GET /v1/webapi/sites/east/context', { body: { ...context, cluster: { ...CLUSTER, nodeCount: 96 } } });
  gateway.answer('GET /v1/webapi/sites/lab/context', {
    status: 403,
    body: failure('denied', "none of your roles is mapped in 'lab'"),
  });
  await openPage('/web/clusters', { gateway });
  await rowOf('east');
  const asked = () => gateway.calls.filter((call) => /sites\/(?!-current-)[a-z]+\/context/.test(call));
  expect(asked()).toEqual([]);

  seen?.('east');

  expect(await (await rowOf('east')).findByText('96')).toBeTruthy();
  expect(asked()).toEqual(['GET /v1/webapi/sites/east/context']);

  for (const name of ['lab', 'staging', 'vault']) seen?.(name);

  expect(await (await rowOf('lab')).findByText('No role mapped')).toBeTruthy();
  expect((await rowOf('lab')).queryByRole('button', { name: /Look at it: lab/ })).toBe(null);
  expect(asked()).toHaveLength(2);
});

test('a search meets names, labels and versions, and a label that is clicked is searched for', async () => {
  await openPage('/web/clusters?search=0.0.9', { gateway: withLeaves() });
  await rowOf('lab');
  expect(names()).toEqual(['lab']);

  const field = screen.getByRole('searchbox');
  await userEvent.clear(field);
  await userEvent.click(await screen.findByRole('button', { name: 'region: us-east' }));

  await waitFor(() => expect(names()).toEqual(['east']));
});

test('one that is away tells what that means; its labels are saved, and removing it asks for its name', async () => {
  const gateway = withLeaves();
  gateway.answer('PUT /v1/webapi/remoteclusters/staging', { body: STAGING });
  gateway.answer('DELETE /v1/webapi/remoteclusters/staging', () => {
    gateway.answer(LEAVES, { body: [EAST, LAB, VAULT] });
    gateway.answer('GET /v1/webapi/sites', { body: [CLUSTER, siteOf(EAST), siteOf(LAB)] });
    return { body: { message: 'ok' } };
  });
  await openPage('/web/clusters?open=staging', { gateway });

  const panel = within(await screen.findByRole('complementary', { name: 'Cluster staging' }));
  expect(panel.getByText("'staging' is not connected since 13:52:07.")).toBeTruthy();
  expect(panel.getByText(KEY)).toBeTruthy();
  expect(panel.getByText('2026-11-14 03:00:00 by ines')).toBeTruthy();
  expect(panel.getByRole('button', { name: 'Look at it' }).getAttribute('aria-disabled')).toBe('true');

  await userEvent.click(panel.getByRole('button', { name: 'Labels' }));
  const labels = within(await screen.findByRole('dialog', { name: 'Labels of staging' }));
  await userEvent.type(labels.getByRole('textbox', { name: /Labels/ }), 'team=web,');
  await userEvent.click(labels.getByRole('button', { name: 'Save labels' }));
  expect(await screen.findByText('The labels of staging are saved.')).toBeTruthy();
  const put = gateway.calls.indexOf('PUT /v1/webapi/remoteclusters/staging');
  expect(gateway.bodies[put]).toEqual({ labels: { env: 'staging', team: 'web' } });

  await userEvent.click(panel.getByRole('button', { name: 'Remove' }));
  const asks = within(await screen.findByRole('dialog', { name: 'Remove staging?' }));
  await userEvent.type(asks.getByRole('textbox'), 'staging');
  await userEvent.click(asks.getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('staging was removed.')).toBeTruthy();
  await waitFor(() => expect(names()).toEqual(['east', 'lab', 'oneThis one', 'vault']));
});

test('a token is shown once with its command, and the leaf that comes by it is told', async () => {
  const gateway = withLeaves();
  const token = '0f'.repeat(16);
  const command = `gatehouse clusters join https://one.example.com --token ${token} --root-key ${KEY}`;
  gateway.answer('POST /v1/webapi/trustedcluster/token', {
    body: { token, expires: new Date(Date.now() + 3_600_000).toISOString(), rootKey: KEY, command },
  });
  await openPage('/web/clusters', { gateway });
  await rowOf('east');

  await userEvent.keyboard('n');
  const dialog = within(await screen.findByRole('dialog', { name: 'Let a cluster join' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Make a token' }));
  expect(await dialog.findByText(command)).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf('POST /v1/webapi/trustedcluster/token')]).toEqual({ ttlSeconds: 3600 });
  expect(dialog.getByText('Waiting for it to join…')).toBeTruthy();

  gateway.answer(LEAVES, { body: [EAST, LAB, STAGING, VAULT, { ...EAST, name: 'west', id: 'another' }] });
  expect(await dialog.findByText('Joined and connected: west')).toBeTruthy();

  await userEvent.click(dialog.getByRole('button', { name: 'Done' }));
  await userEvent.click(screen.getByRole('button', { name: 'Let a cluster join' }));
  expect(screen.queryByText(command)).toBe(null);
});

test('the key of this cluster is rotated, and the next one is shown', async () => {
  const gateway = withLeaves();
  const next = { fingerprint: `SHA256:${'B'.repeat(43)}`, from: '2026-11-22T03:00:00Z' };
  const key = { clusterId: '0f0c41e9-90ab-45d2-8d27-0c41e90ab5d2', name: 'one', fingerprint: KEY, entry: 'e30=', next };
  gateway.answer('POST /v1/webapi/trustedclusters/key/rotate', () => {
    gateway.answer('GET /v1/webapi/trustedclusters/key', { body: key });
    return { body: key };
  });
  await openPage('/web/clusters', { gateway });
  await rowOf('one');
  await userEvent.click(screen.getByRole('button', { name: /^one/ }));
  const panel = within(await screen.findByRole('complementary', { name: 'Cluster one' }));
  await userEvent.click(panel.getByRole('button', { name: 'Rotate key' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Rotate the key of this cluster?' }));
  expect(dialog.queryByText(/has to join again. Choose/)).toBe(null);
  await userEvent.click(dialog.getByRole('button', { name: 'Rotate key' }));

  expect(await screen.findByText('The next key is made.')).toBeTruthy();
  expect(gateway.bodies).toContainEqual({ overlapSeconds: 604_800 });
  expect(await panel.findByText(/SHA256:B+, from/)).toBeTruthy();
});
