/** Checks the chain of a range at the gateway, part after part, and remembers what came of it. */
import { type ChainProblem, type EventVerdict, eventRoutes } from '@gatehouse/contract/audit/search';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { rangeQuery } from '../../shared/time-range/range-search-params.ts';
import type { Span } from '../../shared/time-range/time-span.ts';

export type Verification =
  | { state: 'idle' }
  | { state: 'running'; checked: number }
  | ({ state: 'ok'; checked: number } & Pick<EventVerdict, 'checkpoint' | 'newer'>)
  | { state: 'broken'; checked: number; problem: ChainProblem | undefined }
  | { state: 'failed'; error: unknown };

export function useVerify(clusterId: string, { from, to }: Span) {
  const api = useApi();
  const [verification, setVerification] = useState<Verification>({ state: 'idle' });
  const stop = useRef<AbortController>(undefined);
  const forget = useCallback(() => {
    stop.current?.abort();
    setVerification({ state: 'idle' });
  }, []);
  // A verdict holds for the time it was asked for, and for no other.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range is another question
  useEffect(() => forget, [clusterId, from, to, forget]);

  const start = useCallback(async () => {
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    const tell = (next: Verification) => !controller.signal.aborted && setVerification(next);
    let checked = 0;
    let startKey = '';
    tell({ state: 'running', checked });
    try {
      do {
        const query = { ...rangeQuery({ from, to }), ...(startKey ? { startKey } : {}) };
        const verdict = await api(eventRoutes.verify, { params: { clusterId }, query }, controller.signal);
        checked += verdict.checked;
        startKey = verdict.startKey;
        if (!verdict.ok || verdict.problem) return tell({ state: 'broken', checked, problem: verdict.problem });
        if (startKey === '') {
          const { checkpoint, newer } = verdict;
          return tell({ state: 'ok', checked, checkpoint, newer });
        }
        tell({ state: 'running', checked });
      } while (!controller.signal.aborted);
    } catch (error) {
      tell({ state: 'failed', error });
    }
  }, [api, clusterId, from, to]);
  return { verification, start, forget };
}
