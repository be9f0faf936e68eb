/** A role map as its editor has it: entries that may be half written, and those that a save would take away. */
import type { RoleMapEntry } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { type DocumentValue, textsAt, valueAt } from '../../../shared/document-editor/read-document.ts';
import { sameValue } from '../../../shared/document-editor/same-value.ts';

export const MAP_PATH = ['spec', 'role_map'] as const;

/** What the text says, however it was written by hand. */
export function entriesIn(value: DocumentValue | undefined): RoleMapEntry[] {
  const found = valueAt(value, MAP_PATH);
  if (!Array.isArray(found)) return [];
  return found.map((entry: unknown) => ({
    remote: textsAt(entry, ['remote'])[0] ?? '',
    local: textsAt(entry, ['local']),
  }));
}

/** Those that can be asked about, each with its place in the map. */
export function wholeEntries(entries: readonly RoleMapEntry[]): { place: number; entry: RoleMapEntry }[] {
  return entries
    .map((entry, place) => ({ place, entry }))
    .filter(({ entry: { remote, local } }) => remote !== '' && local.length > 0);
}

export function isNewOrChanged(entry: RoleMapEntry, saved: readonly RoleMapEntry[]): boolean {
  return !saved.some((other) => sameValue(other, entry));
}

/** Saved ones whose role of the root nothing in the draft names any more. */
export function goneEntries(entries: readonly RoleMapEntry[], saved: readonly RoleMapEntry[]): RoleMapEntry[] {
  const named = new Set(entries.map(({ remote }) => remote));
  return saved.filter(({ remote }) => !named.has(remote));
}

/** Which entries a role of the root meets, for pointing at them; what it gives is the gateway's to say. */
export function fitting(entries: readonly RoleMapEntry[], role: string): RoleMapEntry[] {
  return entries.filter(({ remote }) => fits(remote, role));
}

function fits(remote: string, role: string): boolean {
  if (remote.startsWith('^') && remote.endsWith('$')) {
    try {
      return new RegExp(remote, 'u').test(role);
    } catch {
      return false;
    }
  }
  const [first = '', ...others] = remote.split('*');
  if (others.length === 0) return remote === role;
  const last = others.pop() ?? '';
  if (!role.startsWith(first) || !role.endsWith(last) || role.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const found = role.indexOf(part, at);
    if (found < 0 || found + part.length > role.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

export interface JoinWords {
  address: string;
  token: string;
  key: string;
  /** Of its certificate, where no known authority vouches for it. */
  pin: string;
}

/** What the command of a root says, for those who would rather paste it than type it apart; nothing for any other text. */
export function readJoinCommand(text: string): JoinWords | undefined {
  const address = /\bclusters\s+join\s+(\S+)/.exec(text)?.[1];
  const token = /--token[\s=]+(\S+)/.exec(text)?.[1];
  if (address === undefined || token === undefined) return undefined;
  const [key = '', pin = ''] = [/--root-key[\s=]+(\S+)/, /--ca-pin[\s=]+(\S+)/].map((word) => word.exec(text)?.[1]);
  return { address, token, key, pin };
}
