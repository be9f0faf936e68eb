/** Resources of one kind in the command palette, by a few letters of what they are called. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { PaletteItem } from '@gatehouse/design/palette-groups';
import type { Api } from '../../platform/api/api.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useUserOf } from '../../platform/sign-in/user.ts';
import { useKinds } from '../kinds/kinds-context.tsx';
import { ASKED, type Found, type PaletteAsk, usePaletteSource } from '../palette/palette-source.ts';
import type { ResourceKind } from './resource-kind.ts';
import { firstSort } from './resource-queries.ts';
import { RESOURCES } from './use-paged-rows.ts';

export interface ResourceSource<T> {
  list: ResourceKind<T>;
  /** Begins the ids of its items. Browsers keep those that were taken: another name forgets them. */
  id: string;
  /** What is looked for, where that is not all that was typed. */
  search?: string;
  one: (api: Api, key: string, signal: AbortSignal) => Promise<T>;
  /** `show` opens it on the screen of its kind. */
  item: (row: T, show: () => void) => Omit<PaletteItem, 'id' | 'icon'>;
}

export function useFoundResources<T>(source: ResourceSource<T>, { clusterId, query, recent }: PaletteAsk): Found {
  const t = useTranslate();
  const api = useApi();
  const follow = useFollow();
  const { userAcl } = useUserOf(clusterId);
  const { list, id } = source;
  const { icon, label } = useKinds()[list.kind];
  return usePaletteSource<T>(
    {
      id,
      title: t(label),
      key: [RESOURCES, list.page, clusterId],
      mayAsk: userAcl[factsOf(list.kind).acl].list,
      search: source.search ?? query.trim(),
      ...(source.search === undefined ? {} : { typed: query }),
      find: async (search, signal) => {
        const asked = { search, limit: String(ASKED), sort: firstSort(list) };
        const { items, totalCount } = await list.load(api, clusterId, asked, signal);
        return { rows: items, total: totalCount };
      },
      one: (key, signal) => source.one(api, key, signal),
      item: (row) => {
        const key = list.rowKey(row);
        const show = () => follow(`${pagePath(list.page, { clusterId })}?open=${encodeURIComponent(key)}`);
        return { ...source.item(row, show), id: `${id}:${key}`, icon };
      },
    },
    recent,
  );
}
