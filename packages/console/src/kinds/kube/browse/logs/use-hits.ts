/** Which of the lines have what is looked for, found beside what else the page does. */
import { useEffect, useState } from 'react';
import { HitScan } from './hit-scan.ts';
import type { LogLine } from './log-book.ts';

export function useHits(lines: readonly LogLine[], search: string): readonly number[] {
  const [scan] = useState(() => new HitScan());
  const [hits, setHits] = useState<readonly number[]>([]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = () => {
      const isDone = scan.advance(lines, search);
      if (isDone) setHits((before) => (before.length === 0 && scan.hits.length === 0 ? before : scan.hits.slice()));
      else timer = setTimeout(work, 0);
    };
    work();
    return () => clearTimeout(timer);
  }, [scan, lines, search]);
  return hits;
}
