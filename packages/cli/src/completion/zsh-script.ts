/** The completion script of zsh, written out from the command tree. */
import type { CommandNode, OptionNode } from './command-tree.ts';
import { argumentCases, pattern, quote, stepCases, valuedFlags } from './script-parts.ts';

/** Names go to `compadd` as they are, which quotes them for the line; no list is expanded, and none is split at colons. */
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
  const args = argumentCases(nodes, ({ names, values: given }) =>
    [given.length > 0 ? `compadd -- ${given.map(quote).join(' ')}` : '', names ? `_gatehouse_names ${names}` : '']
      .filter(Boolean)
      .join('; '),
  );
  return `#compdef gatehouse
# zsh completion for gatehouse; made by: gatehouse completion zsh
_gatehouse_names() {
  local -a found
  found=("\${(@f)"$("\${(Q)words[1]}" names "$1" 2>/dev/null)"}")
  found=("\${(@)found:#(-*|*[[:cntrl:]]*|)}")
  if [[ -n \${2-} ]]; then
    found=("\${(@)found:#*,*}")
    compset -P '*,'
  fi
  [[ $1 == nodes ]] && compset -P '*@'
  compadd -- "\${found[@]}"
}
_gatehouse_list() {
  compset -P '*,'
  compadd -- "$@"
}
_gatehouse() {
  local at='' word i seen=0 flag="\${words[CURRENT-1]}"
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$at|$word" in
${stepCases(nodes)}
      ${valuedFlags(nodes)}) ((i += 1)) ;;
      *'|-'*) ;;
      *) ((seen += 1)) ;;
    esac
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then
    flag="\${words[CURRENT]%%=*}"
    compset -P 1 '*='
  fi
  case "$at|$flag" in
${values.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  case "$at|$seen" in
${args}
  esac
  (( \${#commands} )) && _describe command commands
  _describe option options
}
if [ "$funcstack[1]" = _gatehouse ]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi
`;
}

function zshValues({ takes, names, isList }: OptionNode): string {
  if (names) return `_gatehouse_names ${names}${isList ? ' list' : ''}`;
  if (takes === 'file') return '_files';
  if (takes === 'folder') return '_files -/';
  if (takes === 'text' || takes === undefined) return '_message value';
  return `${isList ? '_gatehouse_list' : 'compadd --'} ${takes.map(quote).join(' ')}`;
}
