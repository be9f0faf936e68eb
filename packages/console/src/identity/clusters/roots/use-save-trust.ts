/** Saves a trust, or joins a root by one. */
import {
  type TrustedClusterItem,
  trustedClusterRoutes,
} from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { type Saving, useSaving } from '../../../shared/document-editor/use-saving.tsx';
import { useRefreshClusters } from '../cluster-queries.ts';

interface SaveOptions {
  item: TrustedClusterItem | undefined;
  draft: Draft;
  onSaved: (item: TrustedClusterItem) => void;
  /** Somebody was quicker. */
  onConflict: () => void;
}

export function useSaveTrust({ item, draft, onSaved, onConflict }: SaveOptions): Saving {
  const t = useTranslate();
  const api = useApi();
  return useSaving<TrustedClusterItem>({
    proof: {
      title: item ? t('trust.prove-save', { root: item.name }) : t('trust.join'),
      confirmWord: t(item ? 'trust.save' : 'trust.join'),
    },
    send: () => {
      const content = draft.text;
      if (!item) return api(trustedClusterRoutes.create, { body: { content } });
      const revision = draft.base?.revision;
      const body = { content, ...(revision ? { revision } : {}) };
      return api(trustedClusterRoutes.update, { params: { name: item.name }, body });
    },
    refresh: useRefreshClusters(),
    words: ({ name }) => t(item ? 'trust.saved' : 'trust.joined', { root: name }),
    ...{ onSaved, onConflict },
  });
}
