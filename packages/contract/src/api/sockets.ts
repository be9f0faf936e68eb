/** Every websocket of the gateway, the streams beside them, and the way in of agents. They are no routes; their addresses belong to the wire all the same. */

import { CHANGES_SOCKET, SITE_CHANGES_SOCKET } from '../identity/change-frames.ts';
import { DB_STREAM } from '../kinds/db/databases.ts';
import { kindSockets } from '../kinds/kind-routes.ts';
import { TUNNEL_PATH } from '../reach/tunnel/handshake.ts';
import { COMPAT_DESKTOP_PLAYBACK_SOCKET, COMPAT_DESKTOP_SOCKET } from '../sessions/compat-desktop.ts';
import { COMPAT_TERMINAL_SOCKET } from '../sessions/compat-terminal.ts';
import { DESKTOP_SOCKET } from '../sessions/desktop-frames.ts';
import { LIVE_SESSIONS_SOCKET } from '../sessions/live-frames.ts';
import { SSH_SOCKET } from '../sessions/ssh-socket.ts';
import { TERMINAL_SOCKET } from '../sessions/terminal-frames.ts';

/** Upgrades of `STREAM_UPGRADE`: bytes as they are. */
export const STREAMS: readonly string[] = [DB_STREAM];

export const SOCKETS: readonly string[] = [
  ...kindSockets,
  CHANGES_SOCKET,
  SITE_CHANGES_SOCKET,
  TERMINAL_SOCKET,
  SSH_SOCKET,
  DESKTOP_SOCKET,
  LIVE_SESSIONS_SOCKET,
  COMPAT_TERMINAL_SOCKET,
  COMPAT_DESKTOP_SOCKET,
  COMPAT_DESKTOP_PLAYBACK_SOCKET,
  TUNNEL_PATH,
];
