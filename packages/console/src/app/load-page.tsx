/** Fetches all that the page in the address bar needs and gives what to show. */

import { matchPage } from '@gatehouse/contract/console/pages';
import type { ReactNode } from 'react';
import type { BrowserServices } from '../platform/browser/browser-services.tsx';
import { fetchCode } from '../platform/code/fetch-code.ts';
import { loadWords } from '../platform/i18n/words.ts';
import { isPrivate } from '../platform/routing/page-params.ts';
import { prefetchUser } from '../platform/sign-in/prefetch-user.ts';
import { readToken, timeLeftMs } from '../platform/sign-in/token.ts';
import { loadScreen } from './load-screen.ts';
import { PageTitle } from './page-title.tsx';
import { NotFound } from './status/not-found.tsx';

/**
 * Public pages come without the router: leaving one is always a page load, and the router alone would weigh a quarter
 * of the login page.
 */
export async function loadPage(path: string, world: BrowserServices): Promise<ReactNode> {
  const page = matchPage(path);
  const words = loadWords(['common']);
  if (!page && timeLeftMs(readToken(world.storage), world.now()) <= 0) {
    await words;
    return <NotFound />;
  }
  if (!page) return loadPrivate(world, words);
  // Asked for at once, though the router will ask again: its own file need not arrive first.
  const screen = loadScreen(page.name);
  if (isPrivate(page)) return loadPrivate(world, words);
  const [Content] = await Promise.all([screen, words]);
  return (
    <>
      <PageTitle page={page.name} params={page.params} />
      <Content page={page.name} />
    </>
  );
}

async function loadPrivate(world: BrowserServices, words: Promise<unknown>): Promise<ReactNode> {
  const user = prefetchUser(world);
  const [{ startPrivateApp }] = await Promise.all([
    fetchCode(() => import('./private-start.tsx')),
    words,
    loadWords(['shell', 'pages']),
  ]);
  return startPrivateApp(world, user);
}
