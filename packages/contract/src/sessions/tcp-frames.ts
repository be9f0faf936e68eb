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

/**
 * The `Upgrade` of a connection without frames: its token stands in `Authorization`, a refusal is an HTTP answer, and behind the
 * 101 there is nothing but its bytes. Only for protocols that know for themselves whether something is missing at the end, and
 * only where TLS of the gateway itself reaches the client: nothing is said while it rests, and who stands between would cut it.
 */
export const STREAM_UPGRADE = 'gatehouse-stream/1';
