/** Names that are kept for applications none of whose agents is here. */
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import type { HeldName } from '@gatehouse/contract/kinds/held-names';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';

export interface AwayApp {
  name: string;
  hosts: string[];
  /** The tokens whose agents may come back with it. */
  group: string;
}

/** None for those who could not free one. */
export function useAwayApps(clusterId: string): AwayApp[] {
  const api = useApi();
  const { userAcl } = useUser();
  const { data } = useQuery({
    queryKey: [RESOURCES, 'app-names', clusterId],
    queryFn: ({ signal }) => api(appRoutes.names, { params: { clusterId } }, signal),
    enabled: userAcl.appServers.remove,
  });
  return awayApps(data ?? []);
}

function awayApps(names: readonly HeldName<'app'>[]): AwayApp[] {
  const apps = new Map<string, AwayApp>();
  for (const { app, kind, name, group, offered } of names) {
    if (offered) continue;
    const known = apps.get(app) ?? { name: app, hosts: [], group };
    apps.set(app, kind === 'host' ? { ...known, hosts: [...known.hosts, name] } : known);
  }
  return [...apps.values()].sort((a, b) => a.name.localeCompare(b.name));
}
