/**
 * The bytes of one connection over a websocket of its own, of whichever kind is dialled. After the hello with its token a
 * client hears `ready`, or `failed` and the end; from then on binary frames are bytes, each way. `end` says that no more will
 * come from that side.
 */
import { z } from 'zod';

/** With the upgrade: what a second factor was traded for, where a role asks for one. */
export const PASS_HEADER = 'x-gatehouse-pass';

export const tcpFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), session: z.string() }),
  z.object({ type: z.literal('failed'), code: z.string(), message: z.string() }),
  z.object({ type: z.literal('end') }),
]);
export type TcpFrame = z.output<typeof tcpFrame>;
