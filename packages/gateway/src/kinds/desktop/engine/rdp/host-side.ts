/** What a host says: mended for the client in the page, without what no page may hear, and as a recording keeps it. */
import { malformed } from '../desktop-link.ts';
import { InputRate, MAX_SIZES_PER_SECOND } from '../input-rate.ts';
import { CHANNEL } from './channel-table.ts';
import { MAX_CLIPBOARD_MESSAGE_BYTES } from './clipboard/clipboard-filter.ts';
import type { Conversation } from './conversation.ts';
import { MAX_DRIVE_MESSAGE_BYTES } from './drive/drive-channel.ts';
import { MAX_DYNAMIC_BYTES } from './dynamic-channels.ts';
import { errorInfo } from './error-info.ts';
import { BitmapFragments } from './fragments.ts';
import { BLOCK, connectResponse, gccBlock, hostChannels, readConnectResponse, readHostChannels } from './gcc.ts';
import { DATA, describe, joinedChannel, SHARE, type ShareHeader, shareHeader } from './pdu.ts';
import { isLicensing, validClient, wholeDeactivateAll } from './rewrite-server.ts';
import { MAX_SOUND_BYTES } from './sound-channel.ts';
import { ChannelReader } from './static-channel.ts';
import { FRAGMENT, fastUpdates, UPDATE } from './tracker.ts';
import { unpadBitmaps } from './unpad-bitmaps.ts';

/** In the header of security: the host sends us on to another. */
const REDIRECTION = 0x0400;
const FRAME_MARKER = 4;
const FRAME_END = 1;

export class HostSide {
  readonly #own: Conversation;
  readonly #fragments = new BitmapFragments();
  readonly #dynamic = new ChannelReader(MAX_DYNAMIC_BYTES);
  readonly #clipboard = new ChannelReader(MAX_CLIPBOARD_MESSAGE_BYTES);
  readonly #drives = new ChannelReader(MAX_DRIVE_MESSAGE_BYTES);
  readonly #sound = new ChannelReader(MAX_SOUND_BYTES);
  readonly #beginnings = new InputRate({ perSecond: MAX_SIZES_PER_SECOND });
  #isLicenceKept = false;
  /** Of the last error that the host told. */
  #reason: string | undefined;

  constructor(conversation: Conversation) {
    this.#own = conversation;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /** Each whole message, in its order. */
  hear(pdu: Buffer): void {
    const described = describe(pdu);
    const { tracker, sinks } = this.#own;
    // Its channels are known by the answer as it came; the page gets another.
    tracker.see(pdu, described);
    if (described.kind === 'fast') this.#fast(pdu);
    else if (described.kind === 'data') this.#data(pdu, described.channel, described.offset);
    else if (described.kind === 'connect_response') this.#connected(pdu);
    else if (described.kind === 'attach_confirm') sinks.toPage(pdu, pdu);
    else if (described.kind === 'join_confirm') this.#joined(pdu);
    else if (described.kind === 'disconnect') sinks.left(this.#reason);
  }

  #connected(pdu: Buffer): void {
    const { channels, sinks } = this.#own;
    if (channels.io !== undefined) throw malformed('the host answers twice');
    const blocks = readConnectResponse(pdu);
    channels.learn(readHostChannels(blocks));
    const core = blocks.find(({ type }) => type === BLOCK.hostCore);
    const security = blocks.find(({ type }) => type === BLOCK.hostSecurity);
    if (!core || core.body.length < 4) throw malformed('the host does not say which version it has');
    if (security && security.body.length >= 8 && security.body.readUInt32LE(0) !== 0)
      throw malformed('the host wants the old security of RDP beside TLS');
    // Without what it can beside: each would be another way past what is filtered here.
    const told = connectResponse([
      gccBlock(BLOCK.hostCore, core.body.subarray(0, 8)),
      gccBlock(BLOCK.hostSecurity, Buffer.alloc(8)),
      hostChannels(channels.forPage()),
    ]);
    sinks.toPage(told, told);
  }

  #joined(pdu: Buffer): void {
    const { channels, sinks } = this.#own;
    if (!channels.ownIds().includes(joinedChannel(pdu, 'join_confirm'))) sinks.toPage(pdu, pdu);
  }

  #data(pdu: Buffer, channel: number, offset: number): void {
    const { tracker, channels, dynamic } = this.#own;
    if (channel === tracker.ioChannel) {
      if (tracker.isShare(pdu, offset)) this.#share(pdu, offset, shareHeader(pdu, offset));
      else this.#beforeShare(pdu, channel, offset);
    } else if (channels.nameOf(channel) === CHANNEL.dynamic) {
      const message = this.#dynamic.push(pdu.subarray(offset));
      // What is longer is of no channel that may be open.
      if (!message || message.length > MAX_DYNAMIC_BYTES) return;
      const { toPage, toHost } = dynamic.fromHost(message.bytes);
      if (toPage) this.#own.toPageChannel(CHANNEL.dynamic, toPage);
      if (toHost) this.#own.toHostChannel(CHANNEL.dynamic, toHost);
    } else if (channels.nameOf(channel) === CHANNEL.clipboard) {
      const message = this.#clipboard.push(pdu.subarray(offset));
      if (message) this.#own.clipboard.hear('host', message, true);
    } else this.#ownChannel(channels.ownNameOf(channel), pdu.subarray(offset));
  }

  /** Of these no page hears. */
  #ownChannel(name: string | undefined, chunk: Buffer): void {
    if (name === CHANNEL.drives) {
      const message = this.#drives.push(chunk);
      if (message) this.#own.drives?.hear(message);
    } else if (name === CHANNEL.sound) {
      const message = this.#sound.push(chunk);
      if (message) this.#own.sound.hear(message);
    }
  }

  #beforeShare(pdu: Buffer, channel: number, offset: number): void {
    const { sinks } = this.#own;
    if (isLicensing(pdu, offset)) {
      const kept = this.#isLicenceKept ? undefined : validClient(channel);
      this.#isLicenceKept = true;
      sinks.toPage(pdu, kept);
    } else if (pdu.length >= offset + 2 && (pdu.readUInt16LE(offset) & REDIRECTION) !== 0) this.#redirected();
  }

  #share(pdu: Buffer, offset: number, header: ShareHeader | undefined): void {
    const { tracker, sinks } = this.#own;
    if (header === undefined) return;
    if (header.type === SHARE.redirection) this.#redirected();
    else if (header.type === SHARE.demandActive) {
      if (!this.#beginnings.take(1)) throw malformed('the desktop begins anew without end');
      this.#own.isConfirmed = false;
      // First: who hears of the new picture knows how large it is.
      if (tracker.size) sinks.sized(tracker.size);
      sinks.toPage(pdu, pdu);
    } else if (header.type === SHARE.deactivateAll) {
      const whole = wholeDeactivateAll(pdu, offset, tracker.ioChannel!, tracker.shareId!);
      sinks.toPage(whole, whole);
    } else if (header.type === SHARE.data) this.#shareData(pdu, header);
  }

  #shareData(pdu: Buffer, { data, body }: ShareHeader): void {
    const { tracker, sinks } = this.#own;
    // It may hold what signs in again without a password.
    if (data === DATA.saveSessionInfo) return;
    if (data === DATA.setErrorInfo) {
      if (pdu.length >= body + 4) this.#reason = errorInfo(pdu.readUInt32LE(body)) ?? this.#reason;
      return;
    }
    if (data === DATA.update) unpadBitmaps(pdu.subarray(body), tracker.size?.width ?? 0);
    sinks.toPage(pdu, pdu);
    if (data === DATA.fontMap) this.#own.becameActive();
  }

  /** It would hold a password or what is as good as one, for a machine that nobody was let to. */
  #redirected(): void {
    this.#own.sinks.left('the host sends us on to another machine, which is not followed: connect to that one itself');
  }

  #fast(pdu: Buffer): void {
    const { tracker, sinks, acks } = this.#own;
    for (const message of this.#fragments.push(pdu, tracker.size?.width ?? 0)) {
      sinks.toPage(message, message);
      const frame = endedFrame(message);
      if (frame !== undefined) acks.drawn(frame);
    }
  }
}

/** The number of the frame that ends with it. Hosts say that in a message of its own. */
function endedFrame(message: Buffer): number | undefined {
  const update = fastUpdates(message).at(-1);
  if (update?.code !== UPDATE.surface || update.fragment !== FRAGMENT.single || update.data.length < 8)
    return undefined;
  const { data } = update;
  const marker = data.subarray(data.length - 8);
  return marker.readUInt16LE(0) === FRAME_MARKER && marker.readUInt16LE(2) === FRAME_END
    ? marker.readUInt32LE(4)
    : undefined;
}
