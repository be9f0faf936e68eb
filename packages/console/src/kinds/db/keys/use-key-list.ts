/** The keys that were found so far: a scan goes on page by page, until it is told to stop or there is nothing left. */
import type { EditorReply } from '@gatehouse/contract/kinds/db/editor';
import { useCallback, useEffect, useRef, useState } from 'react';
import { QuestionFailed, type Workbench } from '../workbench/bench/workbench.ts';

export type FoundKey = Extract<EditorReply, { type: 'keys' }>['keys'][number];

/** More than one looks through: the pattern narrows it. */
const MAX_LISTED = 5_000;

export interface KeyList {
  keys: readonly FoundKey[];
  total: number;
  isScanning: boolean;
  /** There is more than is listed. */
  isCut: boolean;
  failure: string | undefined;
}

const NOTHING: KeyList = { keys: [], total: 0, isScanning: false, isCut: false, failure: undefined };

/** `place` is the session and its database: another one has other keys. */
export function useKeyList(bench: Workbench, place: string | undefined, wanted: { match: string; kind: string }) {
  const [list, setList] = useState(NOTHING);
  /** Which scan is the current one: answers to others are not listed. */
  const current = useRef(0);
  const { match, kind } = wanted;

  const stop = useCallback(() => {
    current.current += 1;
    setList((before) => ({ ...before, isScanning: false, isCut: before.isScanning }));
  }, []);

  const scan = useCallback(async () => {
    current.current += 1;
    const mine = current.current;
    const found = new Map<string, FoundKey>();
    setList({ ...NOTHING, isScanning: true });
    let cursor = '0';
    try {
      do {
        const question = {
          type: 'keys' as const,
          cursor,
          ...(match === '' ? {} : { match }),
          ...(kind === '' ? {} : { kind }),
        };
        const reply = await bench.ask(question, 'keys');
        if (current.current !== mine) return;
        // A key may be found twice by a scan.
        for (const key of reply.keys) found.set(JSON.stringify(key.name), key);
        cursor = reply.cursor;
        const isOver = cursor === '0' || found.size >= MAX_LISTED;
        const keys = [...found.values()];
        setList({ keys, total: reply.total, isScanning: !isOver, isCut: cursor !== '0' && isOver, failure: undefined });
        if (isOver) return;
      } while (cursor !== '0');
    } catch (error) {
      if (!(error instanceof QuestionFailed)) throw error;
      if (current.current === mine) setList((before) => ({ ...before, isScanning: false, failure: error.message }));
    }
  }, [bench, match, kind]);

  useEffect(() => {
    if (place === undefined) return;
    void scan();
    return () => {
      current.current += 1;
    };
  }, [place, scan]);
  return { list, scan, stop };
}
