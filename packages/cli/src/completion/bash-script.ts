/** The completion script of bash, written out from the command tree. */
import type { CommandNode, OptionNode } from './command-tree.ts';
import { argumentCases, pattern, quote, stepCases, valuedFlags } from './script-parts.ts';

/**
 * Walks the words typed so far down the tree, then offers what may follow there. Names are only ever compared and quoted:
 * `compgen -W` would expand its list, and so run a name that holds a command.
 */
export function bashScript(nodes: readonly CommandNode[]): string {
  const cases = nodes.map((node) => {
    const words = [...node.commands.map(({ name }) => name), ...node.options.flatMap(({ flags }) => flags)].map(quote);
    return `    ${pattern(node)}) words=(${words.join(' ')}) ;;`;
  });
  const values = nodes.flatMap((node) =>
    node.options.flatMap((option) =>
      option.takes === undefined ? [] : [`    ${pattern(node, option.flags)}) ${bashValues(option)}; return ;;`],
    ),
  );
  const args = argumentCases(nodes, ({ names, values: given }) =>
    [given.length > 0 ? `words+=(${given.map(quote).join(' ')})` : '', names ? `names=${names}` : '']
      .filter(Boolean)
      .join('; '),
  );
  return `# bash completion for gatehouse; made by: gatehouse completion bash
_gatehouse_words() {
  local word
  for word in "$@"; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}
_gatehouse_list() {
  local word rest="\${cur##*,}" start
  start="\${cur%"$rest"}"
  for word in "$@"; do
    [[ $word == "$rest"* ]] && COMPREPLY+=("$start$word")
  done
}
_gatehouse_names() {
  local name quoted rest="$cur" start=''
  if [[ -n \${2-} ]]; then
    rest="\${cur##*,}"
    start="\${cur%"$rest"}"
  fi
  if [[ $1 == nodes ]]; then
    rest="\${rest##*@}"
    start="\${cur%"$rest"}"
  fi
  while IFS= read -r name; do
    [[ -z $name || $name == -* || $name == *[[:cntrl:]]* ]] && continue
    [[ -n \${2-} && $name == *,* ]] && continue
    printf -v quoted %q "$name"
    [[ $name == "$rest"* || $quoted == "$rest"* ]] && COMPREPLY+=("$start$quoted")
  done < <("\${COMP_WORDS[0]}" names "$1" 2>/dev/null)
}
_gatehouse() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at='' word names='' seen=0 i
  local -a words=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$at|$word" in
${stepCases(nodes)}
      ${valuedFlags(nodes)})
        [[ \${COMP_WORDS[i+1]-} == '=' ]] && ((i += 1))
        ((i += 1)) ;;
      *'|-'*) ;;
      *) ((seen += 1)) ;;
    esac
  done
  if [[ $cur == '=' || $cur == '@' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "$at|$prev" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  case "$at|$seen" in
${args}
  esac
  _gatehouse_words "\${words[@]}"
  if [[ -n $names && $cur != -* ]]; then _gatehouse_names "$names"; fi
}
complete -F _gatehouse gatehouse ./gatehouse
`;
}

function bashValues({ takes, names, isList }: OptionNode): string {
  if (names) return `_gatehouse_names ${names}${isList ? ' list' : ''}`;
  if (takes === 'file') return 'mapfile -t COMPREPLY < <(compgen -f -- "$cur")';
  if (takes === 'folder') return 'mapfile -t COMPREPLY < <(compgen -d -- "$cur")';
  if (takes === 'text' || takes === undefined) return 'COMPREPLY=()';
  return `${isList ? '_gatehouse_list' : '_gatehouse_words'} ${takes.map(quote).join(' ')}`;
}
