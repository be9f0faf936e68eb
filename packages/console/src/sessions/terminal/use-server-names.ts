/** A tab is called by its server before there is a session that would tell the name; an address has the id alone. */
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useFlags } from '../../platform/sign-in/user.ts';
import { changePane, type Pane, type Tabs } from './workspace/tabs.ts';
import type { Workspace } from './workspace/workspace.ts';

export function useServerNames(workspace: Workspace, tabs: Tabs): void {
  const api = useApi();
  const { nodes } = useFlags();
  const found = useQueries({
    queries: namelessOf(tabs).map(({ clusterId, server: id }) => ({
      queryKey: ['terminal-server', clusterId, id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => ({
        id,
        name: (await api(nodeRoutes.get, { params: { clusterId, id } }, signal)).hostname,
      }),
      enabled: nodes,
      // Whatever is wrong, the terminal itself says it.
      retry: false,
    })),
    combine: (answers) => answers.flatMap(({ data }) => (data ? [data] : [])),
  });
  useEffect(() => {
    for (const { id, name } of found) workspace.tabs.set((before) => nameServer(before, id, name));
  }, [workspace, found]);
}

function nameServer(before: Tabs, server: string, serverName: string): Tabs {
  return namelessOf(before)
    .filter((pane) => pane.server === server)
    .reduce((named, { id }) => changePane(named, id, { serverName }), before);
}

function namelessOf({ tabs }: Tabs): Pane[] {
  return tabs
    .flatMap(({ panes }) => panes)
    .filter(({ sid, serverName }) => sid === undefined && serverName === undefined);
}
