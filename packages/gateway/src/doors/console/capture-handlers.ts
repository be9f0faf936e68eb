/** Counts usage events of the console as metrics. Nothing is sent anywhere and nothing about the user is kept. */
import { type captureRoutes, discoverStatus, discoverStep, isDiscoverEvent } from '@gatehouse/contract/console/capture';
import { Counter, type Registry } from 'prom-client';
import type { Handlers } from '../../platform/http/call.ts';

export function captureHandlers(registry: Registry): Handlers<typeof captureRoutes> {
  const events = new Counter({
    name: 'gatehouse_console_events_total',
    help: 'Usage events reported by the console.',
    labelNames: ['event'],
    registers: [registry],
  });
  const steps = new Counter({
    name: 'gatehouse_discover_steps_total',
    help: 'Steps of enrolling a resource that people came through, left out, failed at or left at.',
    labelNames: ['step', 'status'],
    registers: [registry],
  });
  return {
    async capture({ body }) {
      events.inc({ event: body.event });
      // Both are of lists in the contract; the run and what is enrolled are nobody's labels.
      if (isDiscoverEvent(body))
        steps.inc({ step: discoverStep(body.event), status: discoverStatus(body.eventData.stepStatus) });
      return undefined;
    },
    async precapture({ body }) {
      events.inc({ event: body.event });
      return undefined;
    },
  };
}
