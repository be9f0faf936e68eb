/** What the gateway and the thread that draws screens say to each other. */
interface Size {
  cols: number;
  rows: number;
}

export type PictureRequest =
  | {
      type: 'draw';
      sid: string;
      /** Nothing before these parts counts. */
      isFresh: boolean;
      parts: (Size & { bytes: Uint8Array })[];
      size: Size;
    }
  | { type: 'forget'; sid: string };

export type PictureReply = Size & { sid: string; ansi: string };
