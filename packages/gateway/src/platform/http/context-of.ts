/** What an event says of the call that caused it. */
import type { Actor } from './actor.ts';
import type { Exchange } from './call.ts';

export function contextOf({ signInId }: Pick<Actor, 'signInId'>, { address }: Pick<Exchange, 'address'>) {
  return { signInId, address };
}
