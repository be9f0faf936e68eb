/** Events of bots: programs that join with an identity of their own. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { anyObject, connection, status } from '../events/event-fields.ts';
import { because, line } from '../events/line.ts';

export const botJoined = defineEvent({
  code: 'TJ001I',
  event: 'bot.join',
  label: 'Bot Joined',
  about: { kind: 'bot', name: 'bot_name' },
  fields: {
    ...status,
    ...connection,
    bot_name: z.string().optional(),
    method: z.string().optional(),
    token_name: z.string().optional(),
    attributes: anyObject.optional(),
  },
  tell: ({ bot_name, method, error, success }) =>
    success === false
      ? line`the bot ${bot_name} could not join by ${method}${because(error)}`
      : line`the bot ${bot_name} joined by ${method}`,
});
