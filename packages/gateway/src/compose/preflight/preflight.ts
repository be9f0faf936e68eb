/**
 * What must be true around a gateway before it starts: files it reads, folders it writes, addresses it listens on. One list for
 * `config check` and for the start itself: a check that is missing here would be a start that fails after a check that passed.
 */
import { ConfigError, type Problem, type Source } from '../../platform/config/config-error.ts';
import type { LoadedConfig } from '../../platform/config/load-config.ts';
import { StartError } from '../../platform/std/start-error.ts';
import { checkAddresses } from './check-addresses.ts';
import { checkAudit, checkDataFolder, checkKey, checkStorage, checkTls } from './check-files.ts';
import type { PreflightCheck } from './finding.ts';

const CHECKS: readonly PreflightCheck[] = [
  checkDataFolder,
  checkTls,
  checkKey,
  checkStorage,
  checkAudit,
  checkAddresses,
];

export interface Preflight {
  problems: (Problem & { kind: 'configuration' | 'busy' })[];
  warnings: Problem[];
}

/** All of them, whatever the others found. */
export async function preflight({ config, locate }: Pick<LoadedConfig, 'config' | 'locate'>): Promise<Preflight> {
  const found = await Promise.all(CHECKS.map(async (check) => check(config, Date.now())));
  const placed = found.flat().map(({ kind, ...finding }) => ({ kind, ...finding, source: locate(finding.key) }));
  const problems = placed.flatMap(({ kind, ...problem }) => (kind === 'warning' ? [] : [{ kind, ...problem }]));
  return {
    problems: problems.sort((left, right) => lineOf(left.source) - lineOf(right.source)),
    warnings: placed.flatMap(({ kind, ...problem }) => (kind === 'warning' ? [problem] : [])),
  };
}

/** Throws what a start stops for: all that is wrong with the configuration, or else what stands in its way. */
export function requireNone({ problems }: Pick<Preflight, 'problems'>): void {
  const wrong = problems.filter(({ kind }) => kind === 'configuration');
  if (wrong.length > 0) throw new ConfigError(problems);
  if (problems.length > 0) throw new StartError(problems.map(({ message }) => message).join('\n'));
}

function lineOf(source: Source): number {
  return source.from === 'file' ? source.line : Number.MAX_SAFE_INTEGER;
}
