/** One Kubernetes cluster in the browser: chosen by the address, over one line for as long as it is open. */
import { useEffect, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { usePageParams, useSearch } from '../../platform/routing/routing.tsx';
import { BrowseContext, createBrowse } from './browse/browse.ts';
import { BrowsePage } from './browse/browse-page.tsx';

const userIn = ({ as }: Record<string, string>) => as;

export function BrowseScreen() {
  const { clusterId, name } = usePageParams('kube');
  const [user] = useSearch(userIn);
  // Another cluster, or somebody else there, is another line.
  return <BrowsedCluster key={`${clusterId} ${name} ${user ?? ''}`} clusterId={clusterId} name={name} user={user} />;
}

interface BrowsedClusterProps {
  clusterId: string;
  name: string;
  user: string | undefined;
}

function BrowsedCluster({ clusterId, name, user }: BrowsedClusterProps) {
  const browser = useBrowser();
  const [browse] = useState(() => createBrowse(browser, { clusterId, name, ...(user === undefined ? {} : { user }) }));
  useEffect(() => {
    browse.start();
    return () => browse.stop();
  }, [browse]);
  return (
    <BrowseContext value={browse}>
      <BrowsePage />
    </BrowseContext>
  );
}
