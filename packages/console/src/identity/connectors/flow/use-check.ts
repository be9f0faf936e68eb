/** What the gateway says about a draft while it is written: what it would refuse, what to note, what a provider must be told. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { type DocumentValue, type Problem, textsAt } from '../../../shared/document-editor/read-document.ts';
import { problemsIn } from '../../../shared/document-editor/refused-document.ts';
import { useDebounced } from '../../../shared/resource-list/use-debounced.ts';
import { entriesIn } from '../mapping.ts';
import { namedText } from '../start-text.ts';

const TYPING_MS = 350;

export interface Check {
  notes: readonly string[];
  problems: readonly Problem[];
  /** Anything else that went wrong with asking. */
  failure: unknown;
}

const NONE: readonly string[] = [];

export function useCheck(kind: ConnectorKind, text: string, isEnabled: boolean): Check {
  const api = useApi();
  const content = useDebounced(text, TYPING_MS);
  const { data, error } = useQuery({
    queryKey: ['connector-check', kind, content],
    queryFn: ({ signal }) => api(connectorTestRoutes.check, { body: { kind, content } }, signal),
    enabled: isEnabled && content !== '',
    retry: false,
    // It may hold a secret: it is not kept longer than it is shown.
    gcTime: 0,
  });
  const problems = useMemo(() => problemsIn(error), [error]);
  return { notes: data?.notes ?? NONE, problems, failure: problems.length > 0 ? undefined : error };
}

export type Entered = ReturnType<typeof useEntered>;

/** What to enter over there: known as soon as the connector has a name, long before it is complete. Without one nothing is asked. */
export function useEntered(kind: ConnectorKind, document: DocumentValue, isEnabled: boolean) {
  const api = useApi();
  const [name = ''] = textsAt(document, ['metadata', 'name']);
  const roles = entriesIn(kind, document)[0]?.roles ?? ['access'];
  const content = useDebounced(name === '' ? '' : namedText(kind, name, roles), TYPING_MS);
  return useQuery({
    queryKey: ['connector-entered', kind, content],
    queryFn: async ({ signal }) => (await api(connectorTestRoutes.check, { body: { kind, content } }, signal)).enter,
    enabled: isEnabled && content !== '',
    retry: false,
    placeholderData: keepPreviousData,
  });
}
