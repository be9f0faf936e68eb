/** A name that something was done under, as people read it: those of ours that are no users have words. */
import { isOwnActor, type OwnActor } from '@gatehouse/contract/identity/own-actors';
import type { Translate, WordId } from './words.ts';

const ACTOR_WORDS = {
  '-local-': 'common.actor-local',
  '-first-start-': 'common.actor-first-start',
  '-upgrade-': 'common.actor-upgrade',
} as const satisfies Record<OwnActor, WordId>;

export function actorWords(t: Translate, name: string): string {
  return isOwnActor(name) ? t(ACTOR_WORDS[name]) : name;
}
