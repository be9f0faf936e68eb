/** Servers in the command palette: by a few letters of the name, or as login@server. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import Server from 'lucide-react/icons/server';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useApi } from '../../../platform/browser/use-api.ts';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFollow } from '../../../platform/routing/routing.tsx';
import { useUser } from '../../../platform/sign-in/user.ts';
import { ASKED, type PaletteSource } from '../../../shared/palette/palette-source.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { SERVERS } from '../server-queries.ts';
import { connectPath } from './connect-search-params.ts';
import { useLoginMemory } from './login-memory.ts';
import { mayUse, usualLogin } from './logins.ts';
import { openTab, readTarget } from './quick-connect-target.ts';

export function usePaletteServers(clusterId: string, query: string): PaletteSource<Node> {
  const t = useTranslate();
  const api = useApi();
  const { now } = useBrowser();
  const follow = useFollow();
  const { userName, userAcl } = useUser();
  const [memory, remember] = useLoginMemory();
  const { login, name } = readTarget(query);
  return {
    id: 'server',
    title: t('shell.nodes'),
    key: [RESOURCES, SERVERS.page, clusterId],
    mayAsk: userAcl.nodes.list,
    search: name,
    typed: query,
    find: async (search, signal) => {
      const asked = { search, limit: String(ASKED), sort: 'hostname:asc' };
      const { items, totalCount } = await SERVERS.load(api, clusterId, asked, signal);
      return { rows: items, total: totalCount };
    },
    one: (id, signal) => api(nodeRoutes.get, { params: { clusterId, id } }, signal),
    item: (node) => {
      const usual = login ?? usualLogin(node, memory, userName);
      const as = usual !== undefined && mayUse(node, usual) ? usual : undefined;
      const used = memory[node.id]?.[0];
      const show = () => follow(`${pagePath('nodes', { clusterId })}?open=${encodeURIComponent(node.id)}`);
      return {
        id: `server:${node.id}`,
        title: node.hostname,
        icon: Server,
        detail: node.addr,
        ...(used ? { hint: formatRelative(used.time, now()) } : {}),
        enter: as === undefined ? t('shell.palette-show') : t('shell.palette-connect', { login: as }),
        onSelect: (how) => {
          if (as === undefined || how === 'other') return show();
          remember(node.id, as);
          if (!openTab(connectPath(node, as))) show();
        },
      };
    },
  };
}
