/** A root whose certificate nobody vouches for: joined and dialled by the fingerprint it shows with the token, and by no other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startCluster, type TestCluster, trustContent } from '../../../../testing/federation/two-clusters.ts';
import { selfMadeCertificate } from '../../../platform/tls/self-made.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-pin-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

let root: TestCluster;
let leaf: TestCluster;
let address: string;
beforeEach(async () => {
  const doorPair = await selfMadeCertificate({ dataDir, names: ['localhost'], now: Date.now() });
  root = await startCluster('localhost', undefined, { secure: { ...doorPair, host: 'localhost' }, doorPair });
  leaf = await startCluster('east');
  address = root.origin;
});
afterEach(async () => {
  await leaf.close();
  await root.close();
});

const create = (spec: Parameters<typeof trustContent>[1]) =>
  call(leaf.admin.send, trustedClusterRoutes.create, { body: { content: trustContent('root', spec) } });

test('the root shows the pin with the token, and by it the leaf joins and its tunnel comes up', async () => {
  const { token, rootKey, caPin, command } = await call(root.admin.send, trustedClusterRoutes.createToken, {
    body: {},
  });
  expect(command).toContain(`--ca-pin ${caPin}`);
  await expect(create({ token, root_key: rootKey, web_proxy_addr: address })).rejects.toThrow();
  const other = `${caPin}`.replace(/./g, (digit) => (digit === '0' ? '1' : '0'));
  await expect(create({ token, root_key: rootKey, web_proxy_addr: address, ca_pin: other })).rejects.toThrow(
    'does not show the pinned certificate',
  );
  await create({ token, root_key: rootKey, web_proxy_addr: address, ca_pin: caPin! });

  const { clusterId } = leaf.storage.cluster;
  await vi.waitFor(() => expect(root.identity.federation.links().leaf(clusterId).isConnected).toBe(true), {
    timeout: SOON_MS,
  });
  const changed = trustContent('root', { root_key: rootKey, web_proxy_addr: address, ca_pin: other });
  await expect(
    call(leaf.admin.send, trustedClusterRoutes.update, { params: { name: 'root' }, body: { content: changed } }),
  ).rejects.toThrow("'spec.ca_pin' cannot be changed");
});
