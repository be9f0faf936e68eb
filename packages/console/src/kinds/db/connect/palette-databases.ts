/** Databases in the command palette, by a few letters of the name. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import Database from 'lucide-react/icons/database';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { KindPalette } from '../../../shared/palette/kind-palette.ts';
import type { Found, PaletteAsk } from '../../../shared/palette/palette-source.ts';
import { useFoundResources } from '../../../shared/resource-list/resource-source.ts';
import { titleOf } from '../db-badges.tsx';
import { DATABASES } from '../db-queries.ts';

export const dbPalette: KindPalette = {
  useFound: useFoundDatabases,
  actions: [
    {
      id: 'add-database',
      word: 'palette.do-add-database',
      also: 'palette.do-add-database-also',
      icon: Database,
      page: 'discover',
      texts: { kind: 'db' },
      may: (acl) => acl.db.create,
    },
  ],
};

function useFoundDatabases(ask: PaletteAsk): Found {
  const t = useTranslate();
  const { clusterId } = ask;
  return useFoundResources(
    {
      list: DATABASES,
      id: 'db',
      one: (api, name, signal) => api(databaseRoutes.get, { params: { clusterId, name } }, signal),
      item: (database, show) => ({
        title: database.name,
        detail: titleOf(database),
        enter: t('palette.show'),
        onSelect: show,
      }),
    },
    ask,
  );
}
