/** Asks for what a screen shows while its file is on its way: a screen that has to wait is shown 300 ms later by React. */

import { featureFlags } from '@gatehouse/contract/access/acl';
import type { PageName } from '@gatehouse/contract/console/pages';
import type { QueryClient } from '@tanstack/react-query';
import { apiOver } from '../platform/api/api.ts';
import type { BrowserServices } from '../platform/browser/browser-services.tsx';
import { fetchCode } from '../platform/code/fetch-code.ts';
import { readToken, timeLeftMs } from '../platform/sign-in/token.ts';
import { readPageConfig, userQuery } from '../platform/sign-in/user.ts';
import { missingFlag } from './navigation.ts';
import { SCREENS } from './screens.ts';

export type Prefetch = (page: PageName, clusterId: string | undefined) => Promise<void>;

export function createPrefetch(browser: BrowserServices, queries: QueryClient): Prefetch {
  const api = apiOver(browser.send);

  return async (page, clusterId) => {
    const screen = SCREENS[page];
    if (!('ask' in screen) || !(await mayAsk(page, clusterId))) return;
    const ask = screen.ask && (await fetchCode(screen.ask));
    await ask?.({ queries, api });
  };

  /** A call that is refused would be recorded, though nobody tried to do anything. */
  async function mayAsk(page: PageName, clusterId: string | undefined): Promise<boolean> {
    if (timeLeftMs(readToken(browser.storage), browser.now()) <= 0) return false;
    const config = readPageConfig(browser.pageConfig);
    const asked = userQuery(api, clusterId === config.proxyCluster ? undefined : clusterId);
    const user = await queries.ensureQueryData(asked).catch(() => undefined);
    return user !== undefined && !missingFlag(page, featureFlags(user.userAcl, config));
  }
}
