/** What a change of a desktop means for sessions with it: what was allowed is what is reached. */
import type { ResourceLife } from '../../sessions/host/resource-life.ts';
import { desktopVersionOf } from './listed-desktop.ts';

/** Another certificate of the same host ends nothing: sessions are signed in over the one that was good when they began. */
export const desktopLife: ResourceLife = {
  called: 'desktop',
  isAnother: (before, now) => desktopVersionOf(before) !== desktopVersionOf(now),
};
