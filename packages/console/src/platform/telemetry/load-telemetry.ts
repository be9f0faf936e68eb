/** Fetches the code that counts, when this browser's user has switched it on. */
import type { ApiSend } from '../api/send.ts';
import { fetchCode } from '../code/fetch-code.ts';
import { isTelemetryOn, stopHearing } from './usage.ts';

export async function loadTelemetry({ storage, send }: { storage: Storage; send: ApiSend }): Promise<void> {
  if (!isTelemetryOn(storage)) return stopHearing();
  const { startTelemetry } = await fetchCode(() => import('./telemetry.ts'));
  startTelemetry(send);
}
