/** The steps of a tested connection, whatever it is to, as the gateway told them. */
import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import { asSentence, formatNumber } from '../../platform/i18n/formats.ts';
import type { Translate } from '../../platform/i18n/words.ts';
import type { ConnectionStep } from './connection-steps.tsx';

/** A step of the kind's row, and what people call it. */
export interface NamedStep {
  step: string;
  title: string;
}

/** What a form does with something that was shown and that nobody has accepted yet. */
export interface ShownToTake {
  /** What to compare it with, where the gateway does not say it for this place. */
  text?: string;
  word: string;
  onTake: (shown: string) => void;
}

/** All of them from the start; nothing is said of any while the test runs. */
export function diagnosedSteps(
  t: Translate,
  steps: readonly NamedStep[],
  said: ConnectionDiagnostic | undefined,
  toTake?: ShownToTake,
): ConnectionStep[] {
  return steps.map((step) => toStep(t, step, said, toTake));
}

/** One without a trace was not come to. */
function toStep(
  t: Translate,
  { step, title }: NamedStep,
  said: ConnectionDiagnostic | undefined,
  toTake: ShownToTake | undefined,
): ConnectionStep {
  const row = { id: step, title };
  if (!said) return { ...row, status: undefined, statusWord: '' };
  const traces = said.traces?.filter((trace) => trace.gatehouse?.step === step) ?? [];
  const failed = traces.find(({ status }) => status === 'FAILED');
  const told = failed ?? traces.at(-1);
  if (!told) {
    const statusWord = t('connection-steps.untried');
    return { ...row, status: 'skipped', statusWord, text: t('connection-steps.not-tried') };
  }
  const ms = traces.reduce((sum, trace) => sum + (trace.gatehouse?.durationMs ?? 0), 0);
  const shown = toTake && told.gatehouse?.shown;
  const next = (shown && toTake.text) ?? told.gatehouse?.next;
  const status = failed ? 'failed' : next ? 'warning' : 'ok';
  return {
    ...row,
    status,
    statusWord: t(STATUS_WORDS[status]),
    time: t('connection-steps.ms', { ms: formatNumber(Math.round(ms)) }),
    text: asSentence(failed?.error || told.details || ''),
    take: shown ? { word: toTake.word, onTake: () => toTake.onTake(shown) } : undefined,
    next: next ? { word: t('connection-steps.next'), ...typed(next) } : undefined,
  };
}

const STATUS_WORDS = {
  ok: 'connection-steps.worked',
  warning: 'connection-steps.warned',
  failed: 'connection-steps.failed',
} as const;

/** A document follows the line that says what to do with it, and is copied as it is. */
function typed(next: string): { text: string; code?: string } {
  const end = next.indexOf('\n');
  if (end < 0) return { text: asSentence(next) };
  return { text: asSentence(next.slice(0, end)).replace(/:\.$/, ':'), code: next.slice(end + 1) };
}
