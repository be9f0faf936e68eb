/** A page at the other side of a link: the client that browsers run, in a process of its own, with what tests ask of it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { SharedLink } from '../../src/kinds/desktop/engine/desktop-link.ts';
import { isLastOfGreeting } from '../../src/kinds/desktop/engine/page-messages.ts';
import { PduSplitter } from '../../src/kinds/desktop/engine/rdp/pdu.ts';
import type { FromPage, ToPage } from './wasm-page-process.ts';

export interface PageOptions {
  width?: number;
  height?: number;
  clipboard?: boolean;
  display?: boolean;
  mayType?: () => boolean;
  /** Each PDU of the page once the link has heard it: the client says things later than it is told to. */
  onSaid?: (pdu: Buffer) => void;
  /** It comes later: what was kept of the link so far, handshake and all. What it says itself in its handshake goes nowhere. */
  before?: readonly Buffer[];
}

export type Picture = Extract<FromPage, { type: 'looked' }>;

export class WasmPage {
  readonly #child = fork(new URL('./wasm-page-process.ts', import.meta.url), [], { serialization: 'advanced' });
  readonly clipboard: string[] = [];
  ended: string | undefined;
  isConnected = false;
  #looked: ((picture: Picture) => void) | undefined;
  #link: SharedLink | undefined;
  #mayType: () => boolean = () => true;
  #onSaid: (pdu: Buffer) => void = () => {};
  #isGreeting = false;
  readonly #splitter = new PduSplitter();

  /** Loads the client, which takes a second: once for many links would not show what a fresh page does. */
  static async load(): Promise<WasmPage> {
    const page = new WasmPage();
    await once(page.#child, 'message');
    page.#child.on('message', (message: FromPage) => page.#hear(message));
    return page;
  }

  /** `certificate`: any; the client looks at none. */
  open(link: SharedLink, certificate: Buffer, options: PageOptions = {}): void {
    this.#link = link;
    const { width = 1024, height = 768, clipboard = true, display = true, mayType = () => true, before } = options;
    this.#mayType = mayType;
    if (options.onSaid) this.#onSaid = options.onSaid;
    this.#isGreeting = before !== undefined;
    this.#say({ type: 'open', width, height, clipboard, display, certificate });
    for (const pdu of before ?? []) this.#say({ type: 'pdu', bytes: pdu });
    link.onPicture((pdu) => this.#say({ type: 'pdu', bytes: pdu }));
  }

  look(): Promise<Picture> {
    return new Promise((resolve) => {
      this.#looked = resolve;
      this.#say({ type: 'look' });
    });
  }

  /** Red, green, blue. */
  async colourAt(x: number, y: number): Promise<number[]> {
    const { width, pixels } = await this.look();
    return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
  }

  do(message: Exclude<ToPage, { type: 'open' | 'pdu' | 'look' }>): void {
    this.#say(message);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  #say(message: ToPage): void {
    if (this.#child.connected) this.#child.send(message);
  }

  #hear(message: FromPage): void {
    if (message.type === 'bytes') this.#speak(Buffer.from(message.bytes));
    else if (message.type === 'connected') this.isConnected = true;
    else if (message.type === 'ended') this.ended = message.reason;
    else if (message.type === 'clipboard') this.clipboard.push(message.value);
    else if (message.type === 'looked') this.#looked?.({ ...message, pixels: Buffer.from(message.pixels) });
  }

  #speak(bytes: Buffer): void {
    const link = this.#link;
    if (!link) return;
    for (const pdu of this.#splitter.push(bytes)) {
      if (!this.#isGreeting) {
        link.fromPage(pdu, 'driver', this.#mayType());
        this.#onSaid(pdu);
      } else if (isLastOfGreeting(pdu)) {
        this.#isGreeting = false;
        for (const each of link.channelsAgain()) this.#say({ type: 'pdu', bytes: each });
      }
    }
  }
}
