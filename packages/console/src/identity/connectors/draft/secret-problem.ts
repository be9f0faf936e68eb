/** Whether a connector lacks a secret that it cannot be saved without. */
import { KNOWS_PUBLIC_CLIENTS, SECRET_BOUND_TO } from '@gatehouse/contract/identity/connectors/connector-document';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { valueAt } from '../../../shared/document-editor/read-document.ts';
import { sameValue } from '../../../shared/document-editor/same-value.ts';
import type { ConnectorDraft } from './use-connector-draft.ts';

type Read = Pick<ConnectorDraft, 'value' | 'savedValue' | 'secretAt'>;

/** `missing`: there never was one. `again`: one is kept, for another address or client than the one that is written now. */
export function secretProblem(kind: ConnectorKind, draft: Read, hasSecret: boolean): 'missing' | 'again' | undefined {
  if (draft.secretAt(['spec', 'client_secret']) !== '') return undefined;
  if (hasSecret) return isElsewhere(kind, draft) ? 'again' : undefined;
  return KNOWS_PUBLIC_CLIENTS[kind] ? undefined : 'missing';
}

/** It was entered for an address: for another it is asked for anew, or it would be sent there. */
export function isElsewhere(kind: ConnectorKind, { value, savedValue }: Pick<Read, 'value' | 'savedValue'>): boolean {
  return (
    savedValue !== undefined &&
    SECRET_BOUND_TO[kind].some(
      (name) => !sameValue(valueAt(value, ['spec', name]), valueAt(savedValue, ['spec', name])),
    )
  );
}
