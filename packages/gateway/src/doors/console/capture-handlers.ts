/** Counts usage events of the console as metrics. Nothing is sent anywhere and nothing about the user is kept. */
import type { captureRoutes } from '@gatehouse/contract/console/capture';
import { Counter, type Registry } from 'prom-client';
import type { Handlers } from '../../platform/http/call.ts';

export function captureHandlers(registry: Registry): Handlers<typeof captureRoutes> {
  const events = new Counter({
    name: 'gatehouse_console_events_total',
    help: 'Usage events reported by the console.',
    labelNames: ['event'],
    registers: [registry],
  });
  return {
    async capture({ body }) {
      events.inc({ event: body.event });
      return undefined;
    },
    async precapture({ body }) {
      events.inc({ event: body.event });
      return undefined;
    },
  };
}
