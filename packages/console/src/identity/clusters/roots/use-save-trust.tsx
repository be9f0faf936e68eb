/** Saves a trust, or joins a root by one; asks for a second factor where the gateway wants one, and tells when somebody was quicker. */
import {
  type TrustedClusterItem,
  trustedClusterRoutes,
} from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { useToast } from '@gatehouse/design/toast';
import type { ReactNode } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { refusalOf } from '../../../platform/failures/failure-words.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { useRefreshClusters } from '../cluster-queries.ts';

interface SaveOptions {
  item: TrustedClusterItem | undefined;
  draft: Draft;
  onSaved: (item: TrustedClusterItem) => void;
  /** Somebody was quicker. */
  onConflict: () => void;
}

export interface Saving {
  save: () => Promise<void>;
  isBusy: boolean;
  failure: string | undefined;
  /** To be put somewhere on the page. */
  question: ReactNode;
}

export function useSaveTrust({ item, draft, onSaved, onConflict }: SaveOptions): Saving {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshClusters();
  const attempt = useAttempt();
  const { withProof, question } = useProof({
    title: item ? t('trust.prove-save', { root: item.name }) : t('trust.join'),
    confirmWord: t(item ? 'trust.save' : 'trust.join'),
  });
  const send = (): Promise<TrustedClusterItem> => {
    const content = draft.text;
    if (!item) return api(trustedClusterRoutes.create, { body: { content } });
    const revision = draft.base?.revision;
    const body = { content, ...(revision ? { revision } : {}) };
    return api(trustedClusterRoutes.update, { params: { name: item.name }, body });
  };
  const save = async () => {
    let saved: TrustedClusterItem | undefined;
    let isOvertaken = false;
    await attempt.run(async () => {
      try {
        saved = await withProof(send);
      } catch (error) {
        isOvertaken = refusalOf(error)?.code === 'compare_failed';
        if (!isOvertaken) throw error;
      }
    });
    if (saved) {
      onSaved(saved);
      toast.show({ tone: 'ok', title: t(item ? 'trust.saved' : 'trust.joined', { root: saved.name }) });
    }
    if (saved || isOvertaken) await refresh();
    if (isOvertaken) onConflict();
  };
  return { save, isBusy: attempt.isBusy, failure: attempt.failure?.message, question };
}
