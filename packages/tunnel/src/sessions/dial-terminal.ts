/** One websocket to the terminal door of a gateway, and what it means when it does not come about or ends. */
import { CLOSE_CODES } from '@gatehouse/contract/identity/change-frames';
import { TERMINAL_SOCKET } from '@gatehouse/contract/sessions/terminal-frames';
import { readError } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import WebSocket, { type RawData } from 'ws';

const HANDSHAKE_MS = 8_000;
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** Not understood; trying again will not help. */
const BAD_MESSAGE = 1008;
/** Of a gateway that is coming back, or of the proxy before it. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

export interface TerminalDoor {
  /** Of the gateway: `https://gate.example.com`. */
  origin: string;
  clusterId: string;
  userAgent: string;
}

export interface DialListeners {
  onOpen(): void;
  onMessage(data: Buffer, isBinary: boolean): void;
  /** It may be there again in a while. */
  onLost(why: string): void;
  /** Trying again will not help. */
  onRefused(refusal: { code: string; message: string }): void;
}

/** Listeners may be called after each other: the first that tells of an end is the one that counts. */
export function dialTerminal(door: TerminalDoor, token: string, listeners: DialListeners): WebSocket {
  const { origin, clusterId, userAgent } = door;
  const { onLost, onRefused } = listeners;
  const path = pathFor(TERMINAL_SOCKET, { clusterId });
  // Redirects are not followed: the token would go to whoever they name.
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${path}`, {
    headers: { 'user-agent': userAgent },
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: MAX_FRAME_BYTES,
    handshakeTimeout: HANDSHAKE_MS,
  });
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token }));
    listeners.onOpen();
  });
  socket.on('message', (data: RawData, isBinary) => listeners.onMessage(data as Buffer, isBinary));
  socket.on('unexpected-response', (_request, response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      if (text.length < MAX_REFUSAL_BYTES) text += chunk;
    });
    response.on('error', (error) => onLost(error.message));
    response.on('end', () => {
      const status = response.statusCode ?? 500;
      const { code, message } = readError({ status, text }, path);
      if (PASSING.has(status)) onLost(message);
      else onRefused({ code, message });
    });
  });
  socket.on('error', (error) => onLost(error.message));
  socket.on('close', (code, said) => {
    const reason = String(said);
    if (code === CLOSE_CODES.notSignedIn || code === CLOSE_CODES.signInEnded) {
      const message = reason.includes(' ') ? reason : 'you are not signed in, or your sign-in has ended';
      onRefused({ code: 'not_signed_in', message });
    } else if (code === BAD_MESSAGE) onRefused({ code: 'bad_request', message: reason });
    else onLost(reason);
  });
  return socket;
}
