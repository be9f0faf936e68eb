/** The commands of the page, one after another: what is entered while one runs waits for its turn. */
import { useRef, useState } from 'react';
import { useStore } from '../../../platform/browser/store.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Workbench } from '../workbench/bench/workbench.ts';
import { LINE_LOST, type Ready } from '../workbench/line/editor-line.ts';
import { shownValue } from './redis-words.ts';

const MAX_SAID = 500;
const FIRST = '0';
const GOES = /^\s*select\s/i;

export interface Said {
  n: number;
  /** Where it was sent to; absent while it waits. */
  database?: string;
  line: string;
  /** Absent while it runs, or waits. */
  answer?: string;
  isError?: boolean;
  ms?: number;
}

interface WaitingCommand {
  n: number;
  line: string;
  onDone: (() => void) | undefined;
}

/** Which database of which session: another session begins where it was told to. */
interface ConsolePlace {
  sid: string | undefined;
  database: string;
}

export function useCommands(bench: Workbench) {
  const t = useTranslate();
  const { ready } = useStore(bench.view);
  const [said, setSaid] = useState<readonly Said[]>([]);
  const [place, setPlace] = useState<ConsolePlace>();
  /** The same, for what is sent later than it was entered. */
  const at = useRef<ConsolePlace>(undefined);
  const count = useRef(0);
  const waiting = useRef<WaitingCommand[]>([]);
  const running = useRef<(() => void) | true>(undefined);
  const database = databaseOf(place, ready);

  const answer = (n: number, more: Partial<Said>) =>
    setSaid((before) => before.map((each) => (each.n === n ? { ...each, ...more } : each)));

  /** What was to follow was written before one knew, and might be done in another database than it was meant for. */
  const dropWaiting = () => {
    for (const { n } of waiting.current.splice(0)) answer(n, { answer: t('redis.not-sent'), isError: true });
  };

  const next = () => {
    running.current = undefined;
    const first = waiting.current.shift();
    if (!first) return;
    const { n, line, onDone } = first;
    running.current = true;
    answer(n, { database: databaseOf(at.current, bench.view.get().ready) });
    const cancel = bench.follow({ type: 'command', tab: 0, line }, (reply) => {
      if (reply.type === 'reply') {
        answer(n, { answer: shownValue(reply.value), isError: reply.value.is === 'error', ms: reply.ms.server });
        at.current = { sid: bench.view.get().ready?.sid, database: reply.dbName };
        setPlace(at.current);
        if (reply.value.is === 'error' && GOES.test(line)) dropWaiting();
        onDone?.();
      } else if (reply.type === 'failed') {
        answer(n, { answer: reply.message === '' ? t('workbench.cut-off') : asSentence(reply.message), isError: true });
        if (reply.code === LINE_LOST) dropWaiting();
      } else return false;
      next();
      return true;
    });
    if (cancel) running.current = cancel;
    else {
      answer(n, { answer: t('workbench.cut-off'), isError: true });
      dropWaiting();
      running.current = undefined;
    }
  };

  return {
    said,
    database,
    isRunning: said.some((each) => each.answer === undefined),
    send(line: string, onDone?: () => void) {
      count.current += 1;
      const n = count.current;
      setSaid((before) => [...before, { n, line }].slice(-MAX_SAID));
      waiting.current.push({ n, line, onDone });
      if (!running.current) next();
    },
    cancel() {
      dropWaiting();
      if (typeof running.current === 'function') running.current();
    },
    /** What has no answer yet stays: it would come from nowhere, and could not be cancelled. */
    clear: () => setSaid((before) => before.filter((each) => each.answer === undefined)),
  };
}

function databaseOf(place: ConsolePlace | undefined, ready: Ready | undefined): string {
  return place && place.sid === ready?.sid ? place.database : ready?.dbName || FIRST;
}
