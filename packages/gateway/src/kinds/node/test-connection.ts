/** Tries to sign in to a server the way a session would, step by step: access, the way, TCP, SSH, login. */
import type { Duplex } from 'node:stream';
import { nodeSpec, osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import { LOGIN_ANSWER_BYTES, LOGIN_TARGET, loginAnswer } from '@gatehouse/contract/reach/agents/targets';
import { readMessage } from '@gatehouse/tunnel/messages';
import type { AccessControl } from '../../access/create-access.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach } from '../../reach/reach.ts';
import { mayNot, requireUnlocked, takeFactor, takeFind } from '../../sessions/connection-tests/access-steps.ts';
import type { ConnectionTest } from '../../sessions/connection-tests/connection-test.ts';
import type { Steps } from '../../sessions/connection-tests/take-steps.ts';
import type { NodeConnections, NodeLogin } from './connect-node.ts';
import type { SshConnection } from './engine/connect-ssh.ts';
import { SshFailure } from './engine/ssh-failure.ts';
import { findSeenNode, type NodeFinder } from './find-node.ts';
import { loginsOn } from './node-logins.ts';
import { nodeTarget } from './node-target.ts';

export interface TestNodeDeps extends NodeFinder {
  access: Pick<AccessControl, 'of' | 'decide' | 'lockFor'>;
  reach: Reach;
  connections: Pick<NodeConnections, 'connectOver' | 'connect'>;
}

/** Logins of the same person that are tried to tell an unknown login from an unknown authority. */
const MAX_PROBED = 2;

export async function testNode(deps: TestNodeDeps, steps: Steps, test: ConnectionTest): Promise<void> {
  const resource = await passAccess(deps, steps, test);
  const spec = nodeSpec.parse(resource.spec);
  if (spec.type === 'agent') return testAgentNode(deps, steps, resource, test);

  const { actor, session, timeoutMs, signal } = test;
  const login = loginOf(test);
  const who = { user: actor.username, session, signInId: actor.signInId };
  const wanted: NodeLogin = { resource, login, who, timeoutMs, signal };
  const way = await steps.take({
    step: 'reach',
    type: 'CONNECTIVITY',
    run: () => deps.reach.way(nodeTarget(resource), wanted),
    tell: ({ tell }) => `${spec.addr} is reached ${tell}`,
  });
  const stream = await steps.take({
    step: 'tcp',
    type: 'CONNECTIVITY',
    run: () => way.dial(),
    tell: () => `${spec.addr} accepts connections`,
  });
  const connection = await handshake(deps, steps, { stream, wanted, test });
  const connected = await steps.take({
    step: 'login',
    type: 'NODE_PRINCIPAL',
    run: () =>
      connection().catch((error: unknown) =>
        sharpen(deps, error, wanted, loginsOn(actor, deps.access, resource, spec)),
      ),
    tell: () => `the server takes the certificate for '${login}' and lets them in`,
  });
  connected.close();
}

/** Whom the row says nobody signs in without. */
function loginOf({ names }: ConnectionTest): string {
  return names.login ?? '';
}

async function passAccess(deps: TestNodeDeps, steps: Steps, test: ConnectionTest): Promise<Resource> {
  const { access } = deps;
  const { actor, wanted } = test;
  const login = loginOf(test);
  const resource = await takeFind(steps, test, {
    type: 'RBAC_NODE',
    listedBy: 'gatehouse nodes ls',
    find: () => findSeenNode(deps, actor, wanted),
    tell: ({ name }) => `you see the server '${name}'`,
  });
  test.onFound(resource);
  await steps.take({
    step: 'access',
    type: 'RBAC_PRINCIPAL',
    run: () => requireConnect(deps, test, resource),
    tell: () => `your roles let you sign in as '${login}'`,
  });
  await takeFactor(steps, test, access, 'RBAC_PRINCIPAL');
  return resource;
}

/** Asked of the very object that is dialled afterwards. */
function requireConnect({ access }: TestNodeDeps, test: ConnectionTest, resource: Resource): void {
  const { actor } = test;
  const login = loginOf(test);
  if (!osLogin.safeParse(login).success) throw mayNot(`'${login}' is no login name`, 'correct the login');
  const action = { type: 'connect', kind: 'node', resource, login } as const;
  if (access.decide(actor, action).allowed) return;
  requireUnlocked(access, test, action);
  const usable = loginsOn(actor, access, resource, nodeSpec.parse(resource.spec));
  throw mayNot(
    `none of your roles lets you sign in to '${resource.name}' as '${login}'`,
    `${usable.length > 0 ? `use one of ${usable.join(', ')}; ` : ''}an administrator sees why with: gatehouse access explain ${actor.username} ${resource.name} --login ${login}`,
  );
}

/** Waits for the exchange of keys alone; gives back how to wait for the login. */
async function handshake(
  deps: TestNodeDeps,
  steps: Steps,
  { stream, wanted, test }: { stream: Duplex; wanted: NodeLogin; test: ConnectionTest },
): Promise<() => Promise<SshConnection>> {
  const agreed = Promise.withResolvers<void>();
  const connect = async () => {
    // Dialling takes a while: what was allowed before may be locked by now.
    requireConnect(deps, test, wanted.resource);
    return await deps.connections.connectOver(stream, { ...wanted, onHandshake: () => agreed.resolve() });
  };
  const connecting = connect();
  connecting.catch((error: unknown) => {
    stream.destroy();
    if (error instanceof SshFailure && error.stage === 'login') agreed.resolve();
    else agreed.reject(error);
  });
  await steps.take({
    step: 'ssh',
    type: 'CONNECTIVITY',
    run: () => agreed.promise,
    tell: () => 'the server proved a host key that is trusted for it',
  });
  return () => connecting;
}

/** A server does not say whether it knows the authority or the login; another login it takes answers that. */
async function sharpen(
  deps: TestNodeDeps,
  error: unknown,
  wanted: NodeLogin,
  logins: readonly string[],
): Promise<never> {
  if (!(error instanceof SshFailure) || error.reason !== 'not_accepted') throw error;
  const { resource, login } = wanted;
  const others = logins.filter((other) => other !== login && other !== '*').slice(0, MAX_PROBED);
  for (const other of others) {
    const taken = await deps.connections.connect({ ...wanted, login: other, until: 'probe' }).then(
      (connection) => {
        connection.close();
        return true;
      },
      () => false,
    );
    if (!taken) continue;
    throw new SshFailure(
      'login_refused',
      `the server '${resource.name}' trusts the gateway but does not let '${login}' in`,
      {
        stage: 'login',
        cause: error,
        next: `make the account '${login}' on the server, or look whether AllowUsers or AllowGroups keep it out`,
      },
    );
  }
  throw error;
}

async function testAgentNode(
  deps: TestNodeDeps,
  steps: Steps,
  resource: Resource,
  test: ConnectionTest,
): Promise<void> {
  const { reach } = deps;
  const { actor, session, timeoutMs, signal } = test;
  const login = loginOf(test);
  const options = { who: { user: actor.username, session }, timeoutMs, signal };
  await steps.take({
    step: 'reach',
    type: 'CONNECTIVITY',
    run: () => reach.agentAnswers(resource, options),
    tell: (told) => told,
  });
  await steps.take({
    step: 'login',
    type: 'NODE_PRINCIPAL',
    run: async () => {
      const stream = await reach.toAgent(resource, LOGIN_TARGET, { ...options, metadata: { login } });
      const { ok, reason } = await askLogin(stream, timeoutMs).finally(() => stream.destroy());
      if (ok) return;
      throw new AppError(
        'denied',
        `the agent on '${resource.name}' starts no shell for '${login}': ${reason || 'it gave no reason'}`,
        {
          fields: {
            next: `make the account '${login}' on that machine, or allow it in the configuration of its agent`,
          },
        },
      );
    },
    tell: () => `the agent can start a shell for '${login}'`,
  });
}

async function askLogin(stream: Duplex, timeoutMs: number) {
  try {
    const { value } = await readMessage(stream, loginAnswer, {
      maxBytes: LOGIN_ANSWER_BYTES,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return value;
  } catch (cause) {
    throw new AppError('target_unreachable', 'the agent gave no answer that can be read', {
      cause,
      fields: { next: 'look into the log of the agent; it may be older than the gateway' },
    });
  }
}
