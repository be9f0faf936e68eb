/** Makes an agent known to its cluster where it is not yet, and only there. */
import type { KeyObject } from 'node:crypto';
import type { StsCaller } from '@gatehouse/tunnel/aws/iam-proof';
import type { AgentConfig } from '../config/agent-config.ts';
import { AgentFailure } from '../runtime/agent-failure.ts';
import type { AgentLog } from '../runtime/log.ts';
import type { DataFolder } from './data-folder.ts';
import { httpSend } from './http-send.ts';
import { digestOf, type Identity, readIdentity, writeIdentity } from './identity.ts';
import { joinCluster } from './join.ts';

interface Becoming {
  folder: DataFolder;
  config: Pick<AgentConfig, 'gateway' | 'name' | 'ca' | 'caPin'> & Partial<Pick<AgentConfig, 'token' | 'joinMethod'>>;
  key: KeyObject;
  log: AgentLog;
  signal: AbortSignal;
  /** Who this machine is in AWS, asked for anew at each try. */
  awsCaller?: (signal: AbortSignal) => Promise<StsCaller>;
}

/** Joins the first time, and with a token it has not seen before. */
export async function becomeKnown(becoming: Becoming): Promise<Identity> {
  const { folder, log } = becoming;
  const { token, name } = becoming.config;
  const known = readIdentity(folder);
  if (known && (token === undefined || digestOf(token) === known.tokenDigest)) {
    if (known.name !== name) log.warn({ name: known.name, wanted: name }, 'the agent keeps the name it joined with');
    return known;
  }
  try {
    return await join(becoming);
  } catch (error) {
    // An old token in a unit file must not keep an agent away that has long been let in.
    if (!known || !(error instanceof AgentFailure) || error.kind !== 'denied') throw error;
    log.warn({ reason: error.message }, 'the join token was refused; going on as before');
    return known;
  }
}

/** Whatever was known before: for an agent its gateway has forgotten. */
export async function join({ folder, config, key, log, signal, awsCaller }: Becoming): Promise<Identity> {
  const { gateway, token, name, ca, caPin: pin, joinMethod } = config;
  if (token === undefined) {
    const how = 'make one on the gateway with: gatehouse tokens add, and give it with --token';
    throw new AgentFailure('denied', `this agent has not joined yet and has no join token: ${how}`);
  }
  const send = httpSend(gateway, { ca, pin }, signal);
  const joined = await joinCluster({
    ...{ send, gateway, token, name, key, log, signal },
    ...(joinMethod === 'iam' && awsCaller ? { awsCaller } : {}),
  });
  writeIdentity(folder, joined);
  log.info({ agentId: joined.agentId, cluster: joined.cluster, name }, 'joined');
  return joined;
}
