/** Keeps in mind which cluster is looked at, so that the next page and the next visit begin there. */
import { Suspense, useEffect } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useCurrentPage } from '../../platform/routing/routing.tsx';
import { usePageConfig, useUserQuery } from '../../platform/sign-in/user.ts';

export function RememberCluster() {
  const own = usePageConfig().proxyCluster;
  const page = useCurrentPage();
  const [remembered, remember] = usePreference('cluster');
  const given = page?.params.clusterId;
  const { data, error } = useUserQuery(given ?? remembered);
  const isThere = data !== undefined;
  useEffect(() => {
    // Only one that let somebody in: a mistyped name is no place to come back to.
    if (given !== undefined && isThere) remember(given === own ? undefined : given);
  }, [given, own, isThere, remember]);
  // Whoever asked for a page of that cluster is told in its place.
  const isLedThere = given === undefined || page?.name === 'cluster';
  if (!remembered || !error || isThere || !isLedThere) return null;
  return (
    <Suspense>
      <ForgetCluster clusterId={remembered} error={error} />
    </Suspense>
  );
}

/** Fetched when it is gone, which hardly ever happens. */
const ForgetCluster = lazyPart(() => import('./away-cluster.tsx').then((file) => file.ForgetCluster), ['clusters']);
