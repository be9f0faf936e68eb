/** A root with a door for ssh, and a leaf behind it whose server lets ports, keys and windows through: whole gateways and a real sshd. */
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import type { RoleMap } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { call } from '@gatehouse/contract/wire/client';
import { startSshd } from '@gatehouse/testkit/sshd';
import { type ServerWorld, startServerWorld } from '../connection-tests/server-world.ts';
import { startCluster, type TestCluster } from '../federation/two-clusters.ts';
import { openSshDoor } from '../sessions/ssh-doors.ts';
import { makeLeaf } from './leaf-world.ts';

export interface ForwardingLeaf {
  root: TestCluster;
  /** Its role `dev` reaches the server `web-1`; `backwards` has keys and windows used there, and ports listened on. */
  leaf: ServerWorld;
  /** Of the root's door. */
  port: number;
  /** At the server. */
  login: string;
  close(): Promise<void>;
}

export async function startForwardingLeaf(map: RoleMap): Promise<ForwardingLeaf> {
  const root = await startCluster('home');
  // sshd looks at its own clock; whoever signed in before is long gone then.
  root.clock.now = Date.now();
  root.admin = await root.signedIn('admin');
  const leaf = await startServerWorld();
  await leaf.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const trusts = (await call(leaf.gateway.send, sshAuthorityRoutes.list, {})).map(({ publicKey }) => publicKey);
  const sshd = await startSshd({ trusts, settings: ['X11Forwarding yes', 'X11UseLocalhost yes'] });
  await leaf.add({ name: 'web-1', addr: sshd.addr });
  const options = ['remote_forwarding', 'forward_agent', 'permit_x11_forwarding'].map((each) => `${each}: true`);
  await leaf.makeRole('backwards', `{options: {${options.join(', ')}}}`);
  await makeLeaf(root, leaf.gateway, map);
  return {
    root,
    leaf,
    port: await openSshDoor(root),
    login: leaf.logins[0],
    async close() {
      await sshd.stop();
      await leaf.close();
      await root.close();
    },
  };
}
