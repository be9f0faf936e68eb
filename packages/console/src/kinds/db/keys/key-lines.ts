/** Keys as a tree: what stands before a colon is a folder, as people name keys; a folder of one is none. */
import { shownText } from './redis-words.ts';
import type { FoundKey } from './use-key-list.ts';

export type KeyLine =
  | { is: 'folder'; path: string; label: string; count: number; depth: number; isOpen: boolean }
  | { is: 'key'; path: string; key: FoundKey; label: string; depth: number };

/** Names of many parts would be as deep as a page is wide. */
const MAX_DEPTH = 6;

interface NamedKey {
  name: string;
  key: FoundKey;
}

export function keyLines(keys: readonly FoundKey[], open: ReadonlySet<string>): KeyLine[] {
  const named = keys.map((key) => ({ name: shownText(key.name), key }));
  named.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  const lines: KeyLine[] = [];
  addLines(lines, named, '', 0, open);
  return lines;
}

function addLines(
  lines: KeyLine[],
  sorted: readonly NamedKey[],
  prefix: string,
  depth: number,
  open: ReadonlySet<string>,
) {
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as NamedKey;
    const end = depth < MAX_DEPTH ? first.name.indexOf(':', prefix.length) : -1;
    const path = first.name.slice(0, end + 1);
    // Sorted, so that those of one folder stand together.
    let next = at + 1;
    if (end >= 0) while (sorted[next]?.name.startsWith(path)) next += 1;
    if (next - at < 2) {
      lines.push({ is: 'key', path: JSON.stringify(first.key.name), key: first.key, label: first.name, depth });
    } else {
      const isOpen = open.has(path);
      lines.push({ is: 'folder', path, label: path.slice(prefix.length), count: next - at, depth, isOpen });
      if (isOpen) addLines(lines, sorted.slice(at, next), path, depth + 1, open);
    }
    at = next;
  }
}
