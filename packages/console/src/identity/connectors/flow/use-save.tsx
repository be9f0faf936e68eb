/** Saves a connector; asks for a second factor where the gateway wants one, and tells when somebody was quicker. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { CONNECTOR_ROUTES, type ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { useToast } from '@gatehouse/design/toast';
import type { ReactNode } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { refusalOf } from '../../../platform/failures/failure-words.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useRefreshAccess } from '../../../shared/access-questions/access-queries.ts';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import { titleOf } from '../connector-queries.ts';
import type { ConnectorDraft } from '../draft/use-connector-draft.ts';

interface SaveOptions {
  kind: ConnectorKind;
  /** Of the one that is changed; nothing for a new one. */
  name: string | undefined;
  title: string;
  draft: ConnectorDraft;
  onSaved: (item: ConnectorItem) => void;
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

export function useSave({ kind, name, title, draft, onSaved, onConflict }: SaveOptions): Saving {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const attempt = useAttempt();
  const { withProof, question } = useProof({
    title: t('connectors.prove-title', { name: title }),
    text: t('connectors.prove-text'),
    confirmWord: t('access.save'),
  });
  const send = (): Promise<ConnectorItem> => {
    const routes = CONNECTOR_ROUTES[kind];
    const content = draft.whole;
    if (name === undefined) return api(routes.create, { body: { content } });
    const revision = draft.base?.revision;
    return api(routes.update, { params: { name }, body: { content, ...(revision ? { revision } : {}) } });
  };
  const save = async () => {
    let saved: ConnectorItem | undefined;
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
      toast.show({ tone: 'ok', title: t('connectors.saved', { name: titleOf(saved) }) });
    }
    if (saved || isOvertaken) await refresh();
    if (isOvertaken) onConflict();
  };
  return { save, isBusy: attempt.isBusy, failure: attempt.failure?.message, question };
}
