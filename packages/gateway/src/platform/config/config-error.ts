/** What is wrong with a configuration: each problem with its key and the place it was written, so that it can be mended at once. */
import { StartError } from '../std/start-error.ts';

export type Source =
  | { from: 'flag'; flag: string }
  | { from: 'environment'; variable: string }
  | { from: 'file'; file: string; line: number; column: number }
  | { from: 'default' };

export interface Problem {
  /** With dots, as in the file; empty when the file as a whole is meant. */
  key: string;
  message: string;
  source: Source;
}

export class ConfigError extends StartError {
  override name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(['the configuration is not valid', ...problems.map((problem) => `  ${formatProblem(problem)}`)].join('\n'));
    this.problems = problems;
  }
}

export function formatProblem({ key, message, source }: Problem): string {
  const where = source.from === 'default' ? undefined : formatSource(source);
  return [where, key, message].filter(Boolean).join(': ');
}

export function formatSource(source: Source): string {
  switch (source.from) {
    case 'flag':
      return source.flag;
    case 'environment':
      return source.variable;
    case 'file':
      return `${source.file}:${source.line}:${source.column}`;
    case 'default':
      return 'default';
    default:
      source satisfies never;
      return '';
  }
}
