/** What the completion scripts of all shells are put together from. Words of the tree are quoted; nothing else enters a script. */
import type { CommandNode } from './command-tree.ts';

/** As one word of a POSIX shell or of fish: without spaces, dollars or backslashes of ours, both read it alike. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The patterns of a `case` that are met where a command is, or at one of its flags. */
export function pattern({ path }: CommandNode, flags?: readonly string[]): string {
  const at = path.join(' ');
  return flags ? flags.map((flag) => quote(`${at}|${flag}`)).join('|') : quote(at);
}

/** The `case` lines that go one command deeper; only names of the tree move, values of options and names do not. */
export function stepCases(nodes: readonly CommandNode[]): string {
  return nodes
    .flatMap((node) =>
      node.commands.map(
        ({ name }) => `      ${quote(`${node.path.join(' ')}|${name}`)}) at="\${at:+$at }${name}"; seen=0 ;;`,
      ),
    )
    .join('\n');
}

/** The patterns of all flags that are followed by a value: what follows is no argument. */
export function valuedFlags(nodes: readonly CommandNode[]): string {
  return nodes
    .flatMap((node) => node.options.filter(({ takes }) => takes !== undefined).map(({ flags }) => pattern(node, flags)))
    .join('|');
}

/** The `case` lines by the number of the argument that is being typed. */
export function argumentCases(
  nodes: readonly CommandNode[],
  tell: (argument: CommandNode['args'][number]) => string,
): string {
  return nodes
    .flatMap((node) =>
      node.args.map((argument, index) => {
        if (argument.names === undefined && argument.values.length === 0) return '';
        const where = argument.isLast
          ? `${quote(`${node.path.join(' ')}|`)}*`
          : quote(`${node.path.join(' ')}|${index}`);
        return `    ${where}) ${tell(argument)} ;;`;
      }),
    )
    .filter(Boolean)
    .join('\n');
}
