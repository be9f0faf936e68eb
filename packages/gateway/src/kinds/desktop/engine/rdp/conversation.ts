/** What both sides of a connection of RDP know of it, and where what they say goes. */
import type { ClipboardTransfer, DesktopSize, DesktopTerms } from '../desktop-link.ts';
import { CHANNEL, ChannelTable } from './channel-table.ts';
import { ClipboardFilter } from './clipboard/clipboard-filter.ts';
import { DriveChannel } from './drive/drive-channel.ts';
import { DynamicChannels } from './dynamic-channels.ts';
import type { FrameAcks } from './frame-acks.ts';
import { channelPdu } from './pdu.ts';
import { channelChunks } from './static-channel.ts';
import { RdpTracker } from './tracker.ts';

export interface RdpSinks {
  toHost(pdu: Buffer): void;
  toPage(pdu: Buffer, kept?: Buffer): void;
  pointer(x: number, y: number, buttons: number): void;
  sized(size: DesktopSize): void;
  clipboard(transfer: ClipboardTransfer): void;
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
  /** The page has said what it can, since the host described its desktop. */
  isConfirmed = false;

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
    if (terms.drives)
      this.drives = new DriveChannel({
        send: (message) => this.toHostChannel(CHANNEL.drives, message),
        drained: () => sinks.drained(),
        failed: (error) => sinks.failed(error),
      });
  }

  /** Of those that pages ask for. */
  get allowedChannels(): readonly string[] {
    return this.terms.clipboard ? [CHANNEL.dynamic, CHANNEL.clipboard] : [CHANNEL.dynamic];
  }

  /** Of those that no page has. Windows takes no drives of a client without sound. */
  get ownChannels(): readonly string[] {
    return this.terms.drives ? [CHANNEL.drives, CHANNEL.sound] : [];
  }

  /** As whom the page is attached; a number of nobody before it is. */
  get user(): number {
    return this.tracker.user ?? 0xffff;
  }

  /** A message of a channel, in as many pieces as it needs. */
  toHostChannel(name: string, message: Buffer): void {
    const id = this.channels.idOf(name);
    if (id === undefined) return;
    for (const chunk of channelChunks(message)) this.sinks.toHost(channelPdu('client', this.user, id, chunk));
  }

  /** Channels are recorded by nobody. */
  toPageChannel(name: string, message: Buffer): void {
    for (const pdu of this.#pagePdus(name, message)) this.sinks.toPage(pdu);
  }

  /** The channels as a page hears of them that comes in place of another. */
  channelsAgain(): Buffer[] {
    return [
      ...this.dynamic.again().flatMap((message) => this.#pagePdus(CHANNEL.dynamic, message)),
      ...this.clipboard.again().flatMap((message) => this.#pagePdus(CHANNEL.clipboard, message)),
    ];
  }

  #pagePdus(name: string, message: Buffer): Buffer[] {
    const id = this.channels.idOf(name);
    if (id === undefined) return [];
    return channelChunks(message).map((chunk) => channelPdu('host', HOST_USER, id, chunk));
  }
}

/** As whom hosts send. */
const HOST_USER = 1002;
