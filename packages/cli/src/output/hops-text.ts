/** The hops to something that was tried, in words. */
import { printable } from '@gatehouse/contract/std/printable';

export interface TriedHop {
  step: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  next: string;
  ms: number;
}

const SIGNS = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const;

export function tellHops(steps: readonly TriedHop[]): string {
  return steps
    .map(({ step, status, message, next, ms }) => {
      const time = status === 'skipped' ? '' : ` (${Math.round(ms)} ms)`;
      // Some of it is a text to apply, with lines of its own.
      const lines = next.split('\n').map(printable).join('\n              ');
      const advice = next ? `            → ${lines}\n` : '';
      return `${SIGNS[status]} ${step.padEnd(8)}  ${printable(message || 'not tried')}${time}\n${advice}`;
    })
    .join('');
}
