/** A connection to a desktop that is signed in: what a session has of it, whatever its protocol. */
import type { FolderShare } from './shared-folder.ts';

export interface DesktopSize {
  width: number;
  height: number;
}

/** How a desktop is signed in to and opened. Whoever looks at it has said neither password nor certificate: the gateway holds them. */
export interface DesktopTerms extends DesktopSize {
  user: string;
  /** Empty: an account of the machine itself. */
  domain: string;
  password: string;
  /** Said in TLS, for hosts that have several certificates. */
  serverName: string;
  /** Of the screen, in percent. */
  scale: number;
  /** The layout of the keys, as Windows numbers it; 0: unknown. */
  keyboard: number;
  clipboard: boolean;
  drives: boolean;
  /** Throws DesktopFailure where it is not the one that was pinned or certified. `isNla`: the host must prove that it knows the password, bound to this certificate, before it hears it. */
  checkCertificate(leaf: Buffer, chain: readonly Buffer[], isNla: boolean): Trust | Promise<Trust>;
}

/** `unproven`: it is another certificate than the known one, and only what the host proves by the sign-in speaks for it. */
export type Trust = 'unproven' | undefined;

export type DesktopStep = 'protocol' | 'tls' | 'certificate' | 'sign_in';

/** Why a desktop was not opened, in words for whoever wanted it. Neither holds a password. */
export class DesktopFailure extends Error {
  readonly step: DesktopStep;
  readonly code: string;
  /** What to do about it. */
  readonly next: string;
  constructor(step: DesktopStep, code: string, message: string, options: ErrorOptions & { next?: string } = {}) {
    super(message, options);
    this.name = 'DesktopFailure';
    this.step = step;
    this.code = code;
    this.next = options.next ?? '';
  }
}

/** Its bytes are no message of its protocol: nothing of them is passed on. */
export function malformed(message: string): DesktopFailure {
  return new DesktopFailure('protocol', 'malformed', message);
}

/** What a host plays, in whole samples of 16 bits, the lower byte first. */
export interface Sound {
  channels: number;
  /** Samples a second. */
  rate: number;
  samples: Buffer;
}

/** Never its contents. */
export interface ClipboardTransfer {
  /** `send`: from the page to the host. */
  direction: 'send' | 'receive';
  length: number;
  /** Why it was not passed on. */
  refused?: string;
}

export const CLOSED_BY_HOST = 'the host closed the connection';
export const LOST_HOST = 'the connection to the host was lost';

export interface DesktopEnd {
  /** `closed`: by the host, which says why or leaves in order. `lost`: its connection broke. `failed`: it was cut here, for what it did. */
  cause: 'closed' | 'lost' | 'failed';
  message: string;
  /** The host gave a reason: nothing else is to be looked for. */
  told?: 'reason' | 'taken_over';
}

interface AnyLink {
  readonly size: DesktopSize;
  /** Each message for pages, one by one. `kept`: what a recording keeps of it. */
  onPicture(listener: (pdu: Buffer, kept: Buffer | undefined) => void): void;
  onPointer(listener: (x: number, y: number, buttons: number) => void): void;
  onSize(listener: (size: DesktopSize) => void): void;
  onClipboard(listener: (transfer: ClipboardTransfer) => void): void;
  /** Once. The host's own reason where it gave one. */
  onEnd(listener: (why: DesktopEnd) => void): void;
  /** Absent: it plays nothing. */
  onSound?(listener: (sound: Sound) => void): void;
  allowClipboard(allowed: boolean): void;
  /** Absent: it has none. */
  readonly hasFolders?: boolean;
  /** A folder becomes a drive of the host; gives what takes it away again. Undefined, or absent: this connection has no folders. */
  share?(share: FolderShare): (() => void) | undefined;
  /** Nobody looks: the host need not draw. */
  suppressOutput(hidden: boolean): void;
  /** Nothing more is read from the host until `resume`. */
  pause(): void;
  resume(): void;
  /** Where the gateway itself asks for another size. Pages of RDP do it by display control. */
  resize(size: DesktopSize & { scale: number }): void;
  close(): void;
}

/** Of RDP: the handshake of one page is that of all. */
export interface SharedLink extends AnyLink {
  readonly protocol: 'rdp';
  /** Bytes of the page whose handshake it is, or of another that drives it too: input alone then. What it may not say is passed over; what is broken throws. */
  fromPage(bytes: Buffer, from: 'driver' | 'peer', mayType: boolean): void;
  /** What a page is sent beside the picture that goes on in place of the one whose handshake it was: its client has no channels before. */
  channelsAgain(): readonly Buffer[];
}

/** Of VNC: the gateway greets each page in the host's place, at any time. */
export interface PagedLink extends AnyLink {
  readonly protocol: 'vnc';
  /** `show` is called at once, with the greeting, and then with all that the host draws, from a whole picture on. */
  openPage(show: ShowPage): LinkPage;
  /** What a client hears before the first picture. */
  greeting(): Buffer;
  /** Now and then, between two messages: a whole picture follows, and whoever is greeted here can go on. Without a listener none is asked for. */
  onBeginning(listener: () => void): void;
}

export type DesktopLink = SharedLink | PagedLink;

/** `isClipboard`: a whole message that is for the owner of the session alone. */
export type ShowPage = (bytes: Buffer, isClipboard: boolean) => void;

export interface LinkPage {
  /** `driver`: of the owner of the session, who may do more than type. What it may not say is passed over; what is broken throws. True where the host was sent a key or a move: a message may hold them behind others. */
  hear(bytes: Buffer, from: 'driver' | 'peer', mayType: boolean): boolean;
  /** It is shown nothing more, and what it held pressed is let go of. */
  close(): void;
}
