/** Servers in the command palette: by a few letters of the name, or as login@server. */

import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import Server from 'lucide-react/icons/server';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import Unplug from 'lucide-react/icons/unplug';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { KindPalette } from '../../../shared/palette/kind-palette.ts';
import type { Found, PaletteAsk } from '../../../shared/palette/palette-source.ts';
import { useFoundResources } from '../../../shared/resource-list/resource-source.ts';
import { SERVERS } from '../server-queries.ts';
import { connectPath } from './connect-search-params.ts';
import { useLoginMemory } from './login-memory.ts';
import { mayUse, usualLogin } from './logins.ts';
import { openTab, readTarget } from './quick-connect-target.ts';

export const nodePalette: KindPalette = {
  useFound: useFoundServers,
  tellsWho: true,
  actions: [
    {
      id: 'add-server',
      word: 'palette.do-add-server',
      also: 'palette.do-add-server-also',
      icon: Server,
      page: 'discover',
      texts: { flow: 'server' },
      may: (acl) => acl.tokens.create,
    },
    {
      id: 'open-terminal',
      word: 'palette.do-terminal',
      also: 'palette.do-terminal-also',
      icon: SquareTerminal,
      page: 'console',
      may: (acl) => acl.nodes.list,
    },
    {
      id: 'unreachable',
      word: 'palette.do-unreachable',
      also: 'palette.do-unreachable-also',
      icon: Unplug,
      page: 'nodes',
      texts: { status: 'unreachable' },
      may: () => true,
    },
  ],
};

function useFoundServers(ask: PaletteAsk): Found {
  const t = useTranslate();
  const { now } = useBrowser();
  const { userName } = useUser();
  const [memory, remember] = useLoginMemory();
  const { clusterId, query } = ask;
  const { login, name } = readTarget(query);
  return useFoundResources(
    {
      list: SERVERS,
      id: 'server',
      search: name,
      one: (api, id, signal) => api(nodeRoutes.get, { params: { clusterId, id } }, signal),
      item: (node, show) => {
        const usual = login ?? usualLogin(node, memory, userName);
        const as = usual !== undefined && mayUse(node, usual) ? usual : undefined;
        const used = memory[node.id]?.[0];
        return {
          title: node.hostname,
          detail: node.addr,
          ...(used ? { hint: formatRelative(used.time, now()) } : {}),
          enter: as === undefined ? t('palette.show') : t('palette.connect', { login: as }),
          onSelect: (how) => {
            if (as === undefined || how === 'other') return show();
            remember(node.id, as);
            if (!openTab(connectPath(node, as))) show();
          },
        };
      },
    },
    ask,
  );
}
