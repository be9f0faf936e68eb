/** The context of a kubeconfig on this machine that a cluster is added from: files are looked for and merged as kubectl does. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { KubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import { type KubeContext, readKubeContext } from '@gatehouse/contract/kinds/kube/kubeconfig';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { parse } from 'yaml';
import type { Io } from '../../command.ts';
import { readGiven } from '../../input/read-files.ts';
import { Failure } from '../../runtime/failure.ts';

type Named = { name?: unknown };
interface Parts {
  contexts: Named[];
  clusters: Named[];
  users: Named[];
}

export interface ReadContext extends Omit<KubeContext, 'ca'> {
  /** PEM; empty: the authorities everybody knows. */
  ca: string;
  credential: KubeCredential;
}

interface ContextWish {
  kubeconfig?: string | undefined;
  context?: string | undefined;
  /** Whether a certificate that is not checked is meant so. */
  insecure?: boolean | undefined;
}

/** Throws in words what cannot be imported, and what to do instead. */
export async function contextOf(io: Pick<Io, 'cwd' | 'env'>, asked: ContextWish): Promise<ReadContext> {
  const { parsed, what, folder } = await readConfigs(io, asked.kubeconfig);
  let context: KubeContext;
  try {
    context = readKubeContext(parsed, what, asked.context);
  } catch (error) {
    throw new Failure('usage', errorMessage(error));
  }
  const { name, user, proxyUrl, isInsecure, ca } = context;
  const refuse = (why: string) => new Failure('usage', `the context '${name}' ${why}`);
  if (user.exec)
    throw refuse(
      `is signed in to by the program '${user.exec.command}', which the gateway does not have: use an agent beside the cluster, which runs it (docs/kubernetes.md)`,
    );
  if (user['auth-provider'])
    throw refuse(
      `is signed in to by the provider '${user['auth-provider'].name}', which the gateway does not have: use an agent beside the cluster (docs/kubernetes.md)`,
    );
  if (proxyUrl !== '')
    throw refuse(
      'is reached by a proxy (proxy-url): let an agent that reaches it dial, with --through, or without one',
    );
  if (isInsecure && !asked.insecure)
    throw refuse(
      'does not check the certificate of the cluster: whoever is in between could act as everybody. Give its authority, or say --insecure',
    );
  const read = (file: string) => readGiven({ cwd: folder }, file);
  const credential = await credentialOf(context, read);
  if (!credential)
    throw refuse('has neither a token nor a client certificate with its key: there is nothing to sign in with');
  return { ...context, credential, ca: ca === undefined ? '' : 'data' in ca ? decoded(ca.data) : await read(ca.file) };
}

async function credentialOf(
  { user }: KubeContext,
  read: (file: string) => Promise<string>,
): Promise<KubeCredential | undefined> {
  const token = user.token || (user.tokenFile && (await read(user.tokenFile)).trim());
  if (token) return { token };
  const from = async (data: string | undefined, file: string | undefined) =>
    data ? decoded(data) : file ? await read(file) : undefined;
  const cert = await from(user['client-certificate-data'], user['client-certificate']);
  const key = await from(user['client-key-data'], user['client-key']);
  return cert && key ? { cert, key } : undefined;
}

async function readConfigs({ cwd, env }: Pick<Io, 'cwd' | 'env'>, given: string | undefined) {
  const listed = given === undefined ? (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '') : [given];
  const files = listed.length > 0 ? listed : [join(env.HOME ?? homedir(), '.kube', 'config')];
  const merged: Parts & Record<string, unknown> = { contexts: [], clusters: [], users: [] };
  let folder = cwd;
  let found = 0;
  for (const file of files) {
    const text = await (files.length > 1
      ? readFile(resolve(cwd, file), 'utf8').catch(() => undefined)
      : readGiven({ cwd }, file));
    if (text === undefined) continue;
    let parsed: unknown;
    try {
      parsed = parse(text);
    } catch (error) {
      throw new Failure('usage', `the file '${file}' is no YAML: ${errorMessage(error).split('\n')[0]}`);
    }
    if (typeof parsed !== 'object' || parsed === null) continue;
    found += 1;
    if (found === 1 && file !== '-') folder = dirname(resolve(cwd, file));
    const read = parsed as Record<string, unknown>;
    // The first that says something is right.
    merged['current-context'] ||= read['current-context'];
    for (const part of ['contexts', 'clusters', 'users'] as const)
      for (const each of Array.isArray(read[part]) ? (read[part] as Named[]) : [])
        if (!merged[part].some(({ name }) => name === each?.name)) merged[part].push(each);
  }
  return { parsed: merged, folder, what: files.length > 1 ? 'KUBECONFIG' : `'${files[0]}'` };
}

export function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
