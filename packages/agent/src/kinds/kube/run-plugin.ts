/** Runs the program that a kubeconfig names for signing in, as kubectl does, and reads what it prints. Clouds are signed in to by their own tools so. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { kubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import type { ExecPlugin } from '@gatehouse/contract/kinds/kube/kubeconfig';
import type { CredentialAnswer } from '@gatehouse/contract/reach/agents/kube-credential';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { z } from 'zod';
import { systemEnvironment } from '../../runtime/children/environment.ts';
import type { WithoutDescriptors } from '../../runtime/children/without-descriptors.ts';

const WITHIN_MS = 10_000;
const MAX_BYTES = 256 * 1_024;
const MAX_WORDS = 300;

/** What tools of clouds find their own configuration by. Nothing else of the agent's environment reaches them: its join token stands there. */
const PASSED =
  /^(?:HOME|USER|LANG|TZ|AWS_[A-Z0-9_]+|AZURE_[A-Z0-9_]+|GOOGLE_[A-Z0-9_]+|CLOUDSDK_[A-Z0-9_]+|(?:https?|no)_proxy|(?:HTTPS?|NO)_PROXY|SSL_CERT_(?:FILE|DIR))$/;

const printed = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.iso.datetime({ offset: true }).nullish(),
  }),
});

interface PluginDeps {
  closer: WithoutDescriptors | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Of the kubeconfig: a program with a slash in its name is named from there. */
  folder: string;
  signal: AbortSignal;
}

export async function runPlugin(plugin: ExecPlugin, deps: PluginDeps): Promise<CredentialAnswer> {
  const { command } = plugin;
  const { output, words, code } = await run(plugin, deps);
  if (code !== 0) throw new Error(`the program '${command}' ended with ${code}${words === '' ? '' : `: ${words}`}`);
  const { data } = printed.safeParse(parseJson(output));
  if (!data) throw new Error(`the program '${command}' printed no ExecCredential`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp: expires } = data.status;
  const credential = kubeCredential.safeParse(token ? { token } : { cert, key });
  if (!credential.success)
    throw new Error(`the program '${command}' printed neither a token nor a certificate with its key`);
  return { credential: credential.data, ...(expires ? { expires } : {}) };
}

async function run(plugin: ExecPlugin, { closer, env, folder, signal }: PluginDeps) {
  const program = plugin.command.includes('/') ? resolve(folder, plugin.command) : plugin.command;
  const { file, args } = closer
    ? closer(program, plugin.args ?? [])
    : { file: program, args: [...(plugin.args ?? [])] };
  const passed = Object.entries(env).filter(([name, value]) => value !== undefined && PASSED.test(name));
  const own = (plugin.env ?? []).map(({ name, value }) => [name, value]);
  const info = { kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec: { interactive: false } };
  return await new Promise<{ output: string; words: string; code: number | string | null }>((resolveRun, reject) => {
    const child = spawn(file, args, {
      env: {
        ...systemEnvironment(),
        ...Object.fromEntries([...passed, ...own]),
        KUBERNETES_EXEC_INFO: JSON.stringify(info),
      },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: what it started dies with it.
      detached: true,
    });
    const end = (reason: Error) => {
      reject(reason);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    const called = `the program '${plugin.command}'`;
    const timer = setTimeout(() => end(new Error(`${called} took longer than ${WITHIN_MS / 1_000} s`)), WITHIN_MS);
    const forget = whenAborted(signal, () => end(new Error('nobody waits for it any more')));
    const pieces: Buffer[] = [];
    let size = 0;
    let words = '';
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_BYTES) pieces.push(piece);
      else end(new Error(`${called} printed more than ${MAX_BYTES / 1_024} KiB`));
    });
    child.stderr.on('data', (piece: Buffer) => {
      if (words.length < MAX_WORDS) words = `${words}${piece}`.replaceAll(/\s+/g, ' ').slice(0, MAX_WORDS);
    });
    child.on('error', (error) => end(new Error(`${called} cannot be run: ${error.message}`)));
    child.on('close', (exitCode, killedBy) => {
      clearTimeout(timer);
      forget();
      resolveRun({ output: Buffer.concat(pieces).toString(), words: words.trim(), code: exitCode ?? killedBy });
    });
  });
}
