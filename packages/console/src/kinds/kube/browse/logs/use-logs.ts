/** What some containers write, followed for as long as somebody looks. */
import { useEffect, useMemo, useState } from 'react';
import { useBrowse } from '../browse.ts';
import type { Failed } from '../line/browse-line.ts';
import { LogBook } from './log-book.ts';

/** As often as somebody can see. */
const DRAW_MS = 100;
/** Of each container, unless all are wanted. */
export const TAIL_LINES = 5_000;
/** More are not read at once. */
export const MAX_SOURCES = 24;

export interface LogSource {
  namespace: string;
  pod: string;
  container: string;
}

export interface LogTerms {
  previous: boolean;
  sinceSeconds: number | undefined;
  /** From the first line that the cluster keeps, and not from one of the last. */
  isWhole: boolean;
}

export interface SeenLogs {
  book: LogBook;
  /** Counts up when lines have come. */
  version: number;
  failures: readonly { source: LogSource; failure: Failed }[];
}

export function useLogs(sources: readonly LogSource[], { previous, sinceSeconds, isWhole }: LogTerms): SeenLogs {
  const browse = useBrowse();
  const key = JSON.stringify({ sources: sources.slice(0, MAX_SOURCES), previous, sinceSeconds, isWhole });
  const [book, setBook] = useState(() => new LogBook());
  const [version, setVersion] = useState(0);
  const [failures, setFailures] = useState<SeenLogs['failures']>([]);
  useEffect(() => {
    const wanted = JSON.parse(key) as { sources: LogSource[] } & LogTerms;
    const own = new LogBook();
    setBook(own);
    setFailures([]);
    let drawing: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      drawing ??= setTimeout(() => {
        drawing = undefined;
        setVersion((before) => before + 1);
      }, DRAW_MS);
    };
    const stops = wanted.sources.map((source, at) => {
      let times = 0;
      return browse.follow({
        question: {
          ...{ type: 'logs', ...source, follow: !wanted.previous, previous: wanted.previous },
          sinceSeconds: wanted.sinceSeconds,
          ...(wanted.isWhole ? {} : { tailLines: TAIL_LINES }),
        },
        onBegin() {
          times += 1;
          if (times === 1) return;
          // On another line what was read before comes again.
          own.beginAnew(at);
          draw();
        },
        hear(answer) {
          if (answer.type === 'piece') own.add(at, answer.text);
          else if (answer.type === 'done') own.end(at);
          else if (answer.type === 'failed') setFailures((before) => [...before, { source, failure: answer }]);
          draw();
        },
      });
    });
    return () => {
      clearTimeout(drawing);
      for (const stop of stops) stop();
    };
  }, [browse, key]);
  return useMemo(() => ({ book, version, failures }), [book, version, failures]);
}
