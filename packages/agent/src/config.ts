/** The agent's configuration: which gateway it belongs to, and what it tells about itself. */
import { resolve } from 'node:path';
import { z } from 'zod';

const LABEL = /^([a-z0-9][a-z0-9._/-]{0,62})=(.{0,256})$/i;

export const agentConfig = z.strictObject({
  gateway: z
    .string({ error: 'is missing: give the address of the gateway, for example https://gate.example.com' })
    .max(300)
    .transform((text, context) => {
      const url = URL.parse(text);
      if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))))
        return url.origin;
      context.addIssue({ code: 'custom', message: 'must be an https:// address, or http:// on this machine' });
      return z.NEVER;
    }),
  token: z.string().min(1).max(512).optional(),
  dataDir: z.string().min(1).max(4096).default('./agent-data'),
  labels: z
    .array(z.string().regex(LABEL, 'must be name=value'))
    .max(64)
    .default([])
    .transform((pairs) => Object.fromEntries(pairs.map((pair) => (LABEL.exec(pair) ?? []).slice(1, 3)))),
});

export type AgentConfig = z.output<typeof agentConfig>;

export interface AgentGiven {
  gateway?: string;
  token?: string;
  dataDir?: string;
  labels?: string[];
}

/** Not valid; the message names the key and how it was given. Its name tells the command line the exit code. */
export class AgentConfigError extends Error {
  override name = 'ConfigError';
}

/** The command line wins over the environment. */
export function readAgentConfig(given: AgentGiven, env: Record<string, string | undefined>, cwd: string): AgentConfig {
  const parsed = agentConfig.safeParse({
    gateway: given.gateway ?? (env.GATEHOUSE_AGENT_GATEWAY || undefined),
    token: given.token ?? (env.GATEHOUSE_AGENT_TOKEN || undefined),
    dataDir: given.dataDir ?? (env.GATEHOUSE_AGENT_DATA_DIR || undefined),
    labels: given.labels ?? env.GATEHOUSE_AGENT_LABELS?.split(',').filter(Boolean),
  });
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`);
    throw new AgentConfigError(`the configuration of the agent is not valid: ${problems.join('; ')}`);
  }
  return { ...parsed.data, dataDir: resolve(cwd, parsed.data.dataDir) };
}

function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}
