/** Which of the lines have what is looked for, found beside what else the page does. */
import { useEffect, useState } from 'react';
import { HitScan } from './hit-scan.ts';
import type { LogLine } from './log-book.ts';

interface Found {
  search: string;
  hits: readonly number[];
  /** How many lines were looked at, and the last of them: of others the numbers say nothing. */
  count: number;
  last: LogLine | undefined;
}

/** `isWhole`: all lines were looked at for it; until then there are none, rather than those of another search. */
export function useHits(lines: readonly LogLine[], search: string): { hits: readonly number[]; isWhole: boolean } {
  const [scan] = useState(() => new HitScan());
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = () => {
      // Where nothing is looked for, each new line is no reason to draw again.
      if (scan.advance(lines, search))
        setFound((before) => (search === '' && before.search === '' ? before : foundIn(scan, lines, search)));
      else timer = setTimeout(work, 0);
    };
    work();
    return () => clearTimeout(timer);
  }, [scan, lines, search]);
  const isWhole = found.search === search && lines[found.count - 1] === found.last;
  return { hits: isWhole ? found.hits : NONE, isWhole };
}

const NONE: readonly number[] = [];
const NOTHING: Found = { search: '', hits: NONE, count: 0, last: undefined };

function foundIn({ hits }: HitScan, lines: readonly LogLine[], search: string): Found {
  if (search === '') return NOTHING;
  return { search, hits: hits.length === 0 ? NONE : hits.slice(), count: lines.length, last: lines.at(-1) };
}
