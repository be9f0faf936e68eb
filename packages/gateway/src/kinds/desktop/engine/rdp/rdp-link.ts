/** A connection of RDP that is signed in: moves messages between the host and pages, through what each may say. */
import type { Duplex } from 'node:stream';
import { contain } from '@gatehouse/tunnel/contain';
import {
  CLOSED_BY_HOST,
  type ClipboardTransfer,
  type DesktopEnd,
  DesktopFailure,
  type DesktopSize,
  type DesktopTerms,
  LOST_HOST,
  type SharedLink,
  type Sound,
} from '../desktop-link.ts';
import { HostWrites } from '../host-writes.ts';
import type { FolderShare } from '../shared-folder.ts';
import { CHANNEL } from './channel-table.ts';
import { Conversation } from './conversation.ts';
import { TAKEN_OVER } from './error-info.ts';
import { FrameAcks } from './frame-acks.ts';
import { HostSide } from './host-side.ts';
import { PageSide } from './page-side.ts';
import { clientShareData, DATA, PduSplitter } from './pdu.ts';

/** With more than that before it, what is asked of shared folders waits. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class RdpLink implements SharedLink {
  readonly protocol = 'rdp';
  readonly #stream: Duplex;
  readonly #writes: HostWrites;
  readonly #own: Conversation;
  readonly #host: HostSide;
  readonly #page: PageSide;
  readonly #splitter = new PduSplitter();
  readonly #pictures: ((pdu: Buffer, kept: Buffer | undefined) => void)[] = [];
  readonly #pointers: ((x: number, y: number, buttons: number) => void)[] = [];
  readonly #sizes: ((size: DesktopSize) => void)[] = [];
  readonly #transfers: ((transfer: ClipboardTransfer) => void)[] = [];
  readonly #sounds: ((sound: Sound) => void)[] = [];
  readonly #ends: ((why: DesktopEnd) => void)[] = [];
  #over: DesktopEnd | undefined;
  #isPaused = false;

  /** `stream`: as the sign-in leaves it, still. The host says nothing before the page has begun. */
  constructor(stream: Duplex, terms: DesktopTerms, selected: number) {
    this.#stream = stream;
    this.#writes = new HostWrites(stream, (message) => this.#end({ cause: 'failed', message }));
    const acks = new FrameAcks((frame) => this.#acknowledge(frame));
    this.#own = new Conversation(
      terms,
      selected,
      {
        toHost: (pdu) => this.#write(pdu),
        toPage: (pdu, kept) => {
          for (const listener of this.#pictures) listener(pdu, kept);
        },
        pointer: (x, y, buttons) => {
          for (const listener of this.#pointers) listener(x, y, buttons);
        },
        sized: (size) => {
          for (const listener of this.#sizes) listener(size);
        },
        clipboard: (transfer) => {
          for (const listener of this.#transfers) listener(transfer);
        },
        played: (sound) => {
          for (const listener of this.#sounds) listener(sound);
        },
        drained: () => this.#drained(),
        failed: (error) => this.#failed(error),
        left: (reason) =>
          this.#end({ cause: 'closed', message: reason ?? 'the host ended the session', ...this.#told() }),
      },
      acks,
    );
    this.#host = new HostSide(this.#own);
    this.#page = new PageSide(this.#own);
    stream.on('data', this.#arrived);
    stream.on('end', this.#closed);
    stream.on('close', this.#closed);
    stream.on('error', this.#lost);
    if (stream.destroyed || stream.readableEnded) this.#closed();
    else stream.resume();
  }

  get size(): DesktopSize {
    return this.#own.tracker.size ?? { width: this.#own.terms.width, height: this.#own.terms.height };
  }

  fromPage(bytes: Buffer, from: 'driver' | 'peer', mayType: boolean): void {
    if (this.#over) return;
    if (from === 'driver') this.#page.hearDriver(bytes, mayType);
    else this.#page.hearPeer(bytes, mayType);
  }

  onPicture(listener: (pdu: Buffer, kept: Buffer | undefined) => void): void {
    this.#pictures.push(listener);
  }

  onPointer(listener: (x: number, y: number, buttons: number) => void): void {
    this.#pointers.push(listener);
  }

  onSize(listener: (size: DesktopSize) => void): void {
    this.#sizes.push(listener);
  }

  onClipboard(listener: (transfer: ClipboardTransfer) => void): void {
    this.#transfers.push(listener);
  }

  onSound(listener: (sound: Sound) => void): void {
    this.#sounds.push(listener);
  }

  onEnd(listener: (why: DesktopEnd) => void): void {
    this.#ends.push(listener);
    if (this.#over) listener(this.#over);
  }

  channelsAgain(): readonly Buffer[] {
    return this.#over ? [] : this.#own.channelsAgain();
  }

  /** A session that began without it has no channel for it. */
  allowClipboard(allowed: boolean): void {
    this.#own.clipboard.isAllowed = allowed;
  }

  get hasFolders(): boolean {
    return this.#own.drives !== undefined;
  }

  share(share: FolderShare): (() => void) | undefined {
    return this.#over ? undefined : this.#own.drives?.add(share);
  }

  suppressOutput(hidden: boolean): void {
    const { width, height } = this.size;
    const body = Buffer.alloc(hidden ? 4 : 12);
    body[0] = hidden ? 0 : 1;
    if (!hidden) {
      body.writeUInt16LE(width - 1, 8);
      body.writeUInt16LE(height - 1, 10);
    }
    this.#share(DATA.suppressOutput, body);
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#over) this.#stream.resume();
  }

  /** For pages that came later: the first asks by display control itself. */
  resize(size: DesktopSize & { scale: number }): void {
    const layout = this.#own.dynamic.layout(size);
    if (layout && this.#page.mayResize()) this.#own.toHostChannel(CHANNEL.dynamic, layout);
  }

  close(): void {
    this.#end({ cause: 'closed', message: 'the connection was closed' });
  }

  /** A mistake of ours in it ends this desktop: the stream may be one of many inside the tunnel of an agent, which would be blamed for it. */
  readonly #peer = {
    where: 'desktop',
    cut: () =>
      this.#end({ cause: 'failed', message: 'the gateway could not read what the host sent; its log says why' }),
  };

  readonly #arrived = contain(this.#peer, (piece: Buffer): void => {
    try {
      for (const pdu of this.#splitter.push(piece)) {
        if (this.#over) return;
        this.#host.hear(pdu);
      }
    } catch (error) {
      this.#broken(error);
    }
    if (this.#isPaused) this.#stream.pause();
  });

  #broken(error: unknown): void {
    if (!(error instanceof DesktopFailure)) throw error;
    this.#end({ cause: 'failed', message: `the host sent what is no RDP: ${error.message}` });
  }

  readonly #failed = contain(this.#peer, (error: unknown): void => this.#broken(error));

  /** More waits for the host than it takes at once. */
  #drained(): Promise<void> | undefined {
    const stream = this.#stream;
    if (stream.writableLength < MAX_WAITING_BYTES || !stream.writableNeedDrain) return undefined;
    return new Promise((resolve) => stream.once('drain', resolve));
  }

  readonly #closed = (): void =>
    this.#end({ cause: 'closed', message: this.#host.reason ?? CLOSED_BY_HOST, ...this.#told() });

  readonly #lost = (): void => this.#end({ cause: 'lost', message: this.#host.reason ?? LOST_HOST, ...this.#told() });

  #told(): Pick<DesktopEnd, 'told'> {
    if (this.#host.reason === undefined) return {};
    return { told: this.#host.reason === TAKEN_OVER ? 'taken_over' : 'reason' };
  }

  #acknowledge(frame: number): void {
    const body = Buffer.alloc(4);
    body.writeUInt32LE(frame);
    this.#share(DATA.frameAcknowledge, body);
  }

  /** Of our own, while the desktop is up. */
  #share(type: number, body: Buffer): void {
    const { tracker, user } = this.#own;
    if (!tracker.isActive || tracker.ioChannel === undefined || tracker.shareId === undefined) return;
    this.#write(clientShareData(user, tracker.ioChannel, tracker.shareId, type, body));
  }

  #write(pdu: Buffer): void {
    if (!this.#over) this.#writes.write(pdu);
  }

  #end(why: DesktopEnd): void {
    if (this.#over) return;
    this.#over = why;
    this.#own.close();
    this.#stream.off('data', this.#arrived);
    this.#stream.on('error', () => {});
    this.#stream.destroy();
    for (const listener of this.#ends) listener(why);
  }
}
