/** Keeps who an agent is in a Secret of the cluster that it is a pod of: pods forget, and a join token ends. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import { AgentFailure } from '../runtime/agent-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { IDENTITY_NAME, KEY_NAME } from './identity.ts';

const WITHIN_MS = 10_000;
const MAX_ANSWER = 1024 * 1024;
const FILES = [KEY_NAME, IDENTITY_NAME];

export interface KeptIdentity {
  /** Writes what the folder has, where that is other than what was kept. Throws an `AgentFailure`: an identity that would be forgotten is none. */
  save(): Promise<void>;
}

export interface SecretPlace {
  /** Of the API server. */
  server: string;
  /** With `token` and `ca.crt`, as pods have it. */
  folder: string;
  /** NAMESPACE/NAME. */
  secret: string;
}

const NOTHING: KeptIdentity = { save: async () => {} };
const stored = z.object({ data: z.record(z.string(), z.string()).optional() });

/** Fills the folder with what was kept. Without a place there is nothing to do. */
export async function keptIdentity(folder: DataFolder, place: SecretPlace | undefined): Promise<KeptIdentity> {
  if (!place) return NOTHING;
  const [, namespace = '', name = ''] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(place.secret) ?? [];
  if (name === '')
    throw new AgentFailure('failed', `GATEHOUSE_AGENT_IDENTITY_SECRET must be NAMESPACE/NAME, not '${place.secret}'`);
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  const read = stored.safeParse(await ask(place, 'GET', path));
  const kept = new Map(Object.entries(read.data?.data ?? {}).map(([file, text]) => [file, decoded(text)]));
  for (const file of FILES) {
    const text = kept.get(file);
    if (text !== undefined && folder.read(file) === undefined) folder.write(file, text);
  }
  return {
    async save() {
      const changed = FILES.flatMap((file) => {
        const text = folder.read(file);
        return text === undefined || text === kept.get(file) ? [] : [[file, text] as const];
      });
      if (changed.length === 0) return;
      const data = Object.fromEntries(changed.map(([file, text]) => [file, Buffer.from(text).toString('base64')]));
      await ask(place, 'PATCH', path, { data });
      for (const [file, text] of changed) kept.set(file, text);
    },
  };
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

function ask({ server, folder, secret }: SecretPlace, method: 'GET' | 'PATCH', path: string, body?: object) {
  const fail = (why: string) =>
    new AgentFailure('failed', `who this agent is cannot be kept in the Secret ${secret}: ${why}`);
  return new Promise<unknown>((resolve, reject) => {
    const asked = request(
      new URL(path, server),
      {
        method,
        ca: readFileSync(`${folder}/ca.crt`),
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${readFileSync(`${folder}/token`, 'utf8').trim()}`,
          ...(body ? { 'content-type': 'application/merge-patch+json' } : {}),
        },
        signal: AbortSignal.timeout(WITHIN_MS),
      },
      (answer) => {
        const pieces: Buffer[] = [];
        let size = 0;
        answer.on('data', (piece: Buffer) => {
          size += piece.length;
          if (size <= MAX_ANSWER) pieces.push(piece);
          else answer.destroy(new Error('its answer is too large'));
        });
        answer.on('error', (error) => reject(fail(errorMessage(error))));
        answer.on('end', () => {
          const told = parseJson(Buffer.concat(pieces).toString());
          const { statusCode = 0 } = answer;
          if (statusCode < 300) resolve(told);
          else reject(fail(`the cluster answers with ${statusCode}`));
        });
      },
    );
    asked.on('error', (error) => reject(fail(errorMessage(error))));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
