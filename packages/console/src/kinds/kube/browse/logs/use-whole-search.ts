/** A search through all that a cluster keeps of some logs, and what stands around one of its hits. The gateway looks, and the page keeps hits alone. */
import { useEffect, useMemo, useState } from 'react';
import { useBrowse } from '../browse.ts';
import type { Failed } from '../line/browse-line.ts';
import { type FoundLine, FoundLines, placeOf, type Searched } from './found-lines.ts';
import { LogBook, type LogLine } from './log-book.ts';
import type { LogSource } from './use-logs.ts';

const DRAW_MS = 250;
/** On either side of a hit. */
const AROUND_LINES = 500;

interface Seen {
  hits: readonly FoundLine[];
  searched: Searched;
  isOver: boolean;
  isCut: boolean;
}

interface Around {
  lines: readonly LogLine[];
  /** Of the hit among them. */
  place: number | undefined;
  isOver: boolean;
}

export interface WholeSearch extends Seen {
  /** What is looked for; empty: nothing is. */
  words: string;
  begin(words: string): void;
  /** What was found stays. */
  stop(): void;
  leave(): void;
  /** Which hit is looked at. */
  at: number | undefined;
  go(by: 1 | -1): void;
  /** Shows what stands around a hit; undefined: the hits. */
  pick(at: number | undefined): void;
  around: Around | undefined;
  failures: readonly { source: LogSource; failure: Failed }[];
}

const NONE: Seen = { hits: [], searched: { found: 0, lines: 0, bytes: 0 }, isOver: false, isCut: false };

/** `sources`: those that are undefined are hidden, and not looked through. */
export function useWholeSearch(sources: readonly (LogSource | undefined)[], previous: boolean): WholeSearch {
  const browse = useBrowse();
  const [words, setWords] = useState('');
  const [isStopped, setStopped] = useState(false);
  const [seen, setSeen] = useState(NONE);
  const [failures, setFailures] = useState<WholeSearch['failures']>([]);
  const [at, setAt] = useState<number>();
  const [picked, setPicked] = useState<FoundLine>();
  const key = JSON.stringify({ sources: sources.map((source) => source ?? null), previous });

  useEffect(() => {
    if (words === '' || isStopped) return;
    const wanted = JSON.parse(key) as { sources: (LogSource | null)[]; previous: boolean };
    const found = new FoundLines(wanted.sources.map((source) => source !== null));
    setFailures([]);
    setSeen(NONE);
    // Hits are of what was looked through then: its number would be that of another line by now.
    setAt(undefined);
    setPicked(undefined);
    const show = () => setSeen({ hits: found.all, searched: found.searched, isOver: found.isOver, isCut: found.isCut });
    let drawing: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      drawing ??= setTimeout(() => {
        drawing = undefined;
        show();
      }, DRAW_MS);
    };
    const stops = wanted.sources.flatMap((source, index) => {
      if (!source) return [];
      const stop = browse.follow({
        question: { type: 'search', ...source, previous: wanted.previous, words },
        onBegin: () => found.beginAnew(index),
        hear(answer) {
          if (answer.type === 'hits') found.add(index, answer.hits, answer);
          else if (answer.type === 'searched') {
            found.add(index, [], answer);
            found.end(index, answer.isCut);
          } else if (answer.type === 'failed') {
            found.end(index);
            setFailures((before) => [...before, { source, failure: answer }]);
          }
          draw();
        },
      });
      return [stop];
    });
    return () => {
      clearTimeout(drawing);
      for (const stop of stops) stop();
    };
  }, [browse, key, words, isStopped]);

  const around = useAround(picked, picked && sources[picked.source], previous);
  const { hits } = seen;
  const show = (next: number | undefined, isPicked: boolean) => {
    setAt(next);
    setPicked(isPicked && next !== undefined ? hits[next] : undefined);
  };
  return {
    ...seen,
    ...{ words, at, around, failures },
    isOver: seen.isOver || isStopped,
    begin(wanted) {
      setWords(wanted);
      setStopped(false);
      show(undefined, false);
    },
    stop: () => setStopped(true),
    leave() {
      setWords('');
      setSeen(NONE);
      setFailures([]);
      show(undefined, false);
    },
    go(by) {
      if (hits.length === 0) return;
      const first = by === 1 ? 0 : hits.length - 1;
      show(at === undefined ? first : (at + by + hits.length) % hits.length, picked !== undefined);
    },
    pick: (next) => show(next ?? at, next !== undefined),
  };
}

function useAround(hit: FoundLine | undefined, source: LogSource | undefined, previous: boolean): Around | undefined {
  const browse = useBrowse();
  const [read, setRead] = useState<{ hit: FoundLine; lines: readonly LogLine[]; isOver: boolean }>();
  const key = source && JSON.stringify(source);
  useEffect(() => {
    if (!hit || key === undefined) return;
    let book = new LogBook();
    const show = (isOver: boolean) => setRead({ hit, lines: book.lines.slice(), isOver });
    const stop = browse.follow({
      question: {
        ...{ type: 'logs', ...(JSON.parse(key) as LogSource), follow: false, previous },
        window: { from: firstOf(hit), count: 2 * AROUND_LINES + 1 },
      },
      onBegin() {
        book = new LogBook();
      },
      hear(answer) {
        if (answer.type === 'piece') book.add(hit.source, answer.text);
        else if (answer.type === 'done') book.end(hit.source);
        show(answer.type === 'done' || answer.type === 'failed');
      },
    });
    return stop;
  }, [browse, hit, key, previous]);
  return useMemo(() => {
    if (!hit) return undefined;
    if (read?.hit !== hit) return { lines: [], place: undefined, isOver: false };
    const { lines, isOver } = read;
    return { lines, place: placeOf(hit, lines, firstOf(hit)), isOver };
  }, [hit, read]);
}

function firstOf({ number }: FoundLine): number {
  return Math.max(0, number - AROUND_LINES);
}
