/** Sends events to a syslog server: RFC 5424 messages, counted octets over TLS (RFC 5425). */
import { hostname } from 'node:os';
import { connect, type TLSSocket } from 'node:tls';
import { DELIVERY_MS, type Sink, type SinkItem } from './sink.ts';

/** Facility 13 is the log audit. */
const FACILITY = 13;
const LEVELS: Record<string, number> = { info: 6, warning: 4, error: 3 };

interface SyslogOptions {
  name: string;
  host: string;
  port: number;
  /** PEM of the authority of the server's certificate. */
  ca: string | undefined;
  dataId?: string | undefined;
}

/** The enterprise number that RFC 5612 keeps for examples: we have none of our own. */
const EXAMPLE_DATA_ID = 'gatehouse@32473';

export function syslogSink({ name, host, port, ca, dataId }: SyslogOptions): Sink {
  let socket: TLSSocket | undefined;

  async function connected(): Promise<TLSSocket> {
    if (socket && !socket.destroyed && socket.writable) return socket;
    const opening = connect({ host, port, servername: host, ...(ca && { ca }), minVersion: 'TLSv1.2' });
    opening.setTimeout(DELIVERY_MS * 6);
    // Without a listener a server that goes away would end the gateway; the next delivery connects anew.
    opening.on('error', () => opening.destroy());
    opening.on('timeout', () => opening.destroy());
    // Servers do not answer; what they do send must not fill a buffer.
    opening.resume();
    await settled(opening, (resolve) => opening.once('secureConnect', resolve));
    socket = opening;
    return opening;
  }

  return {
    name,
    type: 'syslog',
    async deliver({ items }) {
      const frames = items.map((item) => frame(syslogMessage(item, dataId)));
      const open = await connected();
      await settled(open, (resolve) => open.write(Buffer.concat(frames), () => resolve()));
    },
    async close() {
      socket?.end();
      socket = undefined;
    },
  };
}

/** Rejects when the connection ends first, or nothing happens for too long. */
function settled(socket: TLSSocket, start: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let cause: Error | undefined;
    const remember = (error: Error) => {
      cause = error;
    };
    const over = (error?: Error) => {
      clearTimeout(timer);
      socket.off('error', remember);
      socket.off('close', ended);
      if (error) reject(error);
      else resolve();
    };
    const ended = () => over(new Error(cause?.message ?? 'the server closed the connection'));
    const timer = setTimeout(() => {
      socket.destroy();
      over(new Error('the server does not answer'));
    }, DELIVERY_MS);
    socket.on('error', remember);
    socket.on('close', ended);
    start(() => over());
  });
}

export function syslogMessage({ text, row }: SinkItem, dataId = EXAMPLE_DATA_ID): string {
  const level = LEVELS[row?.severity ?? 'info'] ?? 6;
  const time = new Date(row?.time ?? Date.now()).toISOString();
  const id = row?.code ?? 'CHECKPOINT';
  const data = row
    ? `[${dataId} chain="${parameter(row.chain)}" index="${row.chain_index}" event="${parameter(row.event)}" user="${parameter(row.user)}"]`
    : '-';
  return `<${FACILITY * 8 + level}>1 ${time} ${header(row?.cluster ?? hostname(), 255)} gatehouse - ${header(id, 32)} ${data} \ufeff${text}`;
}

function frame(message: string): Buffer {
  const bytes = Buffer.from(message);
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes]);
}

function header(text: string, max: number): string {
  return text.replaceAll(/[^!-~]/g, '_').slice(0, max) || '-';
}

function parameter(text: string): string {
  return text.replaceAll(/["\\\]]/g, '\\$&').replaceAll(/\p{Cc}/gu, ' ');
}
