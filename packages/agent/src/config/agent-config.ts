/** The agent's configuration: which gateway it belongs to, what it tells about itself, and what it lets a gateway do. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { nodeName } from '@gatehouse/contract/kinds/node/node-spec';
import { JOIN_METHODS } from '@gatehouse/contract/reach/join-tokens/iam';
import { labelKey, labelValue, resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { z } from 'zod';
import { kindKeys } from '../kinds/kinds.ts';
import { nameFrom } from '../kinds/node/machine-name.ts';
import { type AllowRule, parseRule } from '../reach/tcp/allow-rules.ts';
import { AGENT_LOG_FORMATS } from '../runtime/log.ts';
import { AgentConfigError, type Problem } from './config-error.ts';
import { readConfigFile } from './config-file.ts';

const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const MAX_MS = 24 * UNITS_MS.h!;

const gateway = z
  .string({ error: 'is missing: give the address of the gateway, for example https://gate.example.com' })
  .max(300)
  .transform((text, context) => {
    const url = URL.parse(text);
    if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))) return url.origin;
    context.addIssue({ code: 'custom', message: 'must be an https:// address, or http:// on this machine' });
    return z.NEVER;
  });

export const durationMs = z.string().transform((text, context) => {
  const [, count, unit = ''] = /^(\d{1,7})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms >= 1_000 && ms <= MAX_MS) return ms;
  context.addIssue({ code: 'custom', message: 'must be a time from 1s to 24h, written like 30s, 5m or 1h' });
  return z.NEVER;
});

const allowRule = z
  .string()
  .max(300)
  .transform((text, context): AllowRule => {
    const rule = parseRule(text);
    if (typeof rule !== 'string') return rule;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });

const pem = z.string().refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), 'holds no PEM certificate');

const written = z.strictObject({
  gateway,
  token: z.string().min(1).max(512).optional(),
  joinMethod: z.enum(JOIN_METHODS, 'must be token or iam').default('token'),
  dataDir: z.string().min(1).max(4096).default('./agent-data'),
  name: nodeName.optional(),
  labels: resourceLabels.default({}),
  commands: z
    .record(
      labelKey,
      z.strictObject({
        command: z.array(z.string().min(1).max(4096)).min(1).max(64),
        period: durationMs.default(60_000),
      }),
    )
    .refine((commands) => Object.keys(commands).length <= 32, 'has more than 32 commands')
    .default({}),
  allow: z.array(allowRule).max(1000).default([]),
  ...kindKeys,
  ca: pem.optional(),
  /** Without it: for people on a terminal, otherwise JSON. */
  logFormat: z.enum(AGENT_LOG_FORMATS, 'must be json or pretty').optional(),
  caPin: z
    .string()
    .regex(
      /^(sha256:)?([0-9a-f]{2}:?){32}$/i,
      'must be the SHA-256 fingerprint of a certificate, 64 hexadecimal digits',
    )
    .optional(),
});

export type AgentConfig = z.output<typeof written> & {
  name: string;
  /** How an operator finds the file in question, for messages. */
  where: string;
};

/** What was typed; texts as they come. */
export interface AgentGiven {
  config?: string | undefined;
  gateway?: string | undefined;
  token?: string | undefined;
  joinMethod?: string | undefined;
  dataDir?: string | undefined;
  name?: string | undefined;
  /** `name=value` each. */
  labels?: string[] | undefined;
  ca?: string | undefined;
  caPin?: string | undefined;
  logFormat?: string | undefined;
}

const VARIABLES = {
  gateway: 'GATEHOUSE_AGENT_GATEWAY',
  token: 'GATEHOUSE_AGENT_TOKEN',
  joinMethod: 'GATEHOUSE_AGENT_JOIN_METHOD',
  dataDir: 'GATEHOUSE_AGENT_DATA_DIR',
  name: 'GATEHOUSE_AGENT_NAME',
  ca: 'GATEHOUSE_AGENT_CA',
  caPin: 'GATEHOUSE_AGENT_CA_PIN',
  logFormat: 'GATEHOUSE_AGENT_LOG_FORMAT',
  config: 'GATEHOUSE_AGENT_CONFIG',
} as const satisfies Partial<Record<keyof AgentGiven, string>>;
const LABELS_VARIABLE = 'GATEHOUSE_AGENT_LABELS';

/** The command line wins over the environment, and that over the file. Throws naming every key that is wrong. */
export function readAgentConfig(given: AgentGiven, env: Record<string, string | undefined>, cwd: string): AgentConfig {
  const named = Object.fromEntries(
    Object.entries(VARIABLES).map(([key, variable]) => [
      key,
      given[key as keyof typeof VARIABLES] ?? (env[variable] || undefined),
    ]),
  );
  const { config, ...texts } = named;
  const file = config === undefined ? undefined : resolve(cwd, config);
  const fromFile = file === undefined ? {} : readConfigFile(file);
  const problems: Problem[] = [];
  const labels = given.labels ?? env[LABELS_VARIABLE]?.split(',').filter(Boolean) ?? [];
  const base = file === undefined ? cwd : dirname(file);
  const pathOf = (key: 'ca' | 'dataDir') => {
    const own = texts[key];
    const inFile = fromFile[key];
    return own !== undefined ? resolve(cwd, own) : typeof inFile === 'string' ? resolve(base, inFile) : inFile;
  };

  const parsed = written.safeParse({
    ...fromFile,
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...present('labels', mergedLabels(fromFile.labels, labels, problems)),
    ...present('dataDir', pathOf('dataDir')),
    ca: readCa(pathOf('ca'), problems),
  });
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap(problemsOf));
  if (!parsed.success || problems.length > 0) throw new AgentConfigError(problems);
  return {
    ...parsed.data,
    dataDir: resolve(cwd, parsed.data.dataDir),
    name: parsed.data.name ?? nameFrom(hostname()),
    where: file ?? 'a configuration file given with --config',
  };
}

function present(key: string, value: unknown): object {
  return value === undefined ? {} : { [key]: value };
}

function mergedLabels(inFile: unknown, typed: readonly string[], problems: Problem[]): unknown {
  const pairs = typed.flatMap((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (at > 0 && labelKey.safeParse(name).success && labelValue.safeParse(value).success) return [[name, value]];
    problems.push({ key: 'labels', message: `'${pair}' must be name=value` });
    return [];
  });
  if (inFile !== undefined && (typeof inFile !== 'object' || Array.isArray(inFile))) return inFile;
  // YAML reads `version: 12` as a number; a label is always a text.
  const own = Object.entries(inFile ?? {}).map(([name, value]) => [name, isPlain(value) ? String(value) : value]);
  return Object.fromEntries([...own, ...pairs]);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function readCa(file: unknown, problems: Problem[]): unknown {
  if (typeof file !== 'string') return file;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    problems.push({
      key: 'ca',
      message: code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file} (${code})`,
    });
    return undefined;
  }
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const key = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((unknown) => ({ key: key === '' ? unknown : `${key}.${unknown}`, message: 'is not a key' }));
  }
  if (issue.code === 'invalid_key') return [{ key, message: issue.issues[0]?.message ?? issue.message }];
  return [{ key, message: issue.message }];
}

/** As the tunnel has it: plain HTTP never leaves this machine. */
function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}
