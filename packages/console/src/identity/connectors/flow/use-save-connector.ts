/** Saves a connector. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { CONNECTOR_ROUTES, type ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useRefreshAccess } from '../../../shared/access-questions/access-queries.ts';
import { type Saving, useSaving } from '../../../shared/document-editor/use-saving.tsx';
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

export function useSaveConnector({ kind, name, title, draft, onSaved, onConflict }: SaveOptions): Saving {
  const t = useTranslate();
  const api = useApi();
  return useSaving<ConnectorItem>({
    proof: {
      title: t('connectors.prove-title', { name: title }),
      text: t('connectors.prove-text'),
      confirmWord: t('access.save'),
    },
    send: () => {
      const routes = CONNECTOR_ROUTES[kind];
      const content = draft.whole;
      if (name === undefined) return api(routes.create, { body: { content } });
      const revision = draft.base?.revision;
      return api(routes.update, { params: { name }, body: { content, ...(revision ? { revision } : {}) } });
    },
    refresh: useRefreshAccess(),
    words: (saved) => t('connectors.saved', { name: titleOf(saved) }),
    ...{ onSaved, onConflict },
  });
}
