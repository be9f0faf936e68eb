/** Servers in the command palette: by a few letters of the name, or as login@server. */
import type { Node } from '@gatehouse/contract/nodes/nodes';
import { pagePath } from '@gatehouse/contract/pages';
import type { PaletteItem } from '@gatehouse/design/palette-groups';
import { useQuery } from '@tanstack/react-query';
import Server from 'lucide-react/icons/server';
import { useFollow } from '../../address/address.tsx';
import { fewQuery } from '../../resource-list/resource-queries.ts';
import { useRested } from '../../resource-list/use-rested.ts';
import { useUser } from '../../sign-in/user.ts';
import { formatRelative } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { useApi } from '../../world/use-api.ts';
import { useWorld } from '../../world/world.tsx';
import { SERVERS } from '../server-queries.ts';
import { connectPath } from './connect-address.ts';
import { useLoginMemory } from './login-memory.ts';
import { mayUse, usualLogin } from './logins.ts';
import { openTab, readTarget } from './quick-connect-target.ts';

const TYPING_MS = 120;

export function usePaletteServers(clusterId: string, query: string) {
  const t = useWords();
  const api = useApi();
  const { now } = useWorld();
  const follow = useFollow();
  const { userName, userAcl } = useUser();
  const [memory, remember] = useLoginMemory();
  const { login, name } = readTarget(query);
  const asked = useRested(name, TYPING_MS);
  const found = useQuery({
    ...fewQuery(SERVERS, api, clusterId, asked),
    enabled: userAcl.nodes.list && asked !== '' && name !== '',
  });

  const item = (node: Node): PaletteItem => {
    const usual = login ?? usualLogin(node, memory, userName);
    const as = usual !== undefined && mayUse(node, usual) ? usual : undefined;
    const used = memory[node.id]?.[0];
    const show = () => follow(`${pagePath('nodes', { clusterId })}?open=${encodeURIComponent(node.id)}`);
    return {
      id: `server-${node.id}`,
      title: node.hostname,
      icon: Server,
      detail: node.addr,
      // Found by the gateway, perhaps by a label: here it fits whatever was typed.
      keywords: query,
      ...(used ? { hint: formatRelative(used.time, now()) } : {}),
      enter: as === undefined ? t('shell.palette-show') : t('shell.palette-connect', { login: as }),
      onSelect: (how) => {
        if (as === undefined || how === 'other') return show();
        remember(node.id, as);
        if (!openTab(connectPath(node, as))) show();
      },
    };
  };
  const isFor = asked !== '' && name !== '';
  return {
    group: {
      id: 'servers',
      title: t('shell.nodes'),
      items: isFor ? (found.data?.items ?? []).map(item) : [],
      ...(isFor && found.data && found.data.totalCount > found.data.items.length
        ? { total: found.data.totalCount }
        : {}),
    },
    isBusy: found.isFetching,
  };
}
