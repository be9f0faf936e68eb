/** Every websocket of the gateway. They speak frames, so they are no routes; their addresses belong to the wire all the same. */
import { CHANGES_SOCKET } from './auth/change-frames.ts';

export const SOCKETS: readonly string[] = [CHANGES_SOCKET];
