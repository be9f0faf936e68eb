/** What a change of a database means for sessions with it: what was allowed is what is reached. */
import type { ResourceLife } from '../../sessions/host/resource-life.ts';
import { dbVersionOf } from './listed-db.ts';

export const dbLife: ResourceLife = {
  called: 'database',
  isAnother: (before, now) => dbVersionOf(before) !== dbVersionOf(now),
};
