/** One object as it is now, for as long as it is shown. */
import type { KubeRef } from '@gatehouse/contract/kinds/kube/browse';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { useEffect, useState } from 'react';
import { useBrowse } from './browse.ts';
import type { Failed } from './line/browse-line.ts';
import { type KubeObject, readObject } from './read-object.ts';

export interface SeenObject {
  object: KubeObject | undefined;
  /** Of a secret: its values stay where they are. */
  isHidden: boolean;
  isLive: boolean;
  isGone: boolean;
  failure: Failed | undefined;
}

const NOTHING: SeenObject = { object: undefined, isHidden: false, isLive: false, isGone: false, failure: undefined };

export function useObject(ref: KubeRef | undefined, reveal = false): SeenObject {
  const browse = useBrowse();
  const key = ref && JSON.stringify({ ...ref, reveal });
  const [seen, setSeen] = useState<{ key: string | undefined; of: SeenObject }>({ key, of: NOTHING });
  useEffect(() => {
    if (key === undefined) return;
    const wanted = JSON.parse(key) as KubeRef & { reveal: boolean };
    const put = (next: Partial<SeenObject>) =>
      setSeen((before) => ({ key, of: { ...(before.key === key ? before.of : NOTHING), ...next } }));
    return browse.follow({
      question: { type: 'object', ...wanted },
      onBegin: () => {},
      hear(answer) {
        if (answer.type === 'object')
          put({
            ...{ object: readObject(parseJson(answer.json)), isHidden: answer.isHidden, isLive: answer.isLive },
            ...{ isGone: false, failure: undefined },
          });
        else if (answer.type === 'gone') put({ isGone: true });
        else if (answer.type === 'failed') put({ failure: answer, isLive: false });
      },
    });
  }, [browse, key]);
  return seen.key === key ? seen.of : NOTHING;
}
