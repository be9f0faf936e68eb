/** Where in a YAML document the cursor stands, found by indentation alone: while somebody types, the text can rarely be read. */

export interface YamlPosition {
  /** The keys that lead there; lists count for nothing. */
  path: string[];
  /** Whether a key or a value belongs there. */
  wants: 'key' | 'value';
  /** What is typed of it so far, and where on the line that begins. */
  typed: string;
  column: number;
}

const KEY = /^(\s*(?:- +)*)(['"]?)([^\s'"#:][^'":]*|\*)\2\s*:(?:\s+(.*)|)$/;

/** `before` is the text up to the cursor. */
export function placeInYaml(before: string): YamlPosition | undefined {
  const lines = before.split('\n');
  const line = lines.pop() ?? '';
  if (/(^|\s)#/.test(line)) return undefined;
  const keyed = KEY.exec(line);
  if (keyed) {
    const [, lead = '', , key = '', value = ''] = keyed;
    // Directly behind the colon nothing is wanted yet.
    if (line.endsWith(':')) return undefined;
    const typed = /[^\s[\],{}'"]*$/.exec(value)?.[0] ?? '';
    return {
      path: [...parents(lines, lead.length), key],
      wants: 'value',
      typed,
      column: line.length - typed.length,
    };
  }
  const plain = /^(\s*)((?:- +)*)([^\s:]*)$/.exec(line);
  if (!plain) return undefined;
  const [, indent = '', dash = '', typed = ''] = plain;
  const path = parents(lines, indent.length + dash.length);
  return { path, wants: dash === '' ? 'key' : 'value', typed, column: line.length - typed.length };
}

/** The keys above that stand further left, each further than the one below it. */
function parents(lines: readonly string[], indent: number): string[] {
  const path: string[] = [];
  let limit = indent;
  for (const line of lines.toReversed()) {
    const found = KEY.exec(line);
    if (!found) continue;
    const [, lead = '', , key = '', value = ''] = found;
    const isOpen = value === '' || value.startsWith('#');
    // `rules:` may have its dashes as far left as itself.
    const isParent = lead.length < limit && isOpen;
    if (!isParent) continue;
    path.unshift(key);
    limit = lead.length - (/-/.test(lead) ? 1 : 0);
    if (limit <= 0) break;
  }
  return path;
}
