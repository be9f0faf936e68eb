/** A gateway with a real sshd beside it, two accounts on this machine, and people who may use them. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { type ConnectionDiagnostic, diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';

export const params = { clusterId: '-current-' };

export interface ServerWorld {
  gateway: IdentityGateway;
  sshd: TestSshd;
  /** Accounts that exist. */
  logins: [string, string];
  /** Manages everything. */
  admin: TestBrowser;
  /** Reaches servers labelled env: dev as the two accounts, and as `ghost`, which does not exist. */
  ann: TestBrowser;
  add(
    over: { name: string } & Partial<Parameters<typeof call<typeof nodeRoutes.add>>[2]['body']>,
  ): ReturnType<typeof call<typeof nodeRoutes.add>>;
  test(as: TestBrowser, name: string, login: string, more?: object): Promise<ConnectionDiagnostic>;
  /** Makes sshd trust what the gateway says now. */
  trustGateway(): Promise<void>;
  makeRole(name: string, spec: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function startServerWorld(options: Parameters<typeof startIdentityGateway>[0] = {}): Promise<ServerWorld> {
  const users = await makeOsUsers(2);
  const logins = users.names as [string, string];
  const sshd = await startSshd();
  const gateway = await startIdentityGateway(options);
  // sshd looks at its own clock.
  gateway.clock.now = Date.now();
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const makeRole = (name: string, spec: string) =>
    call(admin.send, roleRoutes.create, {
      body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
    });
  const diagnose = 'rules: [{resources: [connection_diagnostic], verbs: [create, read]}]';
  await makeRole('dev', `{allow: {logins: [${logins.join(', ')}, ghost], node_labels: {env: dev}, ${diagnose}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  return {
    gateway,
    sshd,
    logins,
    admin,
    ann: await gateway.signedIn('ann'),
    makeRole,
    add: (over) =>
      call(admin.send, nodeRoutes.add, { params, body: { addr: sshd.addr, labels: { env: 'dev' }, ...over } }),
    test: (as, name, login, more = {}) =>
      call(as.send, diagnosticRoutes.connect, {
        params,
        body: { resource_kind: 'node', resource_name: name, ssh_principal: login, ...more },
      }),
    async trustGateway() {
      sshd.trust((await call(gateway.send, sshAuthorityRoutes.list, {})).map(({ publicKey }) => publicKey));
    },
    async close() {
      await gateway.close();
      await sshd.stop();
      await users.remove();
    },
  };
}

/** Step, status and trace type of each trace. */
export function summary({ traces = [] }: ConnectionDiagnostic): string[] {
  return traces.map(({ gatehouse, status, traceType }) => `${gatehouse?.step} ${status} ${traceType}`);
}

export function failure({ traces = [] }: ConnectionDiagnostic) {
  const failed = traces.find(({ status }) => status === 'FAILED');
  return { step: failed?.gatehouse?.step, error: failed?.error, next: failed?.gatehouse?.next };
}
