/** The line of somebody who watches the session of a workbench: joins, and joins again when the network was lost. */
import type { SocketHello } from '@gatehouse/contract/identity/change-frames';
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { DB_EDITOR_SOCKET, type EditorFlow } from '@gatehouse/contract/kinds/db/editor';
import {
  type WatchOpening,
  type WatchReply,
  type watchFactor,
  watchReply,
} from '@gatehouse/contract/sessions/watch-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { z } from 'zod';
import { type RunStatement, RunStatements } from '../../evidence/recordings/player/statements/run-statements.ts';
import { NO_FACTOR } from '../../shared/line/numbered-line.ts';

export type Watched = Extract<WatchReply, { type: 'watching' }>;
type Over = Extract<WatchReply, { type: 'ended' | 'refused' }>;

export interface WatchView {
  line: 'connecting' | 'watching' | 'lost' | 'over';
  watched: Watched | undefined;
  flow: EditorFlow | undefined;
  over: Over | undefined;
  /** A role wants a second factor of whoever joins. */
  challenge: AuthenticateChallenge | undefined;
  runs: readonly RunStatement[];
}

export const NOTHING_YET: WatchView = {
  line: 'connecting',
  watched: undefined,
  flow: undefined,
  over: undefined,
  challenge: undefined,
  runs: [],
};

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
/** A page that is open for days holds no more than this; the recording has all of it. */
const MAX_RUNS = 4_000;

export interface WatchLineDeps {
  openSocket: (path: string) => WebSocket;
  token: () => string | undefined;
  clusterId: string;
  name: string;
  opening: Omit<WatchOpening, 'type'>;
  onView: (next: (before: WatchView) => WatchView) => void;
}

export interface WatchLine {
  end(reason: string): void;
  answerFactor(answer: FactorAnswer): void;
  /** Nobody answers for a second factor: it is as if the gateway had refused. */
  refuse(): void;
  stop(): void;
}

export function watchSession({ openSocket, token, clusterId, name, opening, onView }: WatchLineDeps): WatchLine {
  const path = DB_EDITOR_SOCKET.replace(':clusterId', encodeURIComponent(clusterId)).replace(
    ':name',
    encodeURIComponent(name),
  );
  let statements = new RunStatements();
  let socket: WebSocket | undefined;
  let isOver = false;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const send = (message: object) => socket?.send(JSON.stringify(message));
  const change = (next: Partial<WatchView>) => onView((before) => ({ ...before, ...next }));

  const connect = () => {
    const opened = openSocket(path);
    socket = opened;
    opened.addEventListener('open', () => {
      if (socket !== opened) return;
      send({ type: 'hello', token: token() ?? '' } satisfies SocketHello);
      send({ type: 'attach', ...opening } satisfies WatchOpening);
    });
    opened.addEventListener('message', (event: MessageEvent) => socket === opened && hear(event.data));
    opened.addEventListener('close', () => socket === opened && lost());
  };

  const hear = (data: unknown) => {
    const reply = watchReply.safeParse(parseJson(data)).data;
    if (!reply) return;
    switch (reply.type) {
      case 'factor':
        return change({ challenge: reply.challenge });
      case 'watching':
        attempt = 0;
        // What was run before is told anew.
        statements = new RunStatements();
        return change({ line: 'watching', watched: reply, flow: undefined, runs: [] });
      case 'flow':
        return change({ flow: reply.flow === 'live' ? undefined : reply });
      case 'ended':
      case 'refused':
        return over(reply);
      default:
        statements.add([reply]);
        if (statements.runs.length > MAX_RUNS) statements = lastOf(statements.runs);
        return change({ runs: statements.runs });
    }
  };

  const over = (end: Over) => {
    isOver = true;
    change({ line: 'over', over: end, flow: undefined, challenge: undefined });
  };

  const lost = () => {
    socket = undefined;
    if (isOver) return;
    attempt += 1;
    // Another one is asked for when it is joined again.
    change({ line: 'lost', challenge: undefined });
    const longest = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
    retry = setTimeout(connect, longest * (0.5 + Math.random() / 2));
  };

  connect();
  return {
    end: (reason) => send({ type: 'end', ...(reason === '' ? {} : { reason }) }),
    answerFactor(answer) {
      change({ challenge: undefined });
      send({ type: 'factor', ...answer } satisfies z.output<typeof watchFactor>);
    },
    refuse() {
      over({ type: 'refused', code: 'mfa_required', message: NO_FACTOR });
      socket?.close(1000);
    },
    stop() {
      isOver = true;
      clearTimeout(retry);
      socket?.close(1000);
    },
  };
}

function lastOf(runs: readonly RunStatement[]): RunStatements {
  const kept = new RunStatements();
  kept.add(runs.slice(-MAX_RUNS / 2).flatMap(({ asked, answered }) => (answered ? [asked, answered] : [asked])));
  return kept;
}
