/** A document of a trust is made of flags by `gatehouse clusters join`: what is wrong with it is told of them, as nobody has seen its lines. */
import { Failure } from '../runtime/failure.ts';

const FLAGS: readonly [start: string, flag: string][] = [
  ['spec.token', '--token'],
  ['spec.root_key', '--root-key'],
  ['spec.ca_pin', '--ca-pin'],
  ['spec.role_map', '--map'],
  ['spec.traits', '--traits'],
  ['spec.web_proxy_addr', 'the address of the root'],
  ['metadata.name', '--name'],
];

/** The error itself where it is about something else. */
export function toldOfFlags(error: unknown): unknown {
  if (!(error instanceof Error) || !('fields' in error)) return error;
  const { issues } = (error.fields ?? {}) as { issues?: unknown };
  if (!Array.isArray(issues) || issues.length === 0) return error;
  const lines = issues.map((issue: unknown) => lineOf(issue));
  return lines.includes(undefined) ? error : new Failure('usage', [...new Set(lines)].join('\n'));
}

function lineOf(issue: unknown): string | undefined {
  if (typeof issue !== 'object' || issue === null || !('path' in issue) || !('message' in issue)) return undefined;
  const flag = FLAGS.find(([start]) => String(issue.path).startsWith(start))?.[1];
  return flag === undefined ? undefined : `${flag} ${String(issue.message)}`;
}
