/** A root and a leaf, each a whole gateway with people of its own, and the leaf joined. */
import type { AddressInfo } from 'node:net';
import type { RoleMap } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { call } from '@gatehouse/contract/wire/client';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { SharedStore } from '../start-test-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';

export interface TestCluster extends IdentityGateway {
  admin: TestBrowser;
  /** Where it listens. */
  origin: string;
}

export async function startCluster(
  clusterName: string,
  shared?: SharedStore,
  more: Pick<
    NonNullable<Parameters<typeof startIdentityGateway>[0]>,
    'secondFactor' | 'rootLostMs' | 'secure' | 'doorPair' | 'settings' | 'headlessMs'
  > = {},
): Promise<TestCluster> {
  const gateway = await startIdentityGateway({ clusterName, ...(shared ? { shared } : {}), ...more });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  const origin = more.secure ? `https://${more.secure.host}:${port}` : `http://127.0.0.1:${port}`;
  return { ...gateway, admin: await gateway.signedIn('admin'), origin };
}

export interface TrustSpec {
  enabled?: boolean;
  token?: string;
  web_proxy_addr: string;
  root_key?: string;
  ca_pin?: string;
  role_map?: RoleMap;
  traits?: string[];
}

export function trustContent(name: string, spec: TrustSpec): string {
  return JSON.stringify({ kind: 'trusted_cluster', version: 'v2', metadata: { name }, spec });
}

export const EVERYBODY: RoleMap = [{ remote: '*', local: ['access'] }];

/** The leaf trusts the root by this name. */
export async function join(
  root: TestCluster,
  leaf: TestCluster,
  { name = 'root', role_map = EVERYBODY }: { name?: string; role_map?: RoleMap } = {},
) {
  const { token, rootKey, caPin } = await call(root.admin.send, trustedClusterRoutes.createToken, { body: {} });
  const pin = caPin === undefined ? {} : { ca_pin: caPin };
  const content = trustContent(name, { token, root_key: rootKey, web_proxy_addr: root.origin, role_map, ...pin });
  return await call(leaf.admin.send, trustedClusterRoutes.create, { body: { content } });
}
