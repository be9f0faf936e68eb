/** Which hop each step of a test stands for. */
import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';

/** Come to, not come by, not come to. */
export type HopState = 'ok' | 'bad' | 'later';

const GATEWAY = 1;

/** Who may connect is the gateway's to say; the way is its agent's where one dials, and everything else is between the last two. */
function placeOf(step: string, hops: number): number {
  if (step === 'access') return GATEWAY;
  return step === 'reach' ? GATEWAY + 1 : hops - 1;
}

/** The hop that it stops at, their number where it stops at none; nothing where no step was taken. */
export function stopOf({ traces = [] }: ConnectionDiagnostic, hops: number): number | undefined {
  if (traces.length === 0) return undefined;
  const failed = traces.find(({ status }) => status === 'FAILED')?.gatehouse?.step;
  return failed === undefined ? hops : placeOf(failed, hops);
}

/** How long each leg took; nothing of one that no step stands for. */
export function legsOf({ traces = [] }: ConnectionDiagnostic, hops: number): (number | undefined)[] {
  const legs = new Array<number | undefined>(hops - 1).fill(undefined);
  for (const { gatehouse } of traces) {
    if (!gatehouse) continue;
    const leg = placeOf(gatehouse.step, hops) - 1;
    legs[leg] = (legs[leg] ?? 0) + Math.round(gatehouse.durationMs);
  }
  return legs;
}
