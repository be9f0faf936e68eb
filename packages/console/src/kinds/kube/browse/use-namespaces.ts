/** The namespaces that somebody may look into, as far as anybody knows. */
import type { BrowseReply } from '@gatehouse/contract/kinds/kube/browse';
import { useEffect, useState } from 'react';
import { useBrowse } from './browse.ts';
import type { Failed } from './line/browse-line.ts';

type NamespacesReply = Extract<BrowseReply, { type: 'namespaces' }>;

export interface Namespaces {
  names: readonly string[];
  /** All there are, so that lists need not name any. */
  isAll: boolean;
  /** Why they cannot be listed. */
  why: string;
}

export interface AskedNamespaces {
  known: Namespaces | undefined;
  failure: Failed | undefined;
}

export function useNamespaces(): AskedNamespaces {
  const browse = useBrowse();
  const [asked, setAsked] = useState<AskedNamespaces>({ known: undefined, failure: undefined });
  useEffect(
    () =>
      browse.follow({
        question: { type: 'namespaces' },
        onBegin: () => {},
        hear(answer) {
          if (answer.type === 'namespaces') setAsked({ known: knownOf(answer), failure: undefined });
          if (answer.type === 'failed') setAsked((before) => ({ ...before, failure: answer }));
        },
      }),
    [browse],
  );
  return asked;
}

function knownOf({ names, from, why }: NamespacesReply): Namespaces {
  return { names, isAll: from === 'cluster', why };
}
