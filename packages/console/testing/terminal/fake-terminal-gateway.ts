/** A gateway with one shell for tests: keeps what it printed and what each writer typed, and can lose any line at any message. */
import { FRAME_HEADER_BYTES, OUTPUT_FRAME } from '@gatehouse/contract/sessions/terminal-frames';

export const SID = '0f8fad5b-d9cb-469f-a165-70867728950e';

export class FakeLine extends EventTarget {
  readonly sent: Record<string, unknown>[] = [];
  binaryType = '';
  isClosed = false;
  closeCode: number | undefined;
  /** Messages that still get through, in both directions; then the line is dead but nobody has noticed. */
  left = Number.POSITIVE_INFINITY;
  onSent: (message: Record<string, unknown> | Uint8Array) => void = () => {};

  send(data: string | Uint8Array): void {
    if (this.isClosed || this.left <= 0) return;
    this.left -= 1;
    if (typeof data === 'string') {
      const message = JSON.parse(data) as Record<string, unknown>;
      this.sent.push(message);
      this.onSent(message);
    } else this.onSent(data);
  }
  close(code?: number): void {
    this.isClosed = true;
    this.closeCode = code;
  }
  open(): void {
    this.dispatchEvent(new Event('open'));
  }
  hear(data: unknown): void {
    if (this.isClosed || this.left <= 0) return;
    this.left -= 1;
    const given = data instanceof Uint8Array ? data.slice().buffer : JSON.stringify(data);
    this.dispatchEvent(new MessageEvent('message', { data: given }));
  }
  drop(code = 1006, reason = ''): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }));
  }
}

export function fakeTerminalGateway() {
  const lines: FakeLine[] = [];
  const typed = new Map<string, number[]>();
  const opened = new Set<string>();
  let printed = new Uint8Array(0);
  let attached: { line: FakeLine; at: number; writer: string } | undefined;

  const state = (from: number, writer: string, more: object = {}) => ({
    type: 'state',
    sid: SID,
    server: { id: 'id-web-01', name: 'web-01' },
    login: 'root',
    user: 'maya',
    mode: 'peer',
    created: '2026-11-15T03:00:00Z',
    from,
    taken: typed.get(writer)?.length ?? 0,
    cols: 80,
    rows: 24,
    recorded: true,
    survives: true,
    ...more,
  });

  const hearMessage = (line: FakeLine, message: Record<string, unknown>) => {
    if (message.type === 'open' || message.type === 'attach') {
      if (message.type === 'open') opened.add(String(message.request));
      const isLate = message.type === 'attach' && message.from === undefined;
      const from = isLate ? printed.length : Number(message.from ?? 0);
      const writer = String(message.writer);
      attached = { line, at: from, writer };
      line.hear(state(from, writer));
      const ansi = new TextDecoder().decode(printed);
      if (isLate) line.hear({ type: 'screen', offset: from, cols: 80, rows: 24, ansi });
      flush();
    }
    if (message.type === 'ping') line.hear({ type: 'pong', id: message.id, serverMs: 2 });
  };
  const hearInput = (line: FakeLine, frame: Uint8Array) => {
    if (attached?.line !== line) return;
    const offset = Number(new DataView(frame.buffer, frame.byteOffset).getBigUint64(1));
    const known = typed.get(attached.writer) ?? [];
    if (offset > known.length) throw new Error(`a hole in the input: ${known.length} to ${offset}`);
    known.push(...frame.subarray(FRAME_HEADER_BYTES + known.length - offset));
    typed.set(attached.writer, known);
    line.hear({ type: 'taken', offset: known.length });
  };
  const flush = (chunk = 7) => {
    if (!attached) return;
    while (attached.at < printed.length) {
      const bytes = printed.slice(attached.at, attached.at + chunk);
      attached.line.hear(outputFrame(attached.at, bytes));
      attached.at += bytes.length;
    }
  };
  return {
    lines,
    typed,
    opened,
    state,
    openSocket() {
      const line = new FakeLine();
      line.onSent = (message) =>
        message instanceof Uint8Array ? hearInput(line, message) : hearMessage(line, message);
      lines.push(line);
      return line as unknown as WebSocket;
    },
    print(text: string) {
      const more = new TextEncoder().encode(text);
      const joined = new Uint8Array(printed.length + more.length);
      joined.set(printed);
      joined.set(more, printed.length);
      printed = joined;
      flush();
    },
    typedText: () => new TextDecoder().decode(new Uint8Array([...typed.values()].flat())),
    printedText: () => new TextDecoder().decode(printed),
  };
}

export function outputFrame(offset: number, bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(FRAME_HEADER_BYTES + bytes.length);
  frame[0] = OUTPUT_FRAME;
  new DataView(frame.buffer).setBigUint64(1, BigInt(offset));
  frame.set(bytes, FRAME_HEADER_BYTES);
  return frame;
}
