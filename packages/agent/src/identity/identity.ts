/** Who an agent is: the key it made for itself, and what the cluster called it when it joined. */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { nodeName } from '@gatehouse/contract/kinds/node/node-spec';
import { z } from 'zod';
import { AgentFailure } from '../runtime/agent-failure.ts';
import type { DataFolder } from './data-folder.ts';

export const KEY_NAME = 'agent.key';
export const IDENTITY_NAME = 'agent.json';

const identity = z.object({
  agentId: z.string().min(1).max(64),
  cluster: z.string().min(1).max(253),
  /** As it joined: the gateway knows it under no other. */
  name: nodeName,
  /** Given by the token. */
  labels: z.record(z.string(), z.string()),
  /** Of the token it joined with: another one means to join again. */
  tokenDigest: z.string(),
});
export type Identity = z.output<typeof identity>;

/** Made once, and written before it is used: an answer to a join that gets lost must find the same key again. */
export function loadKey(folder: DataFolder): KeyObject {
  const stored = folder.read(KEY_NAME);
  if (stored !== undefined) return parseKey(stored, folder.path);
  const { privateKey } = generateKeyPairSync('ed25519');
  folder.write(KEY_NAME, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  return privateKey;
}

export function readIdentity(folder: DataFolder): Identity | undefined {
  const text = folder.read(IDENTITY_NAME);
  if (text === undefined) return undefined;
  try {
    return identity.parse(JSON.parse(text));
  } catch (cause) {
    const message = `'${IDENTITY_NAME}' in '${folder.path}' is damaged: remove it, and join again with a new token`;
    throw new AgentFailure('failed', message, { cause });
  }
}

export function writeIdentity(folder: DataFolder, joined: Identity): void {
  folder.write(IDENTITY_NAME, `${JSON.stringify(joined, null, 2)}\n`);
}

/** Enough to tell one token from another, and of no use to anybody else. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

function parseKey(pem: string, folder: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const message = `'${KEY_NAME}' in '${folder}' is damaged: remove it, and join again with a new token`;
    throw new AgentFailure('failed', message, { cause });
  }
}
