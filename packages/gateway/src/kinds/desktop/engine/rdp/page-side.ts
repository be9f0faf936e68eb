/** What a page says: its handshake as far as the host must hear it, then input, acknowledgements and the channels it has. All else is passed over. */
import { InputRate } from '../input-rate.ts';
import { CHANNEL } from './channel-table.ts';
import { clientInfo } from './client-info.ts';
import { MAX_CLIPBOARD_MESSAGE_BYTES } from './clipboard/clipboard-filter.ts';
import { confirmActive } from './confirm-active.ts';
import { writeConnectInitial } from './connect-initial.ts';
import type { Conversation } from './conversation.ts';
import { MAX_DYNAMIC_BYTES } from './dynamic-channels.ts';
import { readChannelNames, readConnectInitial } from './gcc.ts';
import { readInput } from './input.ts';
import {
  channelPdu,
  DATA,
  describe,
  joinConfirm,
  joinedChannel,
  joinRequest,
  PduSplitter,
  pduLength,
  SEC,
  SHARE,
  sealed,
  shareHeader,
} from './pdu.ts';
import { ChannelReader } from './static-channel.ts';

const ERECT_DOMAIN = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x04, 1, 0, 1, 0]);
const ATTACH_REQUEST = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x28]);
/** A licence is asked for, given and confirmed in fewer. */
const MAX_LICENCE_MESSAGES = 8;
/** Synchronise, control twice, the list of fonts: with as much again. */
const MAX_ACTIVATION_MESSAGES = 8;
/** Another size makes a host draw all anew: it counts for so many events. */
const RESIZE_EVENTS = 100;
const FRAME_ACK_BYTES = 4;

export class PageSide {
  readonly #own: Conversation;
  readonly #splitter = new PduSplitter();
  readonly #rate = new InputRate();
  readonly #dynamic = new ChannelReader(MAX_DYNAMIC_BYTES);
  readonly #clipboard = new ChannelReader(MAX_CLIPBOARD_MESSAGE_BYTES);
  readonly #joined = new Set<number>();
  #step: 'connect' | 'erect' | 'attach' | 'join' | 'up' = 'connect';
  #licenceMessages = 0;
  #activationMessages = 0;
  #buttons = 0;

  constructor(conversation: Conversation) {
    this.#own = conversation;
  }

  /** Of the page whose handshake it is. */
  hearDriver(bytes: Buffer, mayType: boolean): void {
    for (const pdu of this.#splitter.push(bytes)) this.#hear(pdu, mayType);
  }

  /** Of another page: only what it types. Each of its messages holds whole ones. */
  hearPeer(bytes: Buffer, mayType: boolean): void {
    for (let at = 0; at < bytes.length; ) {
      const length = pduLength(bytes, at);
      if (length === undefined || at + length > bytes.length) return;
      const pdu = bytes.subarray(at, at + length);
      if (describe(pdu).kind === 'fast') this.#input(pdu, mayType);
      at += length;
    }
  }

  #hear(pdu: Buffer, mayType: boolean): void {
    const described = describe(pdu);
    if (described.kind === 'fast') this.#input(pdu, mayType);
    else if (described.kind === 'data') this.#data(pdu, described.channel, described.offset, mayType);
    else if (described.kind === 'connect_initial') this.#connect(pdu);
    else if (described.kind === 'erect_domain') this.#fixed('erect', 'attach', ERECT_DOMAIN);
    else if (described.kind === 'attach_request') this.#fixed('attach', 'join', ATTACH_REQUEST);
    else if (described.kind === 'join_request') this.#join(joinedChannel(pdu, 'join_request'));
  }

  #connect(pdu: Buffer): void {
    if (this.#step !== 'connect') return;
    this.#step = 'erect';
    const { terms, selected, channels, sinks } = this.#own;
    const names = channels.ask(
      readChannelNames(readConnectInitial(pdu)),
      this.#own.allowedChannels,
      this.#own.ownChannels,
    );
    sinks.toHost(writeConnectInitial(terms, selected, names));
  }

  #fixed(from: 'erect' | 'attach', to: 'attach' | 'join', bytes: Buffer): void {
    if (this.#step !== from) return;
    this.#step = to;
    this.#own.sinks.toHost(sealed(bytes));
  }

  #join(id: number): void {
    const { channels, tracker, sinks } = this.#own;
    if (this.#step !== 'join' || tracker.user === undefined || this.#joined.has(id)) return;
    if (channels.isFalse(id)) {
      const confirm = joinConfirm(tracker.user, id);
      sinks.toPage(confirm, confirm);
    } else if (id === tracker.user || id === channels.io || channels.nameOf(id) !== undefined) {
      this.#joined.add(id);
      sinks.toHost(joinRequest(tracker.user, id));
      // Between those of the page: some hosts count them, and all before the sign-in.
      if (id === channels.io) for (const own of channels.ownIds()) sinks.toHost(joinRequest(tracker.user, own));
    }
  }

  #data(pdu: Buffer, channel: number, offset: number, mayType: boolean): void {
    const { channels, tracker, clipboard } = this.#own;
    if (channel === channels.io) {
      if (this.#step === 'join') this.#signIn(pdu, channel, offset);
      else if (this.#step === 'up' && tracker.shareId === undefined) this.#licence(pdu, channel, offset);
      else if (this.#step === 'up') this.#share(pdu, channel, offset);
      return;
    }
    const name = this.#step === 'up' ? channels.nameOf(channel) : undefined;
    if (name === CHANNEL.dynamic) this.#display(pdu.subarray(offset), mayType);
    else if (name === CHANNEL.clipboard) {
      const message = this.#clipboard.push(pdu.subarray(offset));
      if (message) clipboard.hear('page', message, mayType);
    }
  }

  /** Whatever the page says of who it is, the host hears ours. */
  #signIn(pdu: Buffer, channel: number, offset: number): void {
    if (pdu.length < offset + 2 || (pdu.readUInt16LE(offset) & SEC.info) === 0) return;
    this.#step = 'up';
    this.#send(channel, clientInfo(this.#own.terms));
  }

  #licence(pdu: Buffer, channel: number, offset: number): void {
    if (pdu.length < offset + 4 || (pdu.readUInt16LE(offset) & SEC.license) === 0) return;
    this.#licenceMessages += 1;
    if (this.#licenceMessages <= MAX_LICENCE_MESSAGES) this.#send(channel, pdu.subarray(offset));
  }

  #share(pdu: Buffer, channel: number, offset: number): void {
    const header = shareHeader(pdu, offset);
    if (header?.type === SHARE.confirmActive && !this.#own.isConfirmed) {
      this.#own.isConfirmed = true;
      this.#activationMessages = 0;
      const { tracker, terms, user } = this.#own;
      this.#send(channel, confirmActive(user, tracker.shareId!, tracker.size ?? terms, terms.keyboard));
    } else if (header?.data === DATA.frameAcknowledge && pdu.length === header.body + FRAME_ACK_BYTES) {
      this.#own.acks.told(pdu.readUInt32LE(header.body));
      this.#send(channel, pdu.subarray(offset));
    } else if ([DATA.synchronize, DATA.control, DATA.fontList].some((each) => each === header?.data)) {
      this.#activationMessages += 1;
      if (this.#activationMessages <= MAX_ACTIVATION_MESSAGES) this.#send(channel, pdu.subarray(offset));
    }
  }

  #display(chunk: Buffer, mayType: boolean): void {
    const message = this.#dynamic.push(chunk);
    if (!message || message.length > MAX_DYNAMIC_BYTES) return;
    const passed = this.#own.dynamic.fromPage(message.bytes, mayType);
    if (passed && this.mayResize()) this.#own.toHostChannel(CHANNEL.dynamic, passed);
  }

  /** Not too often, whoever asks for it and how. */
  mayResize(): boolean {
    return this.#rate.take(RESIZE_EVENTS);
  }

  #input(pdu: Buffer, mayType: boolean): void {
    const { events, pointer } = readInput(pdu, this.#buttons);
    const { tracker, sinks } = this.#own;
    if (!mayType || !tracker.isActive || !this.#rate.take(events)) return;
    sinks.toHost(pdu);
    if (!pointer) return;
    this.#buttons = pointer.buttons;
    sinks.pointer(pointer.x, pointer.y, pointer.buttons);
  }

  /** Under our header, with the page's number alone. */
  #send(channel: number, body: Buffer): void {
    this.#own.sinks.toHost(channelPdu('client', this.#own.user, channel, body));
  }
}
