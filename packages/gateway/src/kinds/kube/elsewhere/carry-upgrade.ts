/** Carries a change of protocol between a program and another cluster, whatever is spoken afterwards. */
import type { Duplex } from 'node:stream';
import { joinStreams } from '../../../platform/std/join-streams.ts';
import type { ResponseHead } from '../../../reach/http/response-head.ts';
import type { UpstreamConnection } from '../../../reach/http/upstream-connection.ts';

export interface CarriedUpgrade {
  method: string;
  head: string;
  socket: Duplex;
  /** What came behind the request. */
  rest: Buffer;
  open(): Promise<UpstreamConnection>;
  passHeaders(headers: readonly string[]): string[];
  onDone(): void;
  /** Nothing was answered yet. */
  onUnreachable(error: unknown): void;
}

/** Gives back how to cut it short. */
export function carryUpgrade(carried: CarriedUpgrade): () => void {
  const { method, head, socket, rest, passHeaders } = carried;
  let connection: UpstreamConnection | undefined;
  let isOver = false;
  let hasBegun = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    carried.onDone();
  };
  const cut = () => {
    finish();
    connection?.destroy();
    socket.destroy();
  };
  socket.on('close', cut);
  const unreachable = (error: unknown) => {
    if (isOver) return;
    finish();
    if (hasBegun) cut();
    else carried.onUnreachable(error);
  };

  async function start(): Promise<void> {
    const opened = await carried.open();
    connection = opened;
    if (isOver) return opened.destroy();
    opened.send(head, method, 'none', {
      onHead(answered) {
        hasBegun = true;
        const headers = passHeaders(answered.headers);
        socket.write(writeAnswer(answered, [...headers, 'connection', 'close']), 'latin1');
      },
      onData(data) {
        if (socket.write(data)) return true;
        socket.once('drain', () => opened.resume());
        return false;
      },
      onEnd() {
        socket.end();
        finish();
      },
      onFault: unreachable,
      onUpgrade(answered, stream, first) {
        hasBegun = true;
        const agreed = ['connection', 'Upgrade', 'upgrade', headerOf(answered, 'upgrade')];
        socket.write(writeAnswer(answered, [...passHeaders(answered.headers), ...agreed]), 'latin1');
        if (first.length > 0) socket.write(first);
        if (rest.length > 0) stream.write(rest);
        joinStreams(socket, stream, finish);
      },
    });
  }
  start().catch(unreachable);
  return cut;
}

function headerOf({ headers }: ResponseHead, name: string): string {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1] ?? '';
  return '';
}

function writeAnswer({ status, reason }: ResponseHead, headers: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${text}\r\n`;
}
