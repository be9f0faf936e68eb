/** What we use of noVNC, which comes without types. */
declare module '@novnc/novnc' {
  interface RawChannel {
    binaryType: string;
    readonly protocol: string;
    readonly readyState: string;
    onopen: (() => void) | null;
    onmessage: ((event: { data: Uint8Array }) => void) | null;
    onclose: ((event: { code: number; reason: string }) => void) | null;
    onerror: ((event: unknown) => void) | null;
    send(data: Uint8Array): void;
    close(): void;
  }
  class RFB extends EventTarget {
    constructor(target: HTMLElement, channel: RawChannel, options?: { shared?: boolean });
    disconnect(): void;
  }

  // biome-ignore lint/style/noDefaultExport: so it is exported there
  export { RFB as default };
}
