/** The part of a logger the tunnel uses; a pino logger fits. */

type Write = (fields: object, message: string) => void;

export interface TunnelLog {
  debug: Write;
  info: Write;
  warn: Write;
}
