/** What names on the command line belong to, so that a shell can offer them. */
import { MACHINE_KIND, rows } from '@gatehouse/contract/kinds/kinds';
import { NAMED_PATHS, type NamedPath, namedPath } from '../kinds/kind-names.ts';
import { lockFlag } from '../kinds/lock-flags.ts';

const OTHERS = ['users', 'roles', 'connectors', 'agents', 'locks', 'sessions', 'recordings', 'documents'] as const;

export type NamedKind = NamedPath | (typeof OTHERS)[number];
export const NAMED_KINDS: readonly NamedKind[] = [...NAMED_PATHS, ...OTHERS];

/** Commands that give a name to something new. */
const MAKES = new Set(['add', 'create']);

/** A resource without its kind is most often a machine. */
const RESOURCE = namedPath(MACHINE_KIND);

/** Elsewhere than in the group of the same name: by how the argument is called. */
const ELSEWHERE: Readonly<Record<string, NamedKind | undefined>> = {
  ...Object.fromEntries(rows.map(({ kind }) => [`proxy ${kind} <name>`, namedPath(kind)])),
  'ssh <args>': RESOURCE,
  'scp <args>': RESOURCE,
  'proxy ssh <server>': RESOURCE,
  'access explain <user>': 'users',
  'access explain <resource>': RESOURCE,
  'access reach <user>': 'users',
  'access who <resource>': RESOURCE,
  'recordings play <recording>': 'recordings',
  'recordings export <recording>': 'recordings',
  'recordings verify <recording>': 'recordings',
  'get <what>': 'documents',
};

const OPTIONS: Readonly<Record<string, NamedKind | undefined>> = {
  ...Object.fromEntries(rows.map((row) => [`--${lockFlag(row)} <name>`, namedPath(row.kind)])),
  '--user <name>': 'users',
  '--role <name>': 'roles',
  '--roles <names>': 'roles',
  '--delete-role <name>': 'roles',
  '--connector <name>': 'connectors',
  '--agent <name>': 'agents',
  '--through <agent>': 'agents',
  '--through <agents>': 'agents',
};

/** Of an argument of a command. */
export function kindOfArgument(path: readonly string[], argument: string): NamedKind | undefined {
  const [group = '', leaf = ''] = path;
  const elsewhere = ELSEWHERE[`${path.join(' ')} <${argument}>`];
  if (elsewhere) return elsewhere;
  if ((argument !== 'name' && argument !== 'id') || MAKES.has(leaf)) return undefined;
  return NAMED_KINDS.find((kind) => kind === group);
}

/** Several, separated by commas: completion goes on behind the last one. */
export function isListOption(flags: string): boolean {
  return /<(names|agents|types)>$/.test(flags);
}

/** Of an option, by its flag and placeholder as they are written in the help. */
export function kindOfOption(flags: string): NamedKind | undefined {
  return OPTIONS[flags];
}
