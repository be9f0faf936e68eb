/** A text that stands in everything a pattern matches: looking for it is much quicker than asking the pattern about 25,000 groups. */

const PLAIN = /[A-Za-z0-9_ /:@=,-]/;
const SIMPLE_CLASS = /\[\^?[^[\]\\^][^[\]\\]*\]/y;

/** The longest part between the stars. */
export function needleOfStars(value: string): string {
  return longest(value.split('*'));
}

/** Empty where none can be told for sure: alternatives, flags, escapes with a meaning. */
export function needleOfExpression(value: string): string {
  const text = value.slice(1, -1);
  const runs = [''];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '|' && depth === 0) return '';
    if (character === '\\' && /[^dDwWsSbB]/.test(text[at + 1] ?? 'x') && /[A-Za-z0-9]/.test(text[at + 1] ?? 'x'))
      return '';
    if (text.startsWith('(?', at) && !text.startsWith('(?:', at) && !text.startsWith('(?P<', at)) return '';
    if (depth === 0 && PLAIN.test(character) && !/[*?{+]/.test(text[at + 1] ?? '')) {
      runs.push(`${runs.pop()}${character}`);
      continue;
    }
    runs.push('');
    if (character === '\\') at += 1;
    else if (character === '(' || character === '{') depth += 1;
    else if (character === ')' || character === '}') depth -= 1;
    else if (character === '[') {
      SIMPLE_CLASS.lastIndex = at;
      const found = SIMPLE_CLASS.exec(text);
      if (!found) return '';
      at += found[0].length - 1;
    }
  }
  return longest(runs);
}

/** So many places for what three neighbouring characters are told by. */
const TRIPLES = 0x1_0000;

/** Whether a needle may stand in a long text that is asked for many: false only where it does not. */
export function needleFinder(text: string): (needle: string) => boolean {
  const seen = new Uint8Array(TRIPLES);
  for (let at = 0; at + 3 <= text.length; at++) seen[tripleAt(text, at)] = 1;
  return (needle) => {
    for (let at = 0; at + 3 <= needle.length; at++) if (seen[tripleAt(needle, at)] === 0) return false;
    return text.includes(needle);
  };
}

function tripleAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % TRIPLES;
}

function longest(parts: readonly string[]): string {
  return parts.reduce((best, part) => (part.length > best.length ? part : best), '');
}
