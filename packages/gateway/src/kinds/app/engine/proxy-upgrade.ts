/** Carries a websocket, or another change of protocol, between a browser and an application. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ResponseHead } from '../../../reach/http/response-head.ts';
import type { UpstreamConnection } from '../../../reach/http/upstream-connection.ts';
import type { UpstreamFault } from '../../../reach/http/upstream-fault.ts';
import type { RequestFacts } from './read-request.ts';
import { type RequestRules, writeRequestHead } from './request-head.ts';
import { passHeaders, type ResponseRules } from './response-rules.ts';

export interface Upgraded {
  request: IncomingMessage;
  socket: Duplex;
  /** What came behind the request. */
  rest: Buffer;
  facts: RequestFacts;
  cookie: string;
  rules: RequestRules & ResponseRules;
  open(): Promise<UpstreamConnection>;
  /** The client says something. */
  onInput(): void;
  onDone(status: number): void;
  /** Nothing was answered yet. */
  onUnreachable(error: unknown): void;
}

/** Gives back how to cut it short. */
export function proxyUpgrade(upgraded: Upgraded): () => void {
  const { request, socket, facts, cookie, rules } = upgraded;
  let connection: UpstreamConnection | undefined;
  let over = false;
  let status = 0;
  const finish = () => {
    if (over) return;
    over = true;
    upgraded.onDone(status);
  };
  const cut = () => {
    finish();
    connection?.destroy();
    socket.destroy();
  };
  socket.on('close', cut);

  async function start(): Promise<void> {
    const opened = await upgraded.open();
    connection = opened;
    if (over) {
      opened.destroy();
      return;
    }
    const line = {
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      raw: request.rawHeaders,
      facts,
      cookie,
      body: 'none' as const,
      upgrade: request.headers.upgrade ?? '',
    };
    opened.send(writeRequestHead(line, rules), line.method, 'none', {
      onHead(head) {
        // It did not want to: its answer travels as it is, and the connection ends after it.
        status = head.status;
        socket.write(writeResponseHead(head, passHeaders(head.headers, rules)), 'latin1');
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
      onFault(fault: UpstreamFault) {
        if (status === 0 && !over) upgraded.onUnreachable(fault);
        else cut();
        finish();
      },
      onUpgrade(head, stream, rest) {
        status = 101;
        const headers = passHeaders(head.headers, rules);
        headers.push('connection', 'Upgrade', 'upgrade', headerOf(head, 'upgrade') ?? line.upgrade);
        socket.write(writeResponseHead(head, headers), 'latin1');
        join(stream, socket, { fromApp: rest, fromClient: upgraded.rest, cut, onInput: upgraded.onInput });
      },
    });
  }
  start().catch((error: unknown) => {
    if (over) return;
    finish();
    upgraded.onUnreachable(error);
  });
  return cut;
}

interface Joined {
  fromApp: Buffer;
  fromClient: Buffer;
  cut(): void;
  onInput(): void;
}

function join(stream: Duplex, socket: Duplex, { fromApp, fromClient, cut, onInput }: Joined): void {
  // Its last words are still on their way to the client: that side then ends by itself.
  stream.on('close', () => void (socket.writableEnded || cut()));
  if (fromApp.length > 0) socket.write(fromApp);
  if (fromClient.length > 0) stream.write(fromClient);
  stream.pipe(socket);
  socket.on('data', onInput);
  socket.pipe(stream);
}

function headerOf({ headers }: ResponseHead, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}

function writeResponseHead({ status, reason }: ResponseHead, headers: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${reason}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return status === 101 ? `${head}\r\n` : `${head}connection: close\r\n\r\n`;
}
