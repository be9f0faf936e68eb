/** Gives the gateway what a cluster is shown: from a file that is read anew each time, or from the program that its kubeconfig names. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { kubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import { type CredentialAnswer, credentialRequest } from '@gatehouse/contract/reach/agents/kube-credential';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { OfferedStream } from '@gatehouse/tunnel/agent-session';
import { writeMessage } from '@gatehouse/tunnel/messages';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { readMetadata } from '../../reach/metadata.ts';
import type { WithoutDescriptors } from '../../runtime/children/without-descriptors.ts';
import type { CredentialSource } from './agent-kubes.ts';
import { runPlugin } from './run-plugin.ts';

export interface GiveCredentialDeps {
  /** Those that are offered, by name. */
  kubes: readonly { name: string; source: CredentialSource }[];
  closer: WithoutDescriptors | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

const MAX_WORDS = 500;

export async function giveCredential(
  offered: OfferedStream,
  metadata: StreamMetadata,
  deps: GiveCredentialDeps,
  signal: AbortSignal,
): Promise<void> {
  const { name } = readMetadata(credentialRequest, metadata);
  const found = deps.kubes.find((kube) => kube.name === name);
  if (!found) throw new StreamRefused('not_found', `this agent offers no Kubernetes cluster '${name}'`);
  const answer = await credentialOf(found.source, deps, signal).catch(
    (error: unknown): CredentialAnswer => ({ reason: errorMessage(error).slice(0, MAX_WORDS) }),
  );
  const stream = offered.accept();
  stream.on('error', () => {});
  stream.resume();
  await writeMessage(stream, answer);
  stream.end();
}

async function credentialOf(
  source: CredentialSource,
  deps: GiveCredentialDeps,
  signal: AbortSignal,
): Promise<CredentialAnswer> {
  if ('tokenFile' in source) return ofToken(await readFile(source.tokenFile, 'utf8'));
  const { user, folder } = source;
  if (user.exec) return await runPlugin(user.exec, { ...deps, folder, signal });
  const read = (file: string) => readFile(resolve(folder, file), 'utf8');
  if (user.token) return ofToken(user.token);
  if (user.tokenFile) return ofToken(await read(user.tokenFile));
  const from = async (data: string | undefined, file: string | undefined) =>
    data ? Buffer.from(data, 'base64').toString() : file ? await read(file) : '';
  const cert = await from(user['client-certificate-data'], user['client-certificate']);
  const key = await from(user['client-key-data'], user['client-key']);
  if (cert === '' || key === '')
    throw new Error('its kubeconfig has no token, no client certificate with its key and no exec plugin');
  return { credential: kubeCredential.parse({ cert, key }) };
}

function ofToken(text: string): CredentialAnswer {
  const token = text.trim();
  const parsed = kubeCredential.safeParse({ token });
  if (!parsed.success) throw new Error('the token of its kubeconfig is empty or holds what no token has');
  const expires = endOf(token);
  return { credential: parsed.data, ...(expires ? { expires } : {}) };
}

/** Tokens that are no JWT say nothing. */
function endOf(token: string): string | undefined {
  const [, payload, signature] = token.split('.');
  if (!payload || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? new Date(exp * 1_000).toISOString() : undefined;
  } catch {
    return undefined;
  }
}
