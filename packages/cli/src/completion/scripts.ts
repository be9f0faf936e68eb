/** Completion scripts for three shells, written out from the command tree. */
import type { CommandNode, OptionNode } from './command-tree.ts';

/**
 * Walks the words typed so far down the tree, then offers what may follow there. Names are only ever compared and quoted:
 * `compgen -W` would expand its list, and so run a name that holds a command.
 */
export function bashScript(nodes: readonly CommandNode[]): string {
  const cases = nodes.map((node) => {
    const words = [
      ...node.commands.map(({ name }) => name),
      ...node.values,
      ...node.options.flatMap(({ flags }) => flags),
    ].map(quote);
    const names = node.names ? `; names=${node.names}` : '';
    return `    ${pattern(node)}) words=(${words.join(' ')})${names} ;;`;
  });
  const values = nodes.flatMap((node) =>
    node.options.flatMap((option) =>
      option.takes === undefined ? [] : [`    ${pattern(node, option.flags)}) ${bashValues(option)}; return ;;`],
    ),
  );
  return `# bash completion for gatehouse; made by: gatehouse completion bash
_gatehouse_words() {
  local word
  for word in "$@"; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}
_gatehouse_names() {
  local name quoted
  while IFS= read -r name; do
    [[ -z $name || $name == -* || $name == *[[:cntrl:]]* ]] && continue
    printf -v quoted %q "$name"
    [[ $name == "$cur"* || $quoted == "$cur"* ]] && COMPREPLY+=("$quoted")
  done < <("\${COMP_WORDS[0]}" names "$1" 2>/dev/null)
}
_gatehouse() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at='' word names='' i
  local -a words=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$at|$word" in
${stepCases(nodes, (name) => `at="\${at:+$at }${name}"`)}
    esac
  done
  case "$at|$prev" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  _gatehouse_words "\${words[@]}"
  if [[ -n $names && $cur != -* ]]; then _gatehouse_names "$names"; fi
}
complete -F _gatehouse gatehouse ./gatehouse
`;
}

export function zshScript(nodes: readonly CommandNode[]): string {
  const cases = nodes.map((node) => {
    const commands = node.commands.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ');
    const options = node.options
      .flatMap(({ flags, summary }) => flags.map((flag) => quote(`${flag}:${summary}`)))
      .join(' ');
    return `    ${pattern(node)}) commands=(${commands}); options=(${options}) ;;`;
  });
  const values = nodes.flatMap((node) =>
    node.options.flatMap((option) =>
      option.takes === undefined ? [] : [`    ${pattern(node, option.flags)}) ${zshValues(option)}; return ;;`],
    ),
  );
  return `#compdef gatehouse
# zsh completion for gatehouse; made by: gatehouse completion zsh
_gatehouse() {
  local at='' word i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$at|$word" in
${stepCases(nodes, (name) => `at="\${at:+$at }${name}"`)}
    esac
  done
  case "$at|\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  (( \${#commands} )) && _describe command commands
  _describe option options
}
if [ "$funcstack[1]" = _gatehouse ]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi
`;
}

export function fishScript(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap((node) => {
    const here = `complete -c gatehouse -n ${quote(`__gatehouse_at ${node.path.join(' ')}`.trimEnd())}`;
    return [
      ...node.commands.map(({ name, summary }) => `${here} -f -a ${name} -d ${quote(summary)}`),
      ...node.options.map((option) => `${here} ${fishOption(option)} -d ${quote(option.summary)}`),
    ];
  });
  return `# fish completion for gatehouse; made by: gatehouse completion fish
function __gatehouse_at
  set -l typed (commandline -opc | string match -v -- '-*')[2..]
  set -l depth (count $argv)
  test $depth -eq 0; and begin; test (count $typed) -eq 0; return; end
  test (count $typed) -ge $depth; and test "$typed[1..$depth]" = "$argv"
end
${lines.join('\n')}
`;
}

/** The shell `case` lines that go one command deeper; only names of the tree move, values of options do not. */
function stepCases(nodes: readonly CommandNode[], step: (name: string) => string): string {
  return nodes
    .flatMap((node) =>
      node.commands.map(({ name }) => `      ${quote(`${node.path.join(' ')}|${name}`)}) ${step(name)} ;;`),
    )
    .join('\n');
}

function pattern({ path }: CommandNode, flags?: readonly string[]): string {
  const at = path.join(' ');
  return flags ? flags.map((flag) => quote(`${at}|${flag}`)).join('|') : quote(at);
}

function bashValues({ takes, names }: OptionNode): string {
  if (names) return `_gatehouse_names ${names}`;
  if (takes === 'file') return 'mapfile -t COMPREPLY < <(compgen -f -- "$cur")';
  if (takes === 'folder') return 'mapfile -t COMPREPLY < <(compgen -d -- "$cur")';
  if (takes === 'text' || takes === undefined) return 'COMPREPLY=()';
  return `_gatehouse_words ${takes.map(quote).join(' ')}`;
}

function zshValues({ takes }: OptionNode): string {
  if (takes === 'file') return '_files';
  if (takes === 'folder') return '_files -/';
  if (takes === 'text' || takes === undefined) return '_message value';
  return `compadd -- ${takes.map(quote).join(' ')}`;
}

function fishOption({ flags, takes }: OptionNode): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');
  if (takes === undefined) return `-f ${names}`;
  if (takes === 'file') return `-r -F ${names}`;
  if (takes === 'folder') return `-x ${names} -a '(__fish_complete_directories)'`;
  return takes === 'text' ? `-x ${names}` : `-x ${names} -a ${quote(takes.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
