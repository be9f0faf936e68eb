/** What a desktop writes while it runs: what its host draws, where the pointer was, and what happened beside the picture. Never a key, never what a clipboard held. */
import type { Recorder, SessionRecorder } from '../recorder.ts';

export interface PictureSize {
  width: number;
  height: number;
}

/** Something that the picture does not show. */
export type DesktopNote =
  | { kind: 'clipboard'; direction: 'send' | 'receive'; length: number; refused?: string }
  | { kind: 'share'; name: string }
  | { kind: 'take-over'; user: string };

type OfEverySession =
  | 'isOpen'
  | 'joined'
  | 'left'
  | 'durable'
  | 'onDurable'
  | 'onFailed'
  | 'onFull'
  | 'close'
  | 'release';

/** `durable` counts bytes of pictures. */
export interface DesktopRecorder extends Pick<SessionRecorder, OfEverySession> {
  /** The first handshake begins. */
  begin(protocol: 'rdp' | 'vnc', size: PictureSize): void;
  /** What the host sent, one whole PDU where its protocol has such. The bytes must not change afterwards. */
  picture(bytes: Buffer): void;
  size(size: PictureSize): void;
  /** Bits of `buttons`: 1 left, 2 right, 4 middle. Where it moves, so many are kept as an eye follows. */
  pointer(x: number, y: number, buttons: number): void;
  /** Another handshake begins: what follows is for a client that knows nothing of what came before. */
  segment(size: PictureSize): void;
  note(note: DesktopNote): void;
  /** So much is not on disk yet that the host has to wait, until this is settled. */
  behind(): Promise<void> | undefined;
}

export type DesktopRecorders = Recorder<DesktopRecorder>;
