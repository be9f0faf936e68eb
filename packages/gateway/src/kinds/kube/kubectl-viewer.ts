/** A kubectl that looks at a terminal, as one of its people: what it types goes the way of everybody's, and it sees what they see. */
import { randomBytes, randomUUID } from 'node:crypto';
import { UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { MAX_INPUT_BYTES, type TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import type { Who } from '../../platform/http/actor.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import type { Terminal } from '../../sessions/terminal/terminal.ts';
import type { Viewer, ViewerWire } from '../../sessions/terminal/viewer.ts';
import { CUT_MS, type ExecChannels, finishExec } from './engine/streams/channels.ts';
import { KubeRefusal, statusBody } from './kube-refusal.ts';
import { sizeReader } from './read-sizes.ts';

/** Before its first size comes, which is at once. */
export const FIRST_SIZE = { cols: 80, rows: 24 };

export interface KubectlViewerOptions {
  terminal: Terminal;
  client: ExecChannels;
  caller: Who;
  address: string;
  /** How the cluster told the end, word for word; empty: it did not. */
  status(): Buffer;
  /** It has nothing more to type. */
  endInput(): void;
}

export class KubectlViewer {
  readonly #options: KubectlViewerOptions;
  readonly #id = randomUUID();
  readonly #writer = randomBytes(8).toString('hex');
  #viewer: Viewer | undefined;
  #typed = 0;
  /** Typed, and not taken yet: nothing more is read meanwhile. */
  #waiting = Buffer.alloc(0);
  #isInputOver = false;
  #toldFlow = '';

  constructor(options: KubectlViewerOptions) {
    this.#options = options;
  }

  begin(): void {
    const { terminal, client, caller, address } = this.#options;
    const { hosted } = terminal;
    const viewer = terminal.attach({
      ...{ id: this.#id, wire: this.#wire, mode: 'peer', writer: this.#writer },
      ...{ size: FIRST_SIZE, from: 0 },
    });
    this.#viewer = viewer;
    const { username, signInId } = caller;
    const onRemoved = (end: SessionEnd) => viewer.endNow(end);
    if (!hosted.end) hosted.enter({ id: this.#id, username, signInId, address, mode: 'peer', onRemoved });
    const { stdin, resize } = client.streams;
    resize?.on(
      'data',
      sizeReader((size) => terminal.resize(viewer, size)),
    );
    stdin?.on('data', (bytes: Buffer) => {
      this.#waiting = Buffer.concat([this.#waiting, bytes]);
      this.#flush();
    });
    stdin?.once('end', () => {
      this.#isInputOver = true;
      this.#flush();
    });
    void client.closed.then(() => this.#left());
    terminal.begin(viewer);
  }

  #flush(): void {
    const { terminal, client } = this.#options;
    const viewer = this.#viewer;
    if (!viewer || terminal.hosted.end) return;
    while (this.#waiting.length > 0) {
      const room = UNTAKEN_BYTES - (this.#typed - terminal.takenBy(this.#writer));
      const part = this.#waiting.subarray(0, Math.min(room, MAX_INPUT_BYTES));
      if (part.length === 0) break;
      // It does not send again what was passed over while nobody watched.
      if (terminal.input(viewer, this.#typed, part)) this.#typed += part.length;
      this.#waiting = this.#waiting.subarray(part.length);
    }
    if (this.#waiting.length > 0) client.streams.stdin?.pause();
    else if (this.#isInputOver) this.#options.endInput();
    else client.streams.stdin?.resume();
  }

  readonly #wire: ViewerWire = {
    output: (offset, bytes) => {
      const { stdout } = this.#options.client.streams;
      const seen = () => this.#viewer?.see(offset + bytes.length);
      // It says nothing: what the network has taken counts as seen.
      if (stdout?.writable) stdout.write(bytes, seen);
      else setImmediate(seen);
    },
    // Whoever begins at the beginning is shown none.
    picture: () => {},
    tell: (message) => {
      if (message.type === 'notice') this.#print(message.text);
      if (message.type === 'flow') this.#tellFlow(message);
      if (message.type === 'taken') this.#flush();
    },
    end: (end) =>
      void finishExec(this.#options.client, this.#statusOf(end), end.cause === 'exited' ? undefined : CUT_MS),
    moved: () => this.#options.client.close(),
  };

  #statusOf({ cause, message }: SessionEnd): Buffer {
    const told = this.#options.status();
    if (told.length > 0 && (cause === 'exited' || cause === 'target_lost')) return told;
    return statusBody(new KubeRefusal({ code: 403, message }).status);
  }

  #tellFlow({ flow, needs, could }: Extract<TerminalReply, { type: 'flow' }>): void {
    const [need] = needs;
    const who = could.length > 0 ? ` These could join: ${could.join(', ')}.` : '';
    const waits = need ? ` ${need.missing} more must join as ${need.modes.join(' or ')}.` : '';
    const text = flow === 'live' ? 'The session goes on.' : `The session is ${flow}.${waits}${who}`;
    // Names come after the rest, and nobody wants to read it twice.
    if (text === this.#toldFlow) return;
    this.#toldFlow = text;
    this.#print(text);
  }

  #print(text: string): void {
    const { stdout } = this.#options.client.streams;
    if (stdout?.writable) stdout.write(`\r\n${text}\r\n`);
  }

  /** What it opened runs for it alone: others who joined are told so. */
  #left(): void {
    const { terminal } = this.#options;
    terminal.hosted.leave(this.#id, 'left');
    if (this.#viewer) terminal.detach(this.#viewer);
    terminal.hosted.finish({ cause: 'closed', message: 'the client that opened it left' });
  }
}
