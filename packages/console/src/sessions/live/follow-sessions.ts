/** Listens to open sessions as they come, change and go, and comes back quietly when the line breaks. */
import {
  LIVE_SESSIONS_SOCKET,
  type LiveSessionsReply,
  liveSessionsReply,
  MAX_LOOKED_AT,
} from '@gatehouse/contract/sessions/live-frames';
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import { parseJson } from '@gatehouse/contract/std/parse-json';

/** What is on a screen: of a terminal, or of a desktop. */
export type LiveLook = Extract<LiveSessionsReply, { type: 'screen' | 'picture' }>;

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

export interface FollowDeps {
  clusterId: string;
  openSocket: (path: string) => WebSocket;
  token: () => string | undefined;
  onSessions: (sessions: readonly ActiveSession[]) => void;
  onLook: (look: LiveLook) => void;
  onLive: (isLive: boolean) => void;
}

export interface Following {
  /** Whose screens are in sight. */
  look(sids: readonly string[]): void;
  stop(): void;
}

export function followSessions(deps: FollowDeps): Following {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;
  let isOpen = false;
  let isStopped = false;
  let looked: readonly string[] = [];

  const tell = (message: object) => socket?.send(JSON.stringify(message));
  const connect = () => {
    const opened = deps.openSocket(LIVE_SESSIONS_SOCKET.replace(':clusterId', encodeURIComponent(deps.clusterId)));
    socket = opened;
    opened.addEventListener('open', () => {
      isOpen = true;
      tell({ type: 'hello', token: deps.token() ?? '' });
      if (looked.length > 0) tell({ type: 'look', sids: looked });
    });
    opened.addEventListener('message', (event: MessageEvent) => socket === opened && hear(event.data));
    opened.addEventListener('close', () => socket === opened && again());
  };
  const hear = (data: unknown) => {
    const reply = liveSessionsReply.safeParse(parseJson(data)).data;
    if (reply && !isStopped) hearReply(reply);
  };
  const hearReply = (reply: LiveSessionsReply) => {
    if (reply.type === 'sessions') {
      wait = FIRST_WAIT_MS;
      deps.onLive(true);
      deps.onSessions(reply.sessions);
    }
    if (reply.type === 'screen' || reply.type === 'picture') deps.onLook(reply);
  };
  const again = () => {
    isOpen = false;
    if (isStopped) return;
    deps.onLive(false);
    // Spread out, so that a gateway that comes back is not met by everybody at once.
    timer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
    wait = Math.min(wait * 2, MAX_WAIT_MS);
  };

  connect();
  return {
    look(sids) {
      looked = sids.slice(0, MAX_LOOKED_AT);
      if (isOpen) tell({ type: 'look', sids: looked });
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
