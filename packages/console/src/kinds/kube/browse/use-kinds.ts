/** The collections that a cluster has, asked for where somebody needs to know. */
import type { KubeKindRow } from '@gatehouse/contract/kinds/kube/browse';
import { useEffect, useState } from 'react';
import { useBrowse } from './browse.ts';
import type { Failed } from './line/browse-line.ts';

export interface AskedKinds {
  found: readonly KubeKindRow[];
  isAsked: boolean;
  isCut: boolean;
  failure: Failed | undefined;
}

const NONE: AskedKinds = { found: [], isAsked: false, isCut: false, failure: undefined };

export function useKinds(isWanted: boolean): AskedKinds {
  const browse = useBrowse();
  const [asked, setAsked] = useState(NONE);
  useEffect(() => {
    if (!isWanted) return;
    return browse.follow({
      question: { type: 'kinds' },
      onBegin: () => {},
      hear(answer) {
        if (answer.type === 'kinds')
          setAsked({ found: answer.kinds, isAsked: true, isCut: answer.isCut, failure: undefined });
        if (answer.type === 'failed') setAsked({ ...NONE, isAsked: true, failure: answer });
      },
    });
  }, [browse, isWanted]);
  return asked;
}
