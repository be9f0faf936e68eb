/** Terminals as a browser opens them, at the gateway that is fuzzed. */
import { TERMINAL_SOCKET } from '@gatehouse/contract/sessions/terminal-frames';
import { WebSocket } from 'ws';
import { openingOf } from './agents.ts';
import type { Victim } from './victim.ts';

/** Whoever `rests` reads nothing of what comes. */
export function openTerminal(
  { origin, port, ann }: Victim,
  server: string,
  { rests }: { rests: () => boolean },
): WebSocket {
  const path = TERMINAL_SOCKET.replace(':clusterId', '-current-');
  const headers = { host: new URL(origin).host, origin, cookie: ann.cookie };
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  socket.on('error', () => {});
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token: ann.token }));
    socket.send(JSON.stringify(openingOf(server)));
    if (rests()) socket.pause();
  });
  return socket;
}
