/** A connection that was tried, in words. */
import type { ConnectionDiagnostic, Trace } from '@gatehouse/contract/sessions/diagnostics';
import { printable } from '@gatehouse/contract/std/printable';

export function tellTest({ traces = [], success, message }: ConnectionDiagnostic): string {
  const width = Math.max(...traces.map(({ gatehouse }) => gatehouse?.step.length ?? 0), 0);
  return `${traces.map((trace) => tellTrace(trace, width)).join('')}${success ? `${printable(message)}\n` : ''}`;
}

function tellTrace({ status, details = '', error = '', gatehouse }: Trace, width: number): string {
  const step = (gatehouse?.step ?? '').padEnd(width);
  const next = gatehouse?.next ? `${' '.repeat(width + 4)}→ ${printable(gatehouse.next)}\n` : '';
  if (status === 'SUCCESS') return `✓ ${step}  ${printable(details)} (${gatehouse?.durationMs ?? 0} ms)\n${next}`;
  return `✗ ${step}  ${printable(error)}\n${next}`;
}
