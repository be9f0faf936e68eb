/** What a change of an application means for sessions with it: what was allowed is what is reached. */
import type { ResourceLife } from '../../sessions/host/resource-life.ts';
import { versionOf } from './app-directory.ts';

export const appLife: ResourceLife = {
  called: 'application',
  isAnother: (before, now) => versionOf(before) !== versionOf(now),
};
