/** Where nothing is enrolled yet, home leads to enrolling once; whoever wants to look around first is not led there again. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { Navigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { useAnythingThere } from '../../shared/discover-path/anything-there.ts';
import { discoverPath } from '../../shared/discover-path/discover-path.ts';
import { Waiting } from '../status/waiting.tsx';

export function FirstRun({ otherwise }: { otherwise: string }) {
  const { storage } = useBrowser();
  const clusterId = usePageConfig().proxyCluster;
  const { data, isPending } = useAnythingThere(clusterId);
  const hasResource = data?.hasResource;
  // Kept on the way out: kept sooner, whoever draws the page again in between would be led past it.
  useEffect(
    () => () => {
      if (hasResource === undefined) return;
      storage.setItem(
        STORAGE_KEYS.discover,
        JSON.stringify({ hasResource, ...(!hasResource && { hasVisited: true }) }),
      );
    },
    [storage, hasResource],
  );
  if (isPending) return <Waiting />;
  return <Navigate to={hasResource === false ? discoverPath() : otherwise} replace />;
}
