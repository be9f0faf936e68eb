/** Puts the configuration together: flag over environment over file over default. The only reader of the environment. */
import { dirname, join, resolve } from 'node:path';
import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import { ConfigError, type Problem, type Source } from './config-error.ts';
import { type ConfigFile, findConfigFile, isPlainObject } from './config-file.ts';
import { describeIssue } from './describe-issue.ts';
import { CONFIG_FLAGS, type FlagValues, flagSpelling } from './flags.ts';
import { type ConfigKey, configKeys, SHORT_VARIABLES } from './keys.ts';
import { type GatewayConfig, resolveConfig } from './resolve.ts';
import { gatewayConfig } from './schema.ts';

export interface ConfigInputs {
  flags?: FlagValues;
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Whether a person watches the log: decides its default format. */
  onTerminal?: boolean;
}

export interface LoadedConfig {
  config: GatewayConfig;
  /** Where each key's value came from, by name. */
  sources: Record<string, Source>;
  warnings: Problem[];
  file: string | undefined;
  /** Where a key, or something within it, was written: `audit.sinks.1.ca`. */
  locate(name: string): Source;
}

/** Set by the launcher in a clone, so that the data folder does not depend on where the command is typed. */
const ROOT_VARIABLE = 'GATEHOUSE_ROOT';
const FILE_VARIABLE = 'GATEHOUSE_CONFIG';

export function loadConfig(inputs: ConfigInputs = {}): LoadedConfig {
  const { flags = {}, env = process.env, cwd = process.cwd(), onTerminal = process.stderr.isTTY } = inputs;
  const keys = configKeys();
  const given = [...fromFlags(flags, keys), ...fromEnvironment(env, keys)];
  const root = env[ROOT_VARIABLE] || cwd;
  const defaultDataDir = join(root, 'data');

  const dataDirGiven = given.find(({ key }) => key.name === 'dataDir')?.text;
  const lookedIn = dataDirGiven === undefined ? defaultDataDir : resolve(cwd, dataDirGiven);
  const file = findConfigFile({ named: namedFile(flags, env), folders: [lookedIn, cwd, root], cwd });

  const { values, sources } = merge(keys, given, file);
  const parsed = gatewayConfig.safeParse(values);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, { keys, values, sources, file }));
    throw new ConfigError(problems.sort((left, right) => lineOf(left) - lineOf(right)));
  }

  const sourceOf = (key: string): Source => sources[key] ?? { from: 'default' };
  const { config, problems, warnings } = resolveConfig(parsed.data, {
    baseFor: (key) => (sourceOf(key).from === 'file' && file ? dirname(file.file) : cwd),
    defaultDataDir,
    defaultLogFormat: onTerminal ? 'pretty' : 'json',
  });
  if (file && dirname(file.file) === lookedIn && config.dataDir !== lookedIn) {
    problems.push({
      key: 'dataDir',
      message: `names another folder than the one this file was found in (${lookedIn})`,
    });
  }
  const placed = (findings: readonly { key: string; message: string }[]): Problem[] =>
    findings.map((finding) => ({ ...finding, source: sourceOf(finding.key) }));
  if (problems.length > 0) throw new ConfigError(placed(problems));
  return {
    config,
    sources: Object.fromEntries(keys.map(({ name }) => [name, sourceOf(name)])),
    warnings: [...placed(warnings), ...unknownVariables(env, keys), ...exposedSecrets(keys, sources, file)],
    file: file?.file,
    locate(name) {
      const path = name.split('.');
      const key = keys.find((known) => known.path.every((step, at) => path[at] === step));
      const source = sourceOf(key?.name ?? name);
      return source.from === 'file' && file ? file.locate(path, 'value') : source;
    },
  };
}

/** In the order of the file; what was not written there comes last. */
function lineOf({ source }: Problem): number {
  return source.from === 'file' ? source.line : Number.MAX_SAFE_INTEGER;
}

interface Given {
  key: ConfigKey;
  text: string;
  source: Source;
}

function fromFlags(flags: FlagValues, keys: readonly ConfigKey[]): Given[] {
  return CONFIG_FLAGS.flatMap((flag) => {
    const text = flags[flag.name];
    const key = keys.find(({ name }) => name === flag.key);
    if (text === undefined || !key) return [];
    return [{ key, text, source: { from: 'flag', flag: flagSpelling(flag) } as const }];
  });
}

/** An empty variable counts as unset: compose files and unit files write them for what they leave open. */
function fromEnvironment(env: Record<string, string | undefined>, keys: readonly ConfigKey[]): Given[] {
  const names = [
    ...keys.map((key) => ({ key, variable: key.variable })),
    ...Object.entries(SHORT_VARIABLES).flatMap(([variable, name]) =>
      keys.filter((key) => key.name === name).map((key) => ({ key, variable })),
    ),
  ];
  const found = names.flatMap(({ key, variable }): Given[] => {
    const text = env[variable];
    return text ? [{ key, text, source: { from: 'environment', variable } }] : [];
  });
  for (const one of found) {
    const other = found.find(({ key, text }) => key === one.key && text !== one.text);
    if (other?.source.from === 'environment') {
      const message = `is also set by ${other.source.variable}, to something else`;
      throw new ConfigError([{ key: one.key.name, message, source: one.source }]);
    }
  }
  return found;
}

function namedFile(flags: FlagValues, env: Record<string, string | undefined>) {
  if (flags.config !== undefined) return { file: flags.config, source: { from: 'flag', flag: '--config' } as const };
  const file = env[FILE_VARIABLE];
  return file ? { file, source: { from: 'environment', variable: FILE_VARIABLE } as const } : undefined;
}

interface Merged {
  values: Record<string, unknown>;
  sources: Record<string, Source>;
}

function merge(keys: readonly ConfigKey[], given: readonly Given[], file: ConfigFile | undefined): Merged {
  const values = structuredClone(file?.values ?? {});
  const sources: Record<string, Source> = {};
  for (const key of keys) {
    const first = given.find((candidate) => candidate.key === key);
    if (first) {
      put(values, key.path, fromText(key, first.text));
      sources[key.name] = first.source;
    } else if (file && valueAt(values, key.path) !== undefined) {
      sources[key.name] = file.locate(key.path, 'value');
    }
  }
  return { values, sources };
}

/** Text that is not of the kind stays text, so that the schema refuses it with the right sentence. */
function fromText({ value }: ConfigKey, text: string): unknown {
  if (value === 'list') {
    return text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  }
  if (value === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (value === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text;
  return text;
}

const BOOLEANS: Record<string, boolean> = { true: true, false: false, 1: true, 0: false, yes: true, no: false };

function put(values: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    values[name] = value;
    return;
  }
  values[name] ??= {};
  const inner = values[name];
  if (isPlainObject(inner)) put(inner, rest, value);
}

function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    values,
  );
}

interface ConfigLocation extends Merged {
  keys: readonly ConfigKey[];
  file: ConfigFile | undefined;
}

function problemsOf(
  issue: Parameters<typeof describeIssue>[0],
  { keys, values, sources, file }: ConfigLocation,
): Problem[] {
  const name = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((unknown) => {
      const full = [...issue.path, unknown];
      const siblings = keys.map((key) => key.path).filter((path) => issue.path.every((step, at) => path[at] === step));
      const meant = didYouMean(
        unknown,
        siblings.map((path) => path[issue.path.length] ?? ''),
      );
      const key = full.map(String).join('.');
      const message = meant ? `is not a key; did you mean '${meant}'?` : 'is not a key';
      return { key, message, source: file?.locate(full, 'key') ?? { from: 'default' } };
    });
  }
  const key = keys.find(({ path }) => path.every((step, at) => issue.path[at] === step));
  const written = key && sources[key.name];
  const source = !written || written.from === 'file' ? file?.locate(issue.path, 'value') : written;
  const message = describeIssue(issue, key?.secret ? undefined : valueAt(values, issue.path));
  return [{ key: name, message, source: source ?? { from: 'default' } }];
}

/** A warning, not a stop: Kubernetes writes variables like GATEHOUSE_SERVICE_HOST for a service of that name. */
function unknownVariables(env: Record<string, string | undefined>, keys: readonly ConfigKey[]): Problem[] {
  const known = [
    ...keys.map(({ variable }) => variable),
    ...Object.keys(SHORT_VARIABLES),
    ROOT_VARIABLE,
    FILE_VARIABLE,
  ];
  return Object.keys(env)
    .filter((name) => name.startsWith('GATEHOUSE_') && !known.includes(name))
    .filter((name) => !name.startsWith('GATEHOUSE_AGENT_') && !/_(SERVICE_HOST|SERVICE_PORT|PORT)(_\w+)?$/.test(name))
    .map((variable) => {
      const meant = didYouMean(variable, known);
      const message = meant ? `is not a setting; did you mean ${meant}?` : 'is not a setting';
      return { key: '', message, source: { from: 'environment', variable } as const };
    });
}

function exposedSecrets(keys: readonly ConfigKey[], sources: Record<string, Source>, file?: ConfigFile): Problem[] {
  if (!file?.openToOthers) return [];
  return keys.flatMap(({ name, secret }) => {
    const source = sources[name];
    if (!secret || source?.from !== 'file') return [];
    return [{ key: name, message: 'stands in a file that other users can read; chmod 600 it', source }];
  });
}
