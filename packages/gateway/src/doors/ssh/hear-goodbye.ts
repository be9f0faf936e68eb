/** Hears a goodbye before anything else does: whoever says it has left, and is not merely lost. */
import type { Connection } from 'ssh2';

type Handler = (...args: unknown[]) => void;

export function hearGoodbye(client: Connection, onGoodbye: () => void): void {
  const { _protocol: protocol } = client as unknown as { _protocol: { _handlers: Record<string, Handler> } };
  const before = protocol._handlers.DISCONNECT;
  if (!before) throw new Error('this version of ssh2 hears goodbyes in another way');
  protocol._handlers.DISCONNECT = (...args) => {
    onGoodbye();
    before(...args);
  };
}
