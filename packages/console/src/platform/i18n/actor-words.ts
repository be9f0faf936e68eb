/** A name that something was done under, as people read it: those of ours that are no users have words. */
import { FIRST_START_ACTOR, LOCAL_ACTOR } from '@gatehouse/contract/identity/own-actors';
import type { Translate } from './words.ts';

export function actorWords(t: Translate, name: string): string {
  if (name === LOCAL_ACTOR) return t('common.actor-local');
  return name === FIRST_START_ACTOR ? t('common.actor-first-start') : name;
}
