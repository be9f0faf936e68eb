/** What the gateway says about a draft while it is written: what it would refuse, what to note, what a provider must be told. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import type { ReplyRead } from '@gatehouse/contract/wire/route';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { refusalOf, refusedField } from '../../../platform/failures/failure-words.ts';
import { type DocumentValue, type Problem, placeAt, textsAt } from '../../../shared/document-editor/read-document.ts';
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
  const isAsked = isEnabled && content !== '';
  const { data, error, isPending } = useQuery({
    queryKey: ['connector-check', kind, content],
    queryFn: ({ signal }) => api(connectorTestRoutes.check, { body: { kind, content } }, signal),
    enabled: isAsked,
    retry: false,
    // It may hold a secret: it is not kept longer than it is shown.
    gcTime: 0,
  });
  const heard = useMemo((): Check => {
    const problems = byField(error, content) ?? problemsIn(error);
    return { notes: data?.notes ?? NONE, problems, failure: problems.length > 0 ? undefined : error };
  }, [data, error, content]);
  // What was last said stays until the next answer: otherwise every field would blink while somebody types.
  const [last, setLast] = useState(heard);
  if (!isPending && heard !== last) setLast(heard);
  return isPending && isAsked ? last : heard;
}

/** What was read and is refused all the same, where one field is to blame. */
function byField(error: unknown, content: string): Problem[] | undefined {
  const path = refusedField(error);
  const refusal = refusalOf(error);
  return path && refusal ? [{ ...placeAt(content, path.split('.')), path, message: refusal.message }] : undefined;
}

export interface Entered {
  /** Of the name that stands in the draft now, and of no other: they are copied. */
  addresses: ReplyRead<typeof connectorTestRoutes.check>['enter'] | undefined;
  error: unknown;
  /** Nobody knows yet whether the name can be. */
  isAsking: boolean;
}

/** What to enter over there: known as soon as the connector has a name, long before it is complete. Without one nothing is asked. */
export function useEntered(kind: ConnectorKind, document: DocumentValue, isEnabled: boolean): Entered {
  const api = useApi();
  const [name = ''] = textsAt(document, ['metadata', 'name']);
  const roles = entriesIn(kind, document)[0]?.roles ?? ['access'];
  const wanted = name === '' ? '' : namedText(kind, name, roles);
  const content = useDebounced(wanted, TYPING_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['connector-entered', kind, content],
    queryFn: async ({ signal }) => (await api(connectorTestRoutes.check, { body: { kind, content } }, signal)).enter,
    enabled: isEnabled && content !== '',
    retry: false,
  });
  if (!isEnabled || content !== wanted)
    return { addresses: undefined, error: undefined, isAsking: isEnabled && wanted !== '' };
  return { addresses: data, error: error ?? undefined, isAsking: isFetching && !data };
}
