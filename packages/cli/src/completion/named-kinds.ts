/** What names on the command line belong to, so that a shell can offer them. */

export const NAMED_KINDS = ['nodes', 'apps', 'users', 'roles', 'agents', 'locks', 'sessions'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

/** Commands that give a name to something new. */
const MAKES = new Set(['add', 'create']);

/** Elsewhere than in the group of the same name: by how the argument is called. */
const ELSEWHERE: Readonly<Record<string, NamedKind>> = {
  'proxy app <name>': 'apps',
  'access explain <user>': 'users',
  'access reach <user>': 'users',
  'access who <resource>': 'nodes',
};

const OPTIONS: Readonly<Record<string, NamedKind>> = {
  '--user <name>': 'users',
  '--role <name>': 'roles',
  '--node <name>': 'nodes',
};

/** Of the first argument of a command. */
export function kindOfArgument(path: readonly string[], argument: string | undefined): NamedKind | undefined {
  if (argument === undefined) return undefined;
  const [group = '', leaf = ''] = path;
  const elsewhere = ELSEWHERE[`${path.join(' ')} <${argument}>`];
  if (elsewhere) return elsewhere;
  if ((argument !== 'name' && argument !== 'id') || MAKES.has(leaf)) return undefined;
  return NAMED_KINDS.find((kind) => kind === group);
}

/** Of an option, by its flag and placeholder as they are written in the help. */
export function kindOfOption(flags: string): NamedKind | undefined {
  return OPTIONS[flags];
}
