/** Who acts without being a user: names of ours that no person can have, and the words people read for them. */

/** Whoever may open the gateway's local socket. No user can have this name: names do not begin with a dash. */
export const LOCAL_ACTOR = '-local-';
/** The gateway itself, as it makes the first administrator. */
export const FIRST_START_ACTOR = '-first-start-';
/** The gateway itself, as it brings what it made up to its version. */
export const UPGRADE_ACTOR = '-upgrade-';

const OWN_ACTORS = {
  [LOCAL_ACTOR]: "somebody on the gateway's machine",
  [FIRST_START_ACTOR]: 'the first start',
  [UPGRADE_ACTOR]: 'a new version of Gatehouse',
} as const;
export type OwnActor = keyof typeof OWN_ACTORS;

export function isOwnActor(name: string): name is OwnActor {
  return Object.hasOwn(OWN_ACTORS, name);
}

/** Of a name that was proven: what a stranger typed as a name is shown as typed, or they could be taken for us. */
export function actorText(name: string): string {
  return isOwnActor(name) ? OWN_ACTORS[name] : name;
}
