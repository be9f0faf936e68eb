/** A client of remote desktops for tests: draws nothing, remembers what it was told and lets the test say what it says. */
import type { ClientOptions } from '../src/kinds/desktop/session/live-desktop.ts';
import type { Copied, PictureClient, PictureInput, PictureSize } from '../src/shared/desktop-picture/picture-client.ts';

export class FakePicture implements PictureClient {
  readonly options: ClientOptions;
  readonly pushed: number[][] = [];
  readonly acted: PictureInput[] = [];
  readonly copied: Copied[] = [];
  readonly sizes: (PictureSize & { scale: number })[] = [];
  isClosed = false;
  beReady: () => void = () => undefined;
  beConnected: () => void = () => undefined;
  readonly waiting = new Promise<void>((resolve) => {
    this.beReady = resolve;
  });
  readonly connected = new Promise<void>((resolve) => {
    this.beConnected = resolve;
  });

  constructor(options: ClientOptions) {
    this.options = options;
  }

  push(bytes: Uint8Array): void {
    this.pushed.push([...bytes]);
  }
  async drawn(): Promise<void> {}
  act(inputs: readonly PictureInput[]): void {
    this.acted.push(...inputs);
  }
  releaseAll(): void {}
  syncLocks(): void {}
  resize(size: PictureSize, scale: number): void {
    this.sizes.push({ ...size, scale });
  }
  copy(copied: Copied): void {
    this.copied.push(copied);
  }
  close(): void {
    this.isClosed = true;
  }
}
