/** The event that stands for one whose code the sender did not know. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { line } from '../events/line.ts';

export const unknownEvent = defineEvent({
  code: 'TCC00E',
  event: 'unknown',
  label: 'Unknown Event',
  fields: {
    unknown_event: z.string(),
    unknown_type: z.string(),
    unknown_code: z.string().optional(),
    data: z.string(),
  },
  tell: ({ unknown_type, unknown_event, unknown_code }) =>
    line`an event ${unknown_type || unknown_event} with the unknown code ${unknown_code} arrived`,
});
