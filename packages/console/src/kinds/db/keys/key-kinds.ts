/** What a key of Redis can be. */
export const KEY_KINDS = ['string', 'hash', 'list', 'set', 'zset', 'stream'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export function isKeyKind(kind: string): kind is KeyKind {
  return (KEY_KINDS as readonly string[]).includes(kind);
}
