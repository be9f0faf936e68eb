/** The completion script of fish, written out from the command tree. */
import type { CommandNode, OptionNode } from './command-tree.ts';
import { quote } from './script-parts.ts';

/** Names come out of a function line by line, and fish escapes them for the line; none is read as code. */
export function fishScript(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap((node) => {
    const path = node.path.join(' ');
    const here = `complete -c gatehouse -n ${quote(`__gatehouse_at ${path}`.trimEnd())}`;
    return [
      ...node.commands.map(({ name, summary }) => `${here} -f -a ${name} -d ${quote(summary)}`),
      ...node.options.map((option) => `${here} ${fishOption(option)} -d ${quote(option.summary)}`),
      ...node.args.flatMap(({ names, values, isLast }, index) => {
        const there = isLast ? here : `complete -c gatehouse -n ${quote(`__gatehouse_argument ${index} ${path}`)}`;
        return [
          ...(values.length > 0 ? [`${there} -f -a ${quote(values.join(' '))}`] : []),
          ...(names ? [`${there} -f -a '(__gatehouse_names ${names})'`] : []),
        ];
      }),
    ];
  });
  const at = (node: CommandNode, word: string) => quote(`${node.path.join(' ')}|${word}`);
  const steps = nodes.flatMap((node) => node.commands.map(({ name }) => at(node, name)));
  const valued = nodes.flatMap((node) =>
    node.options.filter(({ takes }) => takes !== undefined).flatMap(({ flags }) => flags.map((flag) => at(node, flag))),
  );
  return `# fish completion for gatehouse; made by: gatehouse completion fish
function __gatehouse_walk
  set -l typed (commandline -opc)
  test "$typed" = "$__gatehouse_typed"; and return
  set -g __gatehouse_typed $typed
  set -g __gatehouse_command ''
  set -g __gatehouse_seen 0
  set -l skip 0
  for word in $typed[2..]
    if test $skip -eq 1
      set skip 0
      continue
    end
    switch "$__gatehouse_command|$word"
      case ${steps.join(' ')}
        set -g __gatehouse_command (string trim -- "$__gatehouse_command $word")
        set -g __gatehouse_seen 0
      case ${valued.join(' ')}
        set skip 1
      case '*|-*'
      case '*'
        set -g __gatehouse_seen (math $__gatehouse_seen + 1)
    end
  end
end
function __gatehouse_at
  __gatehouse_walk
  test "$__gatehouse_command" = "$argv"
end
function __gatehouse_argument
  __gatehouse_at $argv[2..]; and test $__gatehouse_seen -eq $argv[1]
end
function __gatehouse_names
  set -l program (commandline -opc)[1]
  set -l start
  test "$argv[1]" = nodes; and set start (commandline -ct | string match -r -- '^.*@')
  command $program names $argv[1] 2>/dev/null | string match -rv -- '^-|[[:cntrl:]]|^$' | string replace -r -- '^' "$start"
end
function __gatehouse_list
  set -l start (commandline -ct | string replace -r -- '^--[a-z-]+=' '' | string match -r -- '^.*,')
  for name in $argv
    string match -q -- '*,*' $name; or printf '%s%s\\n' "$start" $name
  end
end
${lines.join('\n')}
`;
}

function fishOption({ flags, takes, names, isList }: OptionNode): string {
  const words = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');
  if (names)
    return `-x ${words} -a '${isList ? `(__gatehouse_list (__gatehouse_names ${names}))` : `(__gatehouse_names ${names})`}'`;
  if (takes === undefined) return `-f ${words}`;
  if (takes === 'file') return `-r -F ${words}`;
  if (takes === 'folder') return `-x ${words} -a '(__fish_complete_directories)'`;
  if (takes === 'text') return `-x ${words}`;
  return `-x ${words} -a ${quote(isList ? `(__gatehouse_list ${takes.join(' ')})` : takes.join(' '))}`;
}
