/** What a page needs of whatever draws a remote desktop on a canvas, by whichever protocol. */

/** Something a person does, in pixels of the picture. */
export type PictureInput =
  | { is: 'move'; x: number; y: number }
  /** As browsers count them: 0 left, 1 middle, 2 right, 3 back, 4 forward. */
  | { is: 'button'; button: number; isDown: boolean }
  /** 120 is one notch of a wheel; up and right are positive. */
  | { is: 'wheel'; isVertical: boolean; amount: number }
  /** A scancode of set 1; 0xe0.. for extended keys. `written`: what the browser says that it writes or does, where it was pressed by a person. */
  | { is: 'key'; scancode: number; isDown: boolean; written?: string }
  /** A character, whatever the layout there. */
  | { is: 'character'; character: string };

export interface LockKeys {
  scroll: boolean;
  num: boolean;
  caps: boolean;
}

/** What lies on a clipboard; HTML and pictures where there are some. */
export interface Copied {
  text?: string;
  html?: string;
  png?: Uint8Array<ArrayBuffer>;
}

export interface PictureSize {
  width: number;
  height: number;
}

/** Why a client has stopped. `broken`: it cannot be used again before the page is loaded anew. */
export interface ClientEnd {
  isBroken: boolean;
  reason: string;
}

export interface PictureEvents {
  /** Bytes of the protocol for the host. */
  onSend(bytes: Uint8Array<ArrayBuffer>): void;
  onSize?(size: PictureSize): void;
  /** Copied there. */
  onCopied?(copied: Copied): void;
  onEnd?(end: ClientEnd): void;
}

export interface PictureClient {
  /** The client waits for the host: from now on bytes may be pushed. */
  readonly waiting: Promise<void>;
  /** The handshake is over. Rejects with what went wrong. */
  readonly connected: Promise<void>;
  /** Bytes of the host; of RDP one whole PDU each time. */
  push(bytes: Uint8Array): void;
  /** All that was pushed is on the canvas. */
  drawn(): Promise<void>;
  act(inputs: readonly PictureInput[]): void;
  releaseAll(): void;
  syncLocks(locks: LockKeys): void;
  /** Asks the host; whether it does so is seen by `onSize`. `scale` in percent. */
  resize(size: PictureSize, scale: number): void;
  /** Puts it on the clipboard there. */
  copy(copied: Copied): void;
  close(): void;
}
