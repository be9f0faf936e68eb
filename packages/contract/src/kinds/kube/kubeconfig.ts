/** What stands in a kubeconfig for one context: where the cluster is, and what it is shown. Files it names are read by who has them. */
import { z } from 'zod';

const text = z.string().max(1024 * 1024);

/** Fields of `…-data` are Base64, and win over the file, as in kubectl. */
const cluster = z.object({
  server: text,
  'certificate-authority': text.optional(),
  'certificate-authority-data': text.optional(),
  'tls-server-name': text.optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'proxy-url': text.optional(),
});

const variable = z.object({ name: text, value: text });
export const execPlugin = z.object({
  apiVersion: text.default('client.authentication.k8s.io/v1beta1'),
  command: text,
  args: z.array(text).nullish(),
  env: z.array(variable).nullish(),
});
export type ExecPlugin = z.output<typeof execPlugin>;

const user = z.object({
  token: text.optional(),
  tokenFile: text.optional(),
  'client-certificate': text.optional(),
  'client-certificate-data': text.optional(),
  'client-key': text.optional(),
  'client-key-data': text.optional(),
  username: text.optional(),
  exec: execPlugin.nullish(),
  'auth-provider': z.object({ name: text }).nullish(),
});
export type KubeconfigUser = z.output<typeof user>;

const file = z.object({
  'current-context': z.string().nullish(),
  contexts: z
    .array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string().default('') }) }))
    .nullish(),
  clusters: z.array(z.object({ name: z.string(), cluster: z.unknown() })).nullish(),
  users: z.array(z.object({ name: z.string(), user: z.unknown() })).nullish(),
});

export interface KubeContext {
  name: string;
  server: string;
  /** PEM as Base64, or a file that holds it; neither: the authorities everybody knows. */
  ca: { data: string } | { file: string } | undefined;
  serverName: string;
  isInsecure: boolean;
  proxyUrl: string;
  user: KubeconfigUser;
}

/** The context of that name, or the current one. Throws in words: `what` names the file. */
export function readKubeContext(parsed: unknown, what: string, wanted?: string): KubeContext {
  const { data, error } = file.safeParse(parsed);
  if (!data) throw new Error(`${what} is no kubeconfig: ${told(error)}`);
  const contexts = data.contexts ?? [];
  if (contexts.length === 0) throw new Error(`${what} is no kubeconfig, or an empty one: it names no context`);
  const name = wanted || data['current-context'] || '';
  if (name === '') throw new Error(`${what} has no current context: name one of ${listed(contexts)}`);
  const found = contexts.find((each) => each.name === name)?.context;
  if (!found) throw new Error(`${what} has no context '${name}': it has ${listed(contexts)}`);
  const part = <Part>(of: string, schema: z.ZodType<Part>, given: unknown): Part => {
    if (given === undefined) throw new Error(`${what} has no ${of}, which its context '${name}' names`);
    const read = schema.safeParse(given);
    if (read.success) return read.data;
    throw new Error(`the ${of} in ${what}: ${told(read.error)}`);
  };
  const at = part(
    `cluster '${found.cluster}'`,
    cluster,
    data.clusters?.find((each) => each.name === found.cluster)?.cluster,
  );
  const who = found.user === '' ? {} : data.users?.find((each) => each.name === found.user)?.user;
  const data64 = at['certificate-authority-data'];
  const authority = at['certificate-authority'];
  return {
    name,
    server: at.server,
    ca: data64 ? { data: data64 } : authority ? { file: authority } : undefined,
    serverName: at['tls-server-name'] ?? '',
    isInsecure: at['insecure-skip-tls-verify'] === true,
    proxyUrl: at['proxy-url'] ?? '',
    user: part(`user '${found.user}'`, user, who),
  };
}

function listed(contexts: readonly { name: string }[]): string {
  return contexts.map(({ name }) => `'${name}'`).join(', ') || 'none';
}

function told(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
}
