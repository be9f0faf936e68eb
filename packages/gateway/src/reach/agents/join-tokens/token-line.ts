/** What somebody types for a token in the place of one that lets in too little. It must work as it stands: things that are named need their names. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { shellWord } from '../install/shell-quote.ts';

export function tokenLine(kinds: readonly Kind[], namesOf: (kind: Kind) => readonly string[]): string {
  const types = [...new Set(kinds)];
  const flags = types.flatMap((kind) => {
    const { offered, matched, path } = factsOf(kind);
    const names = [...new Set(namesOf(kind))];
    // Agents may look after databases by labels alone.
    if (offered !== 'named' || (matched && names.length === 0)) return [];
    return [`--${path} ${names.length === 0 ? 'NAME' : shellWord(names.join(','))}`];
  });
  return [`gatehouse tokens add --type=${types.join(',')}`, ...flags].join(' ');
}

/** A machine may call what it offers as it likes: what would stand for more than one name, or mean something to a shell, is nothing to paste. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]*$/.test(name);
}
