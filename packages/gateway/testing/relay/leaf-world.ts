/** A root with people, and a leaf with a server: both whole gateways, the leaf joined and its tunnel up. */
import type { AddressInfo } from 'node:net';
import type { RoleMap } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { expect, vi } from 'vitest';
import { join, startCluster, type TestCluster } from '../federation/two-clusters.ts';
import type { IdentityGateway } from '../identity-gateway.ts';
import { type ShellWorld, startShellWorld } from '../sessions/shell-world.ts';
import type { TestBrowser } from '../test-browser.ts';

export interface LeafWorld {
  root: TestCluster;
  /** Known to the root as `localhost`, and by its people's roles `access`, which is `dev` there, and `editor`. */
  leaf: ShellWorld;
  /** At the root: reaches the server of the leaf as `ubuntu`. */
  ann: TestBrowser;
  /** At the root: manages everything in both. */
  admin: TestBrowser;
  close(): Promise<void>;
}

export const LEAF = 'localhost';

const MAP: RoleMap = [
  { remote: 'access', local: ['dev'] },
  { remote: 'editor', local: ['editor'] },
];

export async function startLeafWorld(options: Parameters<typeof startShellWorld>[0] = {}): Promise<LeafWorld> {
  const root = await startCluster('home');
  const leaf = await startShellWorld(options);
  await makeLeaf(root, leaf.gateway);
  return {
    root,
    leaf,
    ann: await root.signedIn('ann'),
    admin: root.admin,
    async close() {
      await leaf.close();
      await root.close();
    },
  };
}

/** The gateway, which listens, becomes a leaf of the root by the map; and there is `ann` at the root, with the role `access`. */
export async function makeLeaf(root: TestCluster, gateway: IdentityGateway, map = MAP): Promise<void> {
  // Both clocks stand still by themselves: a passport is for a minute of the same time.
  gateway.clock.now = root.clock.now;
  const { port } = gateway.app.server.address() as AddressInfo;
  await gateway.addUser('founder', { roles: ['editor', 'access'] });
  const joining: TestCluster = {
    ...gateway,
    admin: await gateway.signedIn('founder'),
    origin: `http://127.0.0.1:${port}`,
  };
  await join(root, joining, { role_map: map });
  await root.addUser('ann', { roles: ['access'] });
  const isUp = () => {
    const { leaves, links } = root.identity.federation;
    const [row] = leaves.seenBy({ isOwner: true } as Parameters<typeof leaves.seenBy>[0]);
    return row !== undefined && links().leaf(row.id).isConnected;
  };
  await vi.waitFor(() => expect(isUp()).toBe(true), { timeout: 10_000 });
}
