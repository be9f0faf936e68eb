/** What is shown at a page: its title, its code and data, its words. */
import type { PageName } from '@gatehouse/contract/console/pages';
import type { ComponentType } from 'react';
import type { Asking } from '../api/query-client.ts';
import type { Area, WordId } from '../i18n/words.ts';

/** What every screen is given; most need none of it. */
export interface ScreenProps {
  page: PageName;
}

export interface BuiltScreen {
  /** The page's title; the page's parameters are its values. */
  title: WordId;
  load: () => Promise<ComponentType<ScreenProps>>;
  /** What asks for the data that the screen cannot be shown without. */
  ask?: () => Promise<(asking: Asking) => Promise<void>>;
  /** The areas of words it needs, besides `common` and, for private pages, `shell` and `pages`. */
  words: readonly Area[];
}
