/** Flags that name what is locked, one for each kind that can be locked alone. */
import { rows } from '@gatehouse/contract/kinds/kinds';

/** `--windows-desktop` and the like, without the dashes. */
export function lockFlag({ noun }: Pick<(typeof rows)[number], 'noun'>): string {
  return noun.replaceAll(' ', '-').toLowerCase();
}

/** Flag → what is locked, and its words in the help. */
export const KIND_LOCK_FLAGS: Readonly<Record<string, readonly [target: string, words: string]>> = Object.fromEntries(
  rows.flatMap(({ lockTarget, noun }) =>
    lockTarget === undefined ? [] : [[lockFlag({ noun }), [lockTarget, `a ${noun}, by id or name`]]],
  ),
);
