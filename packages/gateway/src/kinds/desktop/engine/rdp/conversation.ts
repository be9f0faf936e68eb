/** What both sides of a connection of RDP know of it, and where what they say goes. */
import type { ClipboardTransfer, DesktopSize, DesktopTerms, Sound } from '../desktop-link.ts';
import { ChannelHold } from './channel-hold.ts';
import { CHANNEL, ChannelTable } from './channel-table.ts';
import { ClipboardFilter } from './clipboard/clipboard-filter.ts';
import { DriveChannel } from './drive/drive-channel.ts';
import { DynamicChannels, isWish } from './dynamic-channels.ts';
import type { FrameAcks } from './frame-acks.ts';
import { channelPdu } from './pdu.ts';
import { SoundChannel } from './sound-channel.ts';
import { channelChunks } from './static-channel.ts';
import { RdpTracker } from './tracker.ts';

/** Within that time a host that takes another size says so; one that has that size already says nothing. */
const SETTLE_MS = 1_000;
/** Between a size that was taken and the next one: xrdp loses the memory that it draws from, and the session with it, when they follow at once. */
const REST_MS = 1_000;

export interface RdpSinks {
  toHost(pdu: Buffer): void;
  toPage(pdu: Buffer, kept?: Buffer): void;
  pointer(x: number, y: number, buttons: number): void;
  sized(size: DesktopSize): void;
  clipboard(transfer: ClipboardTransfer): void;
  played(sound: Sound): void;
  /** Undefined: the host has taken what it was sent. */
  drained(): Promise<void> | undefined;
  /** What failed while nobody waited for it. */
  failed(error: unknown): void;
  /** The host goes, in order. Undefined: it gives no reason. */
  left(reason: string | undefined): void;
}

export class Conversation {
  readonly terms: DesktopTerms;
  /** The security that was agreed upon. */
  readonly selected: number;
  readonly sinks: RdpSinks;
  readonly acks: FrameAcks;
  readonly tracker = new RdpTracker();
  readonly channels = new ChannelTable();
  readonly dynamic = new DynamicChannels();
  readonly clipboard: ClipboardFilter;
  /** Undefined: this session has none. */
  readonly drives: DriveChannel | undefined;
  readonly sound: SoundChannel;
  /** The page has said what it can, since the host described its desktop. */
  isConfirmed = false;
  readonly #forPage = new ChannelHold();
  readonly #forHost = new ChannelHold();
  /** The size that is asked for once the host reads again. */
  #nextLayout: Buffer | undefined;
  #settling: NodeJS.Timeout | undefined;
  #resting: NodeJS.Timeout | undefined;
  #wasActive = false;

  constructor(terms: DesktopTerms, selected: number, sinks: RdpSinks, acks: FrameAcks) {
    this.terms = terms;
    this.selected = selected;
    this.sinks = sinks;
    this.acks = acks;
    this.clipboard = new ClipboardFilter({
      send: (to, message) =>
        to === 'host' ? this.toHostChannel(CHANNEL.clipboard, message) : this.toPageChannel(CHANNEL.clipboard, message),
      told: (transfer) => sinks.clipboard(transfer),
    });
    this.sound = new SoundChannel({
      send: (message) => this.toHostChannel(CHANNEL.sound, message),
      played: (sound) => sinks.played(sound),
    });
    if (terms.drives)
      this.drives = new DriveChannel({
        send: (message) => this.toHostChannel(CHANNEL.drives, message),
        drained: () => this.#forHost.taken() ?? sinks.drained(),
        failed: (error) => sinks.failed(error),
      });
  }

  /** Of those that pages ask for. */
  get allowedChannels(): readonly string[] {
    return this.terms.clipboard ? [CHANNEL.dynamic, CHANNEL.clipboard] : [CHANNEL.dynamic];
  }

  /** Of those that no page has. Windows takes no drives of a client without sound. */
  get ownChannels(): readonly string[] {
    return this.terms.drives ? [CHANNEL.drives, CHANNEL.sound] : [CHANNEL.sound];
  }

  /** As whom the page is attached; a number of nobody before it is. */
  get user(): number {
    return this.tracker.user ?? 0xffff;
  }

  /**
   * A message of a channel, in as many pieces as it needs. A host that was asked for another size, or has said that it
   * takes one, reads the share alone until it is up again: xrdp ends the session over anything else.
   */
  toHostChannel(name: string, message: Buffer): void {
    const isLayout = name === CHANNEL.dynamic && isWish(message);
    if (isLayout && (this.#isHostBusy || this.#resting)) {
      this.#nextLayout = message;
      return;
    }
    for (const pdu of this.#hostPdus(name, message)) {
      if (this.#isHostBusy) this.#forHost.push(pdu);
      else this.sinks.toHost(pdu);
    }
    if (isLayout) this.#settling = setTimeout(() => this.#settled(), SETTLE_MS).unref();
  }

  /**
   * Channels are recorded by nobody. Between a Deactivate All and the font map a page reads the share alone: what came
   * beside would be an error there, and cost it its connection and what lay on its clipboard.
   */
  toPageChannel(name: string, message: Buffer): void {
    for (const pdu of this.#pagePdus(name, message)) {
      if (this.#isAgreeing) this.#forPage.push(pdu);
      else this.sinks.toPage(pdu);
    }
  }

  /** Not before the desktop was up for the first time: hosts greet on their channels at any moment until then. */
  get #isAgreeing(): boolean {
    return this.#wasActive && !this.tracker.isActive;
  }

  get #isHostBusy(): boolean {
    return this.#isAgreeing || this.#settling !== undefined;
  }

  /** The page has heard that the desktop is up. */
  becameActive(): void {
    this.#wasActive = true;
    for (const pdu of this.#forPage.take()) this.sinks.toPage(pdu);
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      this.#askNext();
    }, REST_MS).unref();
    this.#settled();
  }

  #settled(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    if (this.#isAgreeing) return;
    for (const pdu of this.#forHost.take()) this.sinks.toHost(pdu);
    this.#askNext();
  }

  #askNext(): void {
    const layout = this.#nextLayout;
    if (!layout || this.#isHostBusy || this.#resting) return;
    this.#nextLayout = undefined;
    this.toHostChannel(CHANNEL.dynamic, layout);
  }

  close(): void {
    clearTimeout(this.#settling);
    clearTimeout(this.#resting);
    this.acks.close();
  }

  /** The channels as a page hears of them that comes in place of another. */
  channelsAgain(): Buffer[] {
    // It was meant for that one.
    this.#forPage.take();
    return [
      ...this.dynamic.again().flatMap((message) => this.#pagePdus(CHANNEL.dynamic, message)),
      ...this.clipboard.again().flatMap((message) => this.#pagePdus(CHANNEL.clipboard, message)),
    ];
  }

  #hostPdus(name: string, message: Buffer): Buffer[] {
    const id = this.channels.idOf(name);
    if (id === undefined) return [];
    return channelChunks(message).map((chunk) => channelPdu('client', this.user, id, chunk));
  }

  #pagePdus(name: string, message: Buffer): Buffer[] {
    const id = this.channels.idOf(name);
    if (id === undefined) return [];
    return channelChunks(message).map((chunk) => channelPdu('host', HOST_USER, id, chunk));
  }
}

/** As whom hosts send. */
const HOST_USER = 1002;
