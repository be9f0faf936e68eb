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

/** All of them from the start; nothing is said of any while the test runs. */
export function diagnosedSteps(
  t: Translate,
  steps: readonly NamedStep[],
  said: ConnectionDiagnostic | undefined,
): ConnectionStep[] {
  return steps.map((step) => toStep(t, step, said));
}

/** One without a trace was not come to. */
function toStep(t: Translate, { step, title }: NamedStep, said: ConnectionDiagnostic | undefined): ConnectionStep {
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
  const next = failed?.gatehouse?.next;
  return {
    ...row,
    status: failed ? 'failed' : 'ok',
    statusWord: t(failed ? 'connection-steps.failed' : 'connection-steps.worked'),
    time: t('connection-steps.ms', { ms: formatNumber(Math.round(ms)) }),
    text: asSentence(failed?.error || told.details || ''),
    next: next ? { word: t('connection-steps.next'), text: asSentence(next) } : undefined,
  };
}
