/** What a change of a database means for sessions with it: what was allowed is what is reached. */

import { isDeepStrictEqual } from 'node:util';
import type { Resource } from '../../inventory/resource-store.ts';
import type { ResourceLife } from '../../sessions/host/resource-life.ts';
import { dbVersionOf } from './listed-db.ts';

export const dbLife: ResourceLife = {
  called: 'database',
  // Of nearly all that are asked about nothing has changed, and to see that is a tenth of the work.
  isAnother: (before, now) => !isSame(before, now) && dbVersionOf(before) !== dbVersionOf(now),
};

function isSame(before: Resource, now: Resource): boolean {
  return isDeepStrictEqual(before.spec, now.spec) && isDeepStrictEqual(before.labels, now.labels);
}
