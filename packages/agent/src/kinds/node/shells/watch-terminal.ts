/**
 * Tells what a terminal is used for: the program in the foreground, and whether what is typed is hidden (a password is asked
 * for: whole lines, no echo). Asking costs a process, so it is done only when a line was sent or printed, or something that may
 * be a prompt stands there, and only once the output has come to rest: an idle shell, typing into it and a flood of output all
 * cost nothing. What it says may come late, and says nothing of a terminal inside of this one: who keeps what is typed must not
 * rely on it alone.
 */
import type { TerminalSettings } from './terminal-settings.ts';

const REST_MS = 20;
/** After a line was sent, and after lines that a program printed by itself: it may print many. */
const MIN_BETWEEN_MS = { sent: 200, printed: 1_000 };
/** So long after a line was sent its program may still ask for a password: then it is looked at as often as for a line. */
const ASKS_WITHIN_MS = 10_000;
const LINE_FEED = 0x0a;

export interface TerminalFacts {
  program: string;
  echo: boolean;
}

interface Watched {
  foreground(): string;
  /** The terminal's settings; undefined when they cannot be had. */
  settings(): Promise<TerminalSettings | undefined>;
  onChange(facts: TerminalFacts): void;
}

export interface TerminalWatch {
  heard(bytes: Uint8Array): void;
  typed(bytes: Uint8Array): void;
  /** Tells at once what runs now; somebody comes back who may know only of what ran long ago. */
  lookNow(): void;
  stop(): void;
}

export function watchTerminal({ foreground, settings, onChange }: Watched): TerminalWatch {
  let facts: TerminalFacts = { program: '', echo: true };
  let timer: NodeJS.Timeout | undefined;
  let lineSent = true;
  let linePrinted = false;
  /** Printed last was something else than the end of a line, by a program that reads whole lines. */
  let mayAsk = false;
  let readsLines = true;
  let sentAt = performance.now();
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking = false;
  let stopped = false;

  const change = (changed: Partial<TerminalFacts>) => {
    const next = { ...facts, ...changed };
    if (stopped || (next.program === facts.program && next.echo === facts.echo)) return;
    facts = next;
    onChange(facts);
  };
  const look = async () => {
    timer = undefined;
    const program = foreground();
    const due = lineSent || linePrinted || (mayAsk && readsLines) || program !== facts.program || !facts.echo;
    change({ program });
    if (!due || asking || stopped) return;
    const isEarly = lineSent || (mayAsk && performance.now() - sentAt < ASKS_WITHIN_MS);
    const waitMs = askedAt + MIN_BETWEEN_MS[isEarly ? 'sent' : 'printed'] - performance.now();
    if (waitMs > 0) return later(waitMs);
    asking = true;
    lineSent = false;
    linePrinted = false;
    mayAsk = false;
    askedAt = performance.now();
    const found = await settings().catch(() => undefined);
    asking = false;
    // Shells and editors switch echo off too, and draw what is typed themselves; they do not read whole lines.
    if (found) change({ echo: found.echo || !found.canonical });
    readsLines = found?.canonical ?? true;
    // What happened while we asked may have changed it again.
    if (lineSent || linePrinted || mayAsk) later(REST_MS);
  };
  const later = (waitMs: number) => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void look(), waitMs).unref();
  };

  return {
    heard(bytes) {
      linePrinted ||= bytes.includes(LINE_FEED);
      mayAsk = bytes.at(-1) !== LINE_FEED;
      later(REST_MS);
    },
    typed(bytes) {
      // Return, line feed and control characters start and end things; letters do not.
      if (bytes.some((byte) => byte < 0x20)) {
        lineSent = true;
        sentAt = performance.now();
      }
      if (lineSent) later(REST_MS);
    },
    lookNow: () => change({ program: foreground() }),
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
