/** What names on the command line belong to, so that a shell can offer them. */

export const NAMED_KINDS = [
  'nodes',
  'apps',
  'users',
  'roles',
  'agents',
  'locks',
  'sessions',
  'recordings',
  'documents',
] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

/** Commands that give a name to something new. */
const MAKES = new Set(['add', 'create']);

/** Elsewhere than in the group of the same name: by how the argument is called. */
const ELSEWHERE: Readonly<Record<string, NamedKind>> = {
  'proxy app <name>': 'apps',
  'access explain <user>': 'users',
  'access explain <resource>': 'nodes',
  'access reach <user>': 'users',
  'access who <resource>': 'nodes',
  'recordings play <recording>': 'recordings',
  'recordings export <recording>': 'recordings',
  'recordings verify <recording>': 'recordings',
  'get <what>': 'documents',
};

const OPTIONS: Readonly<Record<string, NamedKind>> = {
  '--user <name>': 'users',
  '--role <name>': 'roles',
  '--roles <names>': 'roles',
  '--delete-role <name>': 'roles',
  '--node <name>': 'nodes',
  '--server <name>': 'nodes',
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
