/** A connector that is being edited. Its secrets are kept beside its text, which stands on screens that others look at too. */
import { HIDDEN_SECRET } from '@gatehouse/contract/identity/connectors/connector-document';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { useMemo, useState } from 'react';
import { textsAt } from '../../../shared/document-editor/read-document.ts';
import { type Base, type Draft, useDraft } from '../../../shared/document-editor/use-draft.ts';
import { type HeldSecrets, hideSecrets, secretPaths, withSecrets } from './hidden-secrets.ts';

export interface ConnectorDraft extends Draft {
  /** The text with its secrets: for the gateway, and never shown. */
  whole: string;
  /** The text as it may be shown and copied; nothing while it cannot be read. */
  shown: string | undefined;
  secretAt: (path: readonly string[]) => string;
  /** Hides what was typed into the text as a secret: once it is complete, or one character would be taken for all of it. */
  hide: () => void;
  /** Goes on from what was saved, whose secrets the gateway keeps now. */
  settle: (saved: Base) => void;
}

export function useConnectorDraft(kind: ConnectorKind, initial: Base | undefined, startText: string): ConnectorDraft {
  const draft = useDraft(initial, startText);
  const [held, setHeld] = useState<HeldSecrets>({});
  const { text, value, isReadable } = draft;
  const whole = useMemo(() => withSecrets(kind, text, held), [kind, text, held]);
  const shown = useMemo(() => hideSecrets(kind, text)?.text, [kind, text]);
  const isSecret = (path: readonly (string | number)[]) =>
    secretPaths(kind).some((each) => each.join('.') === path.join('.'));
  return {
    ...draft,
    whole,
    shown,
    secretAt(path) {
      const [written = ''] = textsAt(value, path);
      return written === HIDDEN_SECRET ? (held[path.join('.')] ?? '') : written;
    },
    setField(path, next) {
      if (!isReadable || typeof next !== 'string' || !isSecret(path)) return draft.setField(path, next);
      setHeld({ ...held, [path.join('.')]: next });
      draft.setField(path, HIDDEN_SECRET);
    },
    hide() {
      const hidden = hideSecrets(kind, text);
      if (!hidden || hidden.text === text) return;
      setHeld({ ...held, ...hidden.found });
      draft.setText(hidden.text);
    },
    settle(saved) {
      setHeld({});
      draft.rebase(saved, saved.content);
    },
  };
}
