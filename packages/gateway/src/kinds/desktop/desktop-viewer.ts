/** One page that looks at a desktop: sent each picture while it may look, and all of the screen again where it missed some. */
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { SessionEnd } from '../../sessions/host/session-store.ts';

/** How it reaches the page. */
export interface DesktopWire {
  /** Calls back when it has left. */
  picture(bytes: Buffer, sent: () => void): void;
  /** A message about a shared folder. Calls back as well. */
  files(bytes: Uint8Array, sent: () => void): void;
  /** What the host plays. Absent: who looks there hears nothing. */
  sound?(bytes: Uint8Array, sent: () => void): void;
  tell(reply: DesktopReply): void;
  /** Bytes that nobody has taken yet. */
  unsent(): number;
  /** Tells the end and closes. */
  end(end: SessionEnd): void;
}

/** More on its way to whose session it is: the host is not read until it is less. Whoever else is there misses pictures instead. */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
const LITTLE_BYTES = 512 * 1024;

/** `behind`: what it shows is old. */
type Stage = 'waiting' | 'behind' | 'live';

export class DesktopViewer {
  readonly id: string;
  readonly mode: ParticipantMode;
  readonly wire: DesktopWire;
  /** Of the person whose session it is: what their roles let pass beside the picture, as by the clipboard, is for nobody else. */
  readonly isOwners: boolean;
  stage: Stage = 'waiting';
  /** It made the handshake with the host and has missed nothing since: it is sent whatever the host says. */
  isFirst = false;
  /** Its client is in the middle of a handshake; of one that it was sent, what it says goes nowhere. */
  isGreeting = false;
  /** Its client has channels beside the picture, though it made no handshake with the host. */
  hasChannels = false;
  isHidden = false;
  #isCatchingUp = false;

  constructor(options: { id: string; mode: ParticipantMode; wire: DesktopWire; isOwners: boolean }) {
    this.id = options.id;
    this.mode = options.mode;
    this.wire = options.wire;
    this.isOwners = options.isOwners;
  }

  /** It may speak with the host beyond what is typed: make the handshake, and have channels. */
  get mayDrive(): boolean {
    return this.isOwners && this.mode === 'peer';
  }

  /** The host, that waits for a handshake. Whoever began and may never say the rest of it keeps out nobody who may do more: neither who only looks on, nor a guest the owner. */
  mayAnswer(before: DesktopViewer | undefined): boolean {
    return this.isGreeting && (before === undefined || this.#standing > before.#standing);
  }

  get #standing(): number {
    if (this.mode !== 'peer') return 0;
    return this.isOwners ? 2 : 1;
  }

  get isBehind(): boolean {
    return this.stage === 'behind';
  }

  get isFull(): boolean {
    return this.wire.unsent() > MAX_UNSENT_BYTES;
  }

  get isDrained(): boolean {
    return this.wire.unsent() < LITTLE_BYTES;
  }

  /** Its client begins anew: a handshake follows. */
  begin(segment: DesktopReply): void {
    this.isGreeting = true;
    this.hasChannels = false;
    this.wire.tell(segment);
  }

  /** It misses pictures from now on. */
  fallBehind(): void {
    this.stage = 'behind';
    this.isFirst = false;
  }

  /** Sent all of the screen, unless that is under way. `show` gives it, and where the live pictures go on; who may not look by then stays behind. */
  async catchUp(
    show: () => Promise<readonly Buffer[]>,
    mayLook: () => boolean,
    segment: () => DesktopReply,
    sent: () => void,
  ): Promise<void> {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    try {
      const pictures = await show();
      if (this.stage !== 'behind' || !mayLook()) return;
      this.stage = 'live';
      this.begin(segment());
      for (const picture of pictures) this.wire.picture(picture, sent);
    } finally {
      this.#isCatchingUp = false;
    }
  }
}
