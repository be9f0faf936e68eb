/** A lock in words: what it is on, and until when. */

import { LOCK_TARGETS, type LockItem, type LockTarget } from '@gatehouse/contract/access/locks/locks';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import type { Translate } from '../../platform/i18n/words.ts';

export interface Target {
  kind: LockTarget;
  name: string;
}

export function targetOf({ targets }: Pick<LockItem, 'targets'>): Target {
  const kind = LOCK_TARGETS.find((each) => targets[each] !== undefined) ?? 'user';
  return { kind, name: targets[kind] ?? '' };
}

export function targetWords(t: Translate, { kind, name }: Target): string {
  return t(`locks.on-${kind}`, { name });
}

/** What making it ended, as the gateway counted it. */
export function endedWords(t: Translate, ended: LockItem['ended']): string {
  if (!ended) return '';
  const { signIns, sessions, stillOpen } = ended;
  const told = signIns + sessions === 0 ? t('locks.ended-nothing') : t('locks.ended', { signIns, sessions });
  return stillOpen === 0 ? told : `${told} ${t('locks.still-open', { stillOpen })}`;
}

export function untilWords(t: Translate, { expires }: Pick<LockItem, 'expires'>): string {
  return expires === '' ? t('locks.until-lifted') : t('locks.until', { time: formatDateTime(expires) });
}
