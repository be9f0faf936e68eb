/** Servers in the command palette: by a few letters of the name, or as login@server. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import Server from 'lucide-react/icons/server';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useWords } from '../../../platform/i18n/words.ts';
import { useFollow } from '../../../platform/routing/address.tsx';
import { useUser } from '../../../platform/sign-in/user.ts';
import { useApi } from '../../../platform/world/use-api.ts';
import { useWorld } from '../../../platform/world/world.tsx';
import { ASKED, type PaletteSource } from '../../../shared/palette/palette-source.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { SERVERS } from '../server-queries.ts';
import { connectPath } from './connect-address.ts';
import { useLoginMemory } from './login-memory.ts';
import { mayUse, usualLogin } from './logins.ts';
import { openTab, readTarget } from './quick-connect-target.ts';

export function usePaletteServers(clusterId: string, query: string): PaletteSource<Node> {
  const t = useWords();
  const api = useApi();
  const { now } = useWorld();
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
