/** Shows the screen once the user is known and may see it; until then, and if not, says why. */
import { featureFlags } from '@gatehouse/contract/access/acl';
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { Navigate } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { usePreference } from '../../platform/browser/preferences.ts';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useCurrentPage } from '../../platform/routing/routing.tsx';
import { usePageConfig, useUserQuery } from '../../platform/sign-in/user.ts';
import { missingFlag } from '../navigation.ts';
import { asksForFirst, redirectPath, redirects } from '../redirect.ts';
import { SCREENS } from '../screens.ts';
import { ErrorCard } from '../status/error-card.tsx';
import { StatusPlace } from '../status/status-page.tsx';
import { Waiting } from '../status/waiting.tsx';

export function ScreenPlace({ children }: { children: ReactNode }) {
  const t = useTranslate();
  const page = useCurrentPage();
  const config = usePageConfig();
  const user = useUserQuery(page?.params.clusterId);
  const [remembered] = usePreference('cluster');
  const { storage } = useBrowser();

  if (user.isPending) return <Waiting />;
  if (!user.data) {
    return (
      <StatusPlace>
        {page?.params.clusterId === undefined ? (
          <ErrorCard error={user.error} onRetry={() => void user.refetch()} />
        ) : (
          <Suspense fallback={<Waiting />}>
            <AwayCluster clusterId={page.params.clusterId} error={user.error} onRetry={() => void user.refetch()} />
          </Suspense>
        )}
      </StatusPlace>
    );
  }
  const flags = featureFlags(user.data.userAcl, config);
  const missing = page && missingFlag(page.name, flags);
  if (page && missing) {
    return (
      <StatusPlace>
        <Suspense fallback={<Waiting />}>
          <DeniedPage screen={t(SCREENS[page.name].title, page.params)} flag={missing} />
        </Suspense>
      </StatusPlace>
    );
  }
  if (redirects(page)) {
    const to = redirectPath(page, user.data, config, remembered);
    if (!asksForFirst(page, user.data, config, storage.getItem(STORAGE_KEYS.discover)))
      return <Navigate to={to} replace />;
    return (
      <Suspense fallback={<Waiting />}>
        <FirstRun otherwise={to} />
      </Suspense>
    );
  }
  return children;
}

/** Fetched when somebody is denied a page: with it come the calls whose refusal it tells, which no other first visit needs. */
const DeniedPage = lazyPart(() => import('../status/denied-page.tsx').then((file) => file.DeniedPage));
/** Fetched once in a browser, by who may enrol. */
const FirstRun = lazyPart(() => import('./first-run.tsx').then((file) => file.FirstRun));
/** Fetched when another cluster does not let somebody in, or is away. */
const AwayCluster = lazyPart(() => import('./away-cluster.tsx').then((file) => file.AwayCluster), ['clusters']);
