/** Starts the private pages: server state and router, with the first screen and what it shows already fetched. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { matchPage } from '@gatehouse/contract/console/pages';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CONSOLE_KINDS } from '../kinds/kinds.ts';
import { apiOver } from '../platform/api/api.ts';
import { createQueryClient } from '../platform/api/query-client.ts';
import type { BrowserServices } from '../platform/browser/browser-services.tsx';
import { PREFERENCES } from '../platform/browser/preferences.ts';
import { type PrefetchedUser, sendAfter } from '../platform/sign-in/prefetch-user.ts';
import { readPageConfig, userQuery } from '../platform/sign-in/user.ts';
import { KindsProvider } from '../shared/kinds/kinds-context.tsx';
import { createPrefetch } from './prefetch.ts';
import { asksForFirst, redirectPath, redirects } from './redirect.ts';
import { createPrivateRouter, PENDING_MS } from './router.tsx';

export async function startPrivateApp(browser: BrowserServices, early: PrefetchedUser | undefined): Promise<ReactNode> {
  const queries = createQueryClient();
  const user = early && queries.fetchQuery(userQuery(apiOver(sendAfter(early, browser.send)))).catch(() => undefined);
  // Showing everything at once is worth waiting for, but not for longer than any screen is waited for.
  const inTime = <T,>(work: Promise<T>) => Promise.race([work, tooLate]);
  const tooLate = new Promise<undefined>((resolve) => setTimeout(resolve, PENDING_MS));

  const page = matchPage(window.location.pathname);
  if (user && redirects(page)) {
    const known = await inTime(user);
    // Changed before the router sees it: the page that leads on would be shown on the way.
    const config = readPageConfig(browser.pageConfig);
    const { clusterId = config.proxyCluster } = page.params;
    // What somebody has in a leaf is not known yet.
    const asks = known && asksForFirst(page, known, config, browser.storage.getItem(STORAGE_KEYS.discover));
    if (known && !asks && clusterId === config.proxyCluster) {
      replaceAddress(redirectPath(page, known, config, browser.storage.getItem(PREFERENCES.cluster)));
    }
  }
  const router = createPrivateRouter(createPrefetch(browser, queries));
  await inTime(Promise.all([user, router.load()]));
  return (
    <QueryClientProvider client={queries}>
      <KindsProvider table={CONSOLE_KINDS}>
        <RouterProvider router={router} />
      </KindsProvider>
    </QueryClientProvider>
  );
}

function replaceAddress(path: string): void {
  window.history.replaceState(window.history.state, '', path);
}
