/** Fetches a page's screen together with its words. */

import type { PageName } from '@gatehouse/contract/console/pages';
import type { ComponentType } from 'react';
import { fetchCode } from '../platform/code/fetch-code.ts';
import { loadWords } from '../platform/i18n/words.ts';
import type { ScreenProps } from '../platform/routing/screen.ts';
import { SCREENS } from './screens.ts';

export async function loadScreen(page: PageName): Promise<ComponentType<ScreenProps>> {
  const [Content] = await Promise.all([loadContent(page), loadWords(SCREENS[page].words)]);
  return Content;
}

async function loadContent(page: PageName): Promise<ComponentType<ScreenProps>> {
  const screen = SCREENS[page];
  // A page that leads on is never seen: the shell goes on as soon as it knows the user.
  return 'load' in screen ? fetchCode(screen.load) : () => null;
}
