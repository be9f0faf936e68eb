/** Joins a cluster: shows a token once, leaves the public key the agent is known by from then on, and proves that it holds it. */
import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { VERSION } from '@gatehouse/contract/std/version';
import { CallError, call, type Send } from '@gatehouse/contract/wire/client';
import { type StsCaller, signIamProof } from '@gatehouse/tunnel/aws/iam-proof';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import { signJoin } from '@gatehouse/tunnel/handshake/join-proof';
import { AgentFailure } from '../runtime/agent-failure.ts';
import type { AgentLog } from '../runtime/log.ts';
import { NotConnectedError } from './http-send.ts';
import { digestOf, type Identity } from './identity.ts';

const TRIES = 6;
const FIRST_WAIT_MS = 500;

export interface Joining {
  send: Send;
  gateway: string;
  token: string;
  name: string;
  key: KeyObject;
  log: AgentLog;
  signal: AbortSignal;
  firstWaitMs?: number;
  /** Set for the method `iam`. */
  awsCaller?: (signal: AbortSignal) => Promise<StsCaller>;
}

/** Safe to repeat: the gateway knows the key, and gives the same answer for the same token. */
export async function joinCluster(joining: Joining): Promise<Identity> {
  const { send, gateway, token, name, key, log, signal, firstWaitMs = FIRST_WAIT_MS, awsCaller } = joining;
  const audience = new URL(gateway).host;
  const said = { token, key: agentKeyOf(key).publicKey, name, version: VERSION, audience };
  for (let attempt = 1; ; attempt++) {
    try {
      const caller = await awsCaller?.(signal);
      const { nonce } = await call(send, agentRoutes.joinChallenge, {});
      const fields = { ...said, nonce };
      const proof = caller ? { iam: signIamProof(fields, caller) } : {};
      const body = { ...fields, signature: signJoin(key, fields), ...proof };
      const { agentId, cluster, labels } = await call(send, agentRoutes.join, { body });
      return { agentId, cluster, name, labels, tokenDigest: digestOf(token) };
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error, gateway, name);
      if (!mayHelpToRepeat(error) || attempt === TRIES) throw failure;
      const retryInMs = Math.round(firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
      log.warn({ reason: failure.message, retryInMs }, 'joining did not work yet');
      await sleep(retryInMs, undefined, { signal });
    }
  }
}

/** An answer that was lost may have been a yes; a connection that never was, was not. */
function mayHelpToRepeat(error: unknown): boolean {
  if (error instanceof NotConnectedError || error instanceof AgentFailure) return false;
  if (error instanceof CallError) return isLater(error);
  return !(error instanceof Error && error.name === 'ZodError');
}

/** 'Not now' rather than 'no'. */
function isLater({ status }: CallError): boolean {
  return status >= 500 || status === 429;
}

function failureOf(error: unknown, gateway: string, name: string): AgentFailure {
  if (error instanceof AgentFailure) return error;
  const cause = { cause: error };
  if (error instanceof CallError) {
    const { code, message, status } = error;
    if (code === 'conflict')
      return new AgentFailure('conflict', `the gateway does not take '${name}': ${message}`, cause);
    if (isLater(error))
      return new AgentFailure('unreachable', `the gateway at ${gateway} cannot answer now: ${message}`, cause);
    if (status < 400 || status === 404)
      return new AgentFailure('unreachable', `what answers at ${gateway} is no gateway that takes agents`, cause);
    return new AgentFailure('denied', `the gateway at ${gateway} did not let this agent join: ${message}`, cause);
  }
  if (error instanceof Error && error.name === 'ZodError') {
    return new AgentFailure('unreachable', `what answers at ${gateway} is not a gateway`, cause);
  }
  const reason = errorMessage(error);
  return new AgentFailure('unreachable', `no gateway answers at ${gateway}: ${reason}`, cause);
}
