/** Counts what is used, at this gateway and nowhere else. Fetched only by browsers whose user switched it on. */
import { captureRoutes } from '@gatehouse/contract/console/capture';
import { apiOver } from '../api/api.ts';
import type { ApiSend } from '../api/send.ts';
import { hearUsage } from './usage.ts';

export function startTelemetry(send: ApiSend): void {
  const api = apiOver(send);
  hearUsage((usage) => {
    const sent =
      usage.when === 'before'
        ? api(captureRoutes.precapture, { body: usage.said })
        : api(captureRoutes.capture, { body: usage.said });
    // A count that is lost is no reason to disturb anybody; the call has been logged.
    void sent.catch(() => {});
  });
}
