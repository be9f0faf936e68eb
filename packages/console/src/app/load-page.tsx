/** Fetches all that the page in the address bar needs and gives what to show. */

import { matchPage } from '@gatehouse/contract/console/pages';
import type { ReactNode } from 'react';
import type { BrowserServices } from '../platform/browser/browser-services.tsx';
import { fetchCode } from '../platform/code/fetch-code.ts';
import { loadWords } from '../platform/i18n/words.ts';
import { isPublic } from '../platform/routing/page-params.ts';
import { prefetchUser } from '../platform/sign-in/prefetch-user.ts';
import { readToken, timeLeftMs } from '../platform/sign-in/token.ts';
import { PageTitle } from './page-title.tsx';
import { PUBLIC_SCREENS } from './public-screens.ts';
import { NotFound } from './status/not-found.tsx';

/**
 * Public pages come without the router: leaving one is always a page load, and the router alone would weigh a quarter
 * of the login page.
 */
export async function loadPage(path: string, browser: BrowserServices): Promise<ReactNode> {
  const page = matchPage(path);
  const words = loadWords(['common']);
  if (!page && timeLeftMs(readToken(browser.storage), browser.now()) <= 0) {
    await words;
    return <NotFound />;
  }
  if (!page) return loadPrivate(browser, words);
  if (!isPublic(page)) {
    // Asked for at once, though the router will ask again and hear what went wrong: its own file need not arrive first.
    void fetchCode(() => import('./load-screen.ts'))
      .then(({ loadScreen }) => loadScreen(page.name))
      .catch(() => undefined);
    return loadPrivate(browser, words);
  }
  const screen = PUBLIC_SCREENS[page.name];
  const [Content] = await Promise.all([fetchCode(screen.load), loadWords(screen.words), words]);
  return (
    <>
      <PageTitle title={screen.title} params={page.params} />
      <Content page={page.name} />
    </>
  );
}

async function loadPrivate(browser: BrowserServices, words: Promise<unknown>): Promise<ReactNode> {
  const user = prefetchUser(browser);
  const [{ startPrivateApp }] = await Promise.all([
    fetchCode(() => import('./private-start.tsx')),
    words,
    loadWords(['shell', 'pages']),
  ]);
  return startPrivateApp(browser, user);
}
