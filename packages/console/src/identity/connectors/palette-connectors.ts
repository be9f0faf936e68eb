/** Sign-in providers in the command palette. */

import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { providerIcon } from '@gatehouse/design/provider-icon';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import type { PaletteSource } from '../../shared/palette/palette-source.ts';
import { connectorPath } from './connector-paths.ts';
import { connectorsQuery, titleOf } from './connector-queries.ts';

export function usePaletteConnectors(query: string): PaletteSource<ConnectorItem> {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const follow = useFollow();
  const { userAcl } = useOwnUser();
  const all = () => queries.fetchQuery(connectorsQuery(api));
  return {
    id: 'connector',
    title: t('shell.connectors'),
    key: ['access', 'connectors-found'],
    mayAsk: userAcl.authConnectors.list,
    search: query.trim(),
    find: async () => {
      const rows = await all();
      return { rows, total: rows.length };
    },
    narrow: (rows, search) => rows.filter((item) => fits(`${titleOf(item)}\n${item.name}\n${item.kind}`, search)),
    one: async (name) => (await all()).find((item) => item.name === name),
    item: (item) => ({
      id: `connector:${item.name}`,
      title: titleOf(item),
      icon: providerIcon({ ...item, type: item.kind, displayName: item.display }),
      detail: item.kind,
      enter: t('palette.show'),
      onSelect: () => follow(connectorPath(item)),
    }),
  };
}

function fits(text: string, search: string): boolean {
  const within = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}
